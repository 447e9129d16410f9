import { HEAD_KEY } from '../keys.ts'
import { enqueue, OUTBOX_TABLE, type Reason } from '../outbox.ts'
import { field } from '../rows.ts'
import { openTables } from '../schema.ts'

/**
 * The Registry's tables (SQLite in a Durable Object; a row is at most 2 MB). Everything in KV can be made from them.
 *
 * `tool.listed` is the newest active version, null while none is active; `tool.exposed` the unique name it then has,
 * `tool.given` the one that an administrator gave it, and
 * `name` every name a tool was exposed under, in lower case. `version.left_bundle` marks a bundled tool that a deployment
 * no longer carries, which disables it whatever a person said of it in `status`. `leaf` partitions the tools into catalogue
 * pages by their first key; `dirty` is the revision that last touched a leaf, null once its pages are made, `changed` the same
 * for ever, and `behind` a revision before which nothing is missing in KV, null once it has the leaf as it is; `landed_…` are
 * the pages that the head in KV names, and `landed_keys` the hash of the first with the keys of its tools. `outbox` names
 * the KV keys that are to be written, and `retired` those to be deleted after a while. `blob` holds bytes by their hash, in
 * parts that fit into rows. `document_text` holds documents by their hash; `document` the versions of those with ids of their
 * own, by dialect and id in lower case; `document_tool` the key of each tool that a version defines, by what it calls it.
 * `version.publisher` is the id of the principal who published it, `trusted` whether it may be given credentials, and `held`
 * whether an administrator disabled it, `unreviewed` whether it was published where that is reviewed and nobody has said that it
 * is active, whatever else was said of it since. `version.own` is what was said of the version itself, where `status` is its toolkit's.
 * `policy` holds what administrators say of the tools that a pattern covers, which is in lower case. `publisher` counts what each principal published. `toolkit.owner` is a principal's id, null for the deployment, `status` what
 * is said of all its tools, null for nothing, `held` whether an administrator disabled it, `deleted` when it was deleted, and
 * `review` whether what is published in it is reviewed.
 */
const TABLES = `
CREATE TABLE tool (key TEXT PRIMARY KEY, toolkit TEXT NOT NULL, tool TEXT NOT NULL, listed TEXT, exposed TEXT, given TEXT);
CREATE INDEX tool_plain ON tool (replace(key, '-', '_'));
CREATE INDEX tool_called ON tool (lower(tool));
CREATE TABLE name (name TEXT PRIMARY KEY, key TEXT NOT NULL);
CREATE TABLE version (
  key TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, status TEXT NOT NULL, record TEXT NOT NULL,
  bundled INTEGER NOT NULL DEFAULT 0, left_bundle INTEGER NOT NULL DEFAULT 0,
  publisher TEXT, trusted INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0, own TEXT,
  unreviewed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (key, version)
);
CREATE TABLE publisher (id TEXT PRIMARY KEY, documents INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE toolkit (key TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT,
  status TEXT, held INTEGER NOT NULL DEFAULT 0, tags TEXT, deleted INTEGER, review INTEGER NOT NULL DEFAULT 0);
CREATE INDEX toolkit_deleted ON toolkit (deleted) WHERE deleted IS NOT NULL;
CREATE TABLE policy (pattern TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE INDEX version_digest ON version (digest);
CREATE INDEX version_bundled ON version (key) WHERE bundled = 1;
CREATE TABLE document_text (hash TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE document (
  dialect TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL, id TEXT NOT NULL, toolkit TEXT NOT NULL, hash TEXT NOT NULL,
  PRIMARY KEY (dialect, key, version)
);
CREATE INDEX document_key ON document (key);
CREATE TABLE document_tool (
  dialect TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL, name TEXT NOT NULL, tool TEXT NOT NULL,
  PRIMARY KEY (dialect, key, version, name)
);
CREATE INDEX document_tool_tool ON document_tool (tool);
CREATE TABLE leaf (first TEXT PRIMARY KEY, count INTEGER NOT NULL, lines TEXT, records TEXT, dirty INTEGER,
  behind INTEGER, landed_count INTEGER, landed_lines TEXT, landed_records TEXT, changed INTEGER NOT NULL DEFAULT 0,
  landed_keys TEXT);
CREATE INDEX leaf_changed ON leaf (changed);
CREATE INDEX leaf_behind ON leaf (first) WHERE behind IS NOT NULL;
CREATE INDEX leaf_dirty ON leaf (first) WHERE dirty IS NOT NULL;
CREATE INDEX leaf_lines ON leaf (lines);
CREATE INDEX leaf_records ON leaf (records);
CREATE TABLE retired (target TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE INDEX retired_at ON retired (at);
CREATE TABLE blob (hash TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (hash, part));
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`

/** Makes the tables, with the first leaf, where there are none. */
export function createTables(sql: SqlStorage): void {
  if (!openTables(sql, { of: 'the Registry', version: 1, tables: OUTBOX_TABLE + TABLES })) return
  sql.exec("INSERT INTO leaf (first, count, dirty, behind) VALUES ('', 0, 0, 0)")
  queue(sql, HEAD_KEY)
}

export function readMeta(sql: SqlStorage, name: string): string | undefined {
  return field<string>(sql, 'SELECT value FROM meta WHERE name = ?', name)
}

export function writeMeta(sql: SqlStorage, name: string, value: string): void {
  sql.exec('INSERT INTO meta VALUES (?, ?) ON CONFLICT DO UPDATE SET value = excluded.value', name, value)
}

/**
 * A number that is kept of the registry, 0 at first: `revision` is its last change, `catalogue` the last that the
 * catalogue's pages may show (blobs come without it), `bundle_at` when the deployment of its bundle was made.
 */
export function readNumber(sql: SqlStorage, name: 'revision' | 'catalogue' | 'bundle_at'): number {
  return Number(readMeta(sql, name) ?? 0)
}

/** Counts one more change. */
export function nextRevision(sql: SqlStorage): number {
  const revision = readNumber(sql, 'revision') + 1
  writeMeta(sql, 'revision', String(revision))
  return revision
}

/** Asks for a KV key to be written, or deleted where nothing is stored for it. Counts as a change of its own unless told. */
export function queue(sql: SqlStorage, target: string, revision = nextRevision(sql), reason?: Reason): void {
  enqueue(sql, target, revision, reason)
}
