import { sha256 } from '../../sealing/sha256.ts'
import { HEAD_KEY } from '../../keys.ts'
import { field, firstRow, rows } from '../../rows.ts'
import { type Head, type HeadSince, headOf, type Leaf, withLeaves } from './head.ts'
import { chunksOf } from './chunks.ts'
import { LINE_TABLE, type ListedTool, toolsFrom, type WriteLine, writePage } from './listed-tools.ts'
import { nextRevision, queue, readMeta, readNumber, revisionOf, writeMeta } from '../tables.ts'
import { keysOf } from '../toolkits.ts'

/** A leaf beyond either limit is split into parts of about equal size, with room for more in each. */
const MAX_TOOLS = 64
const SPLIT_TOOLS = 48
const MAX_CHARACTERS = 1_000_000

/** `changed` is the last change of the leaf, `revision` the last of all; `until` is the next leaf's first key. */
export type LeafPage = NonNullable<Awaited<ReturnType<typeof pageOfLeaf>>>

type LeafRow = { readonly dirty: number | null; readonly behind: number | null; readonly changed: number }

/** After the keys of all tools. */
const LAST_KEY = '\u{10ffff}'

/** Count up with each change of how lines are written. */
const LINES = '3'

export function renewLines(sql: SqlStorage): void {
  if (readMeta(sql, 'lines') === LINES) return
  writeMeta(sql, 'lines', LINES)
  for (const each of ['DROP TABLE IF EXISTS line', LINE_TABLE]) sql.exec(each)
  if (!firstRow(sql, 'SELECT first FROM leaf WHERE page IS NOT NULL OR landed_page IS NOT NULL')) return
  const revision = nextRevision(sql)
  sql.exec('UPDATE leaf SET dirty = ?1, behind = coalesce(behind, ?1), changed = ?1', revision)
  noteCatalogue(sql)
}

export function touchLeaf(sql: SqlStorage, key: string): void {
  sql.exec(
    `UPDATE leaf SET dirty = ?1, behind = coalesce(behind, ?1), changed = ?1
     WHERE first = (SELECT max(first) FROM leaf WHERE first <= ?2)`,
    revisionOf(sql),
    key,
  )
  noteCatalogue(sql)
}

/** The leaves of a whole toolkit, whose settings are joined to its tools when their pages are made. */
export function touchLeaves(sql: SqlStorage, toolkit: string): void {
  sql.exec(
    `UPDATE leaf SET dirty = ?1, behind = coalesce(behind, ?1), changed = ?1
     WHERE first >= (SELECT max(first) FROM leaf WHERE first <= ?2) AND first < ?3`,
    revisionOf(sql),
    ...keysOf(toolkit),
  )
  noteCatalogue(sql)
}

function noteCatalogue(sql: SqlStorage): void {
  writeMeta(sql, 'catalogue', String(revisionOf(sql)))
  queue(sql, HEAD_KEY)
}

/** Makes the pages of changed leaves. All leaves are read once, so that a larger catalogue takes no longer. */
export function createHeads(sql: SqlStorage, writeLine: WriteLine) {
  let known: Head | undefined

  return async (since = -1): Promise<HeadSince> => {
    await settlePages(sql, writeLine)
    // Nothing comes between these reads
    const revision = readNumber(sql, 'revision')
    known = withLeaves(known ?? headOf([], 0), leavesSince(sql, known?.revision ?? -1), revision)
    if (since < 0 || since > revision) return known
    return { ...known, leaves: leavesSince(sql, since), since }
  }
}

/** Unsorted: in order, SQLite would read all leaves. */
function leavesSince(sql: SqlStorage, revision: number): Leaf[] {
  const query = "SELECT first, count, coalesce(page, '') AS page FROM leaf WHERE changed > ?"
  return rows<{ first: string; count: number; page: string }>(sql, query, revision)
}

async function settlePages(sql: SqlStorage, writeLine: WriteLine): Promise<void> {
  for (;;) {
    const query = 'SELECT first, dirty FROM leaf WHERE dirty IS NOT NULL ORDER BY first LIMIT 1'
    const leaf = firstRow<{ first: string; dirty: number }>(sql, query)
    if (!leaf) return
    const made = await pageOfLeaf(sql, leaf.first, writeLine)
    if (!made) continue
    const { first, count, page } = made.leaf
    const update = 'UPDATE leaf SET page = ?, count = ?, dirty = NULL WHERE first = ? AND dirty = ?'
    sql.exec(update, page, count, first, leaf.dirty)
  }
}

/** With the tools that `shown` gives of all. A leaf that has grown too large is split first. */
export async function pageOfLeaf(
  sql: SqlStorage,
  first: string,
  writeLine: WriteLine,
  shown: (until: string, tools: readonly ListedTool[]) => readonly ListedTool[] = (_, tools) => tools,
) {
  const row = firstRow<LeafRow>(sql, 'SELECT dirty, behind, changed FROM leaf WHERE first = ?', first)
  if (!row) return undefined
  const end = endOfLeaf(sql, first)
  const [all = [], ...others] = divide(toolsFrom(sql, first, end, writeLine))
  const { dirty, behind } = row
  const next = others.map(([tool]) => tool?.key ?? '')
  const isSplit = next.length > 0
  // A reader may have the head of the revision that changed the leaf
  const changed = isSplit ? nextRevision(sql) : row.changed
  if (isSplit) {
    const [made, wanted] = [dirty ?? behind, behind ?? dirty]
    const query = `INSERT INTO leaf (first, count, dirty, behind, changed) VALUES (?, 0, ?, ?, ?)
      ON CONFLICT DO UPDATE SET dirty = excluded.dirty, behind = excluded.behind, changed = excluded.changed`
    for (const key of [first, ...next]) sql.exec(query, key, made, wanted, changed)
  }
  const [until = end] = next
  const revision = readNumber(sql, 'revision')
  const tools = shown(until, all)
  const keys = tools.map(({ key }) => key)
  const text = writePage(tools)
  const leaf: Leaf = { first, count: keys.length, page: await sha256(text) }
  return { leaf, text, keys, changed, revision, until, isPartial: keys.length < all.length }
}

export function pageText(sql: SqlStorage, hash: string, writeLine: WriteLine): string | undefined {
  const first = field<string>(sql, 'SELECT first FROM leaf WHERE dirty IS NULL AND page = ?', hash)
  return first === undefined ? undefined : writePage(toolsFrom(sql, first, endOfLeaf(sql, first), writeLine))
}

function endOfLeaf(sql: SqlStorage, first: string): string {
  return field<string | null>(sql, 'SELECT min(first) FROM leaf WHERE first > ?', first) ?? LAST_KEY
}

function divide(tools: readonly ListedTool[]): readonly (readonly ListedTool[])[] {
  const sizeOf = ({ line, record }: ListedTool) => line.length + record.length
  const characters = tools.reduce((sum, tool) => sum + sizeOf(tool), 0)
  if (tools.length <= MAX_TOOLS && characters <= MAX_CHARACTERS) return [tools]
  const maxItems = Math.ceil(tools.length / Math.ceil(tools.length / SPLIT_TOOLS))
  return [...chunksOf(tools, sizeOf, { maxSize: MAX_CHARACTERS / 2, maxItems })]
}
