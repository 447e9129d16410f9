import { openTables } from '../schema.ts'

/**
 * Times are milliseconds since 1970. `outcome` is sealed, and null until the call is over; a call is given up at
 * `until`. See `../STORAGE.md`.
 */
const TABLES = `
CREATE TABLE call (
  id TEXT PRIMARY KEY, fingerprint TEXT NOT NULL, claim TEXT NOT NULL, until INTEGER NOT NULL, outcome TEXT, expires INTEGER NOT NULL
);
CREATE INDEX call_expires ON call (expires);
`

export function createTables(sql: SqlStorage): void {
  openTables(sql, { of: 'a Ledger', version: 1, tables: TABLES })
}
