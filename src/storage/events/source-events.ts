import type { Event } from '../../core/event/event.ts'
import type {
  DeadLetter,
  Subscriber,
  Subscription,
  SubscriptionGrant,
  SubscriptionRequest,
} from '../../core/event/subscription.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import { createSetAlarm } from '../alarm.ts'
import { openTables } from '../schema.ts'
import { firstRow, readField, rows } from '../rows.ts'
import { createDelivery, type EventDelivery, readSource } from './delivery.ts'
import { eventRows, type StoredEvent } from './event-rows.ts'
import { type SubscriptionRow, TABLES } from './tables.ts'

interface NewSubscription extends Omit<SubscriptionRequest, 'name'> {
  readonly id: string
  readonly subscriber: Subscriber
}

type LetterRow = { readonly id: string; readonly at: number; readonly failure: string; readonly body: string }

/** Per principal. */
const MAX_SUBSCRIPTIONS = 100
const LIMIT_REACHED = fail({
  type: 'conflict',
  message: 'There are too many subscriptions to this source: delete one',
})
const ROTATION_MS = 86_400_000
const MAX_CONCURRENT_DELIVERIES = 10
/** How soon other due deliveries are noticed while some run. */
const LOOK_MS = 1_000
/** The platform allows an alarm 15 minutes. */
const MAX_RUN_MS = 300_000
/** Each delivery makes several requests, and the platform limits the requests of a run. */
const MAX_RUN_DELIVERIES = 200

/** Each subscription has one delivery at a time, so its events arrive in order. */
export function createSourceEvents(
  storage: DurableObjectStorage,
  load: () => Promise<EventDelivery>,
  now: () => number,
) {
  const { sql } = storage
  openTables(sql, { object: 'an Events object', version: 1, tables: TABLES })
  const events = eventRows(sql, now)
  const delivery = createDelivery(sql, events, load, now)
  const setAlarm = createSetAlarm(storage)
  const running = new Map<string, Promise<unknown>>()
  const find = (id: string) => firstRow<SubscriptionRow>(sql, 'SELECT * FROM subscription WHERE id = ?', id)

  async function schedule(): Promise<void> {
    const next = readField<number | null>(sql, 'SELECT min(next) FROM subscription') ?? undefined
    const alarm = await storage.getAlarm()
    if (next !== undefined && (alarm === null || alarm > next)) await setAlarm(next)
  }

  /** Starts up to `limit` deliveries. Returns how many it started. */
  function startDeliveries(limit: number): number {
    let started = 0
    // Round-robin over principals, with at most half of the permits each, so receivers that hang do not block others
    const due = `SELECT id, next, row_number() OVER (PARTITION BY principal ORDER BY next) AS rank
      FROM subscription WHERE next <= ?`
    const query = `SELECT id FROM (${due}) WHERE rank <= ? ORDER BY rank, next LIMIT ?`
    for (const { id } of rows<{ id: string }>(
      sql,
      query,
      now(),
      MAX_CONCURRENT_DELIVERIES / 2,
      2 * MAX_CONCURRENT_DELIVERIES,
    )) {
      if (running.size >= MAX_CONCURRENT_DELIVERIES || started >= limit) break
      if (running.has(id)) continue
      started += 1
      running.set(
        id,
        delivery.deliverNext(id).finally(() => running.delete(id)),
      )
    }
    return started
  }

  function isFull({ id, subscriber }: NewSubscription): boolean {
    const query = 'SELECT count(*) FROM subscription WHERE principal = ? AND ended IS NULL'
    return (readField<number>(sql, query, subscriber.principal.id) ?? 0) >= MAX_SUBSCRIPTIONS && !find(id)
  }

  return {
    /** Returns the number of new events. */
    async accept(added: readonly Omit<StoredEvent, 'seq'>[]): Promise<number> {
      const count = events.add(added)
      // Receivers that failed keep their retry time
      sql.exec('UPDATE subscription SET next = min(next, ?) WHERE attempts = 0', now())
      await schedule()
      return count
    },

    clear(): void {
      events.clear()
      sql.exec('DELETE FROM dead_letter')
    },

    async subscribe(request: NewSubscription): Promise<Result<SubscriptionGrant>> {
      const startedAt = now()
      const { id, url, secret, ttlMs, maxAgeMs } = request
      const subscriber = { ...request.subscriber, at: startedAt }
      if (isFull(request)) return LIMIT_REACHED
      const failure = await delivery.challenge(id, url, secret)
      if (failure) return failure
      const sealed = await (await load()).sealer.seal(secret, id, { deterministic: true })
      // Other subscriptions may have been stored meanwhile
      if (isFull(request)) return LIMIT_REACHED
      const at = now()
      const known = find(id)
      const last = events.lastSeq()
      const requestedCursor = Math.min(request.cursor ?? last, last)
      const tooOld = maxAgeMs === undefined ? 0 : events.findBefore(at - maxAgeMs)
      const cursor = known?.cursor ?? Math.max(requestedCursor, events.dropped(), tooOld)
      const expires = ttlMs === null ? null : at + ttlMs
      const input = JSON.stringify(request.arguments)
      const texts = [id, subscriber.principal.id, JSON.stringify(subscriber), input, url, sealed]
      const values = [...texts, at, expires, cursor, at]
      sql.exec(
        `INSERT INTO subscription VALUES (?, ?, ?, ?, ?, ?, NULL, 0, ?, ?, ?, 0, ?, NULL, NULL)
         ON CONFLICT (id) DO UPDATE SET subscriber = excluded.subscriber,
           old_secret = iif(secret = excluded.secret, old_secret, secret), secret = excluded.secret,
           old_until = iif(secret = excluded.secret, old_until, ?),
           expires = excluded.expires, attempts = iif(ended IS NULL, attempts, 0), next = excluded.next, ended = NULL`,
        ...values,
        at + ROTATION_MS,
      )
      await schedule()
      const truncated = !known && cursor > requestedCursor
      return ok({ id, refreshBefore: formatTime(expires), cursor: String(cursor), truncated, isNew: !known })
    },

    remove: delivery.remove,

    /** All subscriptions of a principal, or the one with an id, as JSON. */
    list(principal: string, id?: string): string {
      const query = `SELECT *, (SELECT count(*) FROM event WHERE seq > max(cursor, ?3)) AS waiting,
        (SELECT count(*) FROM dead_letter WHERE subscription = subscription.id) AS dead_letters
        FROM subscription WHERE principal = ?1 AND id = ifnull(?2, id) AND ended IS NULL ORDER BY id`
      type Row = SubscriptionRow & { readonly waiting: number; readonly dead_letters: number }
      const toSubscription = (row: Row): Subscription => ({
        id: row.id,
        name: readSource(row.id),
        arguments: JSON.parse(row.arguments),
        url: row.url,
        created_at: new Date(row.created).toISOString(),
        expires_at: formatTime(row.expires),
        waiting: row.waiting,
        dead_letters: row.dead_letters,
        attempts: row.attempts,
        ...(row.failure === null ? {} : { last_failure: row.failure }),
        ...(row.attempts === 0 ? {} : { next_attempt_at: new Date(row.next).toISOString() }),
      })
      return JSON.stringify(rows<Row>(sql, query, principal, id ?? null, events.dropped()).map(toSubscription))
    },

    read: (after = events.lastSeq()) => ({
      events: events.list(after),
      last: events.lastSeq(),
      dropped: events.dropped(),
    }),

    listDeadLetters(id: string): DeadLetter[] {
      const query = 'SELECT id, at, failure, body FROM dead_letter WHERE subscription = ? ORDER BY rowid'
      return Array.from(sql.exec<LetterRow>(query, id), ({ id: event_id, at, failure, body }) => {
        const { name, timestamp }: Event = JSON.parse(body)
        return { event_id, name, timestamp, failure, failed_at: new Date(at).toISOString() }
      })
    },

    async resend(id: string, event: string): Promise<Result<undefined>> {
      const row = find(id)
      const query = 'SELECT body FROM dead_letter WHERE subscription = ? AND id = ?'
      const body = readField<string>(sql, query, id, event)
      const named = `the event '${event.slice(0, 200)}'`
      if (!row || body === undefined) return fail({ type: 'not-found', message: `Cannot find ${named}` })
      const failure = await delivery.send(row, { id: event, body })
      if (failure !== undefined) return fail({ type: 'conflict', message: `Cannot deliver ${named}: ${failure}` })
      sql.exec('DELETE FROM dead_letter WHERE subscription = ? AND id = ?', id, event)
      return ok(undefined)
    },

    async runDeliveries(): Promise<void> {
      const end = now() + MAX_RUN_MS
      let remaining = MAX_RUN_DELIVERIES
      // Restarts the deliveries if this instance ends
      await setAlarm(now() + LOOK_MS)
      for (;;) {
        if (now() < end) remaining -= startDeliveries(remaining)
        if (running.size === 0) break
        await Promise.race([...running.values(), new Promise((done) => setTimeout(done, LOOK_MS))])
      }
      await storage.deleteAlarm()
      await schedule()
    },
  }
}

function formatTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
