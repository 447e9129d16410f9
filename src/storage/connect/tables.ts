import { openTables } from '../schema.ts'

/**
 * See `../STORAGE.md`. Times are milliseconds since 1970. `agent.user` is the holder (`formatHolder`), `connected` when the
 * agent redeemed its code, and `body` the agent as JSON. `entry` is the OAuth library's KV; `client-rows.ts` explains the
 * `metadata` of clients. `spent.agent` is empty for a client's assertion.
 */
const TABLES = `
CREATE TABLE agent (
  id TEXT PRIMARY KEY, user TEXT NOT NULL, expires INTEGER NOT NULL, connected INTEGER, used INTEGER, body TEXT NOT NULL
);
CREATE INDEX agent_user ON agent (user);
CREATE TABLE entry (key TEXT PRIMARY KEY, value TEXT NOT NULL, metadata TEXT, expires INTEGER) WITHOUT ROWID;
CREATE INDEX entry_expires ON entry (expires);
CREATE TABLE spent (hash TEXT PRIMARY KEY, agent TEXT NOT NULL, expires INTEGER NOT NULL) WITHOUT ROWID;
`

export function createTables(sql: SqlStorage): void {
  openTables(sql, { object: 'Connect', version: 2, tables: TABLES })
}

export function sweep(sql: SqlStorage, now: number): void {
  for (const table of ['agent', 'entry', 'spent']) sql.exec(`DELETE FROM ${table} WHERE expires <= ?`, now)
}
