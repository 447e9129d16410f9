/*
 * Definition documents in SQLite, and the tools that their ids lead to. `document_text` has each text once, by its hash;
 * `document` has a row for each version of a document with an id; `document_tool` has the tools that the version defines,
 * by the document's names for them.
 *
 * An id leads to one document within a dialect, ignoring case. It also claims the toolkit name that it spells. Who may use
 * an id is checked before each document is stored (`write/conflicts.ts`): the owner of its toolkit. Each version queues its
 * address, from which isolates learn the toolkit and the tools. Under the dialect `toolkit`, an address leads from a
 * toolkit's name to its listed tools by their source names.
 *
 * A tool is removed from its document while the document's newest active version does not define it. Neither its bare name
 * nor `latest` finds it then, but exact versions do.
 */
import type { DefinitionDocument } from '../../core/publish/registry.ts'
import type { DocumentAddress } from '../../core/tool/tool-source.ts'
import { sanitizeName } from '../../core/tool/sanitize-name.ts'
import { BY_TOOLKIT } from '../../core/tool/tool-ref.ts'
import { toolKey } from '../../core/tool/tool-id.ts'
import { resolveVersion } from '../../core/tool/version.ts'
import { documentKey, kvKey } from '../keys.ts'
import { column, readField, firstRow, rows } from '../rows.ts'
import { queue } from './tables.ts'
import { toolKeyRange } from './toolkits.ts'

/** A stored version of a document that has an id. */
export type DocumentVersion = {
  readonly id: string
  readonly version: string
  readonly toolkit: string
  readonly hash: string
}

type DocumentKey = { readonly dialect: string; readonly key: string }

/** Lists the stored versions of a document; none if the document has no id. */
export function listDocumentVersions(sql: SqlStorage, { dialect, itself }: DefinitionDocument): DocumentVersion[] {
  const query = 'SELECT id, version, toolkit, hash FROM document WHERE dialect = ? AND key = ?'
  return rows<DocumentVersion>(sql, query, dialect, itself?.id.toLowerCase() ?? '')
}

export function listDocumentNames(sql: SqlStorage, dialect: string, { id, version }: DocumentVersion): string[] {
  const query = 'SELECT name FROM document_tool WHERE dialect = ? AND key = ? AND version = ?'
  return column<string>(sql, query, dialect, id.toLowerCase(), version)
}

/** Returns the names of the tools by the document's names for them, in one version or in all. */
export function loadDocumentTools(
  sql: SqlStorage,
  dialect: string,
  key: string,
  version?: string,
): DocumentAddress['tools'] {
  const query = `SELECT name, tool.tool AS tool FROM document_tool JOIN tool ON tool.key = document_tool.tool
    WHERE dialect = ?1 AND document_tool.key = ?2 AND (?3 IS NULL OR version = ?3) ORDER BY document_tool.rowid`
  const toolRows = rows<{ name: string; tool: string }>(sql, query, dialect, key, version ?? null)
  return Object.fromEntries(toolRows.map(({ name, tool }) => [name, tool]))
}

export function textByHash(sql: SqlStorage, hash: string): string | undefined {
  return readField<string>(sql, 'SELECT text FROM document_text WHERE hash = ?', hash)
}

export function findDocumentOfTool(sql: SqlStorage, tool: string): DocumentKey | undefined {
  return firstRow<DocumentKey>(sql, 'SELECT dialect, key FROM document_tool WHERE tool = ? LIMIT 1', tool)
}

/** Stores a document. Store its records in the same transaction. */
export function storeDocument(sql: SqlStorage, document: DefinitionDocument): void {
  const { dialect, hash, text, itself, toolkit, tools } = document
  if (textByHash(sql, hash) === undefined) {
    sql.exec('INSERT INTO document_text VALUES (?, ?)', hash, text)
    queue(sql, kvKey('document', hash))
  }
  if (!itself) return
  const { id, version } = itself
  const key = id.toLowerCase()
  const row = 'INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?, ?, ?)'
  sql.exec(row, dialect, key, version, id, toolkit, hash, sanitizeName(id).toLowerCase())
  sql.exec('DELETE FROM document_tool WHERE dialect = ? AND key = ? AND version = ?', dialect, key, version)
  for (const [name, tool] of Object.entries(tools)) {
    const storedKey = toolKey({ toolkit, tool })
    sql.exec('INSERT INTO document_tool VALUES (?, ?, ?, ?, ?)', dialect, key, version, name, storedKey)
  }
  queue(sql, kvKey('address', documentKey(dialect, id)))
}

/** Returns the toolkit and tools of a document as JSON, by its dialect and id. */
export function addressText(sql: SqlStorage, address: string): string | undefined {
  const at = address.indexOf('/')
  const [dialect, key] = [address.slice(0, at), address.slice(at + 1)]
  if (dialect === BY_TOOLKIT) return toolkitAddress(sql, key)
  const query = 'SELECT id, toolkit FROM document WHERE dialect = ? AND key = ? LIMIT 1'
  const document = firstRow<Pick<DocumentVersion, 'id' | 'toolkit'>>(sql, query, dialect, key)
  if (!document) return undefined
  return JSON.stringify({ ...document, tools: loadDocumentTools(sql, dialect, key) } satisfies DocumentAddress)
}

function toolkitAddress(sql: SqlStorage, key: string): string | undefined {
  const query = `SELECT toolkit, tool, json_extract(record, '$.sourceName') AS sourceName
    FROM tool JOIN version ON version.key = tool.key AND version.version = tool.listed
    WHERE tool.key >= ? AND tool.key < ? AND sourceName IS NOT NULL ORDER BY tool.key`
  const toolRows = rows<{ toolkit: string; tool: string; sourceName: string }>(sql, query, ...toolKeyRange(key))
  const [first] = toolRows
  if (!first) return undefined
  const { toolkit } = first
  const tools = Object.fromEntries(toolRows.map(({ sourceName, tool }) => [sourceName, tool]))
  return JSON.stringify({ id: toolkit, toolkit, tools } satisfies DocumentAddress)
}

export function listSiblingTools(sql: SqlStorage, tool: string): string[] {
  const document = findDocumentOfTool(sql, tool)
  const query = 'SELECT DISTINCT tool FROM document_tool WHERE dialect = ? AND key = ?'
  return document ? column<string>(sql, query, document.dialect, document.key) : []
}

/** Whether the newest active version of a tool's document does not define it. */
export function isRemovedFromDocument(sql: SqlStorage, tool: string): boolean {
  const newest = findNewestVersion(sql, tool)
  if (!newest) return false
  const query = 'SELECT 1 FROM document_tool WHERE dialect = ? AND key = ? AND version = ? AND tool = ?'
  return readField(sql, query, ...newest, tool) === undefined
}

/** Lists the keys of all tools of the document that its newest active version does not define. */
export function listRemovedSiblings(sql: SqlStorage, tool: string): ReadonlySet<string> {
  const newest = findNewestVersion(sql, tool)
  const query = `SELECT tool FROM document_tool WHERE dialect = ?1 AND key = ?2 EXCEPT
    SELECT tool FROM document_tool WHERE dialect = ?1 AND key = ?2 AND version = ?3`
  return new Set(newest ? column<string>(sql, query, ...newest) : [])
}

function findNewestVersion(sql: SqlStorage, tool: string): [dialect: string, key: string, version: string] | undefined {
  const document = findDocumentOfTool(sql, tool)
  if (!document) return undefined
  const { dialect, key } = document
  const query = `SELECT version FROM document WHERE dialect = ? AND key = ? AND EXISTS (
    SELECT 1 FROM document_tool JOIN version ON version.key = document_tool.tool AND version.version = document_tool.version
    WHERE document_tool.dialect = document.dialect AND document_tool.key = document.key
      AND document_tool.version = document.version
      AND left_bundle = 0 AND json_extract(status, '$.state') = 'active')`
  const versions = column<string>(sql, query, dialect, key)
  const newest = resolveVersion(versions.map((version) => ({ version, status: { state: 'active' } })))
  return newest && [dialect, key, newest.version]
}
