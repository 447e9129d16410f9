import { createEventFilter } from '../../core/event/event-filter.ts'
import { encodeEvent, type Event } from '../../core/event/event.ts'
import type { Subscriber } from '../../core/event/subscription.ts'
import { fail, type FailureResult } from '../../core/failure/failure.ts'
import type { PostWebhook, WebhookMessage } from '../../outbound/webhook.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { firstRow, readField } from '../rows.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import type { eventRows } from './event-rows.ts'
import type { SubscriptionRow } from './tables.ts'

/** Together a day and two hours. */
const MAX_ATTEMPTS = 13
const FIRST_DELAY_MS = 5_000
const MAX_DELAY_MS = 4 * 3_600_000
/** Whether the subscriber may still have a subscription is checked as often, where nothing happens. */
const CHECK_MS = 3_600_000
const UNKNOWN_MS = 30_000
const MAX_TERMINATION_ATTEMPTS = 5
/** Of a principal. */
const MAX_DEAD_LETTERS = 100
const FINAL_FAILURES = ['http_410', 'http_413']
const NOT_REPEATED = { reason: 'challenge_failed', message: 'The callback did not repeat the challenge' } as const
/** As over MCP, "Forbidden". */
const TERMINATED = { code: -32_012, message: 'The subscriber may no longer have these events' }

export interface EventDelivery {
  readonly sealer: Sealer
  readonly post: PostWebhook
  /** Whether the subscriber may have events of the source now. Throws where nobody can say. */
  readonly mayReceive: (subscriber: Subscriber, source: string) => Promise<boolean>
}

interface Message extends WebhookMessage {
  readonly kind: 'event' | 'gap' | 'terminated'
  /** Where the subscription is once it was delivered. */
  readonly cursor: number
}

/** Delivers to subscriptions: what each waits for, and how it goes on once that was received or not. */
export function createDelivery(
  sql: SqlStorage,
  events: ReturnType<typeof eventRows>,
  load: () => Promise<EventDelivery>,
  now: () => number,
) {
  const toTarget = (id: string, url: string, secrets: readonly string[]) =>
    ({ url, secrets, headers: { 'x-mcp-subscription-id': id } }) as const

  /** Gives why it was not received. */
  async function send(row: SubscriptionRow, message: WebhookMessage): Promise<string | undefined> {
    const { sealer, post } = await load()
    const sealed = [row.secret, ...(row.old_secret !== null && row.old_until > now() ? [row.old_secret] : [])]
    const unsealed = await Promise.all(sealed.map((secret) => sealer.unseal(secret, row.id)))
    const secrets = unsealed.flatMap((secret) => secret?.text ?? [])
    const receipt = await post(message, toTarget(row.id, row.url, secrets))
    return receipt.kind === 'received' ? undefined : receipt.reason
  }

  async function findMessage(row: SubscriptionRow): Promise<Message | { readonly skippedTo: number }> {
    const { mayReceive } = await load()
    const isEnded = row.ended !== null || !(await mayReceive(JSON.parse(row.subscriber), readSource(row.id)))
    if (isEnded) {
      const ended = row.ended ?? `msg_terminated_${crypto.randomUUID()}`
      const end = 'UPDATE subscription SET ended = ?, attempts = 0 WHERE id = ? AND subscriber = ? RETURNING id'
      // It was refreshed meanwhile
      if (row.ended === null && readField(sql, end, ended, row.id, row.subscriber) === undefined)
        return { skippedTo: row.cursor }
      const body = JSON.stringify({ type: 'terminated', error: TERMINATED })
      return { kind: 'terminated', id: ended, body, cursor: row.cursor }
    }
    const dropped = events.dropped()
    if (dropped > row.cursor) {
      const body = JSON.stringify({ type: 'gap', cursor: String(dropped) })
      return { kind: 'gap', id: `msg_gap_${dropped}_${row.created}`, body, cursor: dropped }
    }
    const filter = createEventFilter(JSON.parse(row.arguments))
    const page = events.list(row.cursor)
    for (const { seq, id, body } of page) {
      const event: Event = parseTrusted(body)
      if (filter.ok && !filter.value(event.data)) continue
      return { kind: 'event', id, body: encodeEvent(event, seq), cursor: seq }
    }
    return { skippedTo: page.at(-1)?.seq ?? row.cursor }
  }

  function settle(row: SubscriptionRow, { kind, id, body, cursor }: Message, failure: string | undefined): void {
    const ended = kind === 'terminated' ? id : null
    const attempts = kind === 'terminated' && row.ended === null ? 1 : row.attempts + 1
    const most = kind === 'terminated' ? MAX_TERMINATION_ATTEMPTS : MAX_ATTEMPTS
    const isOver = FINAL_FAILURES.includes(failure ?? '') || attempts >= most
    // A receiver that is never told of a gap would not know what it lacks
    if (failure !== undefined && (kind === 'gap' || !isOver)) {
      const next = now() + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 4 ** (attempts - 1))
      const retry =
        'UPDATE subscription SET attempts = ?, failure = ?, next = ? WHERE id = ? AND cursor = ? AND ended IS ?'
      sql.exec(retry, attempts, failure, next, row.id, row.cursor, ended)
      return
    }
    // It may have been granted again meanwhile
    if (ended !== null) return void remove(row.id, ended)
    // A receiver that is gone would refuse all events at once
    const pause = failure === 'http_410' ? MAX_DELAY_MS : 0
    const advance = `UPDATE subscription SET cursor = ?, attempts = ?, failure = ?, next = ?
      WHERE id = ? AND cursor = ? RETURNING id`
    const values = [cursor, Math.sign(pause), failure ?? null, now() + pause, row.id, row.cursor]
    const isCurrent = readField(sql, advance, ...values) !== undefined
    if (failure === undefined || kind !== 'event' || !isCurrent) return
    sql.exec('INSERT OR REPLACE INTO dead_letter VALUES (?, ?, ?, ?, ?)', row.id, id, now(), failure, body)
    const own = 'subscription IN (SELECT id FROM subscription WHERE principal = ?1)'
    const surplus = `SELECT rowid FROM dead_letter WHERE ${own} ORDER BY rowid DESC LIMIT 1 OFFSET ?2`
    sql.exec(`DELETE FROM dead_letter WHERE ${own} AND rowid <= (${surplus})`, row.principal, MAX_DEAD_LETTERS)
  }

  /** With `ended`, only if it still ends for that. */
  function remove(id: string, ended: string | null = null): boolean {
    const query = 'DELETE FROM subscription WHERE id = ?1 AND (?2 IS NULL OR ended = ?2) RETURNING id'
    const isRemoved = readField(sql, query, id, ended) !== undefined
    if (isRemoved) sql.exec('DELETE FROM dead_letter WHERE subscription = ?', id)
    return isRemoved
  }

  return {
    send,
    remove,

    /** Whether the callback takes messages for this subscription: it repeats what it is sent. */
    async challenge(id: string, url: string, secret: string): Promise<FailureResult | undefined> {
      const { post } = await load()
      const challenge = crypto.randomUUID()
      const body = JSON.stringify({ type: 'verification', challenge })
      const receipt = await post({ id: `msg_verification_${challenge}`, body }, toTarget(id, url, [secret]))
      if (receipt.kind === 'received' && isRepeated(challenge, receipt.body)) return undefined
      const { reason, message } = receipt.kind === 'unanswered' ? receipt : NOT_REPEATED
      if (reason === 'address_refused') return fail({ type: 'request-malformed', message })
      return fail({ type: 'conflict', reason, message: `Cannot subscribe (${reason}): ${message}` })
    },

    /** Never rejects. */
    async deliverNext(id: string): Promise<void> {
      const row = firstRow<SubscriptionRow>(sql, 'SELECT * FROM subscription WHERE id = ?', id)
      if (!row) return
      if (row.expires !== null && row.expires <= now()) return void remove(id)
      try {
        const message = await findMessage(row)
        if ('kind' in message) return settle(row, message, await send(row, message))
        const { skippedTo } = message
        const idleUntil = Math.min(row.expires ?? Infinity, now() + CHECK_MS)
        const next = skippedTo < events.lastSeq() ? now() : idleUntil
        const skip = 'UPDATE subscription SET cursor = ?, next = ? WHERE id = ? AND cursor = ?'
        sql.exec(skip, skippedTo, next, id, row.cursor)
      } catch (error) {
        console.error('Cannot deliver', error)
        sql.exec('UPDATE subscription SET next = ? WHERE id = ?', now() + UNKNOWN_MS, id)
      }
    },
  }
}

/** The id of a subscription begins with the name of its source. */
export function readSource(id: string): string {
  return id.split('~', 1)[0] ?? ''
}

function isRepeated(challenge: string, body: string): boolean {
  try {
    return JSON.parse(body).challenge === challenge
  } catch {
    return false
  }
}
