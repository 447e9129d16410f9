import type { Hono } from 'hono'
import { CALLBACK_URL, CURSOR, SECRET, type Subscriptions } from '../../core/event/subscription.ts'
import { ok } from '../../core/failure/failure.ts'
import { anyObject, integer, nullable, object, optional, string } from '../../core/tool/json-reader.ts'
import { jsonBody } from '../../http/request/json-body.ts'
import { defineQuery } from '../../http/request/query.ts'
import { itemList, json, jsonRef, pageSchema } from '../../http/route/response-specs.ts'
import { CALLER_ROUTE, createRouter, type RouteDeps } from '../../http/route/router.ts'

interface SubscriptionsRoutesDeps extends RouteDeps {
  readonly loadSubscriptions: () => Promise<Subscriptions>
}

const MAX_TTL_SECONDS = 366 * 86_400
const GRANT = jsonRef('The granted subscription', 'SubscriptionGrant')
const pageQuery = defineQuery({ cursor: optional(string({ min: 1, max: 256 })) })
const eventQuery = defineQuery({ cursor: optional(CURSOR, 0) })
const body = jsonBody(
  object({
    name: string({ min: 1, max: 129 }),
    arguments: optional(anyObject, {}),
    url: CALLBACK_URL,
    secret: SECRET,
    cursor: optional(CURSOR),
    ttl_seconds: optional(nullable(integer(1, MAX_TTL_SECONDS)), null),
  }),
)

/** Callers see only their own subscriptions. */
export function createSubscriptionsRoutes({ loadSubscriptions, ...deps }: SubscriptionsRoutesDeps): Hono {
  const { router, on } = createRouter(deps)

  on('PUT /subscriptions', 'Subscribe to an event source, or refresh a subscription', {
    ...CALLER_ROUTE,
    auditAction: 'subscription.put',
    body,
    responses: { 200: GRANT, 201: GRANT },
  })(async ({ principal, body: { ttl_seconds, ...request }, addAuditDetails }) => {
    addAuditDetails({ source: request.name })
    const ttlMs = ttl_seconds === null ? null : ttl_seconds * 1_000
    const grant = await (await loadSubscriptions()).subscribe(principal, { ...request, ttlMs })
    if (!grant.ok) return grant
    const { id, cursor, truncated, refreshBefore, isNew, isChanged } = grant.value
    addAuditDetails(isChanged ? { subscription: id } : null)
    return { ...ok({ id, refresh_before: refreshBefore, cursor, truncated }), status: isNew ? 201 : 200 }
  })

  on('GET /subscriptions', 'List your subscriptions', {
    ...CALLER_ROUTE,
    query: pageQuery,
    responses: { 200: json('A page, possibly empty', pageSchema('Subscription')) },
  })(async ({ principal, query: { cursor } }) => {
    const page = await (await loadSubscriptions()).list(principal, cursor)
    return ok({ items: page.subscriptions, ...(page.cursor === undefined ? {} : { next_cursor: page.cursor }) })
  })

  on('DELETE /subscriptions/:id', 'Delete a subscription', {
    ...CALLER_ROUTE,
    auditAction: 'subscription.remove',
  })(async ({ principal, path: { id }, addAuditDetails }) => {
    addAuditDetails({ subscription: id.slice(0, 200) })
    return (await loadSubscriptions()).remove(principal, id)
  })

  on('GET /subscriptions/:id/events', 'Read the events of a subscription', {
    ...CALLER_ROUTE,
    query: eventQuery,
    responses: { 200: jsonRef('The events after the cursor', 'EventPage') },
  })(async ({ principal, path: { id }, query: { cursor } }) => {
    const subscriptions = await loadSubscriptions()
    const subscription = await subscriptions.find(principal, id)
    if (!subscription.ok) return subscription
    const page = await subscriptions.poll(principal, { ...subscription.value, cursor })
    if (!page.ok) return page
    const { hasMore: has_more, nextPollMs: next_poll_ms, ...events } = page.value
    return ok({ ...events, has_more, next_poll_ms })
  })

  on('GET /subscriptions/:id/dead-letters', 'List undelivered events', {
    ...CALLER_ROUTE,
    responses: { 200: itemList('Oldest first', 'DeadLetter') },
  })(async ({ principal, path: { id } }) => {
    const items = await (await loadSubscriptions()).listDeadLetters(principal, id)
    return items.ok ? ok({ items: items.value }) : items
  })

  on('POST /subscriptions/:id/dead-letters/:event', 'Resend an undelivered event', {
    ...CALLER_ROUTE,
    auditAction: 'subscription.resend',
  })(async ({ principal, path: { id, event } }) => (await loadSubscriptions()).resend(principal, id, event))

  return router
}
