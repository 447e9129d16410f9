/*
 * The listed tools of a page in KV. For each tool a page has an index entry, a line (the tool's definition as `GET /tools`
 * writes it) and the whole record. Entries and lines are cached in the table `line`, since a change of one tool rebuilds its
 * whole page.
 */
import { parseTrusted } from '../../../core/tool/json-text.ts'
import type { CatalogTool } from '../../../core/catalog/catalog.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { rows } from '../../rows.ts'
import { addToolkitDescription } from '../toolkits.ts'

export type IndexedTool = CatalogTool & { readonly key: string }

export type WriteLine = (record: ToolRecord) => string

/** A listed tool as a page has it: `entry` is its `IndexedTool` as JSON. */
export type ListedTool = ReturnType<typeof toListedEntry>

/** The cache of lines: `made_of` is the cache key. */
export const LINE_TABLE =
  'CREATE TABLE line (key TEXT PRIMARY KEY, made_of TEXT NOT NULL, entry TEXT NOT NULL, text TEXT NOT NULL)'

/** SQL for everything that an entry and a line depend on. The toolkit's description is in the record alone, which is not cached. */
const LINE_CACHE_KEY = "version.digest || ' ' || exposed || ' ' || coalesce(toolkit.tags, '')"

/** Loads the listed tools with keys from `first` to before `until`. */
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
    const listedTool = toListedEntry({ name, record: storedRecord, tags: parseTrusted(tags ?? '[]') }, writeLine)
    sql.exec('INSERT OR REPLACE INTO line VALUES (?, ?, ?, ?)', key, made_of, listedTool.entry, listedTool.line)
    return { ...listedTool, record }
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

/**
 * Writes a page, as lines of text: the number of characters of the head; the head, which is all entries in one line and then
 * a line per tool; a record per tool. So a reader of lines does not split the records.
 */
export function formatPage(tools: readonly Omit<ListedTool, 'key'>[]): string {
  const head = [`[${tools.map(({ entry }) => entry).join(',')}]`, ...tools.map(({ line }) => line)].join('\n')
  return [head.length, head, ...tools.map(({ record }) => record)].join('\n')
}

export interface CatalogPage {
  readonly index: readonly IndexedTool[]
  readonly lines: readonly string[]
  /** Parses the records, for a list in another format than OXP's. */
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
