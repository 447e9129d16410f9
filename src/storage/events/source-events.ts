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
import { column, firstRow, readField, rows } from '../rows.ts'
import { createDelivery, type EventDelivery, readSource } from './delivery.ts'
import { eventRows, type StoredEvent } from './event-rows.ts'
import { type SubscriptionRow, TABLES } from './tables.ts'

interface NewSubscription extends Omit<SubscriptionRequest, 'name'> {
  readonly id: string
  readonly subscriber: Subscriber
}

/** Per principal. */
const MAX_SUBSCRIPTIONS = 100
const LIMIT_REACHED = fail({
  type: 'conflict',
  message: 'There are too many subscriptions to this source: delete one',
})
/** Limits of a run. It delivers to several subscriptions in parallel, but to each of them one message at a time. */
const MAX_DELIVERIES = 10
/** Half of the run, so that slow receivers of one principal do not delay those of others. */
const MAX_DELIVERIES_PER_PRINCIPAL = 5
const MAX_MESSAGES = 200
/** No message is sent later than this, but the run still waits for responses. */
const MAX_RUN_MS = 5_000

/** Only one run delivers at a time, so the events of a subscription arrive in order. */
export function createSourceEvents(
  storage: DurableObjectStorage,
  load: () => Promise<EventDelivery>,
  now: () => number,
) {
  const { sql } = storage
  openTables(sql, { object: 'an Events object', version: 2, tables: TABLES })
  const events = eventRows(sql, now)
  const delivery = createDelivery(sql, events, load, now)
  const setAlarm = createSetAlarm(storage)
  const find = (id: string) => firstRow<SubscriptionRow>(sql, 'SELECT * FROM subscription WHERE id = ?', id)

  async function schedule(earliest = 0): Promise<void> {
    const next = readField<number | null>(sql, 'SELECT min(next) FROM subscription')
    if (typeof next === 'number') await setAlarm(Math.max(next, earliest))
  }

  async function deliver(id: string, run: { messages: number; readonly end: number }): Promise<void> {
    const due = 'SELECT * FROM subscription WHERE id = ? AND next <= ?'
    while (run.messages-- > 0 && now() < run.end) {
      const row = firstRow<SubscriptionRow>(sql, due, id, now())
      if (!row) return
      await delivery.deliverNext(row)
    }
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
      const { id, url, secret, subscriber, ttlMs, maxAgeMs } = request
      const failure = await delivery.challenge(id, url, secret)
      if (failure) return failure
      const sealed = await (await load()).sealer.seal(secret, id, { deterministic: true })
      const principal = subscriber.principal.id
      const known = find(id)
      const count = readField<number>(sql, 'SELECT count(*) FROM subscription WHERE principal = ?', principal) ?? 0
      if (!known && count >= MAX_SUBSCRIPTIONS) return LIMIT_REACHED
      const at = now()
      const last = events.lastSeq()
      const requestedCursor = Math.min(request.cursor ?? last, last)
      const tooOld = maxAgeMs === undefined ? 0 : events.findBefore(at - maxAgeMs)
      const cursor = known?.cursor ?? Math.max(requestedCursor, events.dropped(), tooOld)
      const expires = ttlMs === null ? null : at + ttlMs
      const text = JSON.stringify(subscriber)
      const texts = [id, principal, text, JSON.stringify(request.arguments), url, sealed]
      const put = `INSERT INTO subscription VALUES (?, ?, ?, ?, ?, ?, NULL, ?7, ?8, ?9, 0, ?7, NULL)
        ON CONFLICT (id) DO UPDATE SET subscriber = excluded.subscriber,
          old_secret = iif(secret = excluded.secret, old_secret, secret), secret = excluded.secret,
          expires = excluded.expires, next = excluded.next`
      sql.exec(put, ...texts, at, expires, cursor)
      await schedule()
      const truncated = !known && cursor > requestedCursor
      const toText = (stored: string) => JSON.stringify({ ...JSON.parse(stored), at: subscriber.at })
      // An equal text has the same time, so this is a retry of the request that changed the subscription
      const isRetry = known?.subscriber === text
      const isChanged = isRetry || known?.secret !== sealed || toText(known.subscriber) !== text
      return ok({ id, refreshBefore: formatTime(expires), cursor: String(cursor), truncated, isNew: !known, isChanged })
    },

    remove: (id: string) => void sql.exec('DELETE FROM subscription WHERE id = ?', id),

    /** Returns all subscriptions of a principal, or the one with an id, as JSON. */
    list(principal: string, id?: string): string {
      const query = `SELECT *, (SELECT count(*) FROM event WHERE seq > max(cursor, ?3)) AS waiting,
        (SELECT count(*) FROM dead_letter WHERE subscription = subscription.id) AS dead_letters
        FROM subscription WHERE principal = ?1 AND id = ifnull(?2, id) ORDER BY id`
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
      type Row = Pick<DeadLetter, 'event_id' | 'failure'> & { readonly at: number; readonly body: string }
      const query = 'SELECT id AS event_id, at, failure, body FROM dead_letter WHERE subscription = ? ORDER BY rowid'
      return rows<Row>(sql, query, id).map(({ event_id, at, failure, body }) => {
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
      const run = { messages: MAX_MESSAGES, end: now() + MAX_RUN_MS }
      // Round-robin over principals, so that many subscriptions of one do not block those of others
      const ranked = `SELECT id, next, row_number() OVER (PARTITION BY principal ORDER BY next) AS rank
        FROM subscription WHERE next <= ?`
      const due = `SELECT id FROM (${ranked}) WHERE rank <= ? ORDER BY rank, next LIMIT ?`
      const ids = column<string>(sql, due, now(), MAX_DELIVERIES_PER_PRINCIPAL, MAX_DELIVERIES)
      await Promise.all(ids.map((id) => deliver(id, run)))
      // The platform drops an alarm that a repeated run sets to its own time again
      await schedule(now() + 1)
    },
  }
}

function formatTime(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString()
}
