/**
 * One day's records (SQLite in a Durable Object). Times are milliseconds since 1970. `call` has a row for the
 * calls that came together and have everything in common, and `act` one an act; `figure` counts the same calls by hour and by what
 * they have in common; `batch` names what came last, so that nothing is taken in twice. See `../STORAGE.md`.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS call (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, principal TEXT NOT NULL, user_id TEXT, toolkit TEXT NOT NULL COLLATE NOCASE,
  tool TEXT NOT NULL COLLATE NOCASE, version TEXT NOT NULL, outcome TEXT NOT NULL, dialect TEXT NOT NULL, record TEXT NOT NULL,
  last INTEGER
);
CREATE INDEX IF NOT EXISTS call_principal ON call (principal, id);
CREATE INDEX IF NOT EXISTS call_user ON call (user_id, id);
CREATE INDEX IF NOT EXISTS call_tool ON call (tool, id);
CREATE TABLE IF NOT EXISTS figure (
  hour INTEGER NOT NULL, principal TEXT NOT NULL, user_id TEXT NOT NULL, toolkit TEXT NOT NULL COLLATE NOCASE,
  tool TEXT NOT NULL COLLATE NOCASE, version TEXT NOT NULL, outcome TEXT NOT NULL, dialect TEXT NOT NULL, bucket INTEGER NOT NULL,
  calls INTEGER NOT NULL, ms REAL NOT NULL,
  PRIMARY KEY (hour, principal, user_id, toolkit, tool, version, outcome, dialect, bucket)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS act (
  id INTEGER PRIMARY KEY, at INTEGER NOT NULL, act TEXT NOT NULL, principal TEXT, user_id TEXT, outcome TEXT NOT NULL, record TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS batch (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL);
`

export function createTables(sql: SqlStorage): void {
  sql.exec(TABLES)
  // What an earlier version began has a row a call, of one time
  const has = sql.exec("SELECT 1 FROM pragma_table_info('call') WHERE name = 'last'").toArray().length > 0
  if (!has) sql.exec('ALTER TABLE call ADD COLUMN last INTEGER')
}

/** Whether anything was ever recorded here: a day that was only asked about takes no room. */
export function hasTables(sql: SqlStorage): boolean {
  return sql.exec("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'call'").toArray().length > 0
}
