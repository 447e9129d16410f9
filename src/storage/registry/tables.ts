import { HEAD_KEY, kvKey } from '../keys.ts'
import type { ToolName } from '../../core/tool/tool-id.ts'
import { createOutboxTable, enqueue, type Reason } from '../outbox.ts'
import { column, field } from '../rows.ts'
import { putAside } from './left-behind.ts'

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
CREATE TABLE IF NOT EXISTS tool (key TEXT PRIMARY KEY, toolkit TEXT NOT NULL, tool TEXT NOT NULL, listed TEXT, exposed TEXT, given TEXT);
CREATE INDEX IF NOT EXISTS tool_plain ON tool (replace(key, '-', '_'));
CREATE INDEX IF NOT EXISTS tool_called ON tool (lower(tool));
CREATE TABLE IF NOT EXISTS name (name TEXT PRIMARY KEY, key TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS version (
  key TEXT NOT NULL, version TEXT NOT NULL, digest TEXT NOT NULL, status TEXT NOT NULL, record TEXT NOT NULL,
  bundled INTEGER NOT NULL DEFAULT 0, left_bundle INTEGER NOT NULL DEFAULT 0,
  publisher TEXT, trusted INTEGER NOT NULL DEFAULT 0, held INTEGER NOT NULL DEFAULT 0, own TEXT,
  unreviewed INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (key, version)
);
CREATE TABLE IF NOT EXISTS publisher (id TEXT PRIMARY KEY, documents INTEGER NOT NULL, bytes INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS toolkit (key TEXT PRIMARY KEY, name TEXT NOT NULL, owner TEXT,
  status TEXT, held INTEGER NOT NULL DEFAULT 0, tags TEXT, deleted INTEGER, review INTEGER NOT NULL DEFAULT 0);
CREATE TABLE IF NOT EXISTS policy (pattern TEXT PRIMARY KEY, body TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS version_digest ON version (digest);
CREATE INDEX IF NOT EXISTS version_bundled ON version (key) WHERE bundled = 1;
CREATE TABLE IF NOT EXISTS document_text (hash TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS document (
  dialect TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL, id TEXT NOT NULL, toolkit TEXT NOT NULL, hash TEXT,
  PRIMARY KEY (dialect, key, version)
);
CREATE INDEX IF NOT EXISTS document_key ON document (key);
CREATE TABLE IF NOT EXISTS document_tool (
  dialect TEXT NOT NULL, key TEXT NOT NULL, version TEXT NOT NULL, name TEXT NOT NULL, tool TEXT NOT NULL,
  PRIMARY KEY (dialect, key, version, name)
);
CREATE INDEX IF NOT EXISTS document_tool_tool ON document_tool (tool);
CREATE TABLE IF NOT EXISTS leaf (first TEXT PRIMARY KEY, count INTEGER NOT NULL, lines TEXT, records TEXT, dirty INTEGER,
  behind INTEGER, landed_count INTEGER, landed_lines TEXT, landed_records TEXT, changed INTEGER NOT NULL DEFAULT 0,
  landed_keys TEXT);
CREATE INDEX IF NOT EXISTS leaf_dirty ON leaf (first) WHERE dirty IS NOT NULL;
CREATE INDEX IF NOT EXISTS leaf_lines ON leaf (lines);
CREATE INDEX IF NOT EXISTS leaf_records ON leaf (records);
CREATE TABLE IF NOT EXISTS retired (target TEXT PRIMARY KEY, at INTEGER NOT NULL);
CREATE INDEX IF NOT EXISTS retired_at ON retired (at);
CREATE TABLE IF NOT EXISTS blob (hash TEXT NOT NULL, part INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (hash, part));
CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
`

/** `mayHaveSecret`: whether TOOL_SECRETS lets a tool have a secret, asked for what is older than trust. */
export function createTables(sql: SqlStorage, mayHaveSecret: MayHaveSecret): void {
  createOutboxTable(sql)
  sql.exec(TABLES)
  placeLeaves(sql)
  putAside(sql)
  addColumn(sql, 'tool', 'given TEXT')
  for (const added of ['own TEXT', 'unreviewed INTEGER NOT NULL DEFAULT 0']) addColumn(sql, 'version', added)
  const toolkit = ['status TEXT', 'held INTEGER NOT NULL DEFAULT 0', 'tags TEXT', 'deleted INTEGER']
  for (const added of [...toolkit, 'review INTEGER NOT NULL DEFAULT 0']) addColumn(sql, 'toolkit', added)
  sql.exec('CREATE INDEX IF NOT EXISTS toolkit_deleted ON toolkit (deleted) WHERE deleted IS NOT NULL')
  if (readMeta(sql, 'documents') === undefined) placeDocuments(sql)
  if (readMeta(sql, 'publishers') === undefined) judgePublishers(sql, mayHaveSecret)
}

/** Adds a column to a table that is older than it. */
function addColumn(sql: SqlStorage, table: 'tool' | 'version' | 'toolkit', added: string): void {
  const [name = ''] = added.split(' ')
  if (!columnsOf(sql, table).includes(name)) sql.exec(`ALTER TABLE ${table} ADD COLUMN ${added}`)
}

function columnsOf(sql: SqlStorage, table: 'tool' | 'version' | 'leaf' | 'toolkit'): readonly string[] {
  return column<string>(sql, 'SELECT name FROM pragma_table_info(?)', table)
}

/**
 * Has a first leaf, and, in storage that is older than that, has each leaf know which of its pages KV has: those that an
 * earlier version wrote to the end.
 */
function placeLeaves(sql: SqlStorage): void {
  if (!columnsOf(sql, 'leaf').includes('behind')) {
    for (const added of ['behind INTEGER', 'landed_count INTEGER', 'landed_lines TEXT', 'landed_records TEXT']) {
      sql.exec(`ALTER TABLE leaf ADD COLUMN ${added}`)
    }
    const page = kvKey('page', '')
    sql.exec(
      `UPDATE leaf SET landed_count = count, landed_lines = lines, landed_records = records,
         behind = CASE WHEN dirty IS NULL AND ?1 || lines NOT IN (SELECT target FROM outbox)
           AND ?1 || records NOT IN (SELECT target FROM outbox) THEN NULL ELSE coalesce(dirty, ?2) END`,
      page,
      readNumber(sql, 'revision'),
    )
    sql.exec(`DELETE FROM outbox WHERE target LIKE '${page}%'`)
    if (field(sql, 'SELECT 1 FROM leaf WHERE behind IS NOT NULL') !== undefined) queue(sql, HEAD_KEY)
  }
  if (!columnsOf(sql, 'leaf').includes('changed')) {
    sql.exec('ALTER TABLE leaf ADD COLUMN changed INTEGER NOT NULL DEFAULT 0')
    // Whoever has an earlier head is given all
    sql.exec('UPDATE leaf SET changed = ?', readNumber(sql, 'revision'))
  }
  if (!columnsOf(sql, 'leaf').includes('landed_keys')) sql.exec('ALTER TABLE leaf ADD COLUMN landed_keys TEXT')
  sql.exec('CREATE INDEX IF NOT EXISTS leaf_changed ON leaf (changed)')
  sql.exec('CREATE INDEX IF NOT EXISTS leaf_behind ON leaf (first) WHERE behind IS NOT NULL')
  const { rowsWritten } = sql.exec("INSERT OR IGNORE INTO leaf (first, count, dirty, behind) VALUES ('', 0, 0, 0)")
  if (rowsWritten > 0) queue(sql, HEAD_KEY)
}

export type MayHaveSecret = (id: string, name: ToolName) => boolean

/**
 * What was published before publishers were known: trusted is the bundle, and what only who was trusted could publish, that
 * is what requires authorization or a secret that `mayHaveSecret` lets it have now. So nothing that had credentials loses
 * them, and a secret that is named later reaches nothing that was planted before. Whoever disabled something is taken to
 * have been an administrator.
 */
function judgePublishers(sql: SqlStorage, mayHaveSecret: MayHaveSecret): void {
  if (!columnsOf(sql, 'version').includes('publisher')) {
    const asking = sql.exec<{ key: string; version: string; toolkit: string; tool: string; id: string }>(
      `SELECT version.key, version, tool.toolkit, tool.tool, json_extract(secret.value, '$.id') AS id
       FROM version JOIN tool ON tool.key = version.key, json_each(record, '$.requirements.secrets') AS secret`,
    )
    const having = asking.toArray().filter(({ id, ...name }) => mayHaveSecret(id, name))
    sql.exec('ALTER TABLE version ADD COLUMN publisher TEXT')
    sql.exec('ALTER TABLE version ADD COLUMN trusted INTEGER NOT NULL DEFAULT 0')
    sql.exec('ALTER TABLE version ADD COLUMN held INTEGER NOT NULL DEFAULT 0')
    sql.exec("UPDATE version SET publisher = 'bundle', trusted = 1 WHERE bundled = 1")
    sql.exec("UPDATE version SET held = 1 WHERE json_extract(status, '$.state') = 'disabled'")
    sql.exec("UPDATE version SET trusted = 1 WHERE json_array_length(record, '$.requirements.authorization') > 0")
    for (const { key, version } of having) {
      sql.exec('UPDATE version SET trusted = 1 WHERE key = ? AND version = ?', key, version)
    }
    const revision = nextRevision(sql)
    for (const key of column<string>(sql, 'SELECT key FROM tool')) enqueue(sql, kvKey('tool', key), revision)
  }
  writeMeta(sql, 'publishers', 'judged')
}

/** The documents with ids that records of an earlier version hold inside: one dialect had them then, its tools called as here. */
const PLACED = `FROM version WHERE json_extract(record, '$.source.dialect') = 'machine-context'
  AND json_type(record, '$.source.document.id') = 'text'`
const PLACED_ID = `json_extract(record, '$.source.document.id')`

function placeDocuments(sql: SqlStorage): void {
  sql.exec(
    `INSERT OR IGNORE INTO document SELECT 'machine-context', lower(${PLACED_ID}), version, ${PLACED_ID},
     json_extract(record, '$.toolkit'), NULL ${PLACED}`,
  )
  sql.exec(
    `INSERT OR IGNORE INTO document_tool SELECT 'machine-context', lower(${PLACED_ID}), version,
     json_extract(record, '$.tool'), key ${PLACED}`,
  )
  for (const of of column<string>(sql, "SELECT DISTINCT dialect || '/' || key FROM document")) {
    enqueue(sql, kvKey('address', of), readNumber(sql, 'revision'))
  }
  writeMeta(sql, 'documents', 'placed')
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
