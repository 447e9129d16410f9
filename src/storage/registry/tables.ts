import { enqueue, OUTBOX_TABLE, type OutboxPriority } from '../kv-outbox.ts'
import { readField } from '../rows.ts'
import { openTables } from '../schema.ts'

/**
 * The Registry's tables (`../STORAGE.md`). A row has at most 2 MB. Keys of tools, toolkits and documents are in lower case.
 *
 * - `tool`: `listed` is the newest active version. `exposed` is the unique name under which protocols without ids call the
 *   tool, and `given` the name that an administrator assigned.
 * - `version`: `status` is the stricter one of the version's and the toolkit's, and `own` the version's if it is not that.
 *   `left_bundle`: the newest deployment lacks this bundled version, so it is out of use. `held`: only an administrator may
 *   enable the version. `unreviewed`: only a reviewer may. `trusted`: the version may receive credentials.
 * - `toolkit`: `owner` is a principal's id, or null for the deployment. `deleted` is a time.
 * - `document`: `claim` is the toolkit's name that its id claims. `document_tool`: `name` is the document's name for `tool`.
 * - `page`: `catalog/pages.ts` explains the columns.
 * - `retired`: `target` is a KV key that is deleted two minutes after `at`.
 */
const TABLES = `
CREATE TABLE tool (key TEXT PRIMARY KEY, toolkit TEXT NOT NULL, tool TEXT NOT NULL, listed TEXT, exposed TEXT, given TEXT);
CREATE INDEX tool_plain ON tool (replace(key, '-', '_'));
CREATE INDEX tool_given ON tool (key) WHERE given IS NOT NULL;
CREATE TABLE name (name TEXT PRIMARY KEY, key TEXT NOT NULL);
CREATE TABLE version (
  key TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, status TEXT NOT NULL, record TEXT NOT NULL,
  bundled INTEGER NOT NULL DEFAULT 0, left_bundle INTEGER NOT NULL DEFAULT 0,
  publisher TEXT, trusted INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0, own TEXT,
  unreviewed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (key, version)
);
CREATE TABLE publisher (id TEXT PRIMARY KEY, documents INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE toolkit (key TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT,
  status TEXT, held INTEGER NOT NULL DEFAULT 0, tags TEXT, deleted INTEGER, review INTEGER NOT NULL DEFAULT 0,
  description TEXT);
CREATE INDEX toolkit_deleted ON toolkit (deleted) WHERE deleted IS NOT NULL;
CREATE TABLE policy (pattern TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE toolset (name TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE TABLE lock (hash TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE INDEX version_digest ON version (digest);
CREATE INDEX version_bundled ON version (key) WHERE bundled = 1;
CREATE INDEX version_inactive ON version (json_extract(status, '$.state'), key, version)
  WHERE json_extract(status, '$.state') <> 'active';
CREATE TABLE document_text (hash TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE document (
  dialect TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL, id TEXT NOT NULL, toolkit TEXT NOT NULL, hash TEXT NOT NULL,
  claim TEXT NOT NULL, PRIMARY KEY (dialect, key, version)
);
CREATE INDEX document_claim ON document (claim);
CREATE TABLE document_tool (
  dialect TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL, name TEXT NOT NULL, tool TEXT NOT NULL,
  PRIMARY KEY (dialect, key, version, name)
);
CREATE INDEX document_tool_tool ON document_tool (tool);
CREATE TABLE page (
  first TEXT PRIMARY KEY, changed INTEGER NOT NULL, made INTEGER NOT NULL DEFAULT -1, count INTEGER, hash TEXT,
  replicated INTEGER NOT NULL DEFAULT -1, replicated_count INTEGER, replicated_hash TEXT
);
CREATE INDEX page_changed ON page (changed);
CREATE INDEX page_to_make ON page (first) WHERE made < changed;
CREATE INDEX page_to_replicate ON page (first) WHERE replicated < changed;
CREATE INDEX page_hash ON page (hash);
CREATE TABLE retired (target TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE INDEX retired_at ON retired (at);
CREATE TABLE blob (hash TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (hash, part));
CREATE TABLE skill (
  toolkit TEXT NOT NULL COLLATE NOCASE, name TEXT NOT NULL, version INTEGER NOT NULL, digest TEXT NOT NULL,
  state TEXT NOT NULL, manifest TEXT NOT NULL, files TEXT NOT NULL, publisher TEXT, held INTEGER NOT NULL,
  unreviewed INTEGER NOT NULL, PRIMARY KEY (toolkit, name, version)
);
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`

export function createTables(sql: SqlStorage): void {
  if (!openTables(sql, { object: 'the Registry', version: 9, tables: OUTBOX_TABLE + TABLES })) return
  sql.exec("INSERT INTO page (first, changed) VALUES ('', ?)", nextRevision(sql))
}

export function readMeta(sql: SqlStorage, name: string): string | undefined {
  return readField<string>(sql, 'SELECT value FROM meta WHERE name = ?', name)
}

export function writeMeta(sql: SqlStorage, name: string, value: string): void {
  sql.exec('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', name, value)
}

/**
 * Returns 0 at first. `revision` is the last change, `catalogue` the last one that the catalog may show (blobs do not count),
 * and `bundle_at` the time of the bundle's deployment.
 */
export function readNumber(sql: SqlStorage, name: 'revision' | 'catalogue' | 'bundle_at'): number {
  return Number(readMeta(sql, name) ?? 0)
}

const changes = new WeakMap<SqlStorage, number>()

/** Starts a change: everything written until the next call has this revision. */
export function nextRevision(sql: SqlStorage): number {
  const revision = readNumber(sql, 'revision') + 1
  writeMeta(sql, 'revision', String(revision))
  changes.set(sql, revision)
  return revision
}

/** Returns the revision of the current change. */
export function getRevision(sql: SqlStorage): number {
  return changes.get(sql) ?? readNumber(sql, 'revision')
}

export function queue(sql: SqlStorage, target: string, reason?: OutboxPriority): void {
  enqueue(sql, target, getRevision(sql), reason)
}
