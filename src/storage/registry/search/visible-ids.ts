import { column, field } from '../../rows.ts'
import type { Scope } from './visibility.ts'

/** So many numbers are read as one text, which is faster than a row each: one in a Durable Object is at most 2 MB. */
const SPAN = 100_000

/** The tools that a search is among. */
export interface Seen {
  readonly count: number
  /** The highest number of all that there are. */
  readonly last: number
  /** Where spans of numbers begin that all tools are in. */
  readonly spans: readonly number[]
  /** Their numbers; undefined where they are all that there are. */
  readonly ids: ReadonlySet<number> | undefined
}

/** The tools in a scope. */
export function visibleIds(sql: SqlStorage, { condition, bindings }: Scope): Seen {
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

/** The numbers of the tools that each FTS5 expression finds, of those that are seen. */
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
