import { HEAD_KEY, kvKey } from '../../keys.ts'
import { giveWay, type QueuedKeys, type Round, waitingOf } from '../../kv-outbox.ts'
import { field } from '../../rows.ts'
import { type Head, headOf, type Leaf, leafAt, withLeaves } from './head.ts'
import { dependenciesOfPages, landedLeaves, leavesLandingWith, leafToLand, listableOf } from './landed-pages.ts'
import type { WriteLine } from './listed-tools.ts'
import { type LeafPage, pageOfLeaf } from './pages.ts'
import { readNumber } from '../tables.ts'

const AT_ONCE = 4
/** How long a head waits for queued keys at most, or as long as the last one took where that is longer. */
const HEAD_AFTER_MS = 5_000
/** KV takes one write a second to a key. */
const HEAD_INTERVAL_MS = 1_100
/** Pages are written at this rate on average, so that what is replaced does not pile up before it is deleted. */
const CHARACTERS_PER_MS = 1_000
const MAX_PAUSE_MS = 60_000

/** A new leaf none of whose tools can be listed yet is not named by the head. */
type WrittenLeaf = Omit<LeafPage, 'text' | 'isPartial'> & { readonly isNamed: boolean }

interface HeadDraft {
  readonly begun: number
  /** The last change before the first that KV lacks. */
  readonly upTo: number
  readonly leaves: Map<string, WrittenLeaf>
  readonly beside: Set<string>
  /** Leaves before this key are written. */
  from: string
  characters: number
  needed: QueuedKeys
  isWhole: boolean
}

const NOTHING: QueuedKeys = { targets: [], upTo: 0 }

/**
 * Writes the catalogue to KV once all queued keys are written, and every few seconds while more come: first the pages
 * of all changes up to the last written one, then the keys these need, then the head.
 */
export function createHeadWriter(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine): Round {
  const { sql } = storage
  let draft: HeadDraft | undefined
  let known: Head | undefined
  let headAt = 0
  let pause = HEAD_INTERVAL_MS
  let took = 0
  let wantedAt: number | undefined

  /** The head in KV, read once, so that a larger catalogue takes no longer. */
  const landed = () => (known ??= headOf(landedLeaves(sql), 0))

  function landedAt(first: string): Leaf | undefined {
    const { leaves } = landed()
    const leaf = leaves[leafAt(leaves, first)]
    return leaf?.first === first ? leaf : undefined
  }

  async function writePages(pages: readonly LeafPage[]): Promise<void> {
    // Deleted after a while, unless a head names them
    const targets = pageKeys(pages.map(({ leaf }) => leaf))
    sql.exec('INSERT OR IGNORE INTO retired SELECT value, ? FROM json_each(?)', Date.now(), JSON.stringify(targets))
    const results = await Promise.allSettled(pages.map(({ leaf, text }) => kv.put(kvKey('page', leaf.page), text)))
    for (const result of results) if (result.status === 'rejected') throw result.reason
    await giveWay()
  }

  /** Reads on from the draft's `from`; the one given back is behind what was read. */
  async function nextPages(under: HeadDraft): Promise<{ pages: readonly LeafPage[]; from: string }> {
    const pages: LeafPage[] = []
    let { from } = under
    const made = (first: string) =>
      pageOfLeaf(sql, first, writeLine, (until, tools) => listableOf(sql, first, until, tools))
    // A leaf that was split off one since it was read is on that one's page
    const read = (first: string) =>
      [...under.leaves.values(), ...pages].find(({ leaf, until }) => leaf.first <= first && first < until)
    for (const first of under.beside) {
      const page = pages.length < AT_ONCE && !read(first) ? await made(first) : undefined
      if (page) pages.push(page)
    }
    while (pages.length < AT_ONCE) {
      const first = leafToLand(sql, under.upTo, from)
      if (first === undefined) break
      const known = read(first)
      const page = known ? undefined : await made(first)
      if (page) pages.push(page)
      from = (known ?? page)?.until ?? first
    }
    return { pages, from }
  }

  async function writeMore(under: HeadDraft, writes: number): Promise<void> {
    const targets = waitingOf(sql, under.needed).map(({ target }) => target)
    for (let room = writes; room > 0;) {
      const { pages, from } = await nextPages(under)
      under.isWhole = pages.length === 0
      if (under.isWhole) return
      const named = pages.filter(({ leaf }) => leaf.count > 0 || landedAt(leaf.first))
      await writePages(named)
      room -= named.length
      under.from = from
      for (const page of pages) {
        const { text, isPartial, ...written } = { ...page, isNamed: named.includes(page) }
        const { first } = page.leaf
        under.characters += text.length
        under.leaves.set(first, isPartial ? { ...written, changed: NEVER, revision: under.upTo } : written)
        under.beside.delete(first)
        for (const each of leavesLandingWith(sql, first)) if (!under.leaves.has(each)) under.beside.add(each)
      }
      targets.push(...dependenciesOfPages(sql, pages))
      under.needed = { targets, upTo: readNumber(sql, 'revision') }
    }
  }

  function isDue(isAllWritten: boolean): boolean {
    if (field(sql, 'SELECT 1 FROM outbox WHERE target = ?', HEAD_KEY) === undefined) return false
    const now = Date.now()
    wantedAt ??= now
    const hasWaited = now - wantedAt >= Math.max(HEAD_AFTER_MS, took)
    if (!(isAllWritten || hasWaited) || now - headAt < pause) return false
    const behind = field<number | null>(sql, 'SELECT min(behind) FROM leaf WHERE behind IS NOT NULL')
    return typeof behind !== 'number' || behind <= landedUpTo(sql)
  }

  return {
    isUnderWay: () => draft !== undefined,
    restsUntil: () => headAt + pause,

    async begin(writes: number, isAllWritten: boolean): Promise<QueuedKeys> {
      if (!draft && !isDue(isAllWritten)) return NOTHING
      const under = (draft ??= {
        begun: Date.now(),
        upTo: landedUpTo(sql),
        leaves: new Map(),
        beside: new Set(),
        from: '',
        characters: 0,
        needed: NOTHING,
        isWhole: false,
      })
      // It may land while this waits
      if (!under.isWhole) await writeMore(under, writes)
      return under.needed
    },

    async end(): Promise<boolean> {
      if (!draft) return false
      const { begun, leaves, characters, isWhole, needed } = draft
      if (!isWhole) return true
      if (waitingOf(sql, needed).length > 0) return false
      const written = [...leaves.values()]
      const named = written.flatMap(({ leaf, isNamed }) => (isNamed ? leaf : []))
      const head = withLeaves(landed(), named, shownUpTo(sql, leaves))
      await kv.put(HEAD_KEY, JSON.stringify(head))
      storage.transactionSync(() => {
        const replaced = named.flatMap(({ first }) => landedAt(first) ?? [])
        const retire = 'INSERT OR REPLACE INTO retired SELECT value, ? FROM json_each(?)'
        sql.exec(retire, Date.now(), JSON.stringify(pageKeys(replaced)))
        sql.exec(
          'DELETE FROM retired WHERE target IN (SELECT value FROM json_each(?))',
          JSON.stringify(pageKeys(named)),
        )
        for (const each of written) note(sql, each)
        const lacking = 'SELECT 1 FROM leaf WHERE behind IS NOT NULL'
        sql.exec(`DELETE FROM outbox WHERE target = ? AND NOT EXISTS (${lacking})`, HEAD_KEY)
      })
      known = head
      draft = undefined
      wantedAt = undefined
      headAt = Date.now()
      took = headAt - begun
      pause = Math.min(MAX_PAUSE_MS, Math.max(HEAD_INTERVAL_MS, characters / CHARACTERS_PER_MS))
      return false
    },
  }
}

/** The last change of a leaf whose pages are incomplete. */
const NEVER = -1

/** The page without tools stays: several leaves may have it. */
const pageKeys = (leaves: readonly Leaf[]) =>
  leaves.flatMap(({ count, page }) => (count > 0 ? kvKey('page', page) : []))

/** The last change before the first that KV lacks. */
function landedUpTo(sql: SqlStorage): number {
  const first = field<number | null>(sql, 'SELECT min(since) FROM outbox WHERE target <> ?', HEAD_KEY)
  return typeof first === 'number' ? first - 1 : readNumber(sql, 'revision')
}

/** The last change that a head with these leaves shows in whole. */
function shownUpTo(sql: SqlStorage, written: ReadonlyMap<string, WrittenLeaf>): number {
  type Row = { first: string; changed: number; behind: number }
  let shown = readNumber(sql, 'revision')
  for (const row of sql.exec<Row>('SELECT first, changed, behind FROM leaf WHERE behind IS NOT NULL')) {
    const leaf = written.get(row.first)
    if (!leaf) shown = Math.min(shown, row.behind - 1)
    else if (leaf.changed !== row.changed) shown = Math.min(shown, leaf.revision)
  }
  return shown
}

/** Records which pages KV's head names now. */
function note(sql: SqlStorage, { leaf, keys, changed, revision, isNamed }: WrittenLeaf): void {
  const { first, count, page } = leaf
  const behind = 'behind = CASE changed WHEN ? THEN NULL ELSE ? END WHERE first = ?'
  if (!isNamed) return void sql.exec(`UPDATE leaf SET ${behind}`, changed, revision + 1, first)
  sql.exec(
    `UPDATE leaf SET landed_count = ?, landed_page = ?, landed_keys = ?, ${behind}`,
    count,
    page,
    JSON.stringify(keys),
    changed,
    revision + 1,
    first,
  )
}
