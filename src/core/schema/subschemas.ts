import { isObject } from '../tool/json.ts'
import { pointerStep } from '../tool/problem.ts'

/** How a keyword holds subschemas: one, a list, a map by name, or one or (before 2020-12) a list. */
const HOLDS: ReadonlyMap<string, 'one' | 'list' | 'map' | 'one or list'> = new Map([
  ['properties', 'map'],
  ['patternProperties', 'map'],
  ['$defs', 'map'],
  ['definitions', 'map'],
  ['dependentSchemas', 'map'],
  ['dependencies', 'map'],
  ['allOf', 'list'],
  ['anyOf', 'list'],
  ['oneOf', 'list'],
  ['prefixItems', 'list'],
  ['items', 'one or list'],
  ['additionalItems', 'one'],
  ['unevaluatedItems', 'one'],
  ['contains', 'one'],
  ['additionalProperties', 'one'],
  ['unevaluatedProperties', 'one'],
  ['propertyNames', 'one'],
  ['contentSchema', 'one'],
  ['not', 'one'],
  ['if', 'one'],
  ['then', 'one'],
  ['else', 'one'],
])

/** Keywords whose subschemas judge the very value their schema judges, not a part of it. */
const IN_PLACE: ReadonlySet<string> = new Set([
  'allOf',
  'anyOf',
  'oneOf',
  'not',
  'if',
  'then',
  'else',
  'dependentSchemas',
  'dependencies',
])

/** A schema right below another one. `schema` is whatever stands there, which may be no schema at all. */
export interface Subschema {
  readonly schema: unknown
  readonly keyword: string
  /** The JSON Pointer from the schema above. */
  readonly path: string
  readonly inPlace: boolean
}

/** A schema of a document; the root's path is "" and its depth 1. */
export interface Located {
  readonly schema: unknown
  readonly path: string
  readonly depth: number
}

/**
 * The schemas right below `schema`, in document order (JSON Schema 2020-12 Core section 10, with the older spellings
 * `definitions`, `dependencies`, `additionalItems` and a list under `items`). Total: anything else than an object has
 * none, and a keyword whose value has the wrong shape holds none.
 */
export function* subschemas(schema: unknown): Generator<Subschema> {
  if (!isObject(schema)) return
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = HOLDS.get(keyword)
    if (!holds) continue
    const inPlace = IN_PLACE.has(keyword)
    const path = pointerStep(keyword)
    if (holds === 'map') {
      if (!isObject(value)) continue
      for (const [key, each] of Object.entries(value)) {
        if (!namesProperties(keyword, each)) yield { schema: each, keyword, path: path + pointerStep(key), inPlace }
      }
    } else if (Array.isArray(value)) {
      if (holds === 'one') continue
      for (const [index, each] of value.entries()) {
        yield { schema: each, keyword, path: path + pointerStep(index), inPlace }
      }
    } else if (holds !== 'list') {
      yield { schema: value, keyword, path, inPlace }
    }
  }
}

/**
 * Every schema of a document, parents first, in document order. Does not recurse, so depth costs no stack; nothing
 * below `maxDepth` is visited.
 */
export function* everySubschema(root: unknown, maxDepth: number): Generator<Located> {
  const waiting: Located[] = [{ schema: root, path: '', depth: 1 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { schema, path, depth } = next
    yield next
    if (depth >= maxDepth) continue
    const below: Located[] = []
    for (const each of subschemas(schema)) {
      below.push({ schema: each.schema, path: path + each.path, depth: depth + 1 })
    }
    for (const each of below.reverse()) waiting.push(each)
  }
}

/**
 * A copy of one schema with each schema right below it replaced by what `change` gives for it. Objects of the copy have
 * no prototype, so that no name means anything but itself.
 */
export function mapSubschemas(
  schema: Readonly<Record<string, unknown>>,
  change: (schema: unknown, keyword: string) => unknown,
): Record<string, unknown> {
  const copy = emptyRecord()
  for (const [keyword, value] of Object.entries(schema)) {
    const holds = HOLDS.get(keyword)
    if (holds === 'map' && isObject(value)) {
      const map = emptyRecord()
      for (const [key, each] of Object.entries(value)) {
        map[key] = namesProperties(keyword, each) ? each : change(each, keyword)
      }
      copy[keyword] = map
    } else if (holds && holds !== 'map' && holds !== 'one' && Array.isArray(value)) {
      copy[keyword] = value.map((each) => change(each, keyword))
    } else if ((holds === 'one' || holds === 'one or list') && !Array.isArray(value)) {
      copy[keyword] = change(value, keyword)
    } else {
      copy[keyword] = value
    }
  }
  return copy
}

/** An object without a prototype. */
export function emptyRecord(): Record<string, unknown> {
  return Object.create(null)
}

/** `dependencies` holds schemas and, as `dependentRequired` does now, lists of property names. */
function namesProperties(keyword: string, value: unknown): boolean {
  return keyword === 'dependencies' && Array.isArray(value)
}

/** Whether a keyword holds subschemas. */
export function holdsSubschemas(keyword: string): boolean {
  return HOLDS.has(keyword)
}
