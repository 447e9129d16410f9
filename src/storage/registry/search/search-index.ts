import { raiseLevel, type PolicySet } from '../../../core/access/policy.ts'
import { isJsonObject } from '../../../core/tool/json.ts'
import { getDisplayTitle, type ToolRecord } from '../../../core/tool/tool.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import { readField } from '../../rows.ts'
import { loadPolicySet } from '../policies.ts'
import { hashOperation } from '../../../core/search/operation.ts'
import { packRow } from '../../../core/search/bm25f.ts'
import { joinStems, markExact, splitTitle, splitWords, stemWord } from '../../../core/search/words.ts'
import { readMeta, writeMeta } from '../tables.ts'
import { loadSettings } from '../toolkits.ts'

/** The version of the index's format. Raise it when records are indexed differently. */
const INDEXED = '14'
/** Characters of a field that are indexed. */
const MAX_CHARACTERS = 8_000

const COUNT_NEW = `INSERT INTO toolkit_count VALUES (new.toolkit, new.level, new.callable, 1)
  ON CONFLICT DO UPDATE SET tools = tools + 1;`
const OLD = 'toolkit = old.toolkit AND level = old.level AND callable = old.callable'
const COUNT_OLD = `UPDATE toolkit_count SET tools = tools - 1 WHERE ${OLD};
  DELETE FROM toolkit_count WHERE ${OLD} AND tools = 0;`

/**
 * `indexed` has the columns to filter by, `words` an index of the text with a row for each field of a tool, and
 * `toolkit_count` the number of a toolkit's tools by level and by whether they can be called.
 */
const TABLES = `
CREATE TABLE indexed (
  id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, toolkit TEXT NOT NULL, plain TEXT NOT NULL, whole TEXT NOT NULL,
  level INTEGER NOT NULL, callable INTEGER NOT NULL, tags TEXT NOT NULL, operation TEXT NOT NULL, rows TEXT NOT NULL
);
CREATE INDEX indexed_plain ON indexed (plain, operation);
CREATE INDEX indexed_whole ON indexed (whole);
CREATE VIRTUAL TABLE words USING fts5(text, content = '', contentless_delete = 1, tokenize = 'unicode61');
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
CREATE TABLE toolkit_count (
  toolkit TEXT NOT NULL, level INTEGER NOT NULL, callable INTEGER NOT NULL, tools INTEGER NOT NULL,
  PRIMARY KEY (toolkit, level, callable)
) WITHOUT ROWID;
CREATE TRIGGER tool_added AFTER INSERT ON indexed BEGIN ${COUNT_NEW} END;
CREATE TRIGGER tool_removed AFTER DELETE ON indexed BEGIN
  ${COUNT_OLD} DELETE FROM words WHERE rowid IN (SELECT value FROM json_each(old.rows));
END;
CREATE TRIGGER tool_levelled AFTER UPDATE OF level ON indexed BEGIN ${COUNT_OLD} ${COUNT_NEW} END;
`

export function renewIndex(sql: SqlStorage): void {
  if (readMeta(sql, 'search') === INDEXED) return
  for (const table of ['vocabulary', 'words', 'indexed', 'toolkit_count']) sql.exec(`DROP TABLE IF EXISTS ${table}`)
  sql.exec(TABLES)
  const query = 'SELECT key, record FROM tool JOIN version USING (key) WHERE version = listed ORDER BY tool.rowid'
  for (const { key, record } of sql.exec<{ key: string; record: string }>(query))
    indexTool(sql, key, JSON.parse(record))
  writeMeta(sql, 'search', INDEXED)
}

/** Adds or replaces a tool, or removes it if `record` is absent. A replaced tool keeps its id, which cursors contain. */
export function indexTool(sql: SqlStorage, key: string, record?: ToolRecord): void {
  const before = readField<number>(sql, 'SELECT id FROM indexed WHERE key = ?', key)
  if (before !== undefined) sql.exec('DELETE FROM indexed WHERE id = ?', before)
  if (!record) return
  const id = before ?? (readField<number | null>(sql, 'SELECT max(id) FROM indexed') ?? 0) + 1
  const tags = [...new Set([...record.tags, ...loadSettings(sql, record.toolkit).tags])]
  const title = splitTitle((getDisplayTitle(record) ?? record.tool).slice(0, MAX_CHARACTERS), record.toolkit)
  // Names are also indexed as one word, because people write "pull request" and "pullrequest"
  const names = [record.tool, record.toolkit].map((name) => stemWord(toSearchText(name)))
  const texts = listIndexedTexts(record, tags).map((text, at) => {
    const words = splitWords(text.slice(0, MAX_CHARACTERS))
    return { text: `${joinStems(words)} ${names[at] ?? ''}`, length: words.length }
  })
  const titles = [markExact(title), joinStems(title)].map((text) => ({ text, length: title.length }))
  // No search finds the row of an empty field, so its length does not matter
  const rows = [...titles, ...texts].map(({ text, length }, field) => [packRow(id, field, length), text] as const)
  sql.exec(
    `INSERT INTO indexed (id, key, toolkit, plain, whole, level, callable, tags, operation, rows)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    id,
    key,
    record.toolkit.toLowerCase(),
    toSearchText(record.tool),
    toSearchText(toolKey(record)),
    raiseLevel(record, loadPolicySet(sql).policyFor(record)).securityLevel,
    record.implementation === undefined ? 0 : 1,
    JSON.stringify(record.tags),
    hashOperation(record),
    JSON.stringify(rows.map(([row]) => row)),
  )
  const each = 'SELECT value ->> 0, value ->> 1 FROM json_each(?)'
  sql.exec(`INSERT INTO words (rowid, text) ${each}`, JSON.stringify(rows))
}

/** Returns the texts in the order of the fields of BM25F, after the titles. */
function listIndexedTexts(record: ToolRecord, tags: readonly string[]): readonly string[] {
  const properties = isJsonObject(record.input.properties) ? record.input.properties : {}
  // Descriptions are texts, because schemas are checked before they are published
  const details = Object.values(properties).flatMap((each) => (isJsonObject(each) ? (each.description ?? []) : []))
  return [
    `${record.tool} ${getDisplayTitle(record) ?? ''}`,
    [record.toolkit, ...tags].join(' '),
    // Lowercased, so that "GitHub" stays one word
    record.description.toLowerCase(),
    Object.keys(properties).join(' '),
    details.join(' ').toLowerCase(),
  ]
}

export function levelIndex(sql: SqlStorage, policies: PolicySet): void {
  const rows = sql.exec<{ id: number; level: number; toolkit: string; tool: string; securityLevel: number }>(
    `SELECT id, level, tool.toolkit AS toolkit, tool, json_extract(record, '$.securityLevel') AS securityLevel
     FROM indexed JOIN tool USING (key) JOIN version ON version.key = tool.key AND version = listed`,
  )
  for (const { id, level, ...tool } of rows.toArray()) {
    const { securityLevel } = raiseLevel(tool, policies.policyFor(tool))
    if (securityLevel !== level) sql.exec('UPDATE indexed SET level = ? WHERE id = ?', securityLevel, id)
  }
}

export function toSearchText(name: string): string {
  return name.toLowerCase().replaceAll(/[._\s-]/g, '')
}
