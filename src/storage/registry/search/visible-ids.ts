import { column, field } from '../../rows.ts'
import type { IndexFilter } from './visibility.ts'

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
    return { count: field<number>(sql, 'SELECT count(*) FROM indexed') ?? 0, last, spans, ids: undefined }
  const query = `SELECT (SELECT json_group_array(id) FROM indexed WHERE ${condition} ${withinSpan('id', spans)})
    FROM json_each(?) AS span`
  const texts = column<string>(sql, query, ...bindings, JSON.stringify(spans))
  const ids = new Set(texts.flatMap(numbersOf))
  return { count: ids.size, last, spans, ids }
}

/** The visible tools that each FTS5 expression finds. */
export function matching(
  sql: SqlStorage,
  expressions: readonly string[],
  { spans, ids }: Seen,
): readonly (readonly number[])[] {
  const lists: number[][] = expressions.map(() => [])
  const query = `SELECT part.key AS at, (
      SELECT json_group_array(rowid) FROM words WHERE words MATCH part.value ${withinSpan('rowid', spans)}
    ) AS found FROM json_each(?) AS part CROSS JOIN json_each(?) AS span`
  const rows = sql.exec<{ at: number; found: string }>(query, JSON.stringify(expressions), JSON.stringify(spans))
  for (const { at, found } of rows) {
    const before = lists[at] ?? []
    const all = numbersOf(found)
    const some = ids ? all.filter((id) => ids.has(id)) : all
    lists[at] = before.length === 0 ? some : before.concat(some)
  }
  return lists
}

/** Left out where there is one span, since FTS5 takes twice as long with it. */
function withinSpan(column: 'id' | 'rowid', spans: readonly number[]): string {
  return spans.length === 1 ? '' : `AND ${column} BETWEEN span.value AND span.value + ${SPAN - 1}`
}

function numbersOf(text: string): number[] {
  return JSON.parse(text)
}
