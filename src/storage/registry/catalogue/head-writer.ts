import { HEAD_KEY, kvKey } from '../../keys.ts'
import { type Needed, waitingOf } from '../../outbox.ts'
import { field } from '../../rows.ts'
import { headOf, type Leaf } from './head.ts'
import { leavesLandingWith, leavesToLand, listableOf } from './landed-pages.ts'
import { dependenciesOfListed } from './dependencies.ts'
import { type LeafPages, pagesOfLeaf, type WriteLine } from './pages.ts'
import { readNumber } from '../tables.ts'

/** Leaves whose pages are written side by side. */
const AT_ONCE = 12
/** For so long what waits is written before a head, and for no less than the head and its pages took the last time. */
const HEAD_AFTER_MS = 5_000
/** KV takes one write a second to a key. */
const HEAD_INTERVAL_MS = 1_100

/** A leaf that was read, and its pages written, if the head is to name any: not where it is new and has no tool to list yet. */
type Written = Omit<LeafPages, 'texts' | 'isPartial'> & { readonly isNamed: boolean }

/** What is written for one head. */
interface Landing {
  readonly begun: number
  /** The change up to which all has landed. */
  readonly upTo: number
  readonly leaves: Map<string, Written>
  /** Leaves that the same head must name too. */
  readonly beside: Set<string>
  /** What the tools on the pages need in KV. */
  needed: Needed
  /** Whether all pages are written. */
  isWhole: boolean
}

const NOTHING: Needed = { targets: [], upTo: 0 }

/**
 * Writes the catalogue to KV, whenever all that waited has landed, and every few seconds while more comes: pages that show all
 * changes up to the last that has landed, without the new tools that wait, then what is new of tools that are listed already, and
 * then the head. `leaf.landed_…` are the pages that the head in KV names: what happens to a leaf meanwhile is for another head.
 */
export function createHeadWriter(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine) {
  const { sql } = storage
  let landing: Landing | undefined
  let headAt = 0
  let took = 0
  /** Since when a head is wanted. */
  let wantedAt: number | undefined

  async function writePage(hash: string, text: string): Promise<void> {
    const target = kvKey('page', hash)
    // Until a head names it: should none come to that, it is deleted in a while
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

  /** The pages of a few of the leaves that are to be written next. */
  async function nextPages({ leaves, beside, upTo }: Landing): Promise<LeafPages[]> {
    const pages: LeafPages[] = []
    // What was split off a leaf after that was read is on its page
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

  /** Writes pages of leaves, about so many. */
  async function writeMore(under: Landing, writes: number): Promise<void> {
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

  /** Whether it is time for a head. */
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

    /** Writes pages, about so many, where it is time. Gives what their tools need. */
    async writePages(writes: number, isAllWritten: boolean): Promise<Needed> {
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

    /** Writes the head that names the pages, once that can be. Gives whether there is more to do at once. */
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

/** In place of the change that touched a leaf last, of one whose pages do not have all of it. */
const NEVER = -1

/** The last change of those before the first that KV lacks a key of. */
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

/**
 * A leaf as it was written, or else as the head in KV has it; undefined for one that is not in it yet, whose tools another leaf's
 * pages have, or none.
 */
function leafOf(
  { first, landed_count, landed_lines, landed_records }: LandedRow,
  written: Written | undefined,
): Leaf | undefined {
  if (written?.isNamed) return written.leaf
  if (landed_lines === null || landed_records === null) return undefined
  return { first, count: landed_count ?? 0, lines: landed_lines, records: landed_records }
}

/** The last change up to which a head shows all of a leaf, by what was written of it for that head. */
function shownUpTo({ changed, behind }: LandedRow, written: Written | undefined): number {
  if (written) return written.changed === changed ? Infinity : written.revision
  return behind === null ? Infinity : behind - 1
}

/** Notes which pages of a leaf the head in KV names now, if any. What it named before is deleted in a while. */
function note(sql: SqlStorage, before: LandedRow, { leaf, keys, changed, revision, isNamed }: Written): void {
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
