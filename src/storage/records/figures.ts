import type { CallFilter, Counted, UsageKey } from '../../core/call/recorded-calls.ts'
import { rows } from '../rows.ts'
import type { CallGroup } from './call-groups.ts'
import { partsOf } from './call-rows.ts'
import { conditionOf } from './condition.ts'
import { insertAll } from './tables.ts'

const MAX_GROUPS = 50_000

export function storeFigures(sql: SqlStorage, groups: readonly CallGroup[]): void {
  const figureRows = groups.flatMap(({ shared, figures }) => {
    const { principal, user_id: user = '', outcome, dialect } = shared
    const parts = partsOf(shared)
    return figures.map(([hour, ...figure]) => [hour, principal, user, ...parts, outcome, dialect, ...figure])
  })
  const sum = 'ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, ms = ms + excluded.ms'
  insertAll(sql, 'figure', figureRows, sum)
}

const COLUMNS: Readonly<Record<UsageKey, string>> = {
  principal: 'principal',
  user_id: 'user_id',
  tool: 'tool',
  toolkit: 'toolkit',
  outcome: 'outcome',
  dialect: 'dialect',
  hour: "strftime('%Y-%m-%dT%H:00:00.000Z', hour / 1000, 'unixepoch')",
  day: "strftime('%Y-%m-%d', hour / 1000, 'unixepoch')",
}

export type FigureRow = {
  readonly group: string
  readonly failed: number
  readonly bucket: number
  readonly calls: number
  readonly ms: number
}

/** Undefined where there are more groups than one answer holds. */
export function countCalls(sql: SqlStorage, filter: CallFilter, by: readonly UsageKey[]): FigureRow[] | undefined {
  const { text, values } = conditionOf(sql, filter, 'figures')
  const group = `json_object(${by.map((key) => `'${key}', ${COLUMNS[key]}`).join(', ')})`
  const query = `SELECT ${group} AS "group", outcome <> 'success' AS failed, bucket, sum(calls) AS calls, sum(ms) AS ms
    FROM figure WHERE ${text} GROUP BY 1, 2, 3 LIMIT ?`
  return unlessTooMany(rows<FigureRow>(sql, query, ...values, MAX_GROUPS + 1))
}

/** A day's calls by tool and outcome, or by toolkit where there are too many tools, with their durations. */
export type DayRows = {
  readonly calls: Counted['calls']
  readonly durations: readonly (Omit<FigureRow, 'group' | 'failed'> & { readonly toolkit: string })[]
}

export function countDay(sql: SqlStorage): DayRows {
  const counted = (names: string) => {
    const each = `SELECT ${names}, sum(calls) AS calls FROM figure GROUP BY ${names} LIMIT ?`
    return rows<DayRows['calls'][number]>(sql, each, MAX_GROUPS + 1)
  }
  const query =
    'SELECT toolkit, bucket, sum(calls) AS calls, sum(ms) AS ms FROM figure GROUP BY toolkit, bucket LIMIT ?'
  return {
    calls: unlessTooMany(counted('toolkit, tool, outcome')) ?? counted('toolkit, outcome').slice(0, MAX_GROUPS),
    durations: rows<DayRows['durations'][number]>(sql, query, MAX_GROUPS),
  }
}

function unlessTooMany<Row>(rows: Row[]): Row[] | undefined {
  return rows.length > MAX_GROUPS ? undefined : rows
}
