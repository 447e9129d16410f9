import type { KeptDocument } from '../../core/publish/registry.ts'
import type { DocumentAddress } from '../../core/tool/tool-source.ts'
import { sanitizedName } from '../../core/tool/sanitize-name.ts'
import { BY_TOOLKIT, toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { resolveVersion } from '../../core/tool/version.ts'
import { documentKey, kvKey } from '../keys.ts'
import { column, field, firstRow, rows } from '../rows.ts'
import { queue } from './tables.ts'
import { isToolkit, keysOf, toolkitNamed } from './toolkits.ts'

export type DocumentRow = {
  readonly id: string
  readonly version: string
  readonly toolkit: string
  readonly hash: string
}

type DocumentName = Pick<DocumentRow, 'id' | 'toolkit'>
type DocumentKey = { readonly dialect: string; readonly key: string }

/** A toolkit's name has no slash. */
export function keyOfDocument({ id, toolkit }: DocumentName): string {
  return `${toolkit}/${id}`.toLowerCase()
}

/** The stored versions of a document; none where it has no id. */
export function documentRows(sql: SqlStorage, { dialect, itself, toolkit }: KeptDocument): DocumentRow[] {
  const query = 'SELECT id, version, toolkit, hash FROM document WHERE dialect = ? AND key = ?'
  return rows<DocumentRow>(sql, query, dialect, keyOfDocument({ id: itself?.id ?? '', toolkit }))
}

export function calledIn(sql: SqlStorage, dialect: string, document: DocumentRow): string[] {
  const query = 'SELECT name FROM document_tool WHERE dialect = ? AND key = ? AND version = ?'
  return column<string>(sql, query, dialect, keyOfDocument(document), document.version)
}

/** The tools' names by what the document calls them, in one of its versions or in any. */
export function toolsOf(sql: SqlStorage, dialect: string, key: string, version?: string): DocumentAddress['tools'] {
  const query = `SELECT name, tool.tool AS tool FROM document_tool JOIN tool ON tool.key = document_tool.tool
    WHERE dialect = ?1 AND document_tool.key = ?2 AND (?3 IS NULL OR version = ?3) ORDER BY document_tool.rowid`
  const all = rows<{ name: string; tool: string }>(sql, query, dialect, key, version ?? null)
  return Object.fromEntries(all.map(({ name, tool }) => [name, tool]))
}

export function textByHash(sql: SqlStorage, hash: string): string | undefined {
  return field<string>(sql, 'SELECT text FROM document_text WHERE hash = ?', hash)
}

export function documentOfTool(sql: SqlStorage, tool: string): DocumentKey | undefined {
  return firstRow<DocumentKey>(sql, 'SELECT dialect, key FROM document_tool WHERE tool = ? LIMIT 1', tool)
}

/** Its records must be stored in the same transaction. */
export function storeDocument(sql: SqlStorage, document: KeptDocument): void {
  const { dialect, hash, text, itself, toolkit, tools } = document
  if (textByHash(sql, hash) === undefined) {
    sql.exec('INSERT INTO document_text VALUES (?, ?)', hash, text)
    queue(sql, kvKey('document', hash))
  }
  if (!itself) return
  const { id, version } = itself
  const key = keyOfDocument({ id, toolkit })
  const row = 'INSERT OR REPLACE INTO document VALUES (?, ?, ?, ?, ?, ?, ?)'
  sql.exec(row, dialect, key, version, id, toolkit, hash, placeOf(sql, document))
  sql.exec('DELETE FROM document_tool WHERE dialect = ? AND key = ? AND version = ?', dialect, key, version)
  for (const [name, tool] of Object.entries(tools)) {
    const stored = toolKey({ toolkit, tool })
    sql.exec('INSERT INTO document_tool VALUES (?, ?, ?, ?, ?)', dialect, key, version, name, stored)
  }
  queue(sql, kvKey('address', documentKey(dialect, id)))
}

/** The document that an id leads to without a toolkit. */
export function addressText(sql: SqlStorage, of: string): string | undefined {
  const at = of.indexOf('/')
  const [dialect, id] = [of.slice(0, at), of.slice(at + 1)]
  if (dialect === BY_TOOLKIT) return toolkitAddress(sql, id)
  const first = holderOf(sql, dialect, id)
  if (!first) return undefined
  const address: DocumentAddress = { ...first, tools: toolsOf(sql, dialect, keyOfDocument(first)) }
  return JSON.stringify(address)
}

function toolkitAddress(sql: SqlStorage, key: string): string | undefined {
  const query = `SELECT toolkit, tool, json_extract(record, '$.called') AS called
    FROM tool JOIN version ON version.key = tool.key AND version.version = tool.listed
    WHERE tool.key >= ? AND tool.key < ? AND called IS NOT NULL ORDER BY tool.key`
  const all = rows<{ toolkit: string; tool: string; called: string }>(sql, query, ...keysOf(key))
  const [first] = all
  if (!first) return undefined
  const { toolkit } = first
  const tools = Object.fromEntries(all.map(({ called, tool }) => [called, tool]))
  return JSON.stringify({ id: toolkit, toolkit, tools } satisfies DocumentAddress)
}

/** Its toolkit's own; else the one that has it, unless there is a toolkit of that very name. */
export function holderOf(sql: SqlStorage, dialect: string, id: string): DocumentName | undefined {
  const place = sanitizedName(id).toLowerCase()
  const query =
    'SELECT id, toolkit FROM document WHERE place = ? AND dialect = ? AND lower(id) = lower(?) ORDER BY rowid'
  const all = rows<DocumentName>(sql, query, place, dialect, id)
  return all.find(({ toolkit }) => toolkit.toLowerCase() === place) ?? (isToolkitOf(sql, id) ? undefined : all[0])
}

/** As it is written: `calculator` leads to a document beside the toolkit `Calculator`. */
function isToolkitOf(sql: SqlStorage, id: string): boolean {
  return sanitizedName(id) === id && isToolkit(sql, id) && (toolkitNamed(sql, id) ?? id) === id
}

/** The toolkit that a document's id names, if the id alone leads to the document. */
export function placeOf(sql: SqlStorage, { dialect, toolkit, itself, mayHaveName }: KeptDocument): string | null {
  if (!itself) return null
  const place = sanitizedName(itself.id).toLowerCase()
  if (toolkit.toLowerCase() === place) return place
  if (!mayHaveName || isToolkitOf(sql, itself.id)) return null
  const holder = holderOf(sql, dialect, itself.id)
  return !holder || holder.toolkit === toolkit ? place : null
}

/** A toolkit has come, or a document of it, whose name others' documents had. Gives the keys of their tools. */
export function takeBackName(sql: SqlStorage, toolkit: string, id: string): string[] {
  const place = toolkit.toLowerCase()
  const others = `UPDATE document SET place = NULL WHERE place = ? AND lower(toolkit) <> ? AND lower(id) = lower(?)
    RETURNING dialect, key, id`
  const displaced = rows<DocumentKey & { id: string }>(sql, others, place, place, id)
  return displaced.flatMap(({ id, ...document }) => {
    queue(sql, kvKey('address', documentKey(document.dialect, id)))
    const tools = toolKeysOf(sql, document)
    const marked = "UPDATE version SET record = json_set(record, '$.source.byToolkit', json('true')) WHERE key = ?"
    for (const tool of tools) sql.exec(marked, tool)
    return tools
  })
}

/** Whether the id of the document that a tool's version is of does not lead to it. */
export function isByToolkit(sql: SqlStorage, tool: string, { version, source }: ToolRecord): boolean {
  const query = `SELECT 1 FROM document_tool JOIN document USING (dialect, key, version)
    WHERE tool = ? AND document.version = ? AND hash = ? AND place IS NULL LIMIT 1`
  return field(sql, query, tool, version, source.hash ?? '') !== undefined
}

export function toolsBeside(sql: SqlStorage, tool: string): string[] {
  const document = documentOfTool(sql, tool)
  return document ? toolKeysOf(sql, document) : []
}

function toolKeysOf(sql: SqlStorage, { dialect, key }: DocumentKey): string[] {
  return column<string>(sql, 'SELECT DISTINCT tool FROM document_tool WHERE dialect = ? AND key = ?', dialect, key)
}

/** Whether the newest active version of a tool's document does not define it. */
export function isLeftOut(sql: SqlStorage, tool: string): boolean {
  const newest = newestBeside(sql, tool)
  if (!newest) return false
  const query = 'SELECT 1 FROM document_tool WHERE dialect = ? AND key = ? AND version = ? AND tool = ?'
  return field(sql, query, ...newest, tool) === undefined
}

/** The keys of all tools of a tool's document that its newest active version does not define. */
export function leftOutBeside(sql: SqlStorage, tool: string): ReadonlySet<string> {
  const newest = newestBeside(sql, tool)
  const query = `SELECT tool FROM document_tool WHERE dialect = ?1 AND key = ?2 EXCEPT
    SELECT tool FROM document_tool WHERE dialect = ?1 AND key = ?2 AND version = ?3`
  return new Set(newest ? column<string>(sql, query, ...newest) : [])
}

function newestBeside(sql: SqlStorage, tool: string): [dialect: string, key: string, version: string] | undefined {
  const document = documentOfTool(sql, tool)
  if (!document) return undefined
  const { dialect, key } = document
  const active = `SELECT version FROM document WHERE dialect = ? AND key = ? AND EXISTS (
    SELECT 1 FROM document_tool JOIN version ON version.key = document_tool.tool AND version.version = document_tool.version
    WHERE document_tool.dialect = document.dialect AND document_tool.key = document.key
      AND document_tool.version = document.version
      AND left_bundle = 0 AND json_extract(status, '$.state') = 'active')`
  const versions = column<string>(sql, active, dialect, key)
  const newest = resolveVersion(versions.map((version) => ({ version, status: { state: 'active' } })))
  return newest && [dialect, key, newest.version]
}
