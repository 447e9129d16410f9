import { maySee, type Principal } from '../../../core/access/principal.ts'
import type { ListQuery } from '../../../core/catalogue/catalogue.ts'
import { ROWS } from '../../../core/search/bm25f.ts'
import { parseToolId } from '../../../core/tool/tool-id.ts'
import { column, field } from '../../rows.ts'

export interface IndexFilter {
  readonly condition: string
  readonly bindings: readonly SqlStorageValue[]
}

type IndexedRow = { readonly id: number; readonly key: string; readonly level: number }

export function scopeOf(
  sql: SqlStorage,
  { toolkit, tag, callable }: Pick<ListQuery, 'toolkit' | 'tag' | 'callable'>,
  principal: Principal,
): IndexFilter {
  const seen = visibleTo(sql, principal)
  const parts: readonly (IndexFilter | undefined)[] = [
    seen,
    toolkit === undefined ? undefined : { condition: 'indexed.toolkit = ?', bindings: [toolkit.toLowerCase()] },
    tag === undefined
      ? undefined
      : { condition: 'EXISTS (SELECT 1 FROM json_each(indexed.tags) WHERE value = ?)', bindings: [tag] },
    callable ? { condition: 'indexed.callable = 1', bindings: [] } : undefined,
  ]
  const all = parts.filter((part) => part !== undefined)
  return {
    condition: all.length === 0 ? 'TRUE' : all.map(({ condition }) => condition).join(' AND '),
    bindings: all.flatMap(({ bindings }) => bindings),
  }
}

function visibleTo(sql: SqlStorage, principal: Principal): IndexFilter | undefined {
  const begins = beginningsOf(principal)
  // The same as `maySee` where the patterns leave nothing out, without reading every tool
  if (!begins) return principal.kind === 'anonymous' ? { condition: 'indexed.level = 0', bindings: [] } : undefined
  const rows = begins.flatMap((begin) =>
    sql
      .exec<IndexedRow>('SELECT id, key, level FROM indexed WHERE key >= ? AND key < ?', begin, `${begin}\u{10ffff}`)
      .toArray(),
  )
  const ids = rows.flatMap(({ id, key, level }) => {
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

/** Ids read as one text, which is faster than a row each; a text in a Durable Object is at most 2 MB. */
const SPAN = 100_000

export interface Seen {
  readonly count: number
  readonly last: number
  readonly spans: readonly number[]
  readonly ids: ReadonlySet<number> | undefined
}

export function visibleIds(sql: SqlStorage, { condition, bindings }: IndexFilter): Seen {
  const last = field<number>(sql, 'SELECT max(id) FROM indexed') ?? 0
  const spans = Array.from({ length: Math.floor(last / SPAN) + 1 }, (_, at) => at * SPAN)
  if (condition === 'TRUE')
    return { count: field<number>(sql, 'SELECT sum(tools) FROM toolkit_count') ?? 0, last, spans, ids: undefined }
  const query = `SELECT (SELECT json_group_array(id) FROM indexed WHERE ${condition} ${withinSpan('id', spans)})
    FROM json_each(?) AS span`
  const texts = column<string>(sql, query, ...bindings, JSON.stringify(spans))
  const ids = new Set(texts.flatMap(numbersOf))
  return { count: ids.size, last, spans, ids }
}

/** For each list of FTS5 expressions, the rows of tools that are seen that any of them finds. */
export function matching(
  sql: SqlStorage,
  sides: readonly (readonly string[])[],
  { spans, ids }: Seen,
): readonly (readonly number[])[] {
  const lists: number[][] = sides.map(() => [])
  // No row has an empty phrase
  const expressions = sides.map((side) => (side.length === 0 ? '""' : side.join(' OR ')))
  const query = `SELECT part.key AS at, (
      SELECT json_group_array(rowid) FROM words WHERE words MATCH part.value ${withinSpan('rowid', spans)}
    ) AS found FROM json_each(?) AS part CROSS JOIN json_each(?) AS span`
  const rows = sql.exec<{ at: number; found: string }>(query, JSON.stringify(expressions), JSON.stringify(spans))
  for (const { at, found } of rows) {
    const before = lists[at] ?? []
    const all = numbersOf(found)
    const some = ids ? all.filter((row) => ids.has(Math.floor(row / ROWS))) : all
    lists[at] = before.length === 0 ? some : before.concat(some)
  }
  return lists
}

/** Left out where there is one span, since FTS5 takes twice as long with it. */
function withinSpan(column: 'id' | 'rowid', spans: readonly number[]): string {
  const times = column === 'id' ? 1 : ROWS
  return spans.length === 1
    ? ''
    : `AND ${column} >= span.value * ${times} AND ${column} < (span.value + ${SPAN}) * ${times}`
}

function numbersOf(text: string): number[] {
  return JSON.parse(text)
}
