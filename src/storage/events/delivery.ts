import { createEventFilter } from '../../core/event/event-filter.ts'
import { encodeEvent, type Event } from '../../core/event/event.ts'
import type { Subscriber } from '../../core/event/subscription.ts'
import { fail, type FailureResult } from '../../core/failure/failure.ts'
import type { PostWebhook, WebhookMessage } from '../../outbound/webhook.ts'
import { isJsonObject } from '../../core/tool/json.ts'
import { parseJson, parseTrusted } from '../../core/tool/json-text.ts'
import { firstRow, readField } from '../rows.ts'
import type { Sealer } from '../sealing/deployment-keys.ts'
import type { eventRows } from './event-rows.ts'
import type { SubscriptionRow } from './tables.ts'

/** In total over a day and two hours. */
const MAX_ATTEMPTS = 13
const FIRST_DELAY_MS = 5_000
const MAX_DELAY_MS = 4 * 3_600_000
/** How often the rights of an idle subscriber are checked. */
const CHECK_MS = 3_600_000
const UNKNOWN_MS = 30_000
const MAX_TERMINATION_ATTEMPTS = 5
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
  /** Undefined if there is nothing to send. */
  readonly message?: WebhookMessage
  readonly isGap?: true
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
    const sealed = [row.secret, ...(row.old_secret !== null && row.old_until > now() ? [row.old_secret] : [])]
    const unsealed = await Promise.all(sealed.map((secret) => sealer.unseal(secret, row.id)))
    const secrets = unsealed.flatMap((secret) => secret?.text ?? [])
    if (secrets.length === 0) return 'secret_unreadable'
    const receipt = await post(message, toTarget(row.id, row.url, secrets))
    return receipt.kind === 'received' ? undefined : receipt.reason
  }

  function findStep(row: SubscriptionRow): Step {
    const { cursor } = row
    if (row.ended !== null)
      return { message: { id: row.ended, body: JSON.stringify({ type: 'terminated', error: TERMINATED }) }, cursor }
    const dropped = events.dropped()
    if (dropped > cursor) {
      const body = JSON.stringify({ type: 'gap', cursor: String(dropped) })
      return { message: { id: `msg_gap_${dropped}_${row.created}`, body }, isGap: true, cursor: dropped }
    }
    const filter = createEventFilter(JSON.parse(row.arguments))
    const page = events.list(cursor)
    for (const { seq, id, body } of page) {
      const event: Event = parseTrusted(body)
      if (!filter.ok || filter.value(event.data)) return { message: { id, body: encodeEvent(event, seq) }, cursor: seq }
    }
    return { cursor: page.at(-1)?.seq ?? cursor }
  }

  function settle(row: SubscriptionRow, { message, isGap, cursor }: Step, failure: string | undefined): void {
    const attempts = row.attempts + 1
    const maxAttempts = row.ended === null ? MAX_ATTEMPTS : MAX_TERMINATION_ATTEMPTS
    const isOver = FINAL_FAILURES.includes(failure ?? '') || attempts >= maxAttempts
    // Retried without end: otherwise, the receiver would never learn about the gap
    if (failure !== undefined && (isGap || !isOver)) {
      const next = now() + Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 4 ** (attempts - 1))
      const retry = `UPDATE subscription SET attempts = ?, failure = ?, next = min(ifnull(expires, ?3), ?3)
        WHERE id = ? AND cursor = ? AND ended IS ?`
      sql.exec(retry, attempts, failure, next, row.id, row.cursor, row.ended)
      return
    }
    // It may have been refreshed meanwhile
    if (row.ended !== null) return void remove(row.id, row.ended)
    // Pause, since a receiver that is gone would refuse all events at once
    const isPaused = failure === 'http_410'
    const idleMs = cursor < events.lastSeq() ? 0 : CHECK_MS
    const next = now() + (isPaused ? MAX_DELAY_MS : idleMs)
    const advance = `UPDATE subscription SET cursor = ?, attempts = ?, failure = ?, next = min(ifnull(expires, ?4), ?4)
      WHERE id = ? AND cursor = ? RETURNING id`
    const values = [cursor, Number(isPaused), failure ?? null, next, row.id, row.cursor]
    const isCurrent = readField(sql, advance, ...values) !== undefined
    if (failure === undefined || !message || !isCurrent) return
    const { id, body } = message
    sql.exec('INSERT OR REPLACE INTO dead_letter VALUES (?, ?, ?, ?, ?)', row.id, id, now(), failure, body)
    const own = 'subscription IN (SELECT id FROM subscription WHERE principal = ?1)'
    const surplus = `SELECT rowid FROM dead_letter WHERE ${own} ORDER BY rowid DESC LIMIT 1 OFFSET ?2`
    sql.exec(`DELETE FROM dead_letter WHERE ${own} AND rowid <= (${surplus})`, row.principal, MAX_DEAD_LETTERS)
  }

  /** With `ended`, removes it only if it has not been refreshed since. */
  function remove(id: string, ended: string | null = null): boolean {
    const query = 'DELETE FROM subscription WHERE id = ?1 AND (?2 IS NULL OR ended = ?2) RETURNING id'
    const isRemoved = readField(sql, query, id, ended) !== undefined
    if (isRemoved) sql.exec('DELETE FROM dead_letter WHERE subscription = ?', id)
    return isRemoved
  }

  return {
    send,
    remove,

    /** Checks that the callback accepts messages for this subscription by repeating a challenge. */
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
        const { mayReceive } = await load()
        if (row.ended === null && !(await mayReceive(JSON.parse(row.subscriber), readSource(id)))) {
          // Not if it was refreshed meanwhile. In both cases it is still due
          const end = 'UPDATE subscription SET ended = ?, attempts = 0 WHERE id = ? AND subscriber = ?'
          return void sql.exec(end, `msg_terminated_${crypto.randomUUID()}`, id, row.subscriber)
        }
        const step = findStep(row)
        settle(row, step, step.message && (await send(row, step.message)))
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
  const read = parseJson(body)
  return read.ok && isJsonObject(read.value) && read.value['challenge'] === challenge
}
