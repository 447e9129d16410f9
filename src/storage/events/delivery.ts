import { createEventFilter } from '../../core/event/event-filter.ts'
import { encodeEvent, type Event } from '../../core/event/event.ts'
import type { Subscriber } from '../../core/event/subscription.ts'
import { fail, type FailureResult } from '../../core/failure/failure.ts'
import type { PostWebhook, WebhookMessage } from '../../outbound/webhook.ts'
import { isJsonObject } from '../../core/tool/json.ts'
import { parseJson, parseTrusted } from '../../core/tool/json-text.ts'
import { readField } from '../rows.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import type { eventRows } from './event-rows.ts'
import type { SubscriptionRow } from './tables.ts'

/** Together, the attempts take about 26 hours. */
const MAX_ATTEMPTS = 13
const FIRST_DELAY_MS = 5_000
const MAX_DELAY_MS = 4 * 3_600_000
/** How often the rights of an idle subscriber are checked. */
const CHECK_MS = 3_600_000
const UNKNOWN_MS = 30_000
/** Per principal. */
const MAX_DEAD_LETTERS = 100
const FINAL_FAILURES = ['http_410', 'http_413']
const NOT_REPEATED = { reason: 'challenge_failed', message: 'The callback did not repeat the challenge' } as const
/** "Forbidden", with the same code as over MCP. */
const TERMINATED = { code: -32_012, message: 'The subscriber no longer has access to these events' }

export interface EventDelivery {
  readonly sealer: Sealer
  readonly post: PostWebhook
  /** Whether the subscriber may currently receive events of the source. Throws if this cannot be determined. */
  readonly mayReceive: (subscriber: Subscriber, source: string) => Promise<boolean>
}

interface Step {
  readonly kind: 'event' | 'gap' | 'terminated'
  /** Undefined if there is nothing to send. */
  readonly message?: WebhookMessage
  /** The cursor of the subscription after the message. */
  readonly cursor: number
}

/** Delivers the next message of a subscription, and stores the outcome. */
export function createDelivery(
  sql: SqlStorage,
  events: ReturnType<typeof eventRows>,
  load: () => Promise<EventDelivery>,
  now: () => number,
) {
  const toTarget = (id: string, url: string, secrets: readonly string[]) =>
    ({ url, secrets, headers: { 'x-mcp-subscription-id': id } }) as const

  /** Returns the failure, or undefined if the message was received. */
  async function send(row: SubscriptionRow, message: WebhookMessage): Promise<string | undefined> {
    const { sealer, post } = await load()
    const sealed = row.old_secret === null ? [row.secret] : [row.secret, row.old_secret]
    const unsealed = await Promise.all(sealed.map((secret) => sealer.unseal(secret, row.id)))
    const secrets = unsealed.flatMap((secret) => secret?.text ?? [])
    if (secrets.length === 0) return 'secret_unreadable'
    const receipt = await post(message, toTarget(row.id, row.url, secrets))
    return receipt.kind === 'received' ? undefined : receipt.reason
  }

  function findStep(row: SubscriptionRow, mayReceive: boolean): Step {
    const { cursor } = row
    const hash = row.id.split('~', 2)[1]
    if (!mayReceive) {
      // A subscription that was refreshed, or received events, after its end can end again
      const { at }: Subscriber = JSON.parse(row.subscriber)
      const body = JSON.stringify({ type: 'terminated', error: TERMINATED })
      return { kind: 'terminated', message: { id: `msg_terminated_${at}_${cursor}_${hash}`, body }, cursor }
    }
    const dropped = events.dropped()
    if (dropped > cursor) {
      const body = JSON.stringify({ type: 'gap', cursor: String(dropped) })
      return { kind: 'gap', message: { id: `msg_gap_${dropped}_${row.created}_${hash}`, body }, cursor: dropped }
    }
    const filter = createEventFilter(JSON.parse(row.arguments))
    const page = events.list(cursor)
    for (const { seq, id, body } of page) {
      const event: Event = parseTrusted(body)
      if (!filter.ok || filter.value(event.data))
        return { kind: 'event', message: { id, body: encodeEvent(event, seq) }, cursor: seq }
    }
    return { kind: 'event', cursor: page.at(-1)?.seq ?? cursor }
  }

  /** Returns false if the subscription was refreshed or deleted meanwhile: the message is then sent again. */
  function move(row: SubscriptionRow, cursor: number, attempts: number, delayMs: number, failure?: string): boolean {
    const update = `UPDATE subscription SET cursor = ?, attempts = ?, next = min(ifnull(expires, ?3), ?3), failure = ?
      WHERE id = ? AND subscriber = ? RETURNING id`
    const values = [cursor, attempts, now() + delayMs, failure ?? null, row.id, row.subscriber]
    return readField(sql, update, ...values) !== undefined
  }

  function settle(row: SubscriptionRow, { kind, message, cursor }: Step, failure: string | undefined): void {
    const attempts = row.attempts + 1
    const isFinal = attempts >= MAX_ATTEMPTS || FINAL_FAILURES.includes(failure ?? '')
    // A gap is retried indefinitely: otherwise, the receiver would never learn about it
    if (failure !== undefined && (kind === 'gap' || !isFinal)) {
      move(row, row.cursor, attempts, Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 4 ** row.attempts), failure)
      return
    }
    if (kind === 'terminated') {
      sql.exec('DELETE FROM subscription WHERE id = ? AND subscriber = ?', row.id, row.subscriber)
      return
    }
    const idleMs = cursor < events.lastSeq() ? 0 : CHECK_MS
    // Pauses, because a receiver that is gone would refuse all events at once
    const isGone = failure === 'http_410'
    const isMoved = move(row, cursor, Number(isGone), isGone ? MAX_DELAY_MS : idleMs, failure)
    if (isMoved && failure !== undefined && message) addDeadLetter(row, message, failure)
  }

  function addDeadLetter({ id, principal }: SubscriptionRow, message: WebhookMessage, failure: string): void {
    sql.exec('INSERT OR REPLACE INTO dead_letter VALUES (?, ?, ?, ?, ?)', id, message.id, now(), failure, message.body)
    const own = 'subscription IN (SELECT id FROM subscription WHERE principal = ?1)'
    const kept = `SELECT rowid FROM dead_letter WHERE ${own} ORDER BY rowid DESC LIMIT ?2`
    sql.exec(`DELETE FROM dead_letter WHERE ${own} AND rowid NOT IN (${kept})`, principal, MAX_DEAD_LETTERS)
  }

  return {
    send,

    /** Checks that the callback accepts messages for this subscription: it must repeat a challenge. */
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
    async deliverNext(row: SubscriptionRow): Promise<void> {
      const { id, subscriber } = row
      if (row.expires !== null && row.expires <= now())
        return void sql.exec('DELETE FROM subscription WHERE id = ?', id)
      try {
        const { mayReceive } = await load()
        const step = findStep(row, await mayReceive(JSON.parse(subscriber), readSource(id)))
        if (readField(sql, 'SELECT subscriber FROM subscription WHERE id = ?', id) !== subscriber) return
        settle(row, step, step.message && (await send(row, step.message)))
      } catch (error) {
        console.error('Cannot deliver', error)
        sql.exec('UPDATE subscription SET next = ? WHERE id = ?', now() + UNKNOWN_MS, id)
      }
    },
  }
}

/** Returns the name of a subscription's source, with which its id begins. */
export function readSource(id: string): string {
  return id.split('~', 1)[0] ?? ''
}

function isRepeated(challenge: string, body: string): boolean {
  const read = parseJson(body)
  return read.ok && isJsonObject(read.value) && read.value['challenge'] === challenge
}
