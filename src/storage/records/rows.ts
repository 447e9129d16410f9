import type { Act, ActFilter } from '../../core/access/act.ts'
import type { CallFilter } from '../../core/call/records.ts'
import type { CallRecord } from '../../core/call/record.ts'
import { conditionOf } from './condition.ts'
import { partsOf } from './parts.ts'

/** Keeps calls, a row each: in one statement, since a statement costs more than a row. */
export function storeCalls(sql: SqlStorage, calls: readonly CallRecord[]): void {
  const rows = calls.map((call) => {
    const { at, principal, user_id: user, outcome, dialect } = call
    return [at, principal, user ?? null, ...partsOf(call), outcome, dialect, JSON.stringify(call)]
  })
  sql.exec(
    `INSERT INTO call (at, principal, user_id, toolkit, tool, version, outcome, dialect, record)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4, value ->> 5, value ->> 6, value ->> 7, value ->> 8
     FROM json_each(?) ORDER BY key`,
    JSON.stringify(rows),
  )
}

/** Keeps an act. */
export function storeAct(sql: SqlStorage, act: Act): void {
  const row = [act.at, act.act, act.principal ?? null, act.user_id ?? null, act.outcome, JSON.stringify(act)]
  sql.exec('INSERT INTO act (at, act, principal, user_id, outcome, record) VALUES (?, ?, ?, ?, ?, ?)', ...row)
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
