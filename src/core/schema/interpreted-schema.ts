import type { dereference, OutputUnit } from '@cfworker/json-schema'
import { pointerStep } from '../tool/problem.ts'
import { keywordsWhere } from './keywords.ts'
import { locate } from './keyword-location.ts'
import type { Prepared } from './prepared-schema.ts'
import { type Finding, problemMessage } from './wording.ts'

/** The schemas of a document by absolute URI, as the library makes it. */
export type Lookup = ReturnType<typeof dereference>

/** More is not looked through: what is told of a value is less, and its places may be long. */
const MAX_FINDINGS = 1_000
const MAX_PLACES = 1_000_000

const SURPLUS = keywordsWhere(({ tells }) => tells === 'surplus')
/** Keywords that only say that another keyword below them failed; of `propertyNames`, that one says at which name. */
const WRAPPERS: ReadonlySet<string> = new Set([
  ...keywordsWhere(({ tells }) => tells === 'below'),
  ...SURPLUS,
  'propertyNames',
])

/** What the library found, without what only says that something below it failed, or failed because of it. */
export function findingsOfUnits(units: readonly OutputUnit[], prepared: Prepared, lookup: Lookup): Finding[] {
  const found: Finding[] = []
  const places = new Map<string, ReturnType<typeof locate>>()
  let characters = 0
  for (const { keyword, keywordLocation, instanceLocation, error } of units) {
    if (WRAPPERS.has(keyword)) continue
    characters += instanceLocation.length + keywordLocation.length
    if (found.length === MAX_FINDINGS || (characters > MAX_PLACES && found.length > 0)) break
    const place = places.get(keywordLocation) ?? locate(keywordLocation, prepared.root, lookup)
    places.set(keywordLocation, place)
    const path = decodeURIComponent(instanceLocation).slice(1)
    if (place.within === undefined) found.push(finding(path, keyword, error, place.schema, prepared))
    if (place.within === 'propertyNames') {
      found.push({ path, keyword: 'propertyNames', message: problemMessage('propertyNames') })
    }
  }
  return found
}

function finding(path: string, keyword: string, error: string, schema: object, prepared: Prepared): Finding {
  const guard = prepared.guards.get(schema)
  if (guard !== undefined) return { path, keyword, message: guard }
  const refuser = prepared.refusers.get(schema)
  if (refuser !== undefined) return refused(path, refuser)
  const missing = missingProperty(keyword, error)
  const place = missing === undefined ? path : path + pointerStep(missing)
  return { path: place, keyword, message: problemMessage(keyword, Reflect.get(schema, keyword)) }
}

/** A value that `false` refused, in terms of the keyword that holds it; surplus items are told at their array. */
function refused(path: string, keyword: string): Finding {
  const isItem = SURPLUS.has(keyword) && keyword.toLowerCase().endsWith('items')
  return { path: isItem ? path.slice(0, path.lastIndexOf('/')) : path, keyword, message: problemMessage(keyword) }
}

/** The library names a missing property in its sentence only. */
function missingProperty(keyword: string, error: string): string | undefined {
  if (keyword === 'required') return /^Instance does not have required property "([^]*)"\.$/.exec(error)?.[1]
  if (keyword !== 'dependentRequired' && keyword !== 'dependencies') return undefined
  return /^Instance has "[^]*" but does not have "([^]*)"\.$/.exec(error)?.[1]
}
