/*
 * The transactional outbox from SQLite to KV. A change queues its keys in its own transaction. An alarm later writes their
 * current values, so many changes cost one write. Revocations come first, then changes of status, then publications. A run
 * writes up to 300 urgent keys and the oldest up to 400 in all, 8 at once, then some of the catalog (`replication`). A row is
 * deleted only if it has not changed since it was read. KV allows one write per second to a key. After a failure, the next run
 * is 1.1 to 10 s later, at random; the alarm never throws.
 */
import { yieldToEventLoop } from '../outbound/event-loop.ts'
import { type KvKind, parseKvKey } from './keys.ts'
import { readField, rows } from './rows.ts'

/** Revocations are written before status changes, and these before publications. */
export type OutboxPriority = keyof typeof PRIORITIES
const PRIORITIES = { revocation: 0, status: 10, publication: 20 } as const
const IS_URGENT = `priority < ${PRIORITIES.publication}`

/** `revision` is the last change that queued a key, and `since` the first. The lowest `priority` is written first. */
export const OUTBOX_TABLE = `
CREATE TABLE outbox (target TEXT PRIMARY KEY, revision INTEGER NOT NULL, since INTEGER NOT NULL, priority INTEGER NOT NULL);
CREATE INDEX outbox_since ON outbox (since, priority);
CREATE INDEX outbox_urgent ON outbox (priority) WHERE ${IS_URGENT};
`

/** KV allows one write per second to a key. */
const MIN_INTERVAL_MS = 1_100
const MAX_BACKOFF_MS = 10_000
/** A due alarm runs sooner than this, however busy the platform is. */
const OVERDUE_MS = 3_000
const WRITE_CONCURRENCY = 8
/** Limits of one run, so that a key that keeps changing does not delay the others. */
const PER_RUN = 400
const URGENT_PER_RUN = 300

/** Returns the value of a key, by its kind and the rest of the key. If undefined, the queued key is deleted from KV. */
export type KvValues = Partial<Readonly<Record<KvKind, (id: string) => string | ArrayBuffer | undefined>>>

/** Copies data to KV that is not queued key by key, after the queued keys of a run. */
export interface Replication {
  readonly isDirty: () => boolean
  /** It writes nothing before this time, in milliseconds since 1970. */
  readonly cooldownUntil: () => number
  /** When the next key is to be deleted, in milliseconds since 1970, or `Infinity`. */
  readonly nextDeletionAt: () => number
  /** Writes some of the data, or waits. True if there is more to write immediately. */
  write(): Promise<boolean>
}

interface OutboxOptions {
  readonly storage: DurableObjectStorage
  readonly kv: KVNamespace
  readonly values: KvValues
  readonly replication?: Replication
  /** Continues a longer change, which queues more keys. True if the change is not complete. */
  readonly continueChange?: () => Promise<boolean>
  /** When the next run is due with an empty outbox, in milliseconds since 1970, or `Infinity`. */
  readonly nextRunAt?: () => number
}

type OutboxEntry = { readonly target: string; readonly revision: number }

export function enqueue(
  sql: SqlStorage,
  target: string,
  revision: number,
  reason: OutboxPriority = 'publication',
): void {
  sql.exec(
    `INSERT INTO outbox VALUES (?1, ?2, ?2, ?3)
     ON CONFLICT DO UPDATE SET revision = excluded.revision, priority = min(priority, excluded.priority)`,
    target,
    revision,
    PRIORITIES[reason],
  )
}

/** Creates the outbox. Its table survives a crash. */
export function createOutbox(options: OutboxOptions) {
  const { storage, kv, values, replication, continueChange, nextRunAt } = options
  const { sql } = storage
  let lastRunAt = 0
  let failures = 0
  const writtenAt = new Map<string, number>()

  async function schedule(): Promise<void> {
    if (isIdle()) return
    const at = Math.max(Date.now(), lastRunAt + MIN_INTERVAL_MS)
    const scheduledAt = await storage.getAlarm()
    // A long overdue alarm has failed, and the platform may retry it only a minute later
    const isOverdue = scheduledAt !== null && scheduledAt < Date.now() - OVERDUE_MS
    if (scheduledAt === null || scheduledAt > at || isOverdue) await storage.setAlarm(at)
  }

  /** Writes the due keys, and retries with growing delays. Never throws, or the platform would choose when to retry. */
  async function run(): Promise<void> {
    let next = Infinity
    try {
      const hasLongerChange = (await continueChange?.()) ?? false
      const hasMore = (await writeDue()) || hasLongerChange
      failures = 0
      if (hasMore) next = Date.now()
      else if (isIdle()) next = nextRunAt?.() ?? Infinity
      else next = Math.max(Date.now() + MIN_INTERVAL_MS, isEmpty() ? (replication?.cooldownUntil() ?? 0) : 0)
    } catch (error) {
      failures += 1
      const most = Math.min(MAX_BACKOFF_MS, MIN_INTERVAL_MS * 2 ** (failures - 1))
      // Random, so that objects that failed together do not retry together
      const delay = Math.max(MIN_INTERVAL_MS, Math.round(most * (1 + Math.random()) * 0.5))
      next = Date.now() + delay
      console.warn(JSON.stringify({ event: 'outbox-retry', failures, delay_ms: delay, error: String(error) }))
    }
    lastRunAt = Date.now()
    if (next !== Infinity) await storage.setAlarm(next)
  }

  async function writeDue(): Promise<boolean> {
    const since = Date.now() - MIN_INTERVAL_MS
    for (const [target, at] of writtenAt) if (at <= since) writtenAt.delete(target)

    const urgent = skipRecent(`WHERE ${IS_URGENT} ORDER BY priority, rowid`, URGENT_PER_RUN)
    await writeAll(urgent)
    await writeAll(skipRecent('ORDER BY since, priority, rowid', PER_RUN - urgent.length))
    const hasMore = (await replication?.write()) ?? false
    return hasMore || skipRecent('', 1).length > 0
  }

  function skipRecent(clause: string, most: number): readonly OutboxEntry[] {
    const query = `SELECT target, revision FROM outbox ${clause} LIMIT ?`
    const keys = rows<OutboxEntry>(sql, query, most + writtenAt.size)
    return keys.filter(({ target }) => !writtenAt.has(target)).slice(0, most)
  }

  async function writeAll(keys: readonly OutboxEntry[]): Promise<void> {
    // After a failure, tries one key first
    const firstBatch = failures > 0 ? 1 : WRITE_CONCURRENCY
    for (let at = 0; at < keys.length;) {
      const batch = keys.slice(at, at + (at === 0 ? firstBatch : WRITE_CONCURRENCY))
      at += batch.length
      // All writes are awaited: a late one must not overwrite its own retry
      const results = await Promise.allSettled(batch.map(write))
      noteWritten(batch.filter((_, at) => results[at]?.status === 'fulfilled'))
      for (const result of results) if (result.status === 'rejected') throw result.reason
      await yieldToEventLoop()
    }
  }

  function noteWritten(keys: readonly OutboxEntry[]): void {
    for (const { target } of keys) writtenAt.set(target, Date.now())
    const of = JSON.stringify(keys.map(({ target, revision }) => [target, revision]))
    sql.exec(
      `DELETE FROM outbox WHERE rowid IN (SELECT outbox.rowid FROM json_each(?) CROSS JOIN outbox
         ON target = json_extract(value, '$[0]') AND revision = json_extract(value, '$[1]'))`,
      of,
    )
    // A change made meanwhile counts as queued now
    sql.exec(
      `UPDATE outbox SET since = revision WHERE target IN (SELECT json_extract(value, '$[0]') FROM json_each(?))`,
      of,
    )
  }

  function value(target: string): string | ArrayBuffer | undefined {
    const key = parseKvKey(target)
    return key && values[key.kind]?.(key.id)
  }

  async function write({ target }: OutboxEntry): Promise<void> {
    const current = value(target)
    await (current === undefined ? kv.delete(target) : kv.put(target, current))
  }

  const isEmpty = () => readField(sql, 'SELECT 1 FROM outbox LIMIT 1') === undefined

  const isIdle = () => isEmpty() && !replication?.isDirty()

  return { schedule, run, value }
}
