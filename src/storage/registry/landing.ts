import { HEAD_KEY, kvKey } from '../keys.ts'
import { field } from '../rows.ts'
import { headOf, type Leaf } from './head.ts'
import { type LeafPages, nextBehind, pagesOfLeaf, type WriteLine } from './pages.ts'
import { readNumber } from './tables.ts'

/** Leaves whose pages are written side by side. */
const AT_ONCE = 12

/** What is being written: the pages of leaves as they were found, one leaf after another, for one head. */
interface Landing {
  /** The last change that is in all pages. */
  readonly revision: number
  readonly leaves: Map<string, Omit<LeafPages, 'texts' | 'until'>>
  /** The key up to which leaves were found; undefined at the end. */
  from: string | undefined
  /** The last change that some page may have, once all are written. */
  upTo?: number
}

/**
 * Writes the catalogue to KV: first the pages of all leaves that changed, as many a run as there is room for, and in the end
 * the head. `leaf.landed_…` are the pages that the head in KV names, so what happens to a leaf meanwhile is for the next one.
 */
export function createLanding(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine) {
  const { sql } = storage
  let landing: Landing | undefined

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

  /** The pages of so many leaves that KV does not have, and where to go on. */
  async function pagesFrom(first: string, most: number): Promise<{ pages: LeafPages[]; from: string | undefined }> {
    const pages: LeafPages[] = []
    let from: string | undefined = first
    while (from !== undefined && pages.length < most) {
      const next = nextBehind(sql, from)
      const made: LeafPages | undefined = next === undefined ? undefined : await pagesOfLeaf(sql, next, writeLine)
      if (made) pages.push(made)
      from = made?.until
    }
    return { pages, from }
  }

  return {
    /**
     * Writes pages, up to so many. When all are written it gives the number of the last change that they may show;
     * undefined before.
     */
    async writePages(writes: number): Promise<number | undefined> {
      if (field(sql, 'SELECT 1 FROM outbox WHERE target = ?', HEAD_KEY) === undefined) return Number.MAX_SAFE_INTEGER
      landing ??= { revision: readNumber(sql, 'revision'), leaves: new Map(), from: '' }
      for (let room = Math.floor(writes / 2); landing.from !== undefined && room > 0;) {
        const { pages, from } = await pagesFrom(landing.from, Math.min(AT_ONCE, room))
        await writePagesOf(pages)
        for (const each of pages) landing.leaves.set(each.leaf.first, { leaf: each.leaf, behind: each.behind })
        landing.from = from
        room -= pages.length
      }
      if (landing.from !== undefined) return undefined
      return (landing.upTo ??= readNumber(sql, 'revision'))
    },

    /** Writes the head that names the pages that were written last, if one waits. */
    async writeHead(): Promise<void> {
      if (!landing) return
      const { revision, leaves: fresh } = landing
      const landed = sql.exec<LandedRow>('SELECT * FROM leaf ORDER BY first').toArray()
      const leaves = landed.flatMap((row) => fresh.get(row.first)?.leaf ?? landedLeaf(row) ?? [])
      await kv.put(HEAD_KEY, JSON.stringify(headOf(leaves, revision)))
      storage.transactionSync(() => {
        for (const row of landed) {
          const pages = fresh.get(row.first)
          if (pages) note(sql, row, pages)
        }
        sql.exec('DELETE FROM outbox WHERE target = ? AND revision <= ?', HEAD_KEY, revision)
      })
      landing = undefined
    },
  }
}

type LandedRow = {
  first: string
  landed_count: number | null
  landed_lines: string | null
  landed_records: string | null
}

/** A leaf as the head in KV has it; undefined for one that is not in it yet, whose tools another leaf's pages have. */
function landedLeaf({ first, landed_count, landed_lines, landed_records }: LandedRow): Leaf | undefined {
  if (landed_lines === null || landed_records === null) return undefined
  return { first, count: landed_count ?? 0, lines: landed_lines, records: landed_records }
}

/** Notes which pages of a leaf the head in KV names now. What it named before is deleted in a while. */
function note(sql: SqlStorage, before: LandedRow, { leaf, behind }: Omit<LeafPages, 'texts' | 'until'>): void {
  const { first, count, lines, records } = leaf
  sql.exec(
    `UPDATE leaf SET landed_count = ?, landed_lines = ?, landed_records = ?,
       behind = CASE behind WHEN ? THEN NULL ELSE behind END WHERE first = ?`,
    count,
    lines,
    records,
    behind,
    first,
  )
  for (const old of [before.landed_lines, before.landed_records]) {
    if (old !== null) sql.exec('INSERT OR REPLACE INTO retired VALUES (?, ?)', kvKey('page', old), Date.now())
  }
  for (const fresh of [lines, records]) sql.exec('DELETE FROM retired WHERE target = ?', kvKey('page', fresh))
}
