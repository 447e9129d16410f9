import { type Context, Hono } from 'hono'
import { ANONYMOUS } from '../../core/access/principal.ts'
import type { CallLimiter } from '../../core/call/call-limiter.ts'
import { type EventLog, MAX_EVENT_BYTES } from '../../core/event/event.ts'
import type { EventSource, SignatureScheme } from '../../core/event/event-source.ts'
import { fail, type FailureResult, ok, type Result } from '../../core/failure/failure.ts'
import { isJsonObject, type JsonObject } from '../../core/tool/json.ts'
import type { SettingStore } from '../../core/tool/precondition.ts'
import { readBytes, readJsonText } from '../../http/request/body.ts'
import { pathSegment } from '../../http/request/path-segment.ts'
import { ANY_QUERY } from '../../http/request/query.ts'
import { requestMemory } from '../../http/request/request-memory.ts'
import { verifyDelivery } from '../../http/request/signed-delivery.ts'
import { jsonTextResponse } from '../../http/response/json-response.ts'
import { getBackground, type RouteContext } from '../../http/route/authorizer.ts'
import { declareOperation } from '../../http/route/operation.ts'
import { json, objectSchema, TEXT } from '../../http/route/response-specs.ts'
import type { RouteDeps } from '../../http/route/router.ts'

interface EventsRoutesDeps extends Pick<RouteDeps, 'respond'> {
  readonly store: Pick<SettingStore<EventSource>, 'find'>
  readonly loadEvents: () => Promise<Pick<EventLog, 'publish'>>
  readonly readSecret: (name: string) => string | undefined
  readonly limiter: CallLimiter
  readonly limitAnonymous: (c: RouteContext) => FailureResult | undefined
  readonly now: () => number
}

/** A missing source, or one without a secret, gets the same response as a wrong signature. */
const SIGNATURE_DENIAL = fail({
  type: 'unauthenticated',
  reason: 'The signature is invalid or expired',
})
const ID = objectSchema({ id: TEXT })
const KNOWN = objectSchema({ 'id?': TEXT, 'challenge?': TEXT })
/** The field of the body that contains the event's id. */
const ID_FIELDS: Partial<Record<SignatureScheme, string>> = { stripe: 'id', slack: 'event_id' }

/** Receives webhooks from other servers. Order: address → body → source → signature → rate → JSON → store → response. */
export function createEventsRoutes({ store, loadEvents, readSecret, limiter, ...deps }: EventsRoutesDeps): Hono {
  const { respond, limitAnonymous, now } = deps

  async function receive(c: Context): Promise<Result<{ status: number; body: JsonObject }>> {
    const request = c.req.raw
    const name = limitAnonymous(c) ?? pathSegment(c.req.url, 2)
    if (!name.ok) return name
    const memory = requestMemory.open({ principal: ANONYMOUS, request, background: getBackground(c) })
    try {
      const bytes = await readBytes(request, { mediaType: 'application/json', limit: MAX_EVENT_BYTES, memory })
      if (!bytes.ok) return bytes
      const source = await store.find(name.value)
      const secret = source?.kind === 'webhook' ? readSecret(source.secret_name) : undefined
      if (source?.kind !== 'webhook' || secret === undefined) return SIGNATURE_DENIAL
      const { id, signature: scheme, rate } = source
      const { headers } = request
      const delivery = await verifyDelivery(source, secret, { headers, body: bytes.value, now: now() })
      if (!delivery) return SIGNATURE_DENIAL
      const permit = limiter.take([{ id: `event-source:${id}`, name: 'tool', limits: { rate } }], 0)
      if ('ok' in permit) return permit
      permit.end()
      const body = await readJsonText(new TextDecoder().decode(bytes.value))
      if (!body.ok) return body
      const fields = isJsonObject(body.value) ? body.value : { value: body.value }
      if (scheme === 'slack' && fields['type'] === 'url_verification' && typeof fields['challenge'] === 'string')
        return ok({ status: 200, body: { challenge: fields['challenge'] } })
      const idField = ID_FIELDS[scheme]
      const bodyId = idField && fields[idField]
      const sentId = typeof bodyId === 'string' ? bodyId : delivery.id
      const cause = sentId ?? `signed ${new TextDecoder().decode(delivery.signed)}`
      // GitHub names the event only in a header
      const data = scheme === 'github' ? { event: headers.get('x-github-event'), ...fields } : fields
      const published = await (await loadEvents()).publish(id, cause, data)
      if (!published.ok) return published
      return ok({ status: published.value.isNew ? 202 : 200, body: { id: published.value.id } })
    } finally {
      memory.release()
    }
  }

  return new Hono().post(
    '/events/:source',
    declareOperation(
      {
        summary: 'Receive a signed event',
        query: ANY_QUERY,
        requestType: 'application/json',
        responses: { 200: json('Already stored, or a challenge', KNOWN), 202: json('Stored', ID) },
      },
      async (c: Context) => {
        const result = await receive(c)
        if (!result.ok) return respond(result.failure)
        return jsonTextResponse(JSON.stringify(result.value.body), result.value.status, { 'cache-control': 'no-store' })
      },
    ),
  )
}
