import { ARGUMENTS_SCHEMA } from '../../../../core/event/event-filter.ts'
import type { Subscriptions } from '../../../../core/event/subscription.ts'
import type { Failure, Result } from '../../../../core/failure/failure.ts'
import type { Json, JsonObject } from '../../../../core/tool/json.ts'
import * as json from '../../../../core/tool/json-reader.ts'
import { formatReadError } from '../../../../core/tool/problem.ts'
import { HOUR_MS } from '../../../../core/tool/time.ts'
import { formatFailure } from '../../failure.ts'
import { toMcpFailure } from '../../failure-response.ts'
import { restrictToToolset } from '../../toolset.ts'
import type { McpExchange } from '../../tools-call.ts'
import { invalid, INVALID_PARAMS, type McpError, type McpResult } from '../../wire.ts'

export type EventMethod = keyof typeof EVENT_METHODS

/** SEP-3415, "Errors". */
const EXHAUSTED = -32013
const UNSUPPORTED = -32014
const CALLBACK = -32015
const CODES: Partial<Record<Failure['type'], number>> = {
  'not-found': -32011,
  'forbidden': -32012,
  'rate-limited': EXHAUSTED,
  'conflict': EXHAUSTED,
  'request-malformed': INVALID_PARAMS,
  'input-invalid': INVALID_PARAMS,
  'select-invalid': INVALID_PARAMS,
}
const MIN_TTL_MS = 60_000
const DEFAULT_TTL_MS = HOUR_MS / 2
const MAX_TTL_MS = HOUR_MS

const TEXT = json.string({ max: 4_096 })
const NAMED = { name: TEXT, arguments: json.nullish(json.anyObject, {}) }
/** Of a mode that is not supported, only the mode is read. */
const DELIVERY = { mode: TEXT, url: json.nullish(TEXT) }
const LIST = json.looseObject({})
const SUBSCRIBE = json.looseObject({
  ...NAMED,
  delivery: json.looseObject({ ...DELIVERY, secret: json.nullish(json.hideValue(TEXT)) }),
  cursor: json.nullish(TEXT),
  ttlMs: json.optional(json.nullable(json.integer(1, Number.MAX_SAFE_INTEGER)), DEFAULT_TTL_MS),
  maxAgeMs: json.nullish(json.integer(0, Number.MAX_SAFE_INTEGER)),
})
const UNSUBSCRIBE = json.looseObject({ ...NAMED, delivery: json.looseObject(DELIVERY) })
const POLL = json.looseObject({ ...NAMED, cursor: json.nullish(TEXT) })

export const EVENT_METHODS = {
  list: defineMethod(LIST, async (_, { context }, subscriptions) => {
    const listed = await subscriptions.listSources(restrictToToolset(context.principal, context.toolset))
    const events = listed.map(({ id: name, description, payload_schema: payloadSchema }) => {
      return { name, description, delivery: ['webhook', 'poll'], inputSchema: ARGUMENTS_SCHEMA, payloadSchema }
    })
    return { ok: true, value: { events } }
  }),

  subscribe: defineMethod(SUBSCRIBE, async (params, { context }, subscriptions) => {
    const { delivery, ttlMs, maxAgeMs, ...request } = params
    const { url, secret } = delivery
    if (delivery.mode !== 'webhook') return unsupported(delivery.mode)
    if (url === undefined || secret === undefined) return invalid("'delivery' must have a 'url' and a 'secret'")
    const bounds = {
      ttlMs: ttlMs && Math.min(Math.max(ttlMs, MIN_TTL_MS), MAX_TTL_MS),
      ...(maxAgeMs !== undefined && { maxAgeMs }),
    }
    const granted = await subscriptions.subscribe(context.principal, { ...request, url, secret, ...bounds })
    if (!granted.ok) return granted
    const { id, refreshBefore, cursor, truncated } = granted.value
    return { ok: true, value: { id, refreshBefore, cursor, truncated } }
  }),

  unsubscribe: defineMethod(UNSUBSCRIBE, async ({ delivery, ...key }, { context }, subscriptions) => {
    const { mode, url } = delivery
    if (mode !== 'webhook') return unsupported(mode)
    if (url === undefined) return invalid("'delivery' must have a 'url'")
    const removed = await subscriptions.unsubscribe(context.principal, { ...key, url })
    return removed.ok ? { ok: true, value: {} } : removed
  }),

  poll: defineMethod(POLL, async (params, { context }, subscriptions) => {
    const page = await subscriptions.poll(context.principal, params)
    if (!page.ok) return page
    const events = page.value.events.map(({ id, ...event }) => ({ eventId: id, ...event }))
    return { ok: true, value: { ...page.value, events } }
  }),
}

type Outcome = Result<object> | McpError

function defineMethod<T>(
  reader: json.Reader<T>,
  run: (params: T, exchange: McpExchange, subscriptions: Subscriptions) => Promise<Outcome>,
) {
  return async (params: JsonObject, exchange: McpExchange, subscriptions: Subscriptions): Promise<McpResult> => {
    const read = json.parseValue(reader, params)
    if (!read.ok) return invalid(formatReadError('the params', read.problems))
    const outcome = await run(read.value, exchange, subscriptions)
    if ('kind' in outcome) return outcome
    return outcome.ok ? exchange.revision.createResult(outcome.value) : toError(outcome.failure, exchange)
  }
}

function toError(failure: Failure, { revision }: McpExchange): McpResult {
  if (failure.type === 'conflict' && failure.reason)
    return createError(CALLBACK, failure.message, { reason: failure.reason })
  const code = CODES[failure.type]
  return code === undefined ? toMcpFailure(failure, revision) : createError(code, formatFailure(failure))
}

function createError(code: number, message: string, data?: Json): McpError {
  return { kind: 'error', code, message, status: 200, ...(data === undefined ? {} : { data }) }
}

const unsupported = (mode: string) =>
  createError(
    UNSUPPORTED,
    `Events are delivered by 'webhook' or read by 'events/poll', and not by '${mode.slice(0, 100)}'`,
  )
