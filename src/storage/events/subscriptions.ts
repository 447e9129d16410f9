import { createEventFilter } from '../../core/event/event-filter.ts'
import { encodeEvent, type Event, type EventLog, MAX_EVENT_BYTES } from '../../core/event/event.ts'
import type { EventSource } from '../../core/event/event-source.ts'
import {
  findSubscriptionDenial,
  limitTtl,
  type Subscription,
  type SubscriptionKey,
  type Subscriptions,
  toSubscriber,
} from '../../core/event/subscription.ts'
import type { Principal } from '../../core/access/principal.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import { canonicalJson } from '../../core/tool/digest.ts'
import type { SettingStore } from '../../core/tool/precondition.ts'
import { parseTrusted } from '../../core/tool/json-text.ts'
import { createReliableStub } from '../reachable-stub.ts'
import { sha256 } from '../sealing/sha256.ts'
import { readSource } from './delivery.ts'
import type { EventsObject } from './events-object.ts'

/** `waitMs` is longer than a callback may take. */
const REACH = { what: 'events', waitMs: 30_000, neverRetried: ['resend'] } as const
/** Sources queried for one page. */
const MAX_SOURCES = 50
const POLL_MS = 5_000
const MAX_CURSOR = 999_999_999_999_999

export function createEvents(
  namespace: DurableObjectNamespace<EventsObject>,
  sources: Pick<SettingStore<EventSource>, 'find' | 'list'>,
): EventLog & Subscriptions {
  const openSource = (name: string) => createReliableStub(() => namespace.getByName(name), REACH)

  /** Returns the filter of a subscription, or the reason why the principal may not subscribe. */
  async function checkRequest(principal: Principal, { name, arguments: input }: Omit<SubscriptionKey, 'url'>) {
    return findSubscriptionDenial(principal, name, await sources.find(name)) ?? createEventFilter(input)
  }

  async function createId({ id }: Principal, { name, arguments: input, url }: SubscriptionKey): Promise<string> {
    return `${name}~${(await sha256(canonicalJson([id, url, name, input]))).slice(0, 32)}`
  }

  async function listOwn(principal: string, source: string, id?: string): Promise<readonly Subscription[]> {
    return JSON.parse(await openSource(source).list(principal, id))
  }

  async function find({ id: principal }: Principal, id: string): Promise<Result<Subscription>> {
    const name = readSource(id)
    const [own] = (await sources.find(name)) ? await listOwn(principal, name, id) : []
    return own ? ok(own) : fail({ type: 'not-found', message: `Cannot find the subscription '${id.slice(0, 200)}'` })
  }

  async function remove(principal: Principal, id: string): Promise<Result<undefined>> {
    const own = await find(principal, id)
    return own.ok ? ok(await openSource(own.value.name).remove(id)) : own
  }

  async function listSources(principal: Principal): Promise<readonly EventSource[]> {
    return (await sources.list()).filter((source) => !findSubscriptionDenial(principal, source.id, source))
  }

  return {
    async publish(name, cause, data) {
      const id = `evt_${(await sha256(`${name}\n${cause}`)).slice(0, 48)}`
      const event = { id, name, timestamp: new Date().toISOString(), data }
      const size = new TextEncoder().encode(encodeEvent(event, MAX_CURSOR)).length
      if (size > MAX_EVENT_BYTES) return fail({ type: 'body-too-large', limit: MAX_EVENT_BYTES, size })
      const added = await openSource(name).accept([{ id, body: JSON.stringify(event) }])
      return ok({ id, isNew: added > 0 })
    },

    clear: (source) => openSource(source).clear(),
    listSources,

    async subscribe(principal, { name, ...request }) {
      const checked = await checkRequest(principal, { name, ...request })
      if (!checked.ok) return checked
      const id = await createId(principal, { name, ...request })
      const subscriber = toSubscriber(principal, Date.now())
      const granted = { ...request, id, subscriber, ttlMs: limitTtl(principal, request.ttlMs) }
      return openSource(name).subscribe(granted)
    },

    createId,

    async poll(principal, { name, arguments: input, cursor: after }) {
      const filter = await checkRequest(principal, { name, arguments: input })
      if (!filter.ok) return filter
      const { events, last, dropped } = await openSource(name).read(after)
      const page = events.flatMap(({ seq, body }) => {
        const event: Event = parseTrusted(body)
        return filter.value(event.data) ? [{ ...event, cursor: String(seq) }] : []
      })
      const reached = events.at(-1)?.seq ?? last
      const truncated = after !== undefined && after < dropped
      const hasMore = reached < last
      return ok({ events: page, cursor: String(reached), truncated, hasMore, nextPollMs: hasMore ? 0 : POLL_MS })
    },

    async list(principal, cursor = '') {
      const listed = (await listSources(principal)).map(({ id }) => id).filter((id) => id > cursor)
      const page = listed.toSorted().slice(0, MAX_SOURCES)
      const lists = await Promise.all(page.map((name) => listOwn(principal.id, name)))
      const next = page.length < listed.length ? page.at(-1) : undefined
      return { subscriptions: lists.flat(), ...(next !== undefined && { cursor: next }) }
    },

    find,
    remove,

    async listDeadLetters(principal, id) {
      const own = await find(principal, id)
      return own.ok ? ok(await openSource(own.value.name).listDeadLetters(id)) : own
    },

    async resend(principal, id, event) {
      const own = await find(principal, id)
      const checked = own.ok ? await checkRequest(principal, own.value) : own
      if (!checked.ok) return checked
      return openSource(readSource(id)).resend(id, event)
    },
  }
}
