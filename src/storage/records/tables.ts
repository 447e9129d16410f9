import { readField } from '../rows.ts'
import { openTables } from '../schema.ts'

/**
 * See `../STORAGE.md`. Times are milliseconds since 1970. A row of `call` has calls of one batch: `id` is the number of the
 * first, `at` and `last` are the times of the first and the last, and `call-rows.ts` explains `record`. `toolkit`, `tool` and
 * `version` are empty if the tool does not exist. `figure.bucket` is a range of durations (`durations.ts`), and `ms` their sum.
 * `contents.ts` explains `content.sealed`.
 */
const TABLES = `
CREATE TABLE call (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, principal TEXT NOT NULL, user_id TEXT, toolkit TEXT NOT NULL COLLATE NOCASE,
  tool TEXT NOT NULL COLLATE NOCASE, version TEXT NOT NULL, outcome TEXT NOT NULL, dialect TEXT NOT NULL, record TEXT NOT NULL,
  last INTEGER NOT NULL
);
CREATE INDEX call_principal ON call (principal, id);
CREATE INDEX call_user ON call (user_id, id);
CREATE INDEX call_tool ON call (tool, id);
CREATE TABLE figure (
  hour INTEGER NOT NULL, principal TEXT NOT NULL, user_id TEXT NOT NULL, toolkit TEXT NOT NULL COLLATE NOCASE,
  tool TEXT NOT NULL COLLATE NOCASE, version TEXT NOT NULL, outcome TEXT NOT NULL, dialect TEXT NOT NULL, bucket INTEGER NOT NULL,
  calls INTEGER NOT NULL, ms REAL NOT NULL,
  PRIMARY KEY (hour, principal, user_id, toolkit, tool, version, outcome, dialect, bucket)
) WITHOUT ROWID;
CREATE TABLE act (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, act TEXT NOT NULL, principal TEXT, user_id TEXT, outcome TEXT NOT NULL, record TEXT NOT NULL
);
CREATE TABLE content (
  owner TEXT NOT NULL, call_id TEXT NOT NULL, at INTEGER NOT NULL, sealed TEXT NOT NULL, UNIQUE (owner, call_id, at)
);
CREATE TABLE batch (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
`

export function readMeta(sql: SqlStorage, name: string): number {
  return readField<number>(sql, 'SELECT value FROM meta WHERE name = ?', name) ?? 0
}

export function addToMeta(sql: SqlStorage, name: string, more: number): void {
  const sum = 'INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = value + excluded.value'
  if (more > 0) sql.exec(sum, name, more)
}

/** In characters. A text bound to a statement can have at most 2 MB. */
const MAX_TEXT = 500_000

/** Inserts rows in one statement, which costs less than many. `more` handles rows that exist already. */
export function insertAll(sql: SqlStorage, into: string, rows: readonly (readonly unknown[])[], more = ''): void {
  const text = JSON.stringify(rows)
  const half = Math.ceil(rows.length / 2)
  if (text.length > MAX_TEXT && rows.length > 1)
    return [rows.slice(0, half), rows.slice(half)].forEach((part) => insertAll(sql, into, part, more))
  const values = (rows[0] ?? []).map((_, index) => `value ->> ${index}`)
  // `WHERE true` tells SQLite that no join condition follows
  const insert = `INSERT INTO ${into} SELECT ${values.join()} FROM json_each(?) WHERE true ${more}`
  if (rows.length > 0) sql.exec(insert, text)
}

export function createTables(sql: SqlStorage): void {
  openTables(sql, { object: "a day's Records", version: 3, tables: TABLES })
}
