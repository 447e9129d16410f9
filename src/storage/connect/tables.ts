import { openTables } from '../schema.ts'

/** Times are milliseconds since 1970. See `../STORAGE.md`. */
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
  openTables(sql, { object: 'Connect', version: 1, tables: TABLES })
  sql.exec(NAME_HOLDERS)
}

/** Rows of older deployments have a user's id, or the owner's, without its kind. */
const NAME_HOLDERS = `UPDATE agent SET user = json_array(kind, user), body = json_set(body, '$.holder', json_object('kind', kind, 'id', user))
  FROM (SELECT id AS old, iif(user = json_extract(body, '$.owner'), 'principal', 'user') AS kind FROM agent
    WHERE json_type(body, '$.holder') IS NULL) WHERE id = old`

export function sweep(sql: SqlStorage, now: number): void {
  for (const table of ['agent', 'entry', 'spent']) sql.exec(`DELETE FROM ${table} WHERE expires <= ?`, now)
}
