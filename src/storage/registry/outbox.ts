import { readBlob } from './blobs.ts'
import type { WriteLine } from './pages.ts'
import { pageText, settlePages } from './pages.ts'
import { keyOfName } from './names.ts'
import { providerText } from './providers.ts'
import { documentText, recordTextByDigest } from './versions.ts'

/** KV takes a write a second to one key; a published page may still be named by a head somebody holds for a minute. */
const MIN_INTERVAL_MS = 1_100
const MAX_BACKOFF_MS = 60_000
const RETIRE_AFTER_MS = 10 * 60_000
const AT_ONCE = 25
const PER_RUN = 400

export interface OutboxDeps {
  readonly storage: DurableObjectStorage
  readonly kv: KVNamespace
  readonly writeLine: WriteLine
  readonly now: () => number
}

/**
 * Publishes to KV what the tables say. `outbox` names the keys to write and survives a crash; what is written is the
 * state at the time of writing, and a run writes a key once, so many changes of one key cost one write. Pages and
 * records land before the documents that name them, and the catalogue's head last: it is the one the run began with, so
 * that all it names has landed, however much is published meanwhile.
 */
export function createOutbox({ storage, kv, writeLine, now }: OutboxDeps) {
  const { sql } = storage
  /** No run begins before this: the last one wrote keys, or KV refused it. */
  let earliest = 0
  let failures = 0

  /** Sees to it that the outbox will be emptied, however far away the alarm of the next sweep is. */
  async function schedule(): Promise<void> {
    if (isIdle()) return
    const at = Math.max(now(), earliest)
    const set = await storage.getAlarm()
    if (set === null || set > at) await storage.setAlarm(at)
  }

  /** Writes what is due. What KV refuses is tried again, later each time, until it lands. */
  async function run(): Promise<void> {
    try {
      await writeDue()
      await sweep()
      failures = 0
      earliest = now() + MIN_INTERVAL_MS
    } catch (error) {
      failures += 1
      const delay = Math.min(MAX_BACKOFF_MS, MIN_INTERVAL_MS * 2 ** (failures - 1))
      earliest = now() + delay
      console.warn(JSON.stringify({ event: 'outbox-retry', failures, delay_ms: delay, error: String(error) }))
    }
    const next = failures > 0 || !isIdle() ? earliest : nextSweep()
    if (next !== undefined) await storage.setAlarm(next)
  }

  async function writeDue(): Promise<void> {
    const head = await settlePages(sql, writeLine, now())
    const due = sql
      .exec<{ target: string; revision: number }>(
        `SELECT target, revision FROM outbox WHERE target <> 'catalogue/head' ORDER BY CASE
           WHEN target LIKE 'catalogue/page/%' OR target LIKE 'blob/%' THEN 0 WHEN target LIKE 'record/%' THEN 1 ELSE 2 END, revision LIMIT ?`,
        PER_RUN,
      )
      .toArray()
    const headIsDue = sql.exec("SELECT 1 FROM outbox WHERE target = 'catalogue/head'").toArray().length > 0
    let landed = due.length < PER_RUN
    for (let at = 0; at < due.length; at += AT_ONCE) {
      const writes = due.slice(at, at + AT_ONCE).map(({ target, revision }) => write(target, revision))
      // Every write is waited for: one that is still under way must not come after its own repetition
      const results = await Promise.allSettled(writes)
      for (const result of results) {
        if (result.status === 'rejected') throw result.reason
        landed &&= result.value
      }
    }
    if (!headIsDue || !landed) return
    await kv.put('catalogue/head', JSON.stringify(head))
    sql.exec("DELETE FROM outbox WHERE target = 'catalogue/head' AND revision <= ?", head.revision)
  }

  /** Whether the key is done with; a page whose leaf was touched meanwhile is made anew, or lands next time. */
  async function write(target: string, revision: number): Promise<boolean> {
    const value = valueOf(target)
    if (value !== undefined) await kv.put(target, value)
    else if (target.startsWith('catalogue/page/')) return false
    else if (target.startsWith('key/') || target.startsWith('provider/')) await kv.delete(target)
    sql.exec('DELETE FROM outbox WHERE target = ? AND revision = ?', target, revision)
    return true
  }

  function valueOf(target: string): string | ArrayBuffer | undefined {
    const page = after(target, 'catalogue/page/')
    if (page !== undefined) return pageText(sql, page, writeLine)
    const digest = after(target, 'record/')
    if (digest !== undefined) return recordTextByDigest(sql, digest)
    const key = after(target, 'tool/')
    if (key !== undefined) return documentText(sql, key)
    const name = after(target, 'name/')
    if (name !== undefined) return keyOfName(sql, name)
    const provider = after(target, 'provider/')
    if (provider !== undefined) return providerText(sql, provider)
    const blob = after(target, 'blob/')
    if (blob !== undefined) return readBlob(sql, blob)
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
