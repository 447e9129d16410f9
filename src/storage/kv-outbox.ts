/*
 * The transactional outbox from SQLite to KV. A change queues its keys in its own transaction; an alarm writes each
 * as it is then, so many changes cost one write. Revocations come first, then changes of status, then publications.
 * A run writes up to 300 urgent keys and the oldest up to 400 in all, 8 at once, then lets the replication of the
 * catalog write. A row is deleted only if it did not change since it was read. KV takes one write a second for each
 * key. After a failure it waits 1.1 to 10 s, at random; the alarm never throws.
 */
import { yieldToEventLoop } from '../outbound/event-loop.ts'
import { type KvKind, parseKvKey } from './keys.ts'
import { readField, rows } from './rows.ts'

/** Revocations are written before status changes, and these before publications. */
export type OutboxPriority = keyof typeof PRIORITIES
const PRIORITIES = { revocation: 0, status: 10, publication: 20 } as const
const IS_URGENT = `priority < ${PRIORITIES.publication}`

/** `revision` is the last change that queued a key, `since` the first, `priority` its place in the order, the least first. */
export const OUTBOX_TABLE = `
CREATE TABLE outbox (target TEXT PRIMARY KEY, revision INTEGER NOT NULL, since INTEGER NOT NULL, priority INTEGER NOT NULL);
CREATE INDEX outbox_since ON outbox (since, priority);
CREATE INDEX outbox_urgent ON outbox (priority) WHERE ${IS_URGENT};
`

/** KV takes one write a second to a key. */
const MIN_INTERVAL_MS = 1_100
const MAX_BACKOFF_MS = 10_000
/** A due alarm runs sooner than this, however busy the platform is. */
const OVERDUE_MS = 3_000
const WRITE_CONCURRENCY = 8
/** Bounds of one run, so that one key that changes over and over does not hold up the others. */
const PER_RUN = 400
const URGENT_PER_RUN = 300

/** The values of each kind of key, by the rest of the key. A queued key without a value is deleted from KV. */
export type KvValues = Partial<Readonly<Record<KvKind, (id: string) => string | ArrayBuffer | undefined>>>

/** Copies to KV what is not queued key by key, after the queued keys of a run. */
export interface Replication {
  readonly isDirty: () => boolean
  /** Before this time it writes nothing, in milliseconds since 1970. */
  readonly cooldownUntil: () => number
  /** When the next key is to be deleted, in milliseconds since 1970, or `Infinity`. */
  readonly nextDeletionAt: () => number
  /** Writes some of it, or waits. True if there is more to write at once. */
  write(): Promise<boolean>
}

interface OutboxOptions {
  readonly storage: DurableObjectStorage
  readonly kv: KVNamespace
  readonly values: KvValues
  readonly replication?: Replication
  /** Does some of a longer change, which queues more. Whether more of it is left. */
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

/** The `outbox` table survives a crash; each key is written as it is then, so many changes cost one write. */
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
    // A long overdue alarm failed, and the platform repeats it up to a minute later
    const isOverdue = scheduledAt !== null && scheduledAt < Date.now() - OVERDUE_MS
    if (scheduledAt === null || scheduledAt > at || isOverdue) await storage.setAlarm(at)
  }

  /** Retries failed writes with growing delays. It never throws: the platform would choose the time of the retry. */
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
    // While KV refuses, it is asked with one key first
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
    // A later change counts as queued from now on
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
