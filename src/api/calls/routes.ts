import type { Hono } from 'hono'
import type { RecordPage, RecordReader } from '../../core/call/recorded-calls.ts'
import { covers } from '../../core/access/principal.ts'
import { identifier } from '../../core/call/call-options.ts'
import type { Task } from '../../core/task/task.ts'
import type { TaskManager } from '../../core/task/tasks.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import { parseToolId } from '../../core/tool/tool-id.ts'
import { DAY_MS, HOUR_MS } from '../../core/tool/time.ts'
import { jsonRef, mediaTypeOnly } from '../../http/route/response-specs.ts'
import { jsonTextResponse } from '../../http/response/json-response.ts'
import { CALLER_ROUTE, createRouter, NO_INPUT, notFound, type RouteDeps } from '../../http/route/router.ts'
import {
  auditQuery,
  callQuery,
  callsQuery,
  encodePage,
  encodeTime,
  toCallFilter,
  toOwnFilter,
  type RecordAnswers,
  usageQuery,
} from './wire.ts'

interface CallsRoutesDeps extends RouteDeps {
  readonly records: RecordReader
  readonly tasks: TaskManager
  readonly encodeTask: (task: Task) => object
  readonly version: string
  readonly now: () => number
}

const CURSOR_UNKNOWN = fail({
  type: 'request-malformed',
  message: "Cannot read the query: 'cursor' must be the 'next_cursor' of an answer to the same query",
})
const TOO_MANY = fail({
  type: 'request-malformed',
  message: "There are more groups than one answer holds: ask for less time, or for fewer things with 'by'",
})

/** Without the scope `records:read`, callers see only calls that they made, and people also calls made for them. */
export function createCallsRoutes({ records, tasks, encodeTask, version, now, ...deps }: CallsRoutesDeps): Hono {
  const { router, on } = createRouter<RecordAnswers>(deps)
  const AUDITOR = { scope: 'records:read', ...NO_INPUT } as const

  on('GET /calls', 'List calls', {
    ...NO_INPUT,
    query: callsQuery,
    responses: { 200: jsonRef('Newest first', 'Calls') },
  })(async ({ principal, query: { limit, cursor, ...filters } }) => {
    const filter = toCallFilter(filters, now())
    return filter.ok
      ? encodePageResult(await records.calls({ ...filter.value, ...toOwnFilter(principal) }, limit, cursor))
      : filter
  })

  on('GET /calls/:id', 'Get a call', {
    ...NO_INPUT,
    query: callQuery,
    path: { id: identifier },
    responses: {
      200: jsonRef('The asynchronous call, or the newest call with this id', 'CallState'),
    },
  })(async ({ principal, path: { id }, query: { at, wait, updated_at: updatedAt } }) => {
    const found = at === undefined ? await tasks.get(id, principal, wait, updatedAt) : ok(undefined)
    if (!found.ok) return found
    if (found.value) return jsonTextResponse(JSON.stringify(encodeTask(found.value)))
    const times = toCallFilter(at === undefined ? {} : { since: at, until: at + 1 }, now())
    if (!times.ok) return times
    const record = await records.findCall({ ...times.value, call_id: id, ...toOwnFilter(principal) })
    if (!record) return notFound('call', id)
    const toolName = parseToolId(record.tool)
    // A narrower credential of the same principal may not read the tool's output
    const mayRead = toolName !== undefined && covers(principal, toolName, 'tools:call')
    const content = mayRead ? await records.findContent(principal.id, record) : undefined
    return ok({ ...encodeTime(record), ...(content && { content }) })
  })

  on('DELETE /calls/:id', 'Cancel an asynchronous call', {
    ...CALLER_ROUTE,
    path: { id: identifier },
    auditAction: 'call.cancel',
  })(async ({ principal, path: { id } }) => {
    const cancelled = await tasks.cancel(id, principal)
    if (!cancelled.ok) return cancelled
    return cancelled.value ? ok(undefined) : notFound('call', id)
  })

  on('GET /audit', 'List audit log entries', {
    ...AUDITOR,
    query: auditQuery,
    responses: { 200: jsonRef('Newest first', 'AuditLog') },
  })(async ({ query: { limit, cursor, ...filters } }) => {
    const filter = toCallFilter(filters, now())
    return filter.ok ? encodePageResult(await records.auditEvents(filter.value, limit, cursor)) : filter
  })

  on('GET /usage', 'Get usage: calls, failures and durations', {
    ...NO_INPUT,
    query: usageQuery,
    responses: { 200: jsonRef('Usage by group', 'Usage') },
  })(async ({ principal, query: { by, ...filters } }) => {
    // The current hour is counted in addition to the last 24
    const filter = toCallFilter(filters, now(), filters.until === undefined ? DAY_MS + HOUR_MS : DAY_MS)
    if (!filter.ok) return filter
    const { since, until } = filter.value
    const report = await records.usage({ ...filter.value, ...toOwnFilter(principal) }, by)
    if (!report) return TOO_MANY
    // Whole hours are counted, including the current one
    const end = Math.ceil(Math.min(until, now()) / HOUR_MS) * HOUR_MS
    const times = { since: new Date(since - (since % HOUR_MS)).toISOString(), until: new Date(end).toISOString() }
    return ok({ ...times, by, items: report.items, lost: report.lost })
  })

  on('GET /metrics', "Get today's metrics for Prometheus", {
    ...AUDITOR,
    responses: {
      200: mediaTypeOnly("Metrics as Prometheus text, or as OpenMetrics 1.0 if 'Accept' names that", 'text/plain'),
    },
  })(async ({ c }) => {
    const { answerMetrics } = await import('./metrics.ts')
    return answerMetrics(await records.metrics(), version, c.req.raw.headers.get('accept'))
  })

  return router
}

function encodePageResult<T extends { readonly at: number }>(recordPage: RecordPage<T> | undefined) {
  return recordPage ? ok(encodePage(recordPage)) : CURSOR_UNKNOWN
}
