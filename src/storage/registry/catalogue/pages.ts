import { sha256 } from '../../sealing/sha256.ts'
import type { CatalogueTool } from '../../../core/catalogue/catalogue.ts'
import { toolKey } from '../../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../../core/tool/tool.ts'
import { HEAD_KEY } from '../../keys.ts'
import { field, firstRow } from '../../rows.ts'
import { type Head, type HeadSince, headOf, type Leaf, withLeaves } from './head.ts'
import { chunksOf } from './chunks.ts'
import { nextRevision, queue, readMeta, readNumber, writeMeta } from '../tables.ts'

/** A leaf beyond either limit is split into parts of about half. */
const MAX_TOOLS = 128
const MAX_CHARACTERS = 1_000_000

/** The first line of a page of definitions: the fields that listing needs, in order. */
export type PageIndex = readonly (CatalogueTool & { readonly key: string })[]

export type WriteLine = (record: ToolRecord) => string

export interface LeafPages {
  readonly leaf: Leaf
  readonly texts: { readonly lines: string; readonly records: string }
  readonly keys: readonly string[]
  /** The last change of the leaf, and `revision` the last of all. */
  readonly changed: number
  readonly revision: number
  readonly until: string | undefined
  readonly isPartial: boolean
}

type LeafRow = {
  first: string
  count: number
  lines: string | null
  records: string | null
  dirty: number | null
  behind: number | null
  changed: number
}

/** Count up with each change of how lines are written. */
const LINES = '2'

export function renewLines(sql: SqlStorage): void {
  if (readMeta(sql, 'lines') === LINES) return
  writeMeta(sql, 'lines', LINES)
  if (!firstRow(sql, 'SELECT first FROM leaf WHERE lines IS NOT NULL OR landed_lines IS NOT NULL')) return
  const revision = nextRevision(sql)
  sql.exec('UPDATE leaf SET dirty = ?1, behind = coalesce(behind, ?1), changed = ?1', revision)
  noteCatalogue(sql, revision)
}

export function touchLeaf(sql: SqlStorage, key: string, revision: number): void {
  sql.exec(
    `UPDATE leaf SET dirty = ?1, behind = coalesce(behind, ?1), changed = ?1
     WHERE first = (SELECT max(first) FROM leaf WHERE first <= ?2)`,
    revision,
    key,
  )
  noteCatalogue(sql, revision)
}

function noteCatalogue(sql: SqlStorage, revision: number): void {
  writeMeta(sql, 'catalogue', String(revision))
  queue(sql, HEAD_KEY, revision)
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
  const query = 'SELECT first, count, lines, records FROM leaf WHERE changed > ?'
  return sql
    .exec<Pick<LeafRow, 'first' | 'count' | 'lines' | 'records'>>(query, revision)
    .toArray()
    .map(({ first, count, lines, records }) => ({ first, count, lines: lines ?? '', records: records ?? '' }))
}

async function settlePages(sql: SqlStorage, writeLine: WriteLine): Promise<void> {
  for (;;) {
    const dirty = field<string>(sql, 'SELECT first FROM leaf WHERE dirty IS NOT NULL ORDER BY first LIMIT 1')
    if (dirty === undefined) return
    const revision = field<number>(sql, 'SELECT dirty FROM leaf WHERE first = ?', dirty) ?? 0
    const pages = await pagesOfLeaf(sql, dirty, writeLine)
    if (!pages) continue
    const { first, count, lines, records } = pages.leaf
    const update = 'UPDATE leaf SET lines = ?, records = ?, count = ?, dirty = NULL WHERE first = ? AND dirty = ?'
    sql.exec(update, lines, records, count, first, revision)
  }
}

/** With the tools that `shown` gives, of their keys. A leaf that has grown too large is split first. */
export async function pagesOfLeaf(
  sql: SqlStorage,
  first: string,
  writeLine: WriteLine,
  shown: (keys: readonly string[]) => ReadonlySet<string> = (keys) => new Set(keys),
): Promise<LeafPages | undefined> {
  const row = firstRow<LeafRow>(sql, 'SELECT * FROM leaf WHERE first = ?', first)
  if (!row) return undefined
  const [all = [], ...others] = divide(readLeaf(sql, first))
  const { dirty, behind } = row
  const isSplit = others.length > 0
  // A reader may have the head of the revision that changed the leaf
  const changed = isSplit ? nextRevision(sql) : row.changed
  if (isSplit) {
    const [made, wanted] = [dirty ?? behind, behind ?? dirty]
    const query = `INSERT INTO leaf (first, count, dirty, behind, changed) VALUES (?, 0, ?, ?, ?)
      ON CONFLICT DO UPDATE SET dirty = excluded.dirty, behind = excluded.behind, changed = excluded.changed`
    for (const key of [first, ...others.map(([tool]) => tool?.key ?? '')]) sql.exec(query, key, made, wanted, changed)
  }
  const until = field<string>(sql, 'SELECT first FROM leaf WHERE first > ? ORDER BY first LIMIT 1', first)
  const revision = readNumber(sql, 'revision')
  const on = shown(all.map(({ key }) => key))
  const tools = all.filter(({ key }) => on.has(key))
  const keys = tools.map(({ key }) => key)
  const texts = pageTexts(tools, writeLine)
  const leaf = { first, count: tools.length, lines: await sha256(texts.lines), records: await sha256(texts.records) }
  return { leaf, texts, keys, changed, revision, until, isPartial: tools.length < all.length }
}

export function pageText(sql: SqlStorage, hash: string, writeLine: WriteLine): string | undefined {
  const query = 'SELECT * FROM leaf WHERE dirty IS NULL AND (lines = ?1 OR records = ?1)'
  const leaf = firstRow<LeafRow>(sql, query, hash)
  if (!leaf) return undefined
  const { lines, records } = pageTexts(readLeaf(sql, leaf.first), writeLine)
  return leaf.lines === hash ? lines : records
}

interface LeafTool {
  readonly name: string
  readonly record: string
  readonly tags?: string | null
}

function readLeaf(sql: SqlStorage, first: string): (LeafTool & { readonly key: string })[] {
  return sql
    .exec<{ key: string; name: string; record: string; tags: string | null }>(
      `SELECT tool.key AS key, exposed AS name, record, toolkit.tags AS tags
       FROM tool JOIN version ON version.key = tool.key AND version.version = tool.listed
       LEFT JOIN toolkit ON toolkit.key = lower(tool.toolkit)
       WHERE tool.key >= ? AND tool.key < coalesce((SELECT min(first) FROM leaf WHERE first > ?), char(0x10ffff))
       ORDER BY tool.key`,
      first,
      first,
    )
    .toArray()
}

function divide<Tool extends LeafTool>(tools: readonly Tool[]): readonly (readonly Tool[])[] {
  const characters = tools.reduce((sum, { record }) => sum + record.length, 0)
  if (tools.length <= MAX_TOOLS && characters <= MAX_CHARACTERS) return [tools]
  return [...chunksOf(tools, ({ record }) => record.length, { maxSize: MAX_CHARACTERS / 2, maxItems: MAX_TOOLS / 2 })]
}

export function pageTexts(tools: readonly LeafTool[], writeLine: WriteLine): { lines: string; records: string } {
  const records = tools.map(({ record }): ToolRecord => JSON.parse(record))
  const index: PageIndex = records.map((record, position) => ({
    key: toolKey(record),
    name: tools[position]?.name ?? record.name,
    toolkit: record.toolkit,
    tool: record.tool,
    tags: [...new Set([...record.tags, ...JSON.parse(tools[position]?.tags ?? '[]')])],
    securityLevel: record.securityLevel,
    executable: record.implementation !== undefined,
  }))
  return {
    lines: [JSON.stringify(index), ...records.map(writeLine)].join('\n'),
    records: tools.map(({ record }) => record).join('\n'),
  }
}
