import type { ApiKey } from '../access/api-key.ts'
import { findCallDenial, mayActFor, NEEDS_CREDENTIAL, type Principal } from '../access/principal.ts'
import { fail, type FailureResult, type Result } from '../failure/failure.ts'
import type { JsonObject } from '../tool/json.ts'
import * as json from '../tool/json-reader.ts'
import { HOUR_MS } from '../tool/time.ts'
import { parseToolId } from '../tool/tool-id.ts'
import type { Event } from './event.ts'
import type { EventSource } from './event-source.ts'
import { isWebhookSecret, WEBHOOK_SECRET_FORM } from './webhook-secret.ts'

/** Isolates may still accept an earlier secret this long after it has ended. */
const EARLIER_SECRET_MS = 120_000

export const SECRET = json.hideValue(json.stringMatching(WEBHOOK_SECRET_FORM, isWebhookSecret))
export const CALLBACK_URL = json.string({ min: 1, max: 2_048 })
export const CURSOR = json.transform(json.stringMatching('a cursor that was returned before', /^\d{1,15}$/), Number)

/** The principal that subscribed, with the toolset and lock of its request. */
export interface Subscriber {
  readonly principal: Principal
  readonly toolset?: string | undefined
  readonly lock?: string | undefined
  /** Time of the last subscribe request, in milliseconds since 1970. */
  readonly at: number
}

/** Identifies a subscription, together with its principal. */
export interface SubscriptionKey {
  readonly name: string
  readonly arguments: JsonObject
  readonly url: string
}

export interface SubscriptionRequest extends SubscriptionKey {
  readonly secret: string
  /** Delivers the events after it; by default, only new events. */
  readonly cursor?: number
  /** Null: until the credential ends. */
  readonly ttlMs: number | null
  /** Older events are skipped. */
  readonly maxAgeMs?: number
}

export interface SubscriptionGrant {
  readonly id: string
  /** RFC 3339. The subscription ends then unless it is refreshed. */
  readonly refreshBefore: string | null
  readonly cursor: string
  /** Whether events after the requested cursor are no longer stored. */
  readonly truncated: boolean
  readonly isNew: boolean
  /** Whether more changed than the times of a subscription. */
  readonly isChanged: boolean
}

export interface Subscription extends SubscriptionKey {
  readonly id: string
  readonly created_at: string
  readonly expires_at: string | null
  readonly waiting: number
  readonly dead_letters: number
  /** Failed deliveries of the next event. */
  readonly attempts: number
  readonly last_failure?: string
  readonly next_attempt_at?: string
}

/** An event that could not be delivered. */
export interface DeadLetter {
  readonly event_id: string
  readonly name: string
  readonly timestamp: string
  readonly failure: string
  readonly failed_at: string
}

export interface EventPage {
  readonly events: readonly (Event & { readonly cursor: string })[]
  readonly cursor: string
  readonly truncated: boolean
  readonly hasMore: boolean
  readonly nextPollMs: number
}

/** A principal cannot find the subscriptions of others. */
export interface Subscriptions {
  /** Creates a subscription, or refreshes the one with the same key. The callback must first answer a challenge. */
  subscribe(principal: Principal, request: SubscriptionRequest): Promise<Result<SubscriptionGrant>>
  /** Returns the id that the subscription has if it exists. */
  createId(principal: Principal, key: SubscriptionKey): Promise<string>
  /** Reads events without a subscription. */
  poll(
    principal: Principal,
    request: Omit<SubscriptionKey, 'url'> & { readonly cursor?: number },
  ): Promise<Result<EventPage>>
  /** Returns a page, which may be empty. */
  list(
    principal: Principal,
    cursor?: string,
  ): Promise<{ readonly subscriptions: readonly Subscription[]; readonly cursor?: string }>
  find(principal: Principal, id: string): Promise<Result<Subscription>>
  remove(principal: Principal, id: string): Promise<Result<undefined>>
  listDeadLetters(principal: Principal, id: string): Promise<Result<readonly DeadLetter[]>>
  /** Resends a dead letter. */
  resend(principal: Principal, id: string, event: string): Promise<Result<undefined>>
  listSources(principal: Principal): Promise<readonly EventSource[]>
}

/**
 * A principal may subscribe to a source if it could call a tool of that name. If its credential does not cover the name, the
 * denial is the same whether or not the source exists.
 */
export function findSubscriptionDenial(
  principal: Principal,
  name: string,
  source: EventSource | undefined,
): FailureResult | undefined {
  if (principal.kind === 'anonymous') return fail(NEEDS_CREDENTIAL)
  const id = parseToolId(name)
  const denial = id && findCallDenial(principal, { ...id, securityLevel: source?.security_level ?? 0 })
  if (denial) return fail(denial)
  if (!source) return fail({ type: 'not-found', message: `Cannot find the event source '${name.slice(0, 200)}'` })
  if (source.user_id === undefined || mayActFor(principal, source.user_id)) return undefined
  return fail({ type: 'forbidden', reason: `The credential may not act for the user of '${name}'` })
}

export function toSubscriber({ view, ...principal }: Principal, at: number): Subscriber {
  return { principal, toolset: view?.toolset?.name, lock: view?.lock?.hash, at }
}

/** Whether an earlier secret of the key, now ended, may have made the subscription, which then ends too. */
export function isByEarlierSecret(
  { at }: Subscriber,
  { previous_expires_at: end }: Pick<ApiKey, 'previous_expires_at'>,
  now: number,
): boolean {
  const until = Date.parse(end ?? '')
  return until <= now && at < until + EARLIER_SECRET_MS
}

/** Limits subscriptions to an hour if the end of the credential goes unnoticed, as for a JWT or a replaced admin key. */
export function limitTtl({ kind }: Principal, ttlMs: number | null): number | null {
  return ['jwt', 'person', 'admin'].includes(kind) ? Math.min(ttlMs ?? Infinity, HOUR_MS) : ttlMs
}
