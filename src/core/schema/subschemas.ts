import { isObject } from '../tool/json.ts'
import { encodePointerStep, parsePointer } from '../tool/problem.ts'
import { KEYWORDS } from './keywords.ts'

export const MAX_SCHEMA_DEPTH = 32
export const MAX_SUBSCHEMAS = 2_000
/** Maps are keyed by pointers, and engines do not hash long texts, so that a long name would make lookups very slow. */
export const MAX_POINTER = 4_000

interface Subschema {
  readonly schema: unknown
  readonly keyword: string
  readonly path: string
  readonly inPlace: boolean
}

export interface Located {
  readonly schema: unknown
  readonly path: string
  readonly depth: number
}

/** In document order (JSON Schema 2020-12 Core section 10, and older spellings). Malformed values have none. */
export function subschemas(schema: unknown): readonly Subschema[] {
  const found: Subschema[] = []
  if (!isObject(schema)) return found
  mapSubschemas(schema, (below, keyword, path) =>
    found.push({ schema: below, keyword, path, inPlace: KEYWORDS.get(keyword)?.isInPlace ?? false }),
  )
  return found
}

/** Every schema of a document, parents first, down to `maxDepth`. Does not recurse, so depth costs no stack. */
export function* walkSubschemas(root: unknown, maxDepth: number): Generator<Located> {
  const waiting: Located[] = [{ schema: root, path: '', depth: 1 }]
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { schema, path, depth } = next
    yield next
    if (depth >= maxDepth) continue
    for (const below of subschemas(schema).toReversed())
      waiting.push({ schema: below.schema, path: path + below.path, depth: depth + 1 })
  }
}

/** Objects of the copy have no prototype, so that no name means anything but itself. */
export function mapSubschemas(
  schema: Readonly<Record<string, unknown>>,
  change: (schema: unknown, keyword: string, path: string) => unknown,
): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  for (const [keyword, value] of Object.entries(schema)) {
    copy[keyword] = value
    const holds = KEYWORDS.get(keyword)?.holds
    if (holds === undefined) continue
    const path = encodePointerStep(keyword)
    const changed = (each: unknown, key: string | number) => change(each, keyword, path + encodePointerStep(key))
    if (holds === 'schemas by name' || holds === 'schemas or names by name') {
      if (!isObject(value)) continue
      const map: Record<string, unknown> = Object.create(null)
      for (const [key, each] of Object.entries(value))
        map[key] = holds === 'schemas or names by name' && Array.isArray(each) ? each : changed(each, key)
      copy[keyword] = map
    } else if (Array.isArray(value)) {
      if (holds === 'list of schemas' || holds === 'schema or list') copy[keyword] = value.map(changed)
    } else if (holds === 'schema' || holds === 'schema or list') {
      copy[keyword] = change(value, keyword, path)
    }
  }
  return copy
}

export function parseLocalRef(reference: string): string | readonly string[] | undefined {
  if (!reference.startsWith('#')) return undefined
  try {
    const fragment = decodeURIComponent(reference.slice(1))
    return fragment === '' || fragment.startsWith('/') ? parsePointer(fragment) : fragment
  } catch {
    return undefined
  }
}

export function toRefPath(reference: string): string | undefined {
  const target = parseLocalRef(reference)
  return typeof target === 'string' ? `#${target}` : target?.map(encodePointerStep).join('')
}
