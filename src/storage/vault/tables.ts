/**
 * One vault's tables (SQLite in a Durable Object). Times are milliseconds since the epoch. `sealed` columns are encrypted
 * under VAULT_KEYS; `browser` and `secret` are SHA-256 in hex of texts that only a browser, and the URL it is sent with,
 * have. See `../STORAGE.md`.
 *
 * `authorization.ended` is null while anything can still come of it: for an approval, until it is used.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS owner (name TEXT PRIMARY KEY);
CREATE TABLE IF NOT EXISTS authorization (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, provider TEXT NOT NULL, user_id TEXT, scopes TEXT NOT NULL, tool TEXT NOT NULL,
  asked TEXT NOT NULL, input TEXT, status TEXT NOT NULL, reason TEXT, created INTEGER NOT NULL, expires INTEGER NOT NULL,
  ended INTEGER
);
CREATE INDEX IF NOT EXISTS authorization_asked ON authorization (asked);
CREATE TABLE IF NOT EXISTS flow (
  authorization TEXT NOT NULL, browser TEXT NOT NULL, stage TEXT NOT NULL, secret TEXT NOT NULL, callback TEXT NOT NULL,
  provider TEXT, sealed TEXT, created INTEGER NOT NULL, PRIMARY KEY (authorization, browser)
);
CREATE TABLE IF NOT EXISTS grant (
  provider TEXT PRIMARY KEY, generation TEXT NOT NULL, scopes TEXT NOT NULL, granted_at INTEGER NOT NULL,
  expires_at INTEGER, refresh_at INTEGER, refreshable INTEGER NOT NULL, sealed TEXT, lost TEXT
);
`

export function createTables(sql: SqlStorage): void {
  sql.exec(TABLES)
}

/**
 * Sees to it that a vault is one owner's: it keeps the name that it was first used for. Throws for any other name, which
 * only a defect could bring here: no user may ever see another's grants.
 */
export function ensureOwner(sql: SqlStorage, name: string): void {
  sql.exec('INSERT INTO owner SELECT ? WHERE NOT EXISTS (SELECT 1 FROM owner)', name)
  if (sql.exec<{ name: string }>('SELECT name FROM owner').one().name !== name) {
    throw new Error('Cannot open the vault of one user for another')
  }
}
