import type { Hono } from 'hono'
import type { EventLog } from '../../../core/event/event.ts'
import { EVENT_SOURCE, type EventSource, type EventSourceSettings } from '../../../core/event/event-source.ts'
import { fail, ok } from '../../../core/failure/failure.ts'
import { isToolPattern } from '../../../core/tool/tool-id.ts'
import { stringMatching } from '../../../core/tool/json-reader.ts'
import type { Problem } from '../../../core/tool/problem.ts'
import type { SettingStore } from '../../../core/tool/precondition.ts'
import { jsonBody } from '../../../http/request/json-body.ts'
import { itemList, jsonRef, withEtag } from '../../../http/route/response-specs.ts'
import {
  ADMIN_ROUTE,
  createRouter,
  etag,
  notFound,
  PRECONDITION_FAILED,
  type RouteDeps,
} from '../../../http/route/router.ts'

interface EventSourcesRoutesDeps extends RouteDeps {
  readonly store: SettingStore<EventSource>
  readonly loadEvents: () => Promise<Pick<EventLog, 'clear'>>
  readonly findSettingsProblem: (settings: EventSourceSettings) => Promise<Problem | undefined>
}

const NAME = stringMatching("a name such as 'GitHub.Push'", (text) => isToolPattern(text) && !text.includes('*'))
const what = 'event source'
const OTHER_USER = 'The user of an event source cannot change: create another source'

export function createEventSourcesRoutes({
  store,
  loadEvents,
  findSettingsProblem,
  ...deps
}: EventSourcesRoutesDeps): Hono {
  const { router, on } = createRouter(deps)
  const findSource = async (id: string) => (await store.list()).find((listed) => listed.id === id)
  const ONE = { ...ADMIN_ROUTE, path: { id: NAME } } as const

  on('GET /event-sources', 'List event sources', {
    ...ADMIN_ROUTE,
    responses: { 200: itemList('All event sources', 'EventSource') },
  })(async () => ok({ items: await store.list() }))

  on('GET /event-sources/:id', 'Get an event source', {
    ...ONE,
    responses: { 200: withEtag(jsonRef('The event source', 'EventSource')) },
  })(async ({ path: { id } }) => {
    const source = await findSource(id)
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
    const before = await findSource(id)
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

  return router
}
