import { readField } from '../rows.ts'
import { hasTables, openTables } from '../schema.ts'

/** Separate from the other tables, because vaults that an older deployment created lack it. */
const CONNECTION = `CREATE TABLE IF NOT EXISTS connection (provider TEXT NOT NULL, account TEXT NOT NULL,
  used_at INTEGER, refused_at INTEGER, refusal TEXT, PRIMARY KEY (provider, account));`

/**
 * See `../STORAGE.md`. Times are milliseconds since 1970. `sealed` columns are under VAULT_KEYS; `browser` and `secret` are
 * hashes. `grant-rows.ts` and `browser-flows.ts` explain `account_grant` and `flow`.
 *
 * In `authorization`, `asked` is a text that equal requests share, `body` (JSON) says what is requested and by whom, and
 * `input` is the sealed invocation of an approval. `for_operator` is a longer `reason`, for administrators.
 */
const TABLES = `${CONNECTION}
CREATE TABLE owner (name TEXT PRIMARY KEY);
CREATE TABLE authorization (
  id TEXT PRIMARY KEY, asked TEXT NOT NULL, provider TEXT NOT NULL, body TEXT NOT NULL, input TEXT, status TEXT NOT NULL,
  reason TEXT, for_operator TEXT, created INTEGER NOT NULL, expires INTEGER NOT NULL, ended INTEGER
);
CREATE INDEX authorization_asked ON authorization (asked);
CREATE TABLE flow (
  authorization TEXT NOT NULL, browser TEXT NOT NULL, stage TEXT NOT NULL, secret TEXT NOT NULL, callback TEXT NOT NULL,
  provider TEXT, sealed TEXT, created INTEGER NOT NULL, account TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (authorization, browser)
);
CREATE TABLE account_grant (
  provider TEXT NOT NULL, account TEXT NOT NULL, generation TEXT NOT NULL, scopes TEXT NOT NULL, granted_at INTEGER NOT NULL,
  expires_at INTEGER, refresh_at INTEGER, refreshable INTEGER NOT NULL, sealed TEXT, lost TEXT, browser TEXT,
  PRIMARY KEY (provider, account)
);
CREATE TABLE consent (
  provider TEXT NOT NULL, account TEXT NOT NULL, toolkit TEXT NOT NULL, hosts TEXT NOT NULL, scopes TEXT NOT NULL,
  given_at INTEGER NOT NULL, PRIMARY KEY (provider, account, toolkit)
);
`

const SCHEMA = { object: "a user's Vault", version: 2, tables: TABLES }

/** Checks the tables. A vault that was never used has none, and stores nothing. */
export function checkTables(sql: SqlStorage): void {
  if (!hasTables(sql)) return
  openTables(sql, SCHEMA)
  sql.exec(CONNECTION)
}

/** Whether a vault stores nothing that a user or a caller needs. */
export function isEmpty(sql: SqlStorage): boolean {
  const selects = ['authorization', 'account_grant', 'consent']
    .map((table) => `SELECT 1 FROM ${table}`)
    .join(' UNION ALL ')
  return readField(sql, `${selects} LIMIT 1`) === undefined
}

/** Creates the tables of an unused vault. Throws for another owner, or a defect could give a user the grants of another. */
export function openFor(sql: SqlStorage, name: string): void {
  openTables(sql, SCHEMA)
  sql.exec('INSERT INTO owner SELECT ? WHERE NOT EXISTS (SELECT 1 FROM owner)', name)
  if (sql.exec<{ name: string }>('SELECT name FROM owner').one().name !== name)
    throw new Error('Cannot open the vault of one user for another')
}
