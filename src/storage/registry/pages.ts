import { sha256 } from '../sha256.ts'
import type { ListedTool } from '../../core/access/catalogue.ts'
import { toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { HEAD_KEY, kvKey } from '../keys.ts'
import { firstRow } from '../rows.ts'
import { inParts } from './parts.ts'
import { nextRevision, queue, readMeta, readNumber, writeMeta } from './tables.ts'

/** A leaf is split when it holds more tools or more text than this, into parts of about half. */
const MAX_TOOLS = 128
const MAX_CHARACTERS = 1_000_000

/** One part of the catalogue: tools from the key `first` up to the next leaf's, as two pages. */
export interface Leaf {
  readonly first: string
  readonly count: number
  /** The hash of the page of serialised definitions, one a line below a line of `PageIndex`. */
  readonly lines: string
  /** The hash of the page of whole records, one a line, in the same order. */
  readonly records: string
}

export interface Head {
  readonly revision: number
  readonly etag: string
  readonly count: number
  readonly leaves: readonly Leaf[]
}

/** The first line of a page of definitions: what a lister must know of each, in order. */
export type PageIndex = readonly (ListedTool & { readonly key: string })[]

export type WriteLine = (record: ToolRecord) => string

type LeafRow = { first: string; count: number; lines: string | null; records: string | null; dirty: number | null }

/** Counts up with each change of what is written of the same records. */
const LINES = '2'

/** Has every page made anew whose lines were written in another form. */
export function renewLines(sql: SqlStorage): void {
  if (readMeta(sql, 'lines') === LINES) return
  writeMeta(sql, 'lines', LINES)
  if (!firstRow(sql, 'SELECT first FROM leaf WHERE lines IS NOT NULL')) return
  const revision = nextRevision(sql)
  sql.exec('UPDATE leaf SET dirty = ?', revision)
  writeMeta(sql, 'catalogue', String(revision))
}

/** Marks the leaf that holds a key, so that its pages are made anew. */
export function touchLeaf(sql: SqlStorage, key: string, revision: number): void {
  sql.exec('UPDATE leaf SET dirty = ? WHERE first = (SELECT max(first) FROM leaf WHERE first <= ?)', revision, key)
  writeMeta(sql, 'catalogue', String(revision))
}

/** Makes the pages of every touched leaf, and gives the head that names all pages. */
export async function settlePages(sql: SqlStorage, writeLine: WriteLine, now: number): Promise<Head> {
  for (;;) {
    const dirty = firstRow<LeafRow>(sql, 'SELECT * FROM leaf WHERE dirty IS NOT NULL ORDER BY first LIMIT 1')
    if (!dirty) break
    const [tools = [], ...others] = divide(readLeaf(sql, dirty.first))
    // A leaf that has grown too large gives most of its tools to new ones, and all are made in their turn
    for (const [tool] of others) {
      const first: ToolRecord = JSON.parse(tool?.record ?? '{}')
      sql.exec('INSERT INTO leaf (first, count, dirty) VALUES (?, 0, ?)', toolKey(first), dirty.dirty)
    }
    if (others.length > 0) continue
    const { lines, records } = pageTexts(tools, writeLine)
    const hashes = { lines: await sha256(lines), records: await sha256(records) }
    // Another publication may have come in meanwhile: then the leaf is made again
    const { rowsWritten } = sql.exec(
      'UPDATE leaf SET lines = ?, records = ?, count = ?, dirty = NULL WHERE first = ? AND dirty = ?',
      hashes.lines,
      hashes.records,
      tools.length,
      dirty.first,
      dirty.dirty,
    )
    if (rowsWritten === 0) continue
    const revision = readNumber(sql, 'revision')
    replacePage(sql, dirty.lines, hashes.lines, revision, now)
    replacePage(sql, dirty.records, hashes.records, revision, now)
    queue(sql, HEAD_KEY)
  }
  return readHead(sql)
}

/** The text of a page that is part of the catalogue as it stands; undefined for any other hash. */
export function pageText(sql: SqlStorage, hash: string, writeLine: WriteLine): string | undefined {
  const leaf = firstRow<LeafRow>(sql, 'SELECT * FROM leaf WHERE dirty IS NULL AND (lines = ?1 OR records = ?1)', hash)
  if (!leaf) return undefined
  const { lines, records } = pageTexts(readLeaf(sql, leaf.first), writeLine)
  return leaf.lines === hash ? lines : records
}

async function readHead(sql: SqlStorage): Promise<Head> {
  const leaves = sql
    .exec<LeafRow>('SELECT * FROM leaf ORDER BY first')
    .toArray()
    .map(({ first, count, lines, records }) => ({ first, count, lines: lines ?? '', records: records ?? '' }))
  const revision = readNumber(sql, 'revision')
  const count = leaves.reduce((sum, leaf) => sum + leaf.count, 0)
  return { revision, count, leaves, etag: await sha256(leaves.map(({ lines, records }) => lines + records).join()) }
}

interface LeafTool {
  /** Under which the tool is exposed. */
  readonly name: string
  readonly record: string
}

function readLeaf(sql: SqlStorage, first: string): LeafTool[] {
  return sql
    .exec<{ name: string; record: string }>(
      `SELECT exposed AS name, record FROM tool JOIN version ON version.key = tool.key AND version.version = tool.listed
       WHERE tool.key >= ? AND tool.key < coalesce((SELECT min(first) FROM leaf WHERE first > ?), char(0x10ffff))
       ORDER BY tool.key`,
      first,
      first,
    )
    .toArray()
}

function divide(tools: readonly LeafTool[]): readonly (readonly LeafTool[])[] {
  const characters = tools.reduce((sum, { record }) => sum + record.length, 0)
  if (tools.length <= MAX_TOOLS && characters <= MAX_CHARACTERS) return [tools]
  return [...inParts(tools, ({ record }) => record.length, { maxSize: MAX_CHARACTERS / 2, maxItems: MAX_TOOLS / 2 })]
}

function pageTexts(tools: readonly LeafTool[], writeLine: WriteLine): { lines: string; records: string } {
  const records = tools.map(({ record }): ToolRecord => JSON.parse(record))
  const index: PageIndex = records.map((record, position) => ({
    key: toolKey(record),
    name: tools[position]?.name ?? record.name,
    toolkit: record.toolkit,
    tool: record.tool,
    tags: record.tags,
    securityLevel: record.securityLevel,
    executable: record.implementation !== undefined,
  }))
  return {
    lines: [JSON.stringify(index), ...records.map(writeLine)].join('\n'),
    records: tools.map(({ record }) => record).join('\n'),
  }
}

/** Has a page written to KV in place of another. The new one may have been retired before; the old one is deleted in a while. */
function replacePage(sql: SqlStorage, old: string | null, fresh: string, revision: number, now: number): void {
  if (old === fresh) return
  if (old !== null) {
    sql.exec('DELETE FROM outbox WHERE target = ?', kvKey('page', old))
    sql.exec('INSERT OR REPLACE INTO retired VALUES (?, ?)', kvKey('page', old), now)
  }
  sql.exec('DELETE FROM retired WHERE target = ?', kvKey('page', fresh))
  queue(sql, kvKey('page', fresh), revision)
}
