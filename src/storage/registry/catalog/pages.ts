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
import { splitChunks } from './chunks.ts'
import { type ListedTool, loadListedTools, type WriteLine, formatPage } from './listed-tools.ts'
import { EMPTY_MANIFEST, LAST_KEY, type ManifestUpdate, type PageReference, withPages } from './manifest.ts'

/** A page beyond either limit is split into parts of about equal size, with room for more in each. */
const MAX_TOOLS = 64
const SPLIT_TOOLS = 48
const MAX_CHARACTERS = 1_000_000

/** Count up with each change of how lines are written. */
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
  // Older versions cached lines in a table
  sql.exec('DROP TABLE IF EXISTS line')
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

/** Builds the pages that changed, and returns the current manifest. */
export function createManifests(sql: SqlStorage, writeLine: WriteLine) {
  let manifest = EMPTY_MANIFEST

  return async (since = -1): Promise<ManifestUpdate> => {
    const findDirtyPage = () =>
      firstRow<DirtyPage>(sql, 'SELECT first, changed FROM page WHERE made < changed ORDER BY first LIMIT 1')
    for (let row = findDirtyPage(); row; row = findDirtyPage()) await buildPage(sql, row, writeLine)
    // Nothing comes between these reads
    const revision = readNumber(sql, 'revision')
    manifest = withPages(manifest, pagesSince(sql, manifest.revision), revision)
    return since < 0 || since > revision ? manifest : { ...manifest, pages: pagesSince(sql, since), since }
  }
}

/** Unsorted: in order, SQLite would read all pages. */
function pagesSince(sql: SqlStorage, revision: number): PageReference[] {
  type Row = { first: string; count: number; hash: string }
  return rows<Row>(sql, 'SELECT first, count, hash FROM page WHERE changed > ?', revision)
}

/** Makes a page of the tools as they are now. One that has grown too large is split first, and the first part made. */
export async function buildPage(
  sql: SqlStorage,
  { first, changed }: DirtyPage,
  writeLine: WriteLine,
): Promise<{ readonly page: BuiltPage; readonly text: string }> {
  const end = endOfPage(sql, first)
  const [tools = [], ...splitOff] = splitPage(loadListedTools(sql, first, end, writeLine))
  const parts = splitOff.flatMap(([tool]) => tool?.entry.key ?? [])
  const split = 'INSERT INTO page (first, changed, replicated) SELECT ?, changed, replicated FROM page WHERE first = ?'
  for (const key of parts) sql.exec(split, key, first)
  const text = formatPage(tools)
  const hash = await sha256(text)
  const update = 'UPDATE page SET made = ?1, count = ?2, hash = ?3 WHERE first = ?4 AND made < ?1'
  sql.exec(update, changed, tools.length, hash, first)
  const page = { first, count: tools.length, hash, until: parts[0] ?? end, changed, characters: text.length }
  return { page, text }
}

export function pageText(sql: SqlStorage, hash: string, writeLine: WriteLine): string | undefined {
  const first = readField<string>(sql, 'SELECT first FROM page WHERE made = changed AND hash = ?', hash)
  return first === undefined ? undefined : formatPage(loadListedTools(sql, first, endOfPage(sql, first), writeLine))
}

function endOfPage(sql: SqlStorage, first: string): string {
  return readField<string | null>(sql, 'SELECT min(first) FROM page WHERE first > ?', first) ?? LAST_KEY
}

function splitPage(tools: readonly ListedTool[]): readonly (readonly ListedTool[])[] {
  const measureSize = ({ line, record }: ListedTool) => line.length + record.length
  const characters = tools.reduce((sum, tool) => sum + measureSize(tool), 0)
  if (tools.length <= MAX_TOOLS && characters <= MAX_CHARACTERS) return [tools]
  const maxItems = Math.ceil(tools.length / Math.ceil(tools.length / SPLIT_TOOLS))
  return [...splitChunks(tools, measureSize, { maxSize: MAX_CHARACTERS / 2, maxItems })]
}
