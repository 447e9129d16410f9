import { titleOf, type ToolRecord } from '../../core/tool/tool.ts'
import { field } from '../rows.ts'

/** How much a hit counts in a tool's name, its toolkit, its description and its tags. */
const WEIGHTS = '0, 10, 8, 1, 4'
/** Of a query; what follows says no more of what is looked for. */
const MAX_CHARACTERS = 1_000
/** Each may begin every word there is: of a hundred thousand tools, twelve letters take some 200 ms to rank. */
const MAX_WORDS = 12

/**
 * Puts a tool into the search index as its listed version describes it, or takes it out. Its row there is found by its
 * number, which `tool.indexed` has: to find it by its key would take a look at every tool.
 */
export function indexTool(
  sql: SqlStorage,
  key: string,
  record: ToolRecord | undefined,
  toolkitTags: readonly string[] = [],
): void {
  const row = field<number | null>(sql, 'SELECT indexed FROM tool WHERE key = ?', key) ?? null
  if (row !== null) sql.exec('DELETE FROM search WHERE rowid = ?', row)
  if (!record) {
    sql.exec('UPDATE tool SET indexed = NULL WHERE key = ?', key)
    return
  }
  const name = `${words(record.tool)} ${record.name} ${titleOf(record) ?? ''}`
  const toolkit = `${words(record.toolkit)} ${record.toolkit}`
  const tags = [...record.tags, ...toolkitTags].join(' ')
  sql.exec('INSERT INTO search VALUES (?, ?, ?, ?, ?)', key, name, toolkit, record.description, tags)
  sql.exec('UPDATE tool SET indexed = last_insert_rowid() WHERE key = ?', key)
}

/** An FTS5 query for any of the words, each also as the beginning of a longer one; undefined when there is no word. */
export function matchExpression(q: string): string | undefined {
  const all = words(q.slice(0, MAX_CHARACTERS)).split(/[^\p{L}\p{N}]+/u)
  const asked = [...new Set(all.filter((word) => word !== ''))].slice(0, MAX_WORDS)
  if (asked.length === 0) return undefined
  return asked.map((word) => `"${word}"*`).join(' OR ')
}

/** The keys of tools that an expression finds, so many after so many, those that hold more of it first. */
export const BEST = `SELECT key, bm25(search, ${WEIGHTS}) AS score FROM search WHERE search MATCH ?
  ORDER BY score, rowid LIMIT ? OFFSET ?`

/** Orders the tool whose very name was asked for, whatever its case and separators, before all others. */
export const EXACT_FIRST = `CASE ? WHEN ${squeezed('tool.key')} THEN 0 WHEN ${squeezed('tool.tool')} THEN 0 ELSE 1 END`

/** What `EXACT_FIRST` compares names with. */
export function exactName(q: string): string {
  return q.toLowerCase().replaceAll(/[._\s-]/g, '')
}

function squeezed(column: string): string {
  return ['.', '_', '-'].reduce((sql, separator) => `replace(${sql}, '${separator}', '')`, `lower(${column})`)
}

/** `GetEmails` and `send_sms` as separate words. */
function words(text: string): string {
  return text.replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2').replaceAll(/[_-]/g, ' ')
}
