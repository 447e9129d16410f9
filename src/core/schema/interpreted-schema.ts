import { dereference, type OutputUnit, validate } from '@cfworker/json-schema'
import type { Problem } from '../tool/problem.ts'
import type { JsonSchema } from '../tool/tool.ts'
import type { Validate } from './validator.ts'
import { locate } from './keyword-location.ts'
import { type Budget, type Prepared, prepareSchema, TooCostly } from './prepared-schema.ts'
import { measure } from './instance-size.ts'
import { type Finding, problemMessage, reported } from './wording.ts'

/** Evaluations of a subschema that one validation may take. */
const MAX_EVALUATIONS = 200_000

/** An evaluation can take time in proportion to the widest part of the value, so a wide value gets fewer. */
const MAX_WORK = 1e8

/** Keywords that only say that another keyword below them failed. */
const WRAPPERS: ReadonlySet<string> = new Set([
  '$ref',
  '$recursiveRef',
  'allOf',
  'if',
  'dependentSchemas',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
  'propertyNames',
  'prefixItems',
  'items',
  'additionalItems',
  'unevaluatedItems',
])

/** The schemas of a document by absolute URI, as the library makes it. */
type Lookup = ReturnType<typeof dereference>

/**
 * Makes a schema's validator without generating code, which Workers refuse during a request. Preparation is done once.
 * The validator never throws and never takes long: a value that is too deep for the stack, or too costly to check, has
 * one problem that says so. `format` is an annotation (JSON Schema 2020-12 Validation section 7.2.1); references are
 * followed within the document only. A schema that cannot be used at all gives a validator that refuses everything.
 */
export function interpretSchema(schema: JsonSchema): Validate {
  const budget: Budget = { left: 0, unmatched: undefined }
  let prepared: Prepared
  let lookup: Lookup
  try {
    prepared = prepareSchema(schema, budget)
    lookup = dereference(prepared.root)
  } catch {
    return () => [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  }
  return (value) => {
    try {
      const { width, longNames } = measure(value, prepared.maxNameLength)
      if (longNames.length > 0) return reported(longNames.map((path) => nameTooLong(path, prepared.maxNameLength)))
      budget.left = Math.min(MAX_EVALUATIONS, Math.floor(MAX_WORK / Math.max(1, width)))
      budget.unmatched = undefined
      const { valid, errors } = validate(value, prepared.root, '2020-12', lookup, false)
      if (!valid) return reported(findings(errors, prepared, lookup))
      // Below `not` or `anyOf` a limit of ours may have made valid what is not.
      return budget.unmatched === undefined ? [] : [{ path: '', message: budget.unmatched }]
    } catch (error) {
      return [{ path: '', message: refusal(error) }]
    }
  }
}

function findings(errors: readonly OutputUnit[], prepared: Prepared, lookup: Lookup): Finding[] {
  const found: Finding[] = []
  const places = new Map<string, ReturnType<typeof locate>>()
  for (const { keyword, keywordLocation, instanceLocation, error } of errors) {
    if (WRAPPERS.has(keyword)) continue
    const place = places.get(keywordLocation) ?? locate(keywordLocation, prepared.root, lookup)
    places.set(keywordLocation, place)
    if (place.within === 'composite') continue
    const path = decodeURIComponent(instanceLocation).slice(1)
    if (place.within === 'propertyNames') {
      found.push({ path, keyword: 'propertyNames', message: problemMessage('propertyNames') })
      continue
    }
    found.push(finding(path, keyword, error, place.schema, prepared))
  }
  return found
}

function finding(path: string, keyword: string, error: string, schema: object, prepared: Prepared): Finding {
  const guard = prepared.guards.get(schema)
  if (guard !== undefined) return { path, keyword, message: guard }
  const refuser = prepared.refusers.get(schema)
  if (refuser !== undefined) return refused(path, refuser)
  const missing = missingProperty(keyword, error)
  const place = missing === undefined ? path : `${path}/${missing.replaceAll('~', '~0').replaceAll('/', '~1')}`
  const wanted: unknown = Reflect.get(schema, keyword)
  return { path: place, keyword, message: problemMessage(keyword, wanted) }
}

/** A value that `false` refused, in terms of the keyword that holds it; surplus items are told at their array. */
function refused(path: string, keyword: string): Finding {
  const surplus = keyword === 'items' || keyword === 'additionalItems' || keyword === 'unevaluatedItems'
  const place = surplus ? path.slice(0, path.lastIndexOf('/')) : path
  return { path: place, keyword, message: problemMessage(keyword) }
}

/** The library names a missing property in its sentence only. */
function missingProperty(keyword: string, error: string): string | undefined {
  if (keyword === 'required') return /^Instance does not have required property "([^]*)"\.$/.exec(error)?.[1]
  if (keyword !== 'dependentRequired' && keyword !== 'dependencies') return undefined
  return /^Instance has "[^]*" but does not have "([^]*)"\.$/.exec(error)?.[1]
}

function nameTooLong(path: string, length: number): Finding {
  const message = `Must have a name of at most ${length} characters to be matched against the patterns`
  return { path, keyword: 'patternProperties', message }
}

function refusal(error: unknown): Problem['message'] {
  if (error instanceof TooCostly) return 'Is too costly to check against its schema'
  if (error instanceof RangeError) return 'Is too deep or too large to check against its schema'
  return 'Cannot be checked against its schema'
}
