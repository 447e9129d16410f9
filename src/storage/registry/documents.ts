import type { KeptDocument } from '../../core/publish/registry.ts'
import type { DocumentAddress } from '../../core/tool/tool-source.ts'
import { toolKey } from '../../core/tool/tool-id.ts'
import { resolveVersion } from '../../core/tool/version.ts'
import { documentKey, kvKey } from '../keys.ts'
import { column, field, firstRow } from '../rows.ts'
import { queue } from './tables.ts'

export type DocumentRow = {
  readonly id: string
  readonly version: string
  readonly toolkit: string
  readonly hash: string
}

export function documentRows(sql: SqlStorage, dialect: string, id: string): DocumentRow[] {
  const query = 'SELECT id, version, toolkit, hash FROM document WHERE dialect = ? AND key = ?'
  return sql.exec<DocumentRow>(query, dialect, id.toLowerCase()).toArray()
}

export function documentsOf(sql: SqlStorage, id: string): DocumentRow[] {
  const query = 'SELECT id, version, toolkit, hash FROM document WHERE key = ?'
  return sql.exec<DocumentRow>(query, id.toLowerCase()).toArray()
}

export function calledIn(sql: SqlStorage, dialect: string, { id, version }: DocumentRow): string[] {
  const query = 'SELECT name FROM document_tool WHERE dialect = ? AND key = ? AND version = ?'
  return column<string>(sql, query, dialect, id.toLowerCase(), version)
}

export function textByHash(sql: SqlStorage, hash: string): string | undefined {
  return field<string>(sql, 'SELECT text FROM document_text WHERE hash = ?', hash)
}

export function documentOfTool(sql: SqlStorage, tool: string): { dialect: string; key: string } | undefined {
  return firstRow(sql, 'SELECT dialect, key FROM document_tool WHERE tool = ? LIMIT 1', tool)
}

/** Its records must be stored in the same transaction. */
export function storeDocument(sql: SqlStorage, document: KeptDocument, revision: number): void {
  const { dialect, hash, text, itself, toolkit, tools } = document
  if (textByHash(sql, hash) === undefined) {
    sql.exec('INSERT INTO document_text VALUES (?, ?)', hash, text)
    queue(sql, kvKey('document', hash), revision)
  }
  if (!itself) return
  const { id, version } = itself
  const key = id.toLowerCase()
  sql.exec('INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?, ?)', dialect, key, version, id, toolkit, hash)
  sql.exec('DELETE FROM document_tool WHERE dialect = ? AND key = ? AND version = ?', dialect, key, version)
  for (const [name, tool] of Object.entries(tools)) {
    const stored = toolKey({ toolkit, tool })
    sql.exec('INSERT INTO document_tool VALUES (?, ?, ?, ?, ?)', dialect, key, version, name, stored)
  }
  queue(sql, kvKey('address', documentKey(dialect, id)), revision)
}

export function addressText(sql: SqlStorage, of: string): string | undefined {
  const at = of.indexOf('/')
  const [dialect, key] = [of.slice(0, at), of.slice(at + 1)]
  const [first] = documentRows(sql, dialect, key)
  if (!first) return undefined
  const query = `SELECT DISTINCT name, tool.tool AS tool FROM document_tool JOIN tool ON tool.key = document_tool.tool
    WHERE dialect = ? AND document_tool.key = ?`
  const rows = sql.exec<{ name: string; tool: string }>(query, dialect, key).toArray()
  const tools = Object.fromEntries(rows.map(({ name, tool }) => [name, tool]))
  const address: DocumentAddress = { id: first.id, toolkit: first.toolkit, tools }
  return JSON.stringify(address)
}

export function toolsBeside(sql: SqlStorage, tool: string): string[] {
  const document = documentOfTool(sql, tool)
  if (!document) return []
  const { dialect, key } = document
  return column<string>(sql, 'SELECT DISTINCT tool FROM document_tool WHERE dialect = ? AND key = ?', dialect, key)
}

/** Whether the newest active version of a tool's document does not define it. */
export function isLeftOut(sql: SqlStorage, tool: string): boolean {
  const document = documentOfTool(sql, tool)
  if (!document) return false
  const { dialect, key } = document
  const active = `SELECT version FROM document WHERE dialect = ? AND key = ? AND EXISTS (
    SELECT 1 FROM document_tool JOIN version ON version.key = document_tool.tool AND version.version = document_tool.version
    WHERE document_tool.dialect = document.dialect AND document_tool.key = document.key
      AND document_tool.version = document.version
      AND left_bundle = 0 AND json_extract(status, '$.state') = 'active')`
  const versions = column<string>(sql, active, dialect, key)
  const newest = resolveVersion(versions.map((version) => ({ version, status: { state: 'active' } })))
  if (!newest) return false
  const query = 'SELECT 1 FROM document_tool WHERE dialect = ? AND key = ? AND version = ? AND tool = ?'
  return field(sql, query, dialect, key, newest.version, tool) === undefined
}
