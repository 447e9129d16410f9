import { base64url } from 'jose'
import { createOutboxTable, enqueue, type Reason } from '../outbox.ts'
import { field } from '../rows.ts'

/**
 * The Access object's tables (SQLite in a Durable Object). `secret` holds the deployment's own, made at random; `api_key`
 * and `provider` what administrators give; `earlier_key` the texts that keys had before, by hash, and `key_use` when keys were last used; `session` where people are signed in. `outbox` names the KV keys that are to be written; `meta` has how far the keys
 * and providers of an earlier version were taken over.
 */
const TABLES = `
CREATE TABLE IF NOT EXISTS secret (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS api_key (id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS earlier_key (hash TEXT PRIMARY KEY, id TEXT NOT NULL, until INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS key_use (id TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS provider (id TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS session (
  id TEXT PRIMARY KEY, hash TEXT NOT NULL UNIQUE, owner TEXT NOT NULL, expires INTEGER NOT NULL, body TEXT NOT NULL
);
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`
const SECRET_BYTES = 32

export function createTables(sql: SqlStorage): void {
  createOutboxTable(sql)
  sql.exec(TABLES)
}

/** The secret that the deployment's keys come of: the one that is stored, or else a new one, which then is. */
export function deploymentSecret(sql: SqlStorage): string {
  const random = base64url.encode(crypto.getRandomValues(new Uint8Array(SECRET_BYTES)))
  sql.exec("INSERT OR IGNORE INTO secret VALUES ('deployment', ?)", random)
  return field<string>(sql, "SELECT value FROM secret WHERE name = 'deployment'") ?? random
}

/** Asks for a KV key to be written, or deleted where nothing is stored for it. */
export function queue(sql: SqlStorage, target: string, reason?: Reason): void {
  const waiting = field<number>(sql, 'SELECT revision FROM outbox WHERE target = ?', target)
  enqueue(sql, target, (waiting ?? 0) + 1, reason)
}
