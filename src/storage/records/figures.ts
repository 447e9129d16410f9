import type { CallFilter, CallMetrics, UsageKey } from '../../core/call/recorded-calls.ts'
import { readField, rows } from '../rows.ts'
import type { CallGroup } from './call-groups.ts'
import { splitToolId } from './call-rows.ts'
import { buildCondition, OUTCOME_CLASSES } from './condition.ts'
import { addToMeta, insertAll, readMeta } from './tables.ts'

const MAX_GROUPS = 50_000

export function storeFigures(sql: SqlStorage, groups: readonly CallGroup[]): void {
  const figureRows = groups.flatMap(({ shared, figures }) => {
    const { principal, outcome, dialect } = shared
    const user =
      shared.user_id !== undefined && reserveUserHours(sql, principal, shared.user_id, figures) ? shared.user_id : ''
    const parts = splitToolId(shared)
    return figures.map(([hour, ...figure]) => [hour, principal, user, ...parts, outcome, dialect, ...figure])
  })
  const sum = 'ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, ms = ms + excluded.ms'
  insertAll(sql, 'figure', figureRows, sum)
}

/** Calls beyond this are counted without a user, so that made-up users do not slow down the figures of others. */
const MAX_USER_HOURS = 20_000

function reserveUserHours(sql: SqlStorage, principal: string, user: string, figures: CallGroup['figures']): boolean {
  const name = `user hours of ${principal}`
  const isKnown = 'SELECT 1 FROM figure WHERE hour = ? AND principal = ? AND user_id = ? LIMIT 1'
  const hours = new Set(figures.map(([hour]) => hour))
  const newHours = [...hours].filter((hour) => readField(sql, isKnown, hour, principal, user) === undefined).length
  if (readMeta(sql, name) + newHours > MAX_USER_HOURS) return false
  addToMeta(sql, name, newHours)
  return true
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
  readonly waiting: number
  readonly bucket: number
  readonly calls: number
  readonly ms: number
}

/** Returns undefined if there are more groups than a response can hold. */
export function countCalls(sql: SqlStorage, filter: CallFilter, by: readonly UsageKey[]): FigureRow[] | undefined {
  const { text, values } = buildCondition(sql, filter, 'figures')
  const group = `json_object(${by.map((key) => `'${key}', ${COLUMNS[key]}`).join(', ')})`
  const query = `SELECT ${group} AS "group", ${OUTCOME_CLASSES.failure} AS failed, ${OUTCOME_CLASSES.waiting} AS waiting, bucket,
    sum(calls) AS calls, sum(ms) AS ms FROM figure WHERE ${text} GROUP BY 1, 2, 3, 4 LIMIT ?`
  return unlessTooMany(rows<FigureRow>(sql, query, ...values, MAX_GROUPS + 1))
}

/** A day's calls by tool and outcome, or by toolkit if there are too many tools, with their durations. */
export type DayRows = {
  readonly calls: CallMetrics['calls']
  readonly durations: readonly (Omit<FigureRow, 'group' | 'failed' | 'waiting'> & { readonly toolkit: string })[]
}

export function countDay(sql: SqlStorage): DayRows {
  const sumCalls = (names: string) => {
    const callsQuery = `SELECT ${names}, sum(calls) AS calls FROM figure GROUP BY ${names} LIMIT ?`
    return rows<DayRows['calls'][number]>(sql, callsQuery, MAX_GROUPS + 1)
  }
  const query =
    'SELECT toolkit, bucket, sum(calls) AS calls, sum(ms) AS ms FROM figure GROUP BY toolkit, bucket LIMIT ?'
  return {
    calls: unlessTooMany(sumCalls('toolkit, tool, outcome')) ?? sumCalls('toolkit, outcome').slice(0, MAX_GROUPS),
    durations: rows<DayRows['durations'][number]>(sql, query, MAX_GROUPS),
  }
}

function unlessTooMany<Row>(rows: Row[]): Row[] | undefined {
  return rows.length > MAX_GROUPS ? undefined : rows
}
