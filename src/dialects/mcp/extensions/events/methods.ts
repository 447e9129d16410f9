import type { AuditAction, WriteAuditEvent } from '../../../../core/access/audit-entry.ts'
import { ARGUMENTS_SCHEMA } from '../../../../core/event/event-filter.ts'
import { CALLBACK_URL, CURSOR, SECRET, type Subscriptions } from '../../../../core/event/subscription.ts'
import { type Failure, ok, type Result } from '../../../../core/failure/failure.ts'
import type { Json, JsonObject } from '../../../../core/tool/json.ts'
import * as json from '../../../../core/tool/json-reader.ts'
import { formatReadError } from '../../../../core/tool/problem.ts'
import { HOUR_MS } from '../../../../core/tool/time.ts'
import { writeAudit } from '../../../../http/route/audit.ts'
import { formatFailure } from '../../failure.ts'
import { toMcpFailure } from '../../failure-response.ts'
import { restrictToToolset } from '../../toolset.ts'
import type { McpExchange } from '../../tools-call.ts'
import { invalid, INVALID_PARAMS, type McpError, type McpResult } from '../../wire.ts'

/** SEP-3415, "Errors". */
const EXHAUSTED = -32013
const UNSUPPORTED = -32014
const CALLBACK_FAILED = -32015
const CODES: Partial<Record<Failure['type'], number>> = {
  'not-found': -32011,
  'forbidden': -32012,
  'conflict': EXHAUSTED,
  'request-malformed': INVALID_PARAMS,
  'input-invalid': INVALID_PARAMS,
  'select-invalid': INVALID_PARAMS,
}
const NO_OTHER_DELIVERY = "Events are delivered by 'webhook' or read by 'events/poll'"
const MIN_TTL_MS = 60_000
const DEFAULT_TTL_MS = HOUR_MS / 2
const MAX_TTL_MS = HOUR_MS

const NAMED = { name: json.string({ max: 129 }), arguments: json.nullish(json.anyObject, {}) }
const CALLBACK = { url: CALLBACK_URL, mode: json.enumReader(['webhook']) }
const TTL = json.transform(json.nullable(json.integer(1, Number.MAX_SAFE_INTEGER)), (ttlMs) =>
  ttlMs === null ? null : Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS),
)
const LIST = json.looseObject({})
const SUBSCRIBE = json.looseObject({
  ...NAMED,
  delivery: json.looseObject({ ...CALLBACK, secret: SECRET }),
  cursor: json.nullish(CURSOR),
  ttlMs: json.optional(TTL, DEFAULT_TTL_MS),
  maxAgeMs: json.nullish(json.integer(0, Number.MAX_SAFE_INTEGER)),
})
const UNSUBSCRIBE = json.looseObject({ ...NAMED, delivery: json.looseObject(CALLBACK) })
const POLL = json.looseObject({ ...NAMED, cursor: json.nullish(CURSOR) })

export type EventMethodDeps = { readonly subscriptions: Subscriptions; readonly writeAuditEntry: WriteAuditEvent }

export const EVENT_METHODS = {
  list: defineMethod(LIST, async (_, { context }, { subscriptions }) => {
    const listed = await subscriptions.listSources(restrictToToolset(context.principal, context.toolset))
    const events = listed.map(({ id: name, description, payload_schema: payloadSchema }) => {
      return { name, description, delivery: ['webhook', 'poll'], inputSchema: ARGUMENTS_SCHEMA, payloadSchema }
    })
    return ok({ events })
  }),

  subscribe: defineMethod(SUBSCRIBE, async ({ delivery, ...request }, exchange, deps) => {
    const { url, secret } = delivery
    const granted = await deps.subscriptions.subscribe(exchange.context.principal, { ...request, url, secret })
    const about = { source: request.name, ...(granted.ok && { subscription: granted.value.id }) }
    if (!granted.ok || granted.value.isChanged) audit('subscription.put', granted, about, exchange, deps)
    if (!granted.ok) return granted
    const { id, refreshBefore, cursor, truncated } = granted.value
    return ok({ id, refreshBefore, cursor, truncated })
  }),

  unsubscribe: defineMethod(UNSUBSCRIBE, async ({ delivery: { url }, ...key }, exchange, deps) => {
    const { principal } = exchange.context
    const id = await deps.subscriptions.createId(principal, { ...key, url })
    const removed = await deps.subscriptions.remove(principal, id)
    audit('subscription.remove', removed, { subscription: id }, exchange, deps)
    return removed.ok ? ok({}) : removed
  }),

  poll: defineMethod(POLL, async (params, { context }, { subscriptions }) => {
    const page = await subscriptions.poll(context.principal, params)
    if (!page.ok) return page
    const events = page.value.events.map(({ id, ...event }) => ({ eventId: id, ...event }))
    return ok({ ...page.value, events })
  }),
}

function defineMethod<T>(
  reader: json.Reader<T>,
  run: (params: T, exchange: McpExchange, deps: EventMethodDeps) => Promise<Result<object>>,
) {
  return async (params: JsonObject, exchange: McpExchange, deps: EventMethodDeps): Promise<McpResult> => {
    const read = json.parseValue(reader, params)
    if (!read.ok && read.problems.some(({ path }) => path === '/delivery/mode'))
      return createError(UNSUPPORTED, NO_OTHER_DELIVERY)
    if (!read.ok) return invalid(formatReadError('the params', read.problems))
    const result = await run(read.value, exchange, deps)
    return result.ok ? exchange.revision.createResult(result.value) : toError(result.failure, exchange)
  }
}

/** Writes the same audit event as a request to `/subscriptions`. Refusals of strangers are not written. */
function audit(
  act: AuditAction,
  result: Result<unknown>,
  about: JsonObject,
  { context: { principal, request, background } }: McpExchange,
  { writeAuditEntry }: EventMethodDeps,
): void {
  if (principal.kind === 'anonymous') return
  const outcome = result.ok ? 'success' : result.failure.type
  const c = { req: { raw: request }, executionCtx: { waitUntil: background } }
  writeAudit(c, writeAuditEntry, Date.now(), { act, principal, outcome, status: 200, about })
}

function toError(failure: Failure, { revision }: McpExchange): McpResult {
  if (failure.type === 'conflict' && failure.reason)
    return createError(CALLBACK_FAILED, failure.message, { reason: failure.reason })
  const code = CODES[failure.type]
  return code === undefined ? toMcpFailure(failure, revision) : createError(code, formatFailure(failure))
}

function createError(code: number, message: string, data?: Json): McpError {
  return { kind: 'error', code, message, status: 200, ...(data === undefined ? {} : { data }) }
}
