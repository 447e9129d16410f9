import { sha256 } from '../sha256.ts'
import type { ListedTool } from '../../core/access/catalogue.ts'
import { toolKey } from '../../core/tool/tool-id.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { HEAD_KEY, kvKey } from '../keys.ts'
import { firstRow } from '../rows.ts'
import { queue, revisionOf, writeMeta } from './tables.ts'

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
    const parts = divide(readLeaf(sql, dirty.first))
    if (parts.length !== 1) {
      repartition(sql, dirty, parts)
      continue
    }
    const { lines, records, count } = pageTexts(parts[0] ?? [], writeLine)
    const hashes = { lines: await sha256(lines), records: await sha256(records) }
    // Another publication may have come in meanwhile: then the leaf is made again
    const { rowsWritten } = sql.exec(
      'UPDATE leaf SET lines = ?, records = ?, count = ?, dirty = NULL WHERE first = ? AND dirty = ?',
      hashes.lines,
      hashes.records,
      count,
      dirty.first,
      dirty.dirty,
    )
    if (rowsWritten === 0) continue
    const revision = revisionOf(sql)
    for (const [old, fresh] of [
      [dirty.lines, hashes.lines],
      [dirty.records, hashes.records],
    ] as const) {
      if (old === fresh) continue
      if (old !== null) retire(sql, kvKey('page', old), now)
      reinstate(sql, kvKey('page', fresh), revision)
    }
    queue(sql, HEAD_KEY)
  }
  return readHead(sql)
}

/** The text of a page that is part of the catalogue as it stands; undefined for any other hash. */
export function pageText(sql: SqlStorage, hash: string, writeLine: WriteLine): string | undefined {
  const leaf = firstRow<LeafRow>(sql, 'SELECT * FROM leaf WHERE dirty IS NULL AND ? IN (lines, records)', hash)
  if (!leaf) return undefined
  const { lines, records } = pageTexts(readLeaf(sql, leaf.first), writeLine)
  return leaf.lines === hash ? lines : records
}

async function readHead(sql: SqlStorage): Promise<Head> {
  const leaves = sql
    .exec<LeafRow>('SELECT * FROM leaf ORDER BY first')
    .toArray()
    .map(({ first, count, lines, records }) => ({ first, count, lines: lines ?? '', records: records ?? '' }))
  const revision = revisionOf(sql)
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

function divide(tools: readonly LeafTool[]): LeafTool[][] {
  const characters = tools.reduce((sum, { record }) => sum + record.length, 0)
  if (tools.length <= 1 || (tools.length <= MAX_TOOLS && characters <= MAX_CHARACTERS)) return [[...tools]]
  const parts: LeafTool[][] = []
  let part: LeafTool[] = []
  let size = 0
  for (const tool of tools) {
    if (part.length > 0 && (part.length >= MAX_TOOLS / 2 || size + tool.record.length > MAX_CHARACTERS / 2)) {
      parts.push(part)
      part = []
      size = 0
    }
    part.push(tool)
    size += tool.record.length
  }
  return [...parts, part]
}

/** Puts leaves in the place of one that has grown too large. They are made in their turn. */
function repartition(sql: SqlStorage, leaf: LeafRow, parts: readonly (readonly LeafTool[])[]): void {
  parts.forEach((part, index) => {
    if (index === 0) return
    const first: ToolRecord = JSON.parse(part[0]?.record ?? '{}')
    sql.exec('INSERT INTO leaf (first, count, dirty) VALUES (?, 0, ?)', toolKey(first), leaf.dirty)
  })
}

function pageTexts(
  tools: readonly LeafTool[],
  writeLine: WriteLine,
): { lines: string; records: string; count: number } {
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
    count: tools.length,
  }
}

/** Has a page written to KV, which may be one that was retired before. */
function reinstate(sql: SqlStorage, target: string, revision: number): void {
  sql.exec('DELETE FROM retired WHERE target = ?', target)
  queue(sql, target, revision)
}

/** Has a page that is no longer part of the catalogue deleted from KV, in a while. */
function retire(sql: SqlStorage, target: string, now: number): void {
  sql.exec('DELETE FROM outbox WHERE target = ?', target)
  sql.exec('INSERT INTO retired VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at', target, now)
}
