import type { Hono } from 'hono'
import { ANONYMOUS } from '../../core/access/principal.ts'
import type { CallLimiter } from '../../core/call/call-limiter.ts'
import { type EventLog, MAX_EVENT_BYTES } from '../../core/event/event.ts'
import {
  EVENT_SOURCE,
  type EventSource,
  type EventSourceSettings,
  type SignatureScheme,
} from '../../core/event/event-source.ts'
import { fail, type FailureResult, ok } from '../../core/failure/failure.ts'
import { isJsonObject } from '../../core/tool/json.ts'
import { stringMatching } from '../../core/tool/json-reader.ts'
import type { SettingStore } from '../../core/tool/precondition.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { isToolPattern } from '../../core/tool/tool-id.ts'
import { readBytes, readJsonText } from '../../http/request/body.ts'
import { type Body, jsonBody } from '../../http/request/json-body.ts'
import { ANY_QUERY } from '../../http/request/query.ts'
import { CALL_COPIES } from '../../http/request/request-memory.ts'
import { verifyDelivery } from '../../http/request/signed-delivery.ts'
import type { RouteContext } from '../../http/route/authorizer.ts'
import { itemList, json, jsonRef, objectSchema, TEXT, withEtag } from '../../http/route/response-specs.ts'
import {
  ADMIN_ROUTE,
  createRouter,
  etag,
  notFound,
  PRECONDITION_FAILED,
  type RouteDeps,
} from '../../http/route/router.ts'

interface EventsRoutesDeps extends RouteDeps {
  readonly store: SettingStore<EventSource>
  readonly loadEvents: () => Promise<EventLog>
  readonly findSettingsProblem: (settings: EventSourceSettings) => Promise<Problem | undefined>
  readonly readSecret: (name: string) => string | undefined
  readonly limiter: CallLimiter
  readonly limitAnonymous: (c: RouteContext) => FailureResult | undefined
  readonly now: () => number
}

const NAME = stringMatching("a name such as 'GitHub.Push'", (text) => isToolPattern(text) && !text.includes('*'))
const what = 'event source'
const OTHER_USER = 'The user of an event source cannot change: create another source'
/** A missing source, or one without a secret, gets the same response as a wrong signature. */
const SIGNATURE_DENIAL = fail({
  type: 'unauthenticated',
  reason: 'The signature is invalid or expired',
})
const ID = objectSchema({ id: TEXT })
const KNOWN = objectSchema({ 'id?': TEXT, 'challenge?': TEXT })
const SIGNED_BODY: Body<Uint8Array<ArrayBuffer>> = {
  copies: CALL_COPIES,
  read: (request, _, memory) => readBytes(request, { mediaType: 'application/json', limit: MAX_EVENT_BYTES, memory }),
}
/** The field of the body that contains the event's id. */
const ID_FIELDS: Partial<Record<SignatureScheme, string>> = { stripe: 'id', slack: 'event_id' }

/** Event sources, which administrators manage, and the webhooks that other servers send to them. */
export function createEventsRoutes({ store, loadEvents, findSettingsProblem, ...deps }: EventsRoutesDeps): Hono {
  const { readSecret, limiter, limitAnonymous, respond, now } = deps
  const { router, on } = createRouter(deps)
  const ONE = { ...ADMIN_ROUTE, path: { id: NAME } } as const

  on('GET /event-sources', 'List event sources', {
    ...ADMIN_ROUTE,
    responses: { 200: itemList('All event sources', 'EventSource') },
  })(async () => ok({ items: await store.list() }))

  on('GET /event-sources/:id', 'Get an event source', {
    ...ONE,
    responses: { 200: withEtag(jsonRef('The event source', 'EventSource')) },
  })(async ({ path: { id } }) => {
    const source = await store.findNewest(id)
    return source ? { ...ok(source), headers: etag(source) } : notFound(what, id)
  })

  on('PUT /event-sources/:id', 'Create or replace an event source', {
    ...ONE,
    auditAction: 'event-source.put',
    supportsIfMatch: true,
    body: jsonBody(EVENT_SOURCE, { what }),
    responses: {
      200: withEtag(jsonRef('The replaced event source', 'EventSource')),
      201: withEtag(jsonRef('The new event source', 'EventSource')),
    },
  })(async ({ path: { id }, body, precondition }) => {
    const problem = await findSettingsProblem(body)
    if (problem) return fail({ type: 'definition-invalid', what, problems: [problem] })
    const source = { id, ...body }
    const before = await store.findNewest(id)
    if (before && before.user_id !== source.user_id) return fail({ type: 'conflict', message: OTHER_USER })
    if (!before) await (await loadEvents()).clear(id)
    const result = await store.put(source, precondition)
    if (result === 'precondition-failed') return PRECONDITION_FAILED
    return { ...ok(source), status: result === 'created' ? 201 : 200, headers: etag(source) }
  })

  on('DELETE /event-sources/:id', 'Delete an event source', {
    ...ONE,
    auditAction: 'event-source.remove',
    supportsIfMatch: true,
  })(async ({ path: { id }, precondition }) => {
    const result = await store.remove(id, precondition)
    if (result === 'precondition-failed') return PRECONDITION_FAILED
    if (result === 'removed') await (await loadEvents()).clear(id)
    return result === 'removed' ? ok(undefined) : notFound(what, id)
  })

  // Senders have no credential, but sign each delivery
  const authorize = async (c: RouteContext) => limitAnonymous(c) ?? ok(ANONYMOUS)
  const open = createRouter({ authorize, respond }, { access: 'public' })

  open.on('POST /events/:source', 'Receive a signed event', {
    query: ANY_QUERY,
    requestType: 'application/json',
    body: SIGNED_BODY,
    responses: { 200: json('Already stored, or a challenge', KNOWN), 202: json('Stored', ID) },
  })(async ({ c, path, body: bytes }) => {
    const source = await store.find(path.source)
    const secret = source?.kind === 'webhook' ? readSecret(source.secret_name) : undefined
    if (source?.kind !== 'webhook' || secret === undefined) return SIGNATURE_DENIAL
    const { id, signature: scheme, rate } = source
    const { headers } = c.req.raw
    const delivery = await verifyDelivery(source, secret, { headers, body: bytes, now: now() })
    if (!delivery) return SIGNATURE_DENIAL
    const permit = limiter.take([{ id: `event-source:${id}`, name: 'tool', limits: { rate } }], 0)
    if ('ok' in permit) return permit
    permit.end()
    const body = await readJsonText(new TextDecoder().decode(bytes))
    if (!body.ok) return body
    const fields = isJsonObject(body.value) ? body.value : { value: body.value }
    if (scheme === 'slack' && fields['type'] === 'url_verification' && typeof fields['challenge'] === 'string')
      return ok({ challenge: fields['challenge'] })
    const idField = ID_FIELDS[scheme]
    const bodyId = idField && fields[idField]
    const sentId = typeof bodyId === 'string' ? bodyId : delivery.id
    const cause = sentId ?? `signed ${new TextDecoder().decode(delivery.signed)}`
    // GitHub names the event only in a header
    const data = scheme === 'github' ? { event: headers.get('x-github-event'), ...fields } : fields
    const published = await (await loadEvents()).publish(id, cause, data)
    if (!published.ok) return published
    return { ...ok({ id: published.value.id }), status: published.value.isNew ? 202 : 200 }
  })

  return router.route('/', open.router)
}
