import { maySee, patternsFor, type Principal } from '../../../core/access/principal.ts'
import { listViewPatterns } from '../../../core/access/tool-view.ts'
import type { ListQuery } from '../../../core/catalog/catalog.ts'
import { IDS } from '../../../core/search/bm25f.ts'
import { parseToolId } from '../../../core/tool/tool-id.ts'
import { column, readField, rows } from '../../rows.ts'

export type IndexFilter = ReturnType<typeof buildScope>

const EVERY = 'TRUE'
/** A tool's own tag, or its toolkit's. */
const HAS_TAG = `? IN (SELECT value FROM json_each(indexed.tags) UNION ALL
  SELECT value FROM toolkit, json_each(toolkit.tags) WHERE toolkit.key = indexed.toolkit)`

export function buildScope(
  sql: SqlStorage,
  { toolkit, tag, callable }: Pick<ListQuery, 'toolkit' | 'tag' | 'callable'>,
  principal: Principal,
) {
  const ids = idsCoveredBy(sql, principal)
  /** A condition whose value is null does not apply. */
  const conditions: Readonly<Record<string, SqlStorageValue>> = {
    'indexed.id IN (SELECT value FROM json_each(?))': ids ? JSON.stringify(ids) : null,
    // Equals `maySee` if the patterns cover all tools, without reading each tool
    'indexed.level = ?': !ids && principal.kind === 'anonymous' ? 0 : null,
    'indexed.toolkit = ?': toolkit?.toLowerCase() ?? null,
    [HAS_TAG]: tag ?? null,
    'indexed.callable = ?': callable ? 1 : null,
  }
  const applying = Object.entries(conditions).filter(([, value]) => value !== null)
  const condition = applying.map(([each]) => each).join(' AND ') || EVERY
  return { condition, bindings: applying.map(([, value]) => value) }
}

type IndexedRow = { readonly id: number; readonly key: string; readonly level: number }

/** Returns undefined if the principal's patterns cover all tools. */
function idsCoveredBy(sql: SqlStorage, principal: Principal): readonly number[] | undefined {
  const query = 'SELECT id, key, level FROM indexed WHERE key >= ? AND key < ?'
  const prefixRows = listPrefixes(principal)?.flatMap((begin) =>
    rows<IndexedRow>(sql, query, begin, `${begin}\u{10ffff}`),
  )
  const visibleTools = prefixRows?.filter(({ key, level }) => {
    const name = parseToolId(key)
    return name && maySee(principal, { ...name, securityLevel: level }, 'tools:read')
  })
  return visibleTools && [...new Set(visibleTools.map(({ id }) => id))]
}

/** Each prefix costs a lookup, so with more of them, those of whole toolkits are used. */
const MAX_PREFIXES = 50

/** Lists prefixes of the keys that the patterns may cover, up to a `-`, which may be `_`. Undefined if they cover all. */
export function listPrefixes(principal: Principal): readonly string[] | undefined {
  const { restrictedTo: restrictions, view } = principal
  const views = view ? [listViewPatterns(view)] : []
  const lists = [...views, ...(restrictions ? [restrictions] : []), patternsFor(principal, 'tools:read')].filter(
    (patterns) => !patterns.includes('*'),
  )
  const beginsAnyhow = (patterns: readonly string[]) => patterns.some((pattern) => pattern.startsWith('*'))
  const narrowest = lists.find((patterns) => !beginsAnyhow(patterns)) ?? lists[0]
  if (!narrowest) return undefined
  const prefixes = [...new Set(narrowest.map((pattern) => pattern.toLowerCase().split(/[*-]/, 1)[0] ?? ''))]
  if (prefixes.length <= MAX_PREFIXES) return prefixes
  return [...new Set(prefixes.map((prefix) => prefix.slice(0, prefix.indexOf('.') + 1 || prefix.length)))]
}

export function countVisible(sql: SqlStorage, { condition, bindings }: IndexFilter): number {
  if (condition === EVERY) return readField<number>(sql, 'SELECT sum(tools) FROM toolkit_count') ?? 0
  return readField<number>(sql, `SELECT count(*) FROM indexed WHERE ${condition}`, ...bindings) ?? 0
}

/** Builds an FTS5 expression. An empty phrase matches no row. */
export function joinAlternatives(words: readonly string[]): string {
  return words.length === 0 ? '""' : words.map((word) => `"${word}"`).join(' OR ')
}

/** Rows read for one word, the heaviest first. Lighter rows of a common word hardly change the ranking. */
const MAX_ROWS = 2_500

/** Returns the rows that each FTS5 expression finds among the tools in the scope. */
export function listVisibleRows(
  sql: SqlStorage,
  expressions: readonly string[],
  { condition, bindings }: IndexFilter,
): readonly (readonly number[])[] {
  const scoped =
    condition === EVERY ? '' : `AND (rowid >> 4) & ${IDS - 1} IN (SELECT id FROM indexed WHERE ${condition})`
  // One text, which is faster than a row per match
  const query = `SELECT (SELECT json_group_array(rowid) FROM
      (SELECT rowid FROM words WHERE words MATCH expression.value ${scoped} ORDER BY rowid LIMIT ${MAX_ROWS})
    ) FROM json_each(?) AS expression ORDER BY expression.key`
  const texts = column<string>(sql, query, ...bindings, JSON.stringify(expressions))
  return texts.map((text): readonly number[] => JSON.parse(text))
}
