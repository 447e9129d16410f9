/*
 * The catalog in KV: pages by their hash, and the manifest that names them.
 *
 *   clean ── a tool changes ──▶ dirty ── pause is over ──▶ pages ── none is left ──▶ manifest
 *     ▲                          ▲ ▲                                                    │
 *     │                          │ └── the object starts anew, from any state           │
 *     └── no page is dirty ──────┴──── some page is dirty ◀──────── KV has the manifest ┘
 *
 * clean     KV's manifest is current: no row of `page` has `replicated < changed`.
 * dirty     Some row has. There is a pause after the last manifest.
 * pages     `round` is set, at a revision. Every dirty page is built from its current tools and written, in the order of
 *           keys, each from where the previous one ended. So each tool is on one page of the new manifest, even if pages
 *           are split meanwhile, and the manifest has every change up to the revision.
 * manifest  All pages of the round are in KV. Once KV has the manifest, the rows record what it names.
 *
 * Meanwhile, the outbox writes tools' entries, in any order relative to these. The manifest may name a tool that KV does
 * not have yet, because a reader that does not find a tool in KV asks the Registry.
 *
 * `retired` has the pages that KV's manifest does not name, with the time when each was replaced or written. They are
 * deleted later, but only while the rows are known to match KV's manifest: right after they were updated, or in `clean`.
 */
import { yieldToEventLoop } from '../../../outbound/event-loop.ts'
import { kvKey, MANIFEST_KEY } from '../../keys.ts'
import type { Replication } from '../../kv-outbox.ts'
import { column, readField, firstRow, rows } from '../../rows.ts'
import { readNumber } from '../tables.ts'
import type { WriteLine } from './listed-tools.ts'
import { createManifest, type PageReference } from './manifest.ts'
import { type BuiltPage, buildPage, type DirtyPage } from './pages.ts'

/** KV allows one write per second to a key. */
const MIN_PAUSE_MS = 1_100
const MAX_PAUSE_MS = 60_000
/** Pages are written at this rate on average, so that replaced pages do not pile up before they are deleted. */
const CHARACTERS_PER_MS = 1_000
const PAGES_AT_ONCE = 4
/** After these, the outbox writes urgent keys first. */
const PAGES_PER_RUN = 100
/** Readers use a manifest, which names pages, for about a minute. Then the Registry sends them another. */
const RETIRE_AFTER_MS = 2 * 60_000
const DELETIONS_AT_ONCE = 25

interface Round {
  readonly revision: number
  readonly pages: BuiltPage[]
}

export function createReplication(storage: DurableObjectStorage, kv: KVNamespace, writeLine: WriteLine): Replication {
  const { sql } = storage
  let round: Round | undefined
  let cooldownUntil = 0

  const isDirty = () => readField(sql, 'SELECT 1 FROM page WHERE replicated < changed LIMIT 1') !== undefined

  async function buildPages(from: string) {
    const query = 'SELECT first, changed FROM page WHERE replicated < changed AND first >= ? ORDER BY first LIMIT 1'
    const built: { page: BuiltPage; text: string }[] = []
    while (built.length < PAGES_AT_ONCE) {
      const row = firstRow<DirtyPage>(sql, query, built.at(-1)?.page.until ?? from)
      if (!row) break
      built.push(await buildPage(sql, row, writeLine))
    }
    return built
  }

  /** Returns false if pages are left for the next run. */
  async function writePages(pages: BuiltPage[]): Promise<boolean> {
    for (let count = 0; count < PAGES_PER_RUN; count += PAGES_AT_ONCE) {
      const built = await buildPages(pages.at(-1)?.until ?? '')
      if (built.length === 0) return true
      const newPages = built.map(({ page }) => page)
      // If the round ends early, no manifest will name them
      retirePages(sql, newPages, 'IGNORE')
      // All writes are awaited, because a late one must not follow the deletion of its page
      const results = await Promise.allSettled(built.map(({ page, text }) => kv.put(kvKey('page', page.hash), text)))
      for (const result of results) if (result.status === 'rejected') throw result.reason
      pages.push(...newPages)
      await yieldToEventLoop()
    }
    return false
  }

  async function writeManifest({ revision, pages }: Round): Promise<void> {
    const newPages = pages.map(({ first, count, hash }) => ({ first, count, hash }))
    const manifest = createManifest(revision, newPages, listReplicatedPages(sql))
    await kv.put(MANIFEST_KEY, JSON.stringify(manifest))
    storage.transactionSync(() => noteReplicated(sql, pages))
    const characters = pages.reduce((sum, page) => sum + page.characters, 0)
    cooldownUntil = Date.now() + Math.min(MAX_PAUSE_MS, Math.max(MIN_PAUSE_MS, characters / CHARACTERS_PER_MS))
  }

  /** Returns true if there are more to delete. */
  async function deleteRetired(): Promise<boolean> {
    const query = 'SELECT target FROM retired WHERE at <= ? LIMIT ?'
    const targets = column<string>(sql, query, Date.now() - RETIRE_AFTER_MS, DELETIONS_AT_ONCE)
    await Promise.all(targets.map((target) => kv.delete(target)))
    sql.exec('DELETE FROM retired WHERE target IN (SELECT value FROM json_each(?))', JSON.stringify(targets))
    return targets.length === DELETIONS_AT_ONCE
  }

  return {
    isDirty,
    cooldownUntil: () => cooldownUntil,
    nextDeletionAt: () =>
      (readField<number>(sql, 'SELECT at FROM retired ORDER BY at LIMIT 1') ?? Infinity) + RETIRE_AFTER_MS,

    async write() {
      if (round || isDirty()) {
        if (!round && Date.now() < cooldownUntil) return false
        round ??= { revision: readNumber(sql, 'revision'), pages: [] }
        if (!(await writePages(round.pages))) return true
        await writeManifest(round)
        round = undefined
      }
      return deleteRetired()
    },
  }
}

function listReplicatedPages(sql: SqlStorage, condition = 'TRUE', ...bindings: string[]): PageReference[] {
  const query = `SELECT first, replicated_count AS count, replicated_hash AS hash FROM page
    WHERE replicated_hash IS NOT NULL AND ${condition}`
  return rows<{ first: string; count: number; hash: string }>(sql, query, ...bindings)
}

/** Records the pages that KV's manifest now names. */
function noteReplicated(sql: SqlStorage, pages: readonly BuiltPage[]): void {
  const firsts = JSON.stringify(pages.map(({ first }) => first))
  retirePages(sql, listReplicatedPages(sql, 'first IN (SELECT value FROM json_each(?))', firsts), 'REPLACE')
  const targets = JSON.stringify(pages.map(({ hash }) => kvKey('page', hash)))
  sql.exec('DELETE FROM retired WHERE target IN (SELECT value FROM json_each(?))', targets)
  const note = 'UPDATE page SET replicated = ?, replicated_count = ?, replicated_hash = ? WHERE first = ?'
  for (const { first, count, hash, changed } of pages) sql.exec(note, changed, count, hash, first)
}

/** Notes when the pages were retired. The page without tools stays, because several rows may have it. */
function retirePages(sql: SqlStorage, pages: readonly PageReference[], onConflict: 'IGNORE' | 'REPLACE'): void {
  const targets = pages.flatMap(({ count, hash }) => (count > 0 ? kvKey('page', hash) : []))
  const insert = `INSERT OR ${onConflict} INTO retired SELECT value, ? FROM json_each(?)`
  sql.exec(insert, Date.now(), JSON.stringify(targets))
}
