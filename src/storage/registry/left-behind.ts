import { kvKey } from '../keys.ts'
import { column, field } from '../rows.ts'

/** What an earlier version kept here: keys and providers, as rows, and those of their KV keys that waited to be written. */
export type LeftBehind = {
  readonly keys: readonly { readonly id: string; readonly hash: string; readonly body: string }[]
  readonly providers: readonly { readonly id: string; readonly body: string }[]
  readonly waiting: readonly string[]
}

/** Puts aside what waited: the registry writes these keys no longer. To be run with the creation of tables. */
export function putAside(sql: SqlStorage): void {
  if (!isEarlier(sql)) return
  sql.exec('CREATE TABLE IF NOT EXISTS waiting_before (target TEXT PRIMARY KEY)')
  const ofThem = `target LIKE '${kvKey('apiKey', '')}%' OR target LIKE '${kvKey('provider', '')}%'`
  sql.exec(`INSERT OR IGNORE INTO waiting_before SELECT target FROM outbox WHERE ${ofThem}`)
  sql.exec(`DELETE FROM outbox WHERE ${ofThem}`)
}

export function leftBehind(sql: SqlStorage): LeftBehind {
  if (!isEarlier(sql)) return { keys: [], providers: [], waiting: [] }
  putAside(sql)
  return {
    keys: sql
      .exec<{ id: string; hash: string; body: string }>('SELECT id, hash, body FROM api_key ORDER BY rowid')
      .toArray(),
    providers: sql.exec<{ id: string; body: string }>('SELECT id, body FROM provider').toArray(),
    waiting: column<string>(sql, 'SELECT target FROM waiting_before'),
  }
}

/** Drops what has been taken over. */
export function forgetLeftBehind(sql: SqlStorage): void {
  for (const table of ['api_key', 'provider', 'waiting_before']) sql.exec(`DROP TABLE IF EXISTS ${table}`)
}

function isEarlier(sql: SqlStorage): boolean {
  return field(sql, "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'api_key'") !== undefined
}
