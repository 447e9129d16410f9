import { HEAD_KEY, kvKey } from '../../keys.ts'
import { type QueuedKeys, waitingOf } from '../../kv-outbox.ts'
import { field } from '../../rows.ts'
import { headOf, type Leaf } from './head.ts'
import { leavesLandingWith, leavesToLand, listableOf } from './landed-pages.ts'
import { dependenciesOfListed } from './dependencies.ts'
import { type LeafPages, pagesOfLeaf, type WriteLine } from './pages.ts'
import { readNumber } from '../tables.ts'

const AT_ONCE = 12
/** How long a head waits for queued keys at most, or as long as the last one took where that is longer. */
const HEAD_AFTER_MS = 5_000
/** KV takes one write a second to a key. */
const HEAD_INTERVAL_MS = 1_100

/** A new leaf none of whose tools can be listed yet is not named by the head. */
type WrittenLeaf = Omit<LeafPages, 'texts' | 'isPartial'> & { readonly isNamed: boolean }

interface HeadDraft {
  readonly begun: number
  /** The last change before the first that KV lacks. */
  readonly upTo: number
  readonly leaves: Map<string, WrittenLeaf>
  readonly beside: Set<string>
  needed: QueuedKeys
  isWhole: boolean
}

const NOTHING: QueuedKeys = { targets: [], upTo: 0 }

/**
 * Writes the catalogue to KV once all queued keys are written, and every few seconds while more come: first the pages
 * of all changes up to the last written one, then the keys these need, then the head.
 */
export function createHeadWriter(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine) {
  const { sql } = storage
  let landing: HeadDraft | undefined
  let headAt = 0
  let took = 0
  let wantedAt: number | undefined

  async function writePage(hash: string, text: string): Promise<void> {
    const target = kvKey('page', hash)
    // Deleted after a while, unless a head names it
    sql.exec('INSERT OR IGNORE INTO retired VALUES (?, ?)', target, Date.now())
    await kv.put(target, text)
  }

  async function writePagesOf(leaves: readonly LeafPages[]): Promise<void> {
    const writes = leaves.flatMap(({ leaf, texts }) => [
      writePage(leaf.lines, texts.lines),
      writePage(leaf.records, texts.records),
    ])
    for (const result of await Promise.allSettled(writes)) if (result.status === 'rejected') throw result.reason
  }

  async function nextPages({ leaves, beside, upTo }: HeadDraft): Promise<LeafPages[]> {
    const pages: LeafPages[] = []
    // A leaf that was split off one since it was read is on that one's page
    const isRead = (first: string) =>
      [...leaves.values(), ...pages].some(
        ({ leaf, until }) => leaf.first <= first && (until === undefined || first < until),
      )
    for (const first of [...beside, ...leavesToLand(sql, upTo)]) {
      if (pages.length === AT_ONCE) break
      if (isRead(first)) continue
      const made = await pagesOfLeaf(sql, first, writeLine, (keys) => listableOf(sql, first, keys))
      if (made) pages.push(made)
    }
    return pages
  }

  async function writeMore(under: HeadDraft, writes: number): Promise<void> {
    for (let room = writes; room > 0;) {
      const pages = await nextPages(under)
      under.isWhole = pages.length === 0
      if (under.isWhole) return
      const named = pages.filter(({ leaf }) => leaf.count > 0 || isInHead(sql, leaf.first))
      await writePagesOf(named)
      room -= 2 * named.length
      const targets = waitingOf(sql, under.needed).map(({ target }) => target)
      for (const page of pages) {
        const { texts: _, isPartial, ...written } = { ...page, isNamed: named.includes(page) }
        const { first } = page.leaf
        under.leaves.set(first, isPartial ? { ...written, changed: NEVER, revision: under.upTo } : written)
        under.beside.delete(first)
        for (const each of leavesLandingWith(sql, first)) if (!under.leaves.has(each)) under.beside.add(each)
        targets.push(...dependenciesOfListed(sql, page.keys))
      }
      under.needed = { targets, upTo: readNumber(sql, 'revision') }
    }
  }

  function isDue(isAllWritten: boolean): boolean {
    if (field(sql, 'SELECT 1 FROM outbox WHERE target = ?', HEAD_KEY) === undefined) return false
    const now = Date.now()
    wantedAt ??= now
    const hasWaited = now - wantedAt >= Math.max(HEAD_AFTER_MS, took)
    const behind = field<number | null>(sql, 'SELECT min(behind) FROM leaf')
    const hasMore = typeof behind !== 'number' || behind <= landedUpTo(sql)
    return (isAllWritten || hasWaited) && hasMore && now - headAt >= HEAD_INTERVAL_MS
  }

  return {
    isUnderWay: () => landing !== undefined,

    async writePages(writes: number, isAllWritten: boolean): Promise<QueuedKeys> {
      if (!landing && !isDue(isAllWritten)) return NOTHING
      const begun = Date.now()
      landing ??= {
        begun,
        upTo: landedUpTo(sql),
        leaves: new Map(),
        beside: new Set(),
        needed: NOTHING,
        isWhole: false,
      }
      if (!landing.isWhole) await writeMore(landing, writes)
      return landing.needed
    },

    async writeHead(): Promise<boolean> {
      if (!landing) return false
      const { begun, leaves: fresh, isWhole, needed } = landing
      if (!isWhole) return true
      if (waitingOf(sql, needed).length > 0) return false
      const rows = sql.exec<LandedRow>('SELECT * FROM leaf ORDER BY first').toArray()
      const leaves = rows.flatMap((row) => leafOf(row, fresh.get(row.first)) ?? [])
      const shown = rows.map((row) => shownUpTo(row, fresh.get(row.first)))
      await kv.put(HEAD_KEY, JSON.stringify(headOf(leaves, Math.min(readNumber(sql, 'revision'), ...shown))))
      storage.transactionSync(() => {
        for (const row of rows) {
          const written = fresh.get(row.first)
          if (written) note(sql, row, written)
        }
        const lacking = 'SELECT 1 FROM leaf WHERE behind IS NOT NULL'
        sql.exec(`DELETE FROM outbox WHERE target = ? AND NOT EXISTS (${lacking})`, HEAD_KEY)
      })
      landing = undefined
      wantedAt = undefined
      headAt = Date.now()
      took = headAt - begun
      return false
    },
  }
}

/** The last change of a leaf whose pages are incomplete. */
const NEVER = -1

/** The last change before the first that KV lacks. */
function landedUpTo(sql: SqlStorage): number {
  const first = field<number | null>(sql, 'SELECT min(since) FROM outbox WHERE target <> ?', HEAD_KEY)
  return typeof first === 'number' ? first - 1 : readNumber(sql, 'revision')
}

function isInHead(sql: SqlStorage, first: string): boolean {
  return field(sql, 'SELECT 1 FROM leaf WHERE first = ? AND landed_lines IS NOT NULL', first) !== undefined
}

type LandedRow = {
  first: string
  changed: number
  behind: number | null
  landed_count: number | null
  landed_lines: string | null
  landed_records: string | null
}

function leafOf(
  { first, landed_count, landed_lines, landed_records }: LandedRow,
  written: WrittenLeaf | undefined,
): Leaf | undefined {
  if (written?.isNamed) return written.leaf
  if (landed_lines === null || landed_records === null) return undefined
  return { first, count: landed_count ?? 0, lines: landed_lines, records: landed_records }
}

function shownUpTo({ changed, behind }: LandedRow, written: WrittenLeaf | undefined): number {
  if (written) return written.changed === changed ? Infinity : written.revision
  return behind === null ? Infinity : behind - 1
}

/** Records which pages KV's head names now. Those of the head before are deleted after a while. */
function note(sql: SqlStorage, before: LandedRow, { leaf, keys, changed, revision, isNamed }: WrittenLeaf): void {
  const { first, count, lines, records } = leaf
  const behind = 'behind = CASE changed WHEN ? THEN NULL ELSE ? END WHERE first = ?'
  if (!isNamed) return void sql.exec(`UPDATE leaf SET ${behind}`, changed, revision + 1, first)
  sql.exec(
    `UPDATE leaf SET landed_count = ?, landed_lines = ?, landed_records = ?, landed_keys = ?, ${behind}`,
    count,
    lines,
    records,
    JSON.stringify(keys),
    changed,
    revision + 1,
    first,
  )
  for (const old of [before.landed_lines, before.landed_records]) {
    if (old !== null) sql.exec('INSERT OR REPLACE INTO retired VALUES (?, ?)', kvKey('page', old), Date.now())
  }
  for (const fresh of [lines, records]) sql.exec('DELETE FROM retired WHERE target = ?', kvKey('page', fresh))
}
