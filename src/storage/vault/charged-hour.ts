import { HOUR_MS } from '../../core/tool/time.ts'
import { firstRow } from '../rows.ts'

/** The authorizations that a principal caused in the hour that ends at `until` (milliseconds since 1970). */
type ChargedHour = { readonly until: number; readonly authorizations: number; readonly bytes: number }

/** Separate from the other tables, because older vaults lack it. The first charge or alarm creates it. */
const TABLE =
  'CREATE TABLE IF NOT EXISTS charged (until INTEGER NOT NULL, authorizations INTEGER NOT NULL, bytes INTEGER NOT NULL)'
const MAX_AUTHORIZATIONS = 2_000
const MAX_BYTES = 64 * 1024 * 1024
export const TOO_MANY = `The caller asked users for more than ${MAX_AUTHORIZATIONS} authorizations within an hour, or for approvals of more than 64 MiB of arguments. Try again in an hour`

/** Charges an authorization, in the principal's vault. Returns false if the principal's share of the hour is used up. */
export function chargeHour(sql: SqlStorage, bytes: number, now: number): boolean {
  const hour = chargedHour(sql, now) ?? { until: now + HOUR_MS, authorizations: 0, bytes: 0 }
  const newHour = { ...hour, authorizations: hour.authorizations + 1, bytes: hour.bytes + bytes }
  if (newHour.authorizations > MAX_AUTHORIZATIONS || newHour.bytes > MAX_BYTES) return false
  sql.exec('DELETE FROM charged')
  sql.exec('INSERT INTO charged VALUES (?, ?, ?)', newHour.until, newHour.authorizations, newHour.bytes)
  return true
}

/** Returns undefined before the first charge, and after the hour. */
export function chargedHour(sql: SqlStorage, now: number): ChargedHour | undefined {
  sql.exec(TABLE)
  return firstRow<ChargedHour>(sql, 'SELECT until, authorizations, bytes FROM charged WHERE until > ?', now)
}
