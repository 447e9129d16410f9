import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { CatalogTool } from '../../../core/catalog/catalog.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { rows } from '../../rows.ts'
import { addToolkitDescription } from '../toolkits.ts'

export type IndexedTool = CatalogTool & { readonly key: string }

export type WriteLine = (record: ToolRecord) => string

/** A listed tool as a page has it: `entry` is its `IndexedTool`. */
export type ListedTool = ReturnType<typeof toListedEntry>

/** The cache of lines: `made_of` is the cache key. */
export const LINE_TABLE =
  'CREATE TABLE line (key TEXT PRIMARY KEY, made_of TEXT NOT NULL, entry TEXT NOT NULL, text TEXT NOT NULL)'

/** SQL: what a cached entry and line depend on. */
const LINE_CACHE_KEY = "version.digest || ' ' || exposed || ' ' || coalesce(toolkit.tags, '')"

/** Those with keys from `first` up to `until`. Lines are cached, since each changed tool rebuilds its page. */
export function loadListedTools(sql: SqlStorage, first: string, until: string, writeLine: WriteLine): ListedTool[] {
  type Row = {
    key: string
    record: string
    name: string
    tags: string | null
    description: string | null
    made_of: string
  } & ({ entry: string; line: string } | { entry: null; line: null })
  const toolRows = rows<Row>(
    sql,
    `SELECT tool.key AS key, record, exposed AS name, toolkit.tags AS tags, description, ${LINE_CACHE_KEY} AS made_of, entry, line.text AS line
     FROM tool JOIN version ON version.key = tool.key AND version.version = tool.listed
     LEFT JOIN toolkit ON toolkit.key = lower(tool.toolkit)
     LEFT JOIN line ON line.key = tool.key AND line.made_of = ${LINE_CACHE_KEY}
     WHERE tool.key >= ? AND tool.key < ? AND toolkit.status IS NULL ORDER BY tool.key`,
    first,
    until,
  )
  return toolRows.map(({ key, record: storedRecord, name, tags, description, made_of, entry, line }) => {
    const record = addToolkitDescription(storedRecord, description)
    if (entry !== null) return { key, entry, line, record }
    const listedTool = toListedEntry({ name, record, tags: parseTrusted(tags ?? '[]') }, writeLine)
    sql.exec('INSERT OR REPLACE INTO line VALUES (?, ?, ?, ?)', key, made_of, listedTool.entry, listedTool.line)
    return listedTool
  })
}

export function toListedEntry(
  { name, record, tags }: { readonly name: string; readonly record: string; readonly tags: readonly string[] },
  writeLine: WriteLine,
) {
  const parsed: ToolRecord = parseTrusted(record)
  const entry: IndexedTool = {
    key: toolKey(parsed),
    name,
    toolkit: parsed.toolkit,
    tool: parsed.tool,
    tags: [...new Set([...parsed.tags, ...tags])],
    securityLevel: parsed.securityLevel,
    executable: parsed.implementation !== undefined,
  }
  return { key: entry.key, entry: JSON.stringify(entry), line: writeLine(parsed), record }
}

/** In lines: the length of the head; the head, which is the index as JSON and a line for each tool; a record for each tool. */
export function formatPage(tools: readonly Omit<ListedTool, 'key'>[]): string {
  const lines = [`[${tools.map(({ entry }) => entry).join(',')}]`, ...tools.map(({ line }) => line)].join('\n')
  return [lines.length, lines, ...tools.map(({ record }) => record)].join('\n')
}

export interface CatalogPage {
  readonly index: readonly IndexedTool[]
  readonly lines: readonly string[]
  /** Parsed for a list in another format. */
  readonly records: () => readonly ToolRecord[]
}

export function parsePage(text: string): CatalogPage {
  const from = text.indexOf('\n') + 1
  const until = from + Number(text.slice(0, from))
  const [index = '[]', ...lines] = text.slice(from, until).split('\n')
  const records = () =>
    text
      .slice(until + 1)
      .split('\n')
      .filter(Boolean)
      .map((record): ToolRecord => parseTrusted(record))
  return { index: parseTrusted(index), lines, records }
}
