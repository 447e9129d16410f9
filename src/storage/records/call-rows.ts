import type { Act, ActFilter } from '../../core/access/act.ts'
import type { CallFilter, UsageKey } from '../../core/call/records.ts'
import type { CallRecord } from '../../core/call/record.ts'
import { bucketOf } from './durations.ts'

export const HOUR_MS = 3_600_000

/** A tool as records are asked for it: `Toolkit.Tool@1.0.0` in its parts; nothing where no tool was found. */
function partsOf({ tool: id, digest }: CallRecord): readonly [toolkit: string, tool: string, version: string] {
  if (digest === undefined) return ['', '', '']
  const [tool = '', version = ''] = id.split('@', 2)
  return [tool.split('.', 1)[0] ?? '', tool, version]
}

/** Adds a call to a day: its row, and what counts it. */
export function storeCall(sql: SqlStorage, record: CallRecord): void {
  const { at, principal, user_id: user, outcome, dialect, duration_ms: ms } = record
  const parts = partsOf(record)
  const row = [at, principal, user ?? null, ...parts, outcome, dialect, JSON.stringify(record)]
  sql.exec(
    'INSERT INTO call (at, principal, user_id, toolkit, tool, version, outcome, dialect, record) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ...row,
  )
  const figure = [at - (at % HOUR_MS), principal, user ?? '', ...parts, outcome, dialect, bucketOf(ms), ms]
  sql.exec(
    `INSERT INTO figure VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
     ON CONFLICT DO UPDATE SET calls = calls + 1, ms = ms + excluded.ms`,
    ...figure,
  )
}

/** Adds an act to a day. */
export function storeAct(sql: SqlStorage, act: Act): void {
  const row = [act.at, act.act, act.principal ?? null, act.user_id ?? null, act.outcome, JSON.stringify(act)]
  sql.exec('INSERT INTO act (at, act, principal, user_id, outcome, record) VALUES (?, ?, ?, ?, ?, ?)', ...row)
}

interface Condition {
  readonly text: string
  readonly values: readonly (string | number)[]
}

/** What a filter comes to, for rows whose time is in the column `time`, which counts in steps of so many milliseconds. */
function conditionOf(filter: CallFilter & ActFilter, time: 'at' | 'hour', step: number): Condition {
  const { since, until, principal, user_id: user, tool, outcome, dialect, act, own } = filter
  const all: Condition[] = [
    { text: `${time} >= ?`, values: [since - (since % step)] },
    { text: `${time} < ?`, values: [until] },
  ]
  const is = (column: string, value: string | undefined) => {
    if (value !== undefined) all.push({ text: `${column} = ?`, values: [value] })
  }
  is('principal', principal)
  is('user_id', user)
  is('dialect', dialect)
  is('act', act)
  if (outcome === 'failure') all.push({ text: "outcome <> 'success'", values: [] })
  else is('outcome', outcome)
  if (tool !== undefined) {
    const [name = '', version] = tool.split('@', 2)
    // The only sign of a pattern that means anything is `*`, as GLOB has it
    if (name.includes('*')) all.push({ text: 'lower(tool) GLOB ?', values: [name.toLowerCase()] })
    else is('tool', name)
    is('version', version)
  }
  if (own?.user !== undefined) all.push({ text: '(principal = ? OR user_id = ?)', values: [own.principal, own.user] })
  else is('principal', own?.principal)
  return { text: all.map((each) => each.text).join(' AND '), values: all.flatMap((each) => each.values) }
}

/** What is recorded of each kind, and what it can be asked for by. */
export interface RecordKinds {
  readonly call: CallFilter
  readonly act: ActFilter
}

/** The calls or the acts that a filter means, newest first, from before a row on, serialised. */
export function findRecords<Kind extends keyof RecordKinds>(
  sql: SqlStorage,
  kind: Kind,
  filter: RecordKinds[Kind],
  { before, limit }: { readonly before?: number | undefined; readonly limit: number },
): { readonly id: number; readonly record: string }[] {
  const { text, values } = conditionOf(filter, 'at', 1)
  const query = `SELECT id, record FROM ${kind} WHERE id < ? AND ${text} ORDER BY id DESC LIMIT ?`
  return sql.exec<{ id: number; record: string }>(query, before ?? Number.MAX_SAFE_INTEGER, ...values, limit).toArray()
}

/** The column that calls are counted by: days are told from hours by whoever adds them up. */
const COLUMNS: Readonly<Record<UsageKey, string>> = {
  principal: 'principal',
  user_id: 'user_id',
  tool: 'tool',
  toolkit: 'toolkit',
  outcome: 'outcome',
  dialect: 'dialect',
  hour: 'hour',
  day: '0',
}

/** How many calls have these things in common and took so long: one row a group, outcome and bucket. */
export type FigureRow = {
  readonly group: string
  readonly failed: number
  readonly bucket: number
  readonly calls: number
  readonly ms: number
}

/** Counts the calls that a filter means, at most so many rows. */
export function countCalls(sql: SqlStorage, filter: CallFilter, by: readonly UsageKey[], limit: number): FigureRow[] {
  const { text, values } = conditionOf(filter, 'hour', HOUR_MS)
  const group = `json_array(${by.map((key) => COLUMNS[key]).join(', ')})`
  const query = `SELECT ${group} AS "group", outcome <> 'success' AS failed, bucket, sum(calls) AS calls, sum(ms) AS ms
    FROM figure WHERE ${text} GROUP BY 1, 2, 3 LIMIT ?`
  return sql.exec<FigureRow>(query, ...values, limit).toArray()
}
