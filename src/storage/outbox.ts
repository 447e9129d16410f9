import { HEAD_KEY, KV_KINDS, kvKey, type KvKind, parseKvKey } from './keys.ts'
import { field } from './rows.ts'

/** What KV does not have yet: a row for each key that is to be written, with the number of the change that asked for it. */
export const OUTBOX_TABLE = 'CREATE TABLE IF NOT EXISTS outbox (target TEXT PRIMARY KEY, revision INTEGER NOT NULL);'

/** KV takes one write a second to a key. */
const MIN_INTERVAL_MS = 1_100
const MAX_BACKOFF_MS = 60_000
const AT_ONCE = 25
const PER_RUN = 400

/** How the keys of one kind are written. */
export interface KeysOfKind {
  readonly value: (of: string) => string | ArrayBuffer | undefined
  /** What others name lands first, so that nothing is named before it is there. */
  readonly rank: 0 | 1 | 2
  /**
   * What becomes of a key that the tables have nothing for: it stays what it was in KV, is deleted there, or waits until
   * they have something.
   */
  readonly without?: 'delete' | 'wait'
}

export interface OutboxOptions {
  readonly storage: DurableObjectStorage
  readonly kv: KVNamespace
  readonly kinds: Partial<Readonly<Record<KvKind, KeysOfKind>>>
  /** What a run does; `writeDue` writes what waits, and says whether all of it has landed. */
  readonly publish?: (writeDue: () => Promise<boolean>) => Promise<void>
  /** Whether there is work for a run beside what waits. */
  readonly hasMore?: () => boolean
  /** When the next run is due though nothing waits, in milliseconds since 1970. */
  readonly later?: () => number | undefined
}

/** A key that waits to be written. */
type Due = { readonly target: string; readonly revision: number; readonly rank: number }

/**
 * Publishes to KV what a Durable Object's tables say. Its table `outbox` names the keys to write and survives a crash; what
 * is written is the state at the time of writing, and a run writes a key once, so many changes of one key cost one write.
 */
export function createOutbox({ storage, kv, kinds, publish, hasMore, later }: OutboxOptions) {
  const { sql } = storage
  const whens = KV_KINDS.map((kind) => `WHEN target LIKE '${kvKey(kind, '')}%' THEN ${kinds[kind]?.rank ?? 0}`)
  const due = `SELECT target, revision, CASE ${whens.join(' ')} END AS rank FROM outbox WHERE target <> ?
    ORDER BY rank, revision LIMIT ?`
  /** No run begins before this: the last one wrote keys, or KV refused it. */
  let earliest = 0
  let failures = 0

  /** Sees to it that the outbox will be emptied, however far away the alarm of a later run is. */
  async function schedule(): Promise<void> {
    if (isIdle()) return
    const at = Math.max(Date.now(), earliest)
    const set = await storage.getAlarm()
    if (set === null || set > at) await storage.setAlarm(at)
  }

  /** Writes what is due. What KV refuses is tried again, later each time, until it lands. */
  async function run(): Promise<void> {
    try {
      if (publish) await publish(writeDue)
      else await writeDue()
      failures = 0
      earliest = Date.now() + MIN_INTERVAL_MS
    } catch (error) {
      failures += 1
      const delay = Math.min(MAX_BACKOFF_MS, MIN_INTERVAL_MS * 2 ** (failures - 1))
      earliest = Date.now() + delay
      console.warn(JSON.stringify({ event: 'outbox-retry', failures, delay_ms: delay, error: String(error) }))
    }
    const next = failures > 0 || !isIdle() ? earliest : later?.()
    if (next !== undefined) await storage.setAlarm(next)
  }

  async function writeDue(): Promise<boolean> {
    const waiting = sql.exec<Due>(due, HEAD_KEY, PER_RUN).toArray()
    let landed = waiting.length < PER_RUN
    for (const batch of batches(waiting)) {
      // Every write is waited for: one that is still under way must not come after its own repetition
      const results = await Promise.allSettled(batch.map(write))
      for (const result of results) {
        if (result.status === 'rejected') throw result.reason
        landed &&= result.value
      }
    }
    return landed
  }

  /** What is to lie under a key, as the tables have it now; undefined where they have nothing. */
  function value(target: string): string | ArrayBuffer | undefined {
    const key = parseKvKey(target)
    return key && kinds[key.kind]?.value(key.of)
  }

  /** Whether the key is done with. */
  async function write({ target, revision }: Due): Promise<boolean> {
    const kind = parseKvKey(target)?.kind
    const without = kind && kinds[kind]?.without
    const current = value(target)
    if (current !== undefined) await kv.put(target, current)
    else if (without === 'wait') return false
    else if (without === 'delete') await kv.delete(target)
    sql.exec('DELETE FROM outbox WHERE target = ? AND revision = ?', target, revision)
    return true
  }

  function isIdle(): boolean {
    return field(sql, 'SELECT 1 FROM outbox LIMIT 1') === undefined && hasMore?.() !== true
  }

  return { schedule, run, value }
}

/** What is due, a few keys at once: never a key beside one that it names, which must land before. */
function* batches(due: readonly Due[]): Iterable<readonly Due[]> {
  for (let at = 0; at < due.length;) {
    const batch = due.slice(at, at + AT_ONCE).filter(({ rank }) => rank === due[at]?.rank)
    yield batch
    at += batch.length
  }
}
