import * as base64url from 'jose/base64url'
import { enqueue, OUTBOX_TABLE, type OutboxPriority } from '../kv-outbox.ts'
import { readField } from '../rows.ts'
import { openTables } from '../schema.ts'

/**
 * See `../STORAGE.md`. Times are milliseconds since 1970, and `body` is JSON. `api_key.hash` is of the key, and `session.hash`
 * of the browser's cookie. `earlier_key` has the hash that a key had before it was rotated. `session.owner` is a principal.
 */
const TABLES = `
CREATE TABLE secret (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE api_key (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
CREATE TABLE earlier_key (hash TEXT PRIMARY KEY, id TEXT NOT NULL, until INTEGER NOT NULL);
CREATE TABLE key_use (id TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE provider (id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE session (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, expires INTEGER NOT NULL, body TEXT NOT NULL
);
`
/** Missing in objects that an older deployment created. `source_run.at` is when an event source last ran. */
const LATER_TABLES = `
CREATE TABLE IF NOT EXISTS event_source (id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS source_run (id TEXT PRIMARY KEY, at INTEGER NOT NULL, digest TEXT);
`
const SECRET_BYTES = 32

export function createTables(sql: SqlStorage): void {
  openTables(sql, { object: 'Access', version: 3, tables: OUTBOX_TABLE + TABLES })
  sql.exec(LATER_TABLES)
}

export function deploymentSecret(sql: SqlStorage): string {
  const random = base64url.encode(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
  sql.exec("INSERT OR IGNORE INTO secret VALUES ('deployment', ?)", random)
  return readField<string>(sql, "SELECT value FROM secret WHERE name = 'deployment'") ?? random
}

export function queue(sql: SqlStorage, target: string, reason?: OutboxPriority): void {
  const waiting = readField<number>(sql, 'SELECT revision FROM outbox WHERE target = ?', target)
  enqueue(sql, target, (waiting ?? 0) + 1, reason)
}
