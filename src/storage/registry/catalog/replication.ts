import { kvKey, MANIFEST_KEY } from '../../keys.ts'
import { yieldControl, type Replication } from '../../kv-outbox.ts'
import { readField, firstRow, rows } from '../../rows.ts'
import { readNumber } from '../tables.ts'
import type { WriteLine } from './listed-tools.ts'
import { EMPTY_MANIFEST, type Manifest, type PageReference, withPages } from './manifest.ts'
import { type BuiltPage, buildPage, type PageRow } from './pages.ts'

/*
 * The catalog in KV: pages by their hash, and the manifest that names them, written after them.
 *
 *   clean ── a tool changes ──▶ dirty ── nothing else is queued, or 5 s ──▶ pages ── none is left ──▶ manifest
 *     ▲                           ▲ ▲                                                                    │
 *     │                           │ └────────────── the object starts anew, from any state               │
 *     └── no page changed since ──┴──────── some did ◀──────────────────────────────── KV has taken it ──┘
 *
 * clean     KV's manifest is that of now: no row of `page` has `replicated < changed`.
 * dirty     Some row has. Tools' documents are written first, though nothing depends on that: who misses one in KV asks
 *           the Registry. A moment passes since the last manifest.
 * pages     `round` is set, at a revision. Every dirty page is made as its tools are now and written, in the order of
 *           keys, each from where the one before it ended: so each tool is on one page of the manifest that comes,
 *           whatever is split meanwhile, and all that changed up to the revision is on it.
 * manifest  All pages of the round are in KV. Once KV has the manifest, the rows say what it names.
 *
 * No page is deleted while KV's manifest may name it. Pages of a round that ended early are deleted as replaced ones are.
 */

/** How long documents are written before the manifest while more and more come. */
const DOCUMENTS_FIRST_MS = 5_000
/** KV takes one write a second to a key. */
const MANIFEST_INTERVAL_MS = 1_100
/** Pages are written at this rate on average, so that what is replaced does not pile up before it is deleted. */
const CHARACTERS_PER_MS = 1_000
const MAX_PAUSE_MS = 60_000
const PAGES_AT_ONCE = 4
/** Then what is urgent comes first again. */
const PAGES_PER_RUN = 100

interface Round {
  readonly revision: number
  readonly pages: WrittenPage[]
}

interface WrittenPage extends Omit<BuiltPage, 'text'> {
  readonly characters: number
}

export function createReplication(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine) {
  const { sql } = storage
  let round: Round | undefined
  let dirtySince: number | undefined
  let cooldownUntil = 0
  /** KV's manifest, once this instance has written one. */
  let manifest: Manifest | undefined

  const isDirty = () => readField(sql, 'SELECT 1 FROM page WHERE replicated < changed LIMIT 1') !== undefined

  function isDue(isQuiet: boolean): boolean {
    if (!isDirty()) return false
    const now = Date.now()
    dirtySince ??= now
    return now >= cooldownUntil && (isQuiet || now - dirtySince >= DOCUMENTS_FIRST_MS)
  }

  async function buildPages(from: string): Promise<readonly BuiltPage[]> {
    const query = 'SELECT first, changed FROM page WHERE replicated < changed AND first >= ? ORDER BY first LIMIT 1'
    const pages: BuiltPage[] = []
    while (pages.length < PAGES_AT_ONCE) {
      const row = firstRow<PageRow>(sql, query, pages.at(-1)?.until ?? from)
      if (!row) break
      pages.push(await buildPage(sql, row, writeLine))
    }
    return pages
  }

  /** Whether none is left. */
  async function writePages({ pages }: Round): Promise<boolean> {
    for (let count = 0; count < PAGES_PER_RUN; count += PAGES_AT_ONCE) {
      const builtPages = await buildPages(pages.at(-1)?.until ?? '')
      if (builtPages.length === 0) return true
      deletePagesLater(
        sql,
        builtPages.map(({ page }) => page),
        'IGNORE',
      )
      // All writes are awaited: a late one must not come after its page was deleted
      const results = await Promise.allSettled(
        builtPages.map(({ page, text }) => kv.put(kvKey('page', page.hash), text)),
      )
      for (const result of results) if (result.status === 'rejected') throw result.reason
      pages.push(...builtPages.map(({ text, ...page }) => ({ ...page, characters: text.length })))
      await yieldControl()
    }
    return false
  }

  async function writeManifest({ revision, pages }: Round): Promise<void> {
    const previousManifest = manifest ?? withPages(EMPTY_MANIFEST, replicatedPages(sql), revision)
    const changed = pages.map(({ page }) => page)
    const next = withPages(previousManifest, changed, revision)
    await kv.put(MANIFEST_KEY, JSON.stringify(next))
    storage.transactionSync(() => noteReplicated(sql, pages))
    manifest = next
  }

  const replication: Replication = {
    isDirty,
    cooldownUntil: () => cooldownUntil,

    async write(isQuiet) {
      if (!round && !isDue(isQuiet)) return false
      round ??= { revision: readNumber(sql, 'revision'), pages: [] }
      if (!(await writePages(round))) return true
      await writeManifest(round)
      const characters = round.pages.reduce((sum, page) => sum + page.characters, 0)
      cooldownUntil =
        Date.now() + Math.min(MAX_PAUSE_MS, Math.max(MANIFEST_INTERVAL_MS, characters / CHARACTERS_PER_MS))
      round = undefined
      dirtySince = undefined
      return false
    },
  }

  /** False where KV may have a manifest that an earlier instance wrote and did not note. */
  const knowsManifest = () => !round && (manifest !== undefined || !isDirty())

  return { replication, knowsManifest }
}

function replicatedPages(sql: SqlStorage): PageReference[] {
  type Row = { first: string; count: number; hash: string }
  const query = `SELECT first, replicated_count AS count, replicated_hash AS hash FROM page
    WHERE replicated_hash IS NOT NULL ORDER BY first`
  return rows<Row>(sql, query)
}

/** Records which pages KV's manifest names now. */
function noteReplicated(sql: SqlStorage, pages: readonly WrittenPage[]): void {
  const firsts = JSON.stringify(pages.map(({ page }) => page.first))
  const replaced = `SELECT replicated_count AS count, replicated_hash AS hash, first FROM page
    WHERE first IN (SELECT value FROM json_each(?)) AND replicated_hash IS NOT NULL`
  deletePagesLater(sql, rows<{ first: string; count: number; hash: string }>(sql, replaced, firsts), 'REPLACE')
  const targets = JSON.stringify(pages.map(({ page }) => kvKey('page', page.hash)))
  sql.exec('DELETE FROM retired WHERE target IN (SELECT value FROM json_each(?))', targets)
  const note = 'UPDATE page SET replicated = ?, replicated_count = ?, replicated_hash = ? WHERE first = ?'
  for (const { page, changed } of pages) sql.exec(note, changed, page.count, page.hash, page.first)
}

/** Save the page without tools, which several rows may have. */
function deletePagesLater(sql: SqlStorage, pages: readonly PageReference[], onConflict: 'IGNORE' | 'REPLACE'): void {
  const targets = pages.flatMap(({ count, hash }) => (count > 0 ? kvKey('page', hash) : []))
  const insert = `INSERT OR ${onConflict} INTO retired SELECT value, ? FROM json_each(?)`
  sql.exec(insert, Date.now(), JSON.stringify(targets))
}
