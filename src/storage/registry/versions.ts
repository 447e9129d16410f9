import { toolKey, type ToolName } from '../../core/tool/tool-id.ts'
import type { ToolEntry, ToolRecord } from '../../core/tool/tool.ts'
import { resolveVersion } from '../../core/tool/version.ts'
import { column, readField, firstRow, rows } from '../rows.ts'
import { isRemovedFromDocument } from './document-aliases.ts'
import { toolKeyRange, loadSettings } from './toolkits.ts'

type VersionRow = { version: string; digest: string; status: string; publisher: string | null; trusted: number }

/** Returns the tool's name as first published. Keys are in lower case, because ids are unique ignoring case. */
export function loadToolName(sql: SqlStorage, key: string): ToolName | undefined {
  return firstRow<{ toolkit: string; tool: string }>(sql, 'SELECT toolkit, tool FROM tool WHERE key = ?', key)
}

/** Finds the tool whose name differs only in `-` and `_`. New names have no `-`, and OXP writes `_` instead. */
export function findSimilarKey(sql: SqlStorage, key: string): string | undefined {
  const plain = "SELECT key FROM tool WHERE replace(key, '-', '_') = ? AND key != ? ORDER BY key LIMIT 1"
  return readField<string>(sql, plain, key.replaceAll('-', '_'), key)
}

export function hasStoredToolkit(sql: SqlStorage, toolkit: string): boolean {
  const query = 'SELECT 1 FROM tool WHERE key >= ? AND key < ? AND toolkit = ? LIMIT 1'
  return readField(sql, query, ...toolKeyRange(toolkit), toolkit) !== undefined
}

export function listToolKeys(sql: SqlStorage, toolkit: string): string[] {
  return column<string>(sql, 'SELECT key FROM tool WHERE key >= ? AND key < ? ORDER BY key', ...toolKeyRange(toolkit))
}

export function listVersions(sql: SqlStorage, key: string): ToolEntry['versions'] {
  const status = `iif(left_bundle, '{"state":"disabled"}', status) AS status`
  const query = `SELECT version, digest, ${status}, publisher, trusted FROM version WHERE key = ?`
  return rows<VersionRow>(sql, query, key).map(({ version, digest, status, publisher, trusted }) => ({
    version,
    digest,
    status: JSON.parse(status),
    publisher: { principal: publisher, trusted: trusted === 1 },
  }))
}

export function recordText(sql: SqlStorage, key: string, version: string): string | undefined {
  return readField<string>(sql, 'SELECT record FROM version WHERE key = ? AND version = ?', key, version)
}

export function recordTextByDigest(sql: SqlStorage, digest: string): string | undefined {
  return readField<string>(sql, 'SELECT record FROM version WHERE digest = ? LIMIT 1', digest)
}

/** Lists the hashes of the documents that define the tool's versions. */
export function listSources(sql: SqlStorage, key: string): readonly string[] {
  const sources =
    "SELECT DISTINCT record ->> '$.source.hash' FROM version WHERE key = ? AND record ->> '$.source.hash' IS NOT NULL"
  return column<string>(sql, sources, key)
}

export function toolEntryText(sql: SqlStorage, key: string): string | undefined {
  const name = loadToolName(sql, key)
  if (!name) return undefined
  const versions = listVersions(sql, key)
  const isRemoved = isRemovedFromDocument(sql, key)
  const newest = isRemoved ? undefined : resolveVersion(versions)
  const { deleted, description: toolkitDescription } = loadSettings(sql, name.toolkit)
  const flags = { ...(isRemoved ? { isRemovedFromDocument: true } : {}), ...(deleted ? { isDeleted: true } : {}) }
  const text = JSON.stringify({ ...name, versions, ...flags, toolkitDescription })
  const record = newest && recordText(sql, key, newest.version)
  return record === undefined ? text : `${text.slice(0, -1)},"newest":${record}}`
}

export const IS_SHOWN_SQL = "left_bundle = 0 AND json_extract(status, '$.state') IN ('active', 'deprecated')"

export const NOT_DELETED =
  'NOT EXISTS (SELECT 1 FROM toolkit WHERE toolkit.key = lower(tool.toolkit) AND deleted IS NOT NULL)'

/** SQL: whether a version awaits review, whatever its toolkit's status. */
export const IS_PENDING = "json_extract(coalesce(own, status), '$.state') = 'pending'"

export function isPending(sql: SqlStorage, key: string, version: string): boolean {
  return (
    readField(sql, `SELECT 1 FROM version WHERE key = ? AND version = ? AND ${IS_PENDING}`, key, version) !== undefined
  )
}

export function nameWarning(sql: SqlStorage, record: ToolRecord): string | undefined {
  const query = 'SELECT exposed FROM tool WHERE key = ? AND listed = ?'
  const exposed = readField<string | null>(sql, query, toolKey(record), record.version)
  if (!exposed || exposed === record.name) return undefined
  return `${formatTakenName(record.name)}: over MCP this tool is '${exposed}'`
}

/** Does not say what has the name, because the caller may not be allowed to see that. */
export function formatTakenName(name: string): string {
  return `'${name}' is taken or reserved`
}
