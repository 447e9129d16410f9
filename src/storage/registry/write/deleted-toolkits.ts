import { BY_TOOLKIT } from '../../../core/tool/tool-ref.ts'
import { documentKey, kvKey } from '../../keys.ts'
import { column, readField, rows } from '../../rows.ts'
import { forgetSource } from '../findings.ts'
import { RETENTION_MS, toolKeyRange } from '../toolkits.ts'
import { listSources } from '../versions.ts'
import { indexTool } from '../search/search-index.ts'

const AT_ONCE = 200

/** Deletes up to AT_ONCE tools of an expired toolkit, then its name. Call in a transaction. Returns the KV keys to delete. */
export function purgeDeletedToolkit(sql: SqlStorage, now: number): readonly string[] {
  const expiredToolkit = 'SELECT key FROM toolkit WHERE deleted <= ? ORDER BY deleted LIMIT 1'
  const toolkit = readField<string>(sql, expiredToolkit, now - RETENTION_MS)
  if (toolkit === undefined) return []
  const tools = 'SELECT key FROM tool WHERE key >= ? AND key < ? LIMIT ?'
  const keys = column<string>(sql, tools, ...toolKeyRange(toolkit), AT_ONCE)
  const deletedTargets = keys.flatMap((key) => deleteTool(sql, key))
  if (keys.length === AT_ONCE) return deletedTargets
  const addresses = deleteDocuments(sql, toolkit)
  sql.exec('DELETE FROM toolkit WHERE key = ?', toolkit)
  sql.exec('DELETE FROM skill WHERE toolkit = ?', toolkit)
  forgetSource(sql, toolkit)
  return [...deletedTargets, ...addresses]
}

function deleteTool(sql: SqlStorage, key: string): readonly string[] {
  const names = column<string>(sql, 'SELECT name FROM name WHERE key = ?', key)
  const digests = column<string>(sql, 'SELECT digest FROM version WHERE key = ?', key)
  const sources = listSources(sql, key)
  indexTool(sql, key)
  for (const table of ['version', 'name', 'tool']) sql.exec(`DELETE FROM ${table} WHERE key = ?`, key)
  sql.exec('DELETE FROM document_tool WHERE tool = ?', key)
  return [
    kvKey('tool', key),
    ...names.map((name) => kvKey('name', name)),
    // A digest covers the tool's id, so no other tool has it
    ...digests.map((digest) => kvKey('record', digest)),
    ...sources.flatMap((hash) => deleteUnusedText(sql, hash)),
  ]
}

function deleteUnusedText(sql: SqlStorage, hash: string): readonly string[] {
  const version = readField(sql, "SELECT 1 FROM version WHERE json_extract(record, '$.source.hash') = ? LIMIT 1", hash)
  if (version !== undefined) return []
  sql.exec('DELETE FROM document_text WHERE hash = ?', hash)
  return [kvKey('document', hash)]
}

function deleteDocuments(sql: SqlStorage, toolkit: string): readonly string[] {
  const query = 'SELECT DISTINCT dialect, id FROM document WHERE lower(toolkit) = ?'
  const all = rows<{ dialect: string; id: string }>(sql, query, toolkit)
  sql.exec('DELETE FROM document WHERE lower(toolkit) = ?', toolkit)
  const documents = [...all, { dialect: BY_TOOLKIT, id: toolkit }]
  return documents.map(({ dialect, id }) => kvKey('address', documentKey(dialect, id)))
}
