/*
 * The pages of the catalog, as rows of `page`. A page has the listed tools from its `first` key to the next page's.
 *
 * - `changed`: the revision at which a tool on the page last changed
 * - `made`: the `changed` of the page that `hash` and `count` describe. If it is lower than `changed`, the page must be built
 * - `replicated`: the `changed` of the page that KV's manifest names (`replication.ts`)
 */
import { sha256 } from '../../sealing/sha256.ts'
import { readField, firstRow, rows } from '../../rows.ts'
import { nextRevision, readMeta, readNumber, getRevision, writeMeta } from '../tables.ts'
import { type ListedTool, loadListedTools, type WriteLine, formatPage } from './listed-tools.ts'
import { LAST_KEY, type ManifestUpdate, type PageReference } from './manifest.ts'

/** A page beyond either limit is split: its first part has at most these, and the rest starts a new page. */
const MAX_TOOLS = 64
const MAX_CHARACTERS = 1_000_000
const MAX_SPLIT_TOOLS = 48
const MAX_SPLIT_CHARACTERS = 500_000

/** Raise this with each change of how lines are written. */
const LINES = '3'

export interface DirtyPage extends Record<string, SqlStorageValue> {
  readonly first: string
  readonly changed: number
}

/** A page as its tools were at the change `changed`; `until` is the next page's first key. */
export interface BuiltPage extends PageReference {
  readonly until: string
  readonly changed: number
  readonly characters: number
}

/** Rebuilds the pages if this version writes their lines differently. */
export function rebuildLines(sql: SqlStorage): void {
  if (readMeta(sql, 'lines') === LINES) return
  writeMeta(sql, 'lines', LINES)
  if (readField(sql, 'SELECT 1 FROM page WHERE hash IS NOT NULL LIMIT 1') === undefined) return
  nextRevision(sql)
  markPagesDirty(sql, '', LAST_KEY)
}

/** Marks every page that holds keys from `from` to `to` as changed: the page of a tool, or those of a toolkit. */
export function markPagesDirty(sql: SqlStorage, from: string, to = from): void {
  const revision = getRevision(sql)
  sql.exec(
    'UPDATE page SET changed = ? WHERE first >= (SELECT max(first) FROM page WHERE first <= ?) AND first <= ?',
    revision,
    from,
    to,
  )
  writeMeta(sql, 'catalogue', String(revision))
}

/** Returns the pages that changed after a revision, built from the current tools; all pages if it has no such revision. */
export async function loadManifestUpdate(sql: SqlStorage, writeLine: WriteLine, since = -1): Promise<ManifestUpdate> {
  const findDirtyPage = () =>
    firstRow<DirtyPage>(sql, 'SELECT first, changed FROM page WHERE made < changed ORDER BY first LIMIT 1')
  for (let row = findDirtyPage(); row; row = findDirtyPage()) await buildPage(sql, row, writeLine)
  // Nothing runs between these reads
  const revision = readNumber(sql, 'revision')
  const knownRevision = since > revision ? -1 : since
  // Unsorted, because SQLite would read all pages in key order instead of using the index on `changed`
  const query = 'SELECT first, count, hash FROM page WHERE changed > ?'
  const pages = rows<{ first: string; count: number; hash: string }>(sql, query, knownRevision)
  return { since: knownRevision, revision, pages }
}

/** Builds a page from its current tools. If it is too large, it is split first, and its first part is built. */
export async function buildPage(
  sql: SqlStorage,
  { first, changed }: DirtyPage,
  writeLine: WriteLine,
): Promise<{ readonly page: BuiltPage; readonly text: string }> {
  const { tools, until } = loadPage(sql, first, writeLine)
  const end = findSplit(tools)
  const next = tools[end]?.entry.key
  if (next !== undefined) sql.exec('INSERT INTO page (first, changed) VALUES (?, ?)', next, changed)
  const text = formatPage(tools.slice(0, end))
  const hash = await sha256(text)
  const update = 'UPDATE page SET made = ?1, count = ?2, hash = ?3 WHERE first = ?4 AND made < ?1'
  sql.exec(update, changed, end, hash, first)
  return { page: { first, count: end, hash, until: next ?? until, changed, characters: text.length }, text }
}

export function pageText(sql: SqlStorage, hash: string, writeLine: WriteLine): string | undefined {
  const first = readField<string>(sql, 'SELECT first FROM page WHERE made = changed AND hash = ?', hash)
  return first === undefined ? undefined : formatPage(loadPage(sql, first, writeLine).tools)
}

/** Loads the tools up to the next page's first key, or just enough to show that the page must be split. */
function loadPage(sql: SqlStorage, first: string, writeLine: WriteLine) {
  const until = readField<string | null>(sql, 'SELECT min(first) FROM page WHERE first > ?', first) ?? LAST_KEY
  return { until, tools: loadListedTools(sql, first, until, MAX_TOOLS + 1, writeLine) }
}

/** Returns the index of the first tool that belongs on a new page. */
function findSplit(tools: readonly ListedTool[]): number {
  const sizes = tools.map(({ line, record }) => line.length + record.length)
  const total = sizes.reduce((sum, size) => sum + size, 0)
  if (tools.length <= MAX_TOOLS && total <= MAX_CHARACTERS) return tools.length
  let characters = 0
  const isBeyond = (size: number, at: number) => at === MAX_SPLIT_TOOLS || (characters += size) > MAX_SPLIT_CHARACTERS
  return Math.max(1, sizes.findIndex(isBeyond))
}
