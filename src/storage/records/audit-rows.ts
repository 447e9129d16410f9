import type { AuditEntry, AuditFilter } from '../../core/access/audit-entry.ts'
import { rows } from '../rows.ts'
import type { NumberedRecord } from './call-rows.ts'
import { conditionOf } from './condition.ts'

export function storeAuditEntry(sql: SqlStorage, act: AuditEntry): void {
  const row = [act.at, act.act, act.principal ?? null, act.user_id ?? null, act.outcome, JSON.stringify(act)]
  sql.exec('INSERT INTO act (at, act, principal, user_id, outcome, record) VALUES (?, ?, ?, ?, ?, ?)', ...row)
}

export function findActs(sql: SqlStorage, filter: AuditFilter, limit: number, before: number): NumberedRecord[] {
  const { text, values } = conditionOf(sql, filter, 'acts')
  const query = `SELECT id, record FROM act WHERE id < ? AND ${text} ORDER BY id DESC LIMIT ?`
  return rows<{ id: number; record: string }>(sql, query, before, ...values, limit)
}
