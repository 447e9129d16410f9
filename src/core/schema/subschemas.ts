import { isObject } from '../tool/json.ts'
import { encodePointerStep, parsePointer } from '../tool/problem.ts'
import { KEYWORDS } from './keywords.ts'

export const MAX_SCHEMA_DEPTH = 32
export const MAX_SUBSCHEMAS = 2_000
/** Maps are keyed by pointers, and engines do not hash long texts, so a long name would make lookups very slow. */
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

/** Lists subschemas in document order (JSON Schema 2020-12 Core section 10, or older spellings). Malformed values have none. */
export function subschemas(schema: unknown): readonly Subschema[] {
  const children: Subschema[] = []
  if (!isObject(schema)) return children
  mapSubschemas(schema, (child, keyword, path) =>
    children.push({ schema: child, keyword, path, inPlace: KEYWORDS.get(keyword)?.isInPlace ?? false }),
  )
  return children
}

/** Yields every schema of a document, parents first, down to `maxDepth`. Does not recurse, so depth uses no stack. */
export function* walkSubschemas(root: unknown, maxDepth: number): Generator<Located> {
  const pending: Located[] = [{ schema: root, path: '', depth: 1 }]
  for (let located = pending.pop(); located; located = pending.pop()) {
    const { schema, path, depth } = located
    yield located
    if (depth >= maxDepth) continue
    for (const child of subschemas(schema).toReversed())
      pending.push({ schema: child.schema, path: path + child.path, depth: depth + 1 })
  }
}

/** Copies a schema with changed subschemas. Objects of the copy have no prototype, so that no name is special. */
export function mapSubschemas(
  schema: Readonly<Record<string, unknown>>,
  change: (schema: unknown, keyword: string, path: string) => unknown,
): Record<string, unknown> {
  const copy: Record<string, unknown> = Object.create(null)
  for (const [keyword, value] of Object.entries(schema)) {
    copy[keyword] = value
    const valueType = KEYWORDS.get(keyword)?.holds
    if (valueType === undefined) continue
    const path = encodePointerStep(keyword)
    const changeItem = (item: unknown, key: string | number) => change(item, keyword, path + encodePointerStep(key))
    if (valueType === 'schemas by name' || valueType === 'schemas or names by name') {
      if (!isObject(value)) continue
      const map: Record<string, unknown> = Object.create(null)
      for (const [key, item] of Object.entries(value))
        map[key] = valueType === 'schemas or names by name' && Array.isArray(item) ? item : changeItem(item, key)
      copy[keyword] = map
    } else if (Array.isArray(value)) {
      if (valueType === 'list of schemas' || valueType === 'schema or list') copy[keyword] = value.map(changeItem)
    } else if (valueType === 'schema' || valueType === 'schema or list') {
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
