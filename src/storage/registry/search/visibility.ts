import { maySee, type Principal } from '../../../core/access/principal.ts'
import type { ListQuery } from '../../../core/catalogue/catalogue.ts'
import { IDS } from '../../../core/search/bm25f.ts'
import { parseToolId } from '../../../core/tool/tool-id.ts'
import { column, field, rows } from '../../rows.ts'

export interface IndexFilter {
  readonly condition: string
  readonly bindings: readonly SqlStorageValue[]
}

const EVERY = 'TRUE'

type IndexedRow = { readonly id: number; readonly key: string; readonly level: number }

export function scopeOf(
  sql: SqlStorage,
  { toolkit, tag, callable }: Pick<ListQuery, 'toolkit' | 'tag' | 'callable'>,
  principal: Principal,
): IndexFilter {
  const tagged = 'EXISTS (SELECT 1 FROM json_each(indexed.tags) WHERE value = ?)'
  const parts: readonly IndexFilter[] = [
    visibleTo(sql, principal),
    ...(toolkit === undefined ? [] : [{ condition: 'indexed.toolkit = ?', bindings: [toolkit.toLowerCase()] }]),
    ...(tag === undefined ? [] : [{ condition: tagged, bindings: [tag] }]),
    ...(callable ? [{ condition: 'indexed.callable = 1', bindings: [] }] : []),
  ]
  const conditions = parts.map(({ condition }) => condition).filter((condition) => condition !== EVERY)
  return { condition: conditions.join(' AND ') || EVERY, bindings: parts.flatMap(({ bindings }) => bindings) }
}

function visibleTo(sql: SqlStorage, principal: Principal): IndexFilter {
  const begins = beginningsOf(principal)
  // The same as `maySee` where the patterns leave nothing out, without reading every tool
  if (!begins) return { condition: principal.kind === 'anonymous' ? 'indexed.level = 0' : EVERY, bindings: [] }
  const query = 'SELECT id, key, level FROM indexed WHERE key >= ? AND key < ?'
  const begun = begins.flatMap((begin) => rows<IndexedRow>(sql, query, begin, `${begin}\u{10ffff}`))
  const ids = begun.flatMap(({ id, key, level }) => {
    const name = parseToolId(key)
    return name && maySee(principal, { ...name, securityLevel: level }) ? [id] : []
  })
  return { condition: 'indexed.id IN (SELECT value FROM json_each(?))', bindings: [JSON.stringify([...new Set(ids)])] }
}

/** Prefixes of the keys that a principal's patterns may cover; undefined where they cover all. */
export function beginningsOf({ tools, within }: Principal): readonly string[] | undefined {
  const lists = [tools, ...(within ? [within] : [])].filter((patterns) => !patterns.includes('*'))
  const beginsAnyhow = (patterns: readonly string[]) => patterns.some((pattern) => pattern.startsWith('*'))
  const narrowest = lists.find((patterns) => !beginsAnyhow(patterns)) ?? lists[0]
  return narrowest && [...new Set(narrowest.map((pattern) => pattern.toLowerCase().split('*', 1)[0] ?? ''))]
}

export function countOf(sql: SqlStorage, { condition, bindings }: IndexFilter): number {
  if (condition === EVERY) return field<number>(sql, 'SELECT sum(tools) FROM toolkit_count') ?? 0
  return field<number>(sql, `SELECT count(*) FROM indexed WHERE ${condition}`, ...bindings) ?? 0
}

/** An FTS5 expression. No row has an empty phrase. */
export function anyOf(words: readonly string[]): string {
  return words.length === 0 ? '""' : words.map((word) => `"${word}"`).join(' OR ')
}

/** Rows that are read of a word, those that weigh most: of one that more have, the others say little. */
const MAX_ROWS = 2_500

/** For each FTS5 expression the rows that it finds of tools in the scope. */
export function rowsOf(
  sql: SqlStorage,
  expressions: readonly string[],
  { condition, bindings }: IndexFilter,
): readonly (readonly number[])[] {
  const scoped =
    condition === EVERY ? '' : `AND (rowid >> 4) & ${IDS - 1} IN (SELECT id FROM indexed WHERE ${condition})`
  // As one text, which is faster than a row each
  const query = `SELECT (SELECT json_group_array(rowid) FROM
      (SELECT rowid FROM words WHERE words MATCH expression.value ${scoped} ORDER BY rowid LIMIT ${MAX_ROWS})
    ) FROM json_each(?) AS expression ORDER BY expression.key`
  const texts = column<string>(sql, query, ...bindings, JSON.stringify(expressions))
  return texts.map((text): readonly number[] => JSON.parse(text))
}
