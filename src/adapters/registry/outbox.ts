import type { Sha256, WriteLine } from './pages.ts'
import { pageText, settlePages } from './pages.ts'
import { documentText, recordTextByDigest } from './versions.ts'

/** KV takes a write a second to one key; a published page may still be named by a head somebody holds for a minute. */
const MIN_INTERVAL_MS = 1_100
const RETIRE_AFTER_MS = 10 * 60_000
const AT_ONCE = 25
const PER_RUN = 400

export interface OutboxDeps {
  readonly storage: DurableObjectStorage
  readonly kv: KVNamespace
  readonly writeLine: WriteLine
  readonly sha256: Sha256
  readonly now: () => number
}

/**
 * Publishes to KV what the tables say. `outbox` names the keys to write and survives a crash; what is written is the
 * state at the time of writing, so many changes of one key cost one write. Records and pages land before the documents
 * that name them, and the catalogue's head last.
 */
export function createOutbox({ storage, kv, writeLine, sha256, now }: OutboxDeps) {
  const { sql } = storage
  let lastRun = 0

  /** Sees to it that the outbox will be emptied. */
  async function schedule(): Promise<void> {
    if ((await storage.getAlarm()) !== null) return
    if (isIdle()) return
    await storage.setAlarm(Math.max(now(), lastRun + MIN_INTERVAL_MS))
  }

  /** Writes what is due. Throws when KV refuses, for the alarm to be tried again. */
  async function run(): Promise<void> {
    lastRun = now()
    await settlePages(sql, writeLine, sha256, now())
    for (let written = 0; written < PER_RUN; written += AT_ONCE) {
      const due = sql
        .exec<{ target: string; revision: number }>(
          `SELECT target, revision FROM outbox ORDER BY CASE
             WHEN target LIKE 'record/%' THEN 0 WHEN target LIKE 'catalogue/page/%' THEN 1
             WHEN target = 'catalogue/head' THEN 3 ELSE 2 END LIMIT ?`,
          AT_ONCE,
        )
        .toArray()
      const [first] = due
      if (!first) break
      // The head goes alone, once all that it names has landed
      const batch =
        first.target === 'catalogue/head' ? [first] : due.filter(({ target }) => target !== 'catalogue/head')
      await Promise.all(batch.map(({ target, revision }) => write(target, revision)))
    }
    await sweep()
    if (!isIdle()) await storage.setAlarm(now() + MIN_INTERVAL_MS)
    else if (nextSweep() !== undefined) await storage.setAlarm(nextSweep() ?? 0)
  }

  async function write(target: string, revision: number): Promise<void> {
    const value = await valueOf(target)
    if (value !== undefined) await kv.put(target, value)
    else if (target.startsWith('key/')) await kv.delete(target)
    sql.exec('DELETE FROM outbox WHERE target = ? AND revision = ?', target, revision)
  }

  async function valueOf(target: string): Promise<string | undefined> {
    if (target === 'catalogue/head') return JSON.stringify(await settlePages(sql, writeLine, sha256, now()))
    const page = after(target, 'catalogue/page/')
    if (page !== undefined) return pageText(sql, page, writeLine)
    const digest = after(target, 'record/')
    if (digest !== undefined) return recordTextByDigest(sql, digest)
    const key = after(target, 'tool/')
    if (key !== undefined) return documentText(sql, key)
    const hash = after(target, 'key/')
    return sql.exec<{ body: string }>('SELECT body FROM api_key WHERE hash = ?', hash ?? '').toArray()[0]?.body
  }

  async function sweep(): Promise<void> {
    const gone = sql
      .exec<{ target: string }>('SELECT target FROM retired WHERE at <= ? LIMIT ?', now() - RETIRE_AFTER_MS, PER_RUN)
      .toArray()
    for (const { target } of gone) {
      await kv.delete(target)
      sql.exec('DELETE FROM retired WHERE target = ?', target)
    }
  }

  function nextSweep(): number | undefined {
    const oldest = sql.exec<{ at: number | null }>('SELECT min(at) AS at FROM retired').one().at
    return oldest === null ? undefined : oldest + RETIRE_AFTER_MS
  }

  function isIdle(): boolean {
    const { waiting } = sql
      .exec<{ waiting: number }>(
        'SELECT (SELECT count(*) FROM outbox) + (SELECT count(*) FROM leaf WHERE dirty IS NOT NULL) AS waiting',
      )
      .one()
    return waiting === 0
  }

  return { schedule, run }
}

function after(text: string, prefix: string): string | undefined {
  return text.startsWith(prefix) ? text.slice(prefix.length) : undefined
}
