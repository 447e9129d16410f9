import { createEventFilter } from '../../core/event/event-filter.ts'
import { encodeEvent, type Event, type EventLog, type EventSources, MAX_EVENT_BYTES } from '../../core/event/event.ts'
import {
  findSubscriptionDenial,
  type Subscription,
  limitTtl,
  type SubscriptionKey,
  type Subscriptions,
  toSubscriber,
} from '../../core/event/subscription.ts'
import { isWebhookSecret, WEBHOOK_SECRET_FORM } from '../../core/event/webhook-secret.ts'
import { findCoverDenial, type Principal } from '../../core/access/principal.ts'
import { fail, type FailureResult, ok, type Result } from '../../core/failure/failure.ts'
import { canonicalJson } from '../../core/tool/digest.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { loadValidator } from '../../core/schema/validator.ts'
import { createReliableStub } from '../reachable-stub.ts'
import { sha256 } from '../sealing/sha256.ts'
import { readSource } from './delivery.ts'
import type { EventsObject } from './events-object.ts'

/** Longer than a callback may take. */
const REACH = { what: 'events', waitMs: 30_000, neverRetried: ['resend'] } as const
/** Whose objects one page asks. */
const MAX_SOURCES = 50
const POLL_MS = 5_000
const MAX_CURSOR = 999_999_999_999_999

function openStub(namespace: DurableObjectNamespace<EventsObject>, source: string) {
  return createReliableStub(() => namespace.getByName(source), REACH)
}

export function createEventLog(namespace: DurableObjectNamespace<EventsObject>): EventLog {
  return {
    async accept(source, events) {
      const stored = events.map((event) => ({ id: event.id, body: JSON.stringify(event) }))
      const delivered = events.map((event) => new TextEncoder().encode(encodeEvent(event, MAX_CURSOR)))
      const size = Math.max(...delivered.map(({ length }) => length))
      if (size > MAX_EVENT_BYTES) return fail({ type: 'body-too-large', limit: MAX_EVENT_BYTES, size })
      return ok(await openStub(namespace, source).accept(stored))
    },
    clear: (source) => openStub(namespace, source).clear(),
  }
}

export function createSubscriptions(
  namespace: DurableObjectNamespace<EventsObject>,
  sources: Pick<EventSources, 'find' | 'list'>,
): Subscriptions {
  /** The source, if the principal may subscribe to it so. */
  async function checkRequest(principal: Principal, { name, arguments: input }: Omit<SubscriptionKey, 'url'>) {
    const id = parseToolId(name)
    // A source that the credential does not cover is not told from one that is not there
    const hidden = id && findCoverDenial(principal, id, 'tools:call')
    if (hidden) return fail(hidden)
    const source = await sources.find(name)
    if (!source) return fail({ type: 'not-found', message: `Cannot find the event source '${name.slice(0, 200)}'` })
    const denial = findSubscriptionDenial(principal, source)
    if (denial) return denial
    const problems = (await loadValidator(source.inputSchema))(input)
    return problems.length > 0 ? fail({ type: 'input-invalid', problems }) : createEventFilter(input)
  }

  async function createId({ id }: Principal, { name, arguments: input, url }: SubscriptionKey): Promise<string> {
    return `${name}~${(await sha256(canonicalJson([id, url, name, input]))).slice(0, 32)}`
  }

  /** Runs `work` on the principal's own subscription. */
  async function withOwn<T>(
    { id: principal }: Principal,
    id: string,
    work: (events: DurableObjectStub<EventsObject>, own: Subscription) => Promise<T>,
  ): Promise<Result<T>> {
    const name = readSource(id)
    const events = (await sources.find(name)) && openStub(namespace, name)
    const [own] = (await events?.list(principal, id)) ?? []
    if (!events || !own)
      return fail({ type: 'not-found', message: `Cannot find the subscription '${id.slice(0, 200)}'` })
    return ok(await work(events, { ...own, name, arguments: JSON.parse(own.arguments) }))
  }

  async function remove(principal: Principal, id: string): Promise<Result<undefined>> {
    return withOwn(principal, id, async (events) => void (await events.remove(id)))
  }

  return {
    async subscribe(principal, request) {
      const { name, arguments: input, url, secret, cursor, ttlMs, maxAgeMs = MAX_AGE_MS } = request
      const checked = await checkRequest(principal, request)
      if (!checked.ok) return checked
      if (url.length > MAX_URL_CHARACTERS) return malformed(`'url' must be of at most ${MAX_URL_CHARACTERS} characters`)
      if (!isWebhookSecret(secret)) return malformed(`'secret' must ${WEBHOOK_SECRET_FORM}`)
      if (!isCursor(cursor)) return NO_CURSOR
      const id = await createId(principal, request)
      const after = cursor == null ? undefined : Number(cursor)
      const texts = { id, arguments: JSON.stringify(input), url, secret }
      const stored = await openStub(namespace, name).subscribe({
        ...texts,
        subscriber: toSubscriber(principal),
        cursor: after,
        ttlMs: limitTtl(principal, ttlMs),
        maxAgeMs,
      })
      if (stored === 'limit-reached') return LIMIT_REACHED
      if ('reason' in stored) {
        const { reason, message } = stored
        return reason === 'address_refused'
          ? malformed(message)
          : { ok: false, failure: { type: 'callback-failed', reason, message } }
      }
      const { expires, ...grant } = stored
      const refreshBefore = expires === null ? null : new Date(expires).toISOString()
      return ok({ ...grant, id, refreshBefore, cursor: String(grant.cursor) })
    },

    unsubscribe: async (principal, key) => remove(principal, await createId(principal, key)),

    async poll(principal, { name, arguments: input, cursor }) {
      const filter = await checkRequest(principal, { name, arguments: input })
      if (!filter.ok) return filter
      if (!isCursor(cursor)) return NO_CURSOR
      const after = cursor == null ? undefined : Number(cursor)
      const { events, last, dropped } = await openStub(namespace, name).read(after)
      const page = events.flatMap(({ seq, body }) => {
        const event: Event = parseTrusted(body)
        return filter.value(event.data) ? [{ ...event, cursor: String(seq) }] : []
      })
      const reached = events.at(-1)?.seq ?? last
      const truncated = after !== undefined && after < dropped
      const hasMore = reached < last
      return ok({ events: page, cursor: String(reached), truncated, hasMore, nextPollMs: hasMore ? 0 : POLL_MS })
    },

    async list(principal, cursor) {
      const all = (await sources.list(principal)).filter(({ name }) => name > (cursor ?? ''))
      const page = all.toSorted((first, second) => (first.name < second.name ? -1 : 1)).slice(0, MAX_SOURCES)
      const lists = page.map(async ({ name }) =>
        (await openStub(namespace, name).list(principal.id)).map((own) => ({
          ...own,
          name,
          arguments: JSON.parse(own.arguments),
        })),
      )
      const subscriptions = (await Promise.all(lists)).flat()
      const next = page.length < all.length ? page.at(-1) : undefined
      return { subscriptions, ...(next && { cursor: next.name }) }
    },

    find: (principal, id) => withOwn(principal, id, async (_, own) => own),
    remove,
    listDeadLetters: (principal, id) => withOwn(principal, id, (events) => events.listDeadLetters(id)),
    async resend(principal, id, event) {
      const own = await withOwn(principal, id, async (_, found) => found)
      const checked = own.ok ? await checkRequest(principal, own.value) : own
      return checked.ok ? withOwn(principal, id, (events) => events.resend(id, event)) : checked
    },
  }
}

const MAX_URL_CHARACTERS = 2_048
const MAX_AGE_MS = 3_650 * DAY_MS
const NO_CURSOR = malformed("'cursor' must be one that was returned before")
const LIMIT_REACHED = {
  ok: false,
  failure: { type: 'limit-reached', message: 'There are too many subscriptions to this source: delete one' },
} as const

function isCursor(cursor: string | null | undefined): boolean {
  return cursor == null || /^\d{1,15}$/.test(cursor)
}

function malformed(message: string): FailureResult {
  return fail({ type: 'request-malformed', message })
}
