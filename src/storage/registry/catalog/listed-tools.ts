/*
 * The listed tools of a page in KV. For each tool a page has an index entry, a line (the tool's definition as `GET /tools`
 * writes it) and the whole record.
 */
import { parseTrusted } from '../../../core/tool/json-text.ts'
import { toolKey, type ToolName } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { rows } from '../../rows.ts'
import { addToolkitDescription } from '../toolkits.ts'

export interface IndexedTool extends ToolName {
  readonly key: string
  readonly name: string
  readonly tags: readonly string[]
  readonly securityLevel: number
  readonly executable: boolean
}

export type WriteLine = (record: ToolRecord) => string

export interface ListedTool {
  readonly entry: IndexedTool
  readonly line: string
  readonly record: string
}

/** Loads the listed tools with keys from `first` to before `until`, at most `limit`. */
export function loadListedTools(
  sql: SqlStorage,
  first: string,
  until: string,
  limit: number,
  writeLine: WriteLine,
): ListedTool[] {
  type Row = { record: string; name: string; tags: string | null; description: string | null }
  const toolRows = rows<Row>(
    sql,
    `SELECT record, exposed AS name, toolkit.tags AS tags, description
     FROM tool JOIN version ON version.key = tool.key AND version.version = tool.listed
     LEFT JOIN toolkit ON toolkit.key = lower(tool.toolkit)
     WHERE tool.key >= ? AND tool.key < ? AND toolkit.status IS NULL ORDER BY tool.key LIMIT ?`,
    first,
    until,
    limit,
  )
  return toolRows.map(({ record: text, name, tags, description }) => {
    const record: ToolRecord = parseTrusted(text)
    const listedTool = formatListedTool(record, name, parseTrusted(tags ?? '[]'), writeLine)
    return { ...listedTool, record: addToolkitDescription(text, description) }
  })
}

export function formatListedTool(
  record: ToolRecord,
  name: string,
  toolkitTags: readonly string[],
  writeLine: WriteLine,
) {
  const { toolkit, tool, tags, securityLevel, implementation } = record
  const entry: IndexedTool = {
    key: toolKey(record),
    name,
    toolkit,
    tool,
    tags: [...new Set([...tags, ...toolkitTags])],
    securityLevel,
    executable: implementation !== undefined,
  }
  return { entry, line: writeLine(record) }
}

/**
 * Writes a page as lines of text: the number of characters of the head; the head, which is all entries in one line and then a
 * line per tool; a record per tool. A reader of lines therefore need not split the records.
 */
export function formatPage(tools: readonly ListedTool[]): string {
  const head = [JSON.stringify(tools.map(({ entry }) => entry)), ...tools.map(({ line }) => line)].join('\n')
  return [head.length, head, ...tools.map(({ record }) => record)].join('\n')
}

export interface ParsedPage {
  readonly index: readonly IndexedTool[]
  readonly lines: readonly string[]
  /** Parses the records, for a list in another format than OXP's. */
  readonly records: () => readonly ToolRecord[]
}

export function parsePage(text: string): ParsedPage {
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
