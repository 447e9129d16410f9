import { column, field } from '../rows.ts'

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
  ended INTEGER, hosts TEXT NOT NULL DEFAULT '[]', account TEXT, principal TEXT, for_operator TEXT
);
CREATE INDEX IF NOT EXISTS authorization_asked ON authorization (asked);
CREATE TABLE IF NOT EXISTS flow (
  authorization TEXT NOT NULL, browser TEXT NOT NULL, stage TEXT NOT NULL, secret TEXT NOT NULL, callback TEXT NOT NULL,
  provider TEXT, sealed TEXT, created INTEGER NOT NULL, account TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (authorization, browser)
);
CREATE TABLE IF NOT EXISTS account_grant (
  provider TEXT NOT NULL, account TEXT NOT NULL, generation TEXT NOT NULL, scopes TEXT NOT NULL, granted_at INTEGER NOT NULL,
  expires_at INTEGER, refresh_at INTEGER, refreshable INTEGER NOT NULL, sealed TEXT, lost TEXT, browser TEXT,
  PRIMARY KEY (provider, account)
);
CREATE TABLE IF NOT EXISTS consent (
  provider TEXT NOT NULL, account TEXT NOT NULL, toolkit TEXT NOT NULL, hosts TEXT NOT NULL, scopes TEXT NOT NULL,
  given_at INTEGER NOT NULL, PRIMARY KEY (provider, account, toolkit)
);
`

/** What tables of vaults that were made earlier lack. */
const ADDED = [
  ['authorization', 'hosts', "TEXT NOT NULL DEFAULT '[]'"],
  ['authorization', 'account', 'TEXT'],
  ['authorization', 'principal', 'TEXT'],
  ['authorization', 'for_operator', 'TEXT'],
  ['flow', 'account', "TEXT NOT NULL DEFAULT ''"],
] as const

/** Whether the vault was ever used: until then it has no tables, and nothing of it is stored. */
export function isKept(sql: SqlStorage): boolean {
  return field(sql, "SELECT 1 FROM sqlite_master WHERE name = 'owner'") !== undefined
}

/**
 * Makes a vault's tables, and takes over what an earlier version kept. Its grants had one account a provider, and did not
 * say for which toolkit they were given: so each toolkit has the user's consent asked once more.
 */
export function createTables(sql: SqlStorage): void {
  sql.exec(TABLES)
  for (const [table, name, type] of ADDED) {
    if (!columnsOf(sql, table).includes(name)) sql.exec(`ALTER TABLE ${table} ADD COLUMN ${name} ${type}`)
  }
  if (columnsOf(sql, 'grant').length === 0) return
  sql.exec(`INSERT OR IGNORE INTO account_grant
    SELECT provider, '', generation, scopes, granted_at, expires_at, refresh_at, refreshable, sealed, lost, NULL FROM grant`)
  sql.exec('DROP TABLE grant')
}

function columnsOf(sql: SqlStorage, table: string): string[] {
  return column<string>(sql, 'SELECT name FROM pragma_table_info(?)', table)
}

/**
 * Sees to it that a vault is one owner's: it keeps the name that it was first used for. Throws for any other name, which
 * only a defect could bring here: no user may ever see another's grants.
 */
export function ensureOwner(sql: SqlStorage, name: string): void {
  if (!isKept(sql)) createTables(sql)
  sql.exec('INSERT INTO owner SELECT ? WHERE NOT EXISTS (SELECT 1 FROM owner)', name)
  if (sql.exec<{ name: string }>('SELECT name FROM owner').one().name !== name) {
    throw new Error('Cannot open the vault of one user for another')
  }
}
