import type { Caller } from '../../core/call/call-request.ts'
import { type CallContext, NO_CONTEXT } from '../../core/call/requirements.ts'
import { type FailureResult, type Failure, fail, ok, type Result } from '../../core/failure/failure.ts'
import { CALL_UNITS, createBudget } from '../../core/tool/budget.ts'
import type { Reader } from '../../core/tool/json-reader.ts'
import { readJson } from '../request/body.ts'
import { MEMORY_FULL, requestMemory } from '../request/request-memory.ts'
import { readQuery } from '../request/query.ts'
import type { ResponseSpec } from './response-specs.ts'
import { getBackground, type Authorize, type RouteContext } from './authorizer.ts'
import { declareOperation, type Operation } from './operation.ts'

export const MAX_CALL_BYTES = 4 * 1024 * 1024

/** W3C Trace Context, section 3.2. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

export interface IncomingCall<Q = unknown> {
  readonly request: Request
  readonly caller: Caller
  readonly query: Q
  readonly body: unknown
}

export interface CallRoute<Q> extends Pick<Operation<Q>, 'summary' | 'query' | 'failures'> {
  readonly dialect: string
  readonly reader: Reader<unknown>
  readonly response: ResponseSpec
  /** 202, if callers need not wait for the result. */
  readonly accepted?: ResponseSpec
  /** Rejects a request for its headers before its query and body are read. */
  readonly checkHeaders?: (headers: Headers) => FailureResult | undefined
  readonly respond: (failure: Failure, request: Request) => Response
}

/**
 * The route of calls in every dialect but MCP: authorize → headers → query → memory → body → `handle`. No input is checked
 * before the caller is authorized.
 */
export function createCallRoute<Q>(
  authorize: Authorize,
  { dialect, reader, response, accepted, checkHeaders, respond, ...operation }: CallRoute<Q>,
  handle: (call: IncomingCall<Q>) => Promise<Response>,
): (c: RouteContext) => Promise<Response> {
  const callOperation = {
    ...operation,
    scope: 'tools:call',
    body: { reader: () => reader },
    responses: { 200: response, ...(accepted && { 202: accepted }) },
  } as const
  return declareOperation(callOperation, async (c: RouteContext) => {
    const request = c.req.raw
    const principal = await authorize(c, 'tools:call')
    if (!principal.ok) return respond(principal.failure, request)
    const { url, headers } = request
    const query =
      checkHeaders?.(headers) ?? (url.includes('?') ? readQuery(operation.query, url) : operation.query.emptyResult)
    if (!query.ok) return respond(query.failure, request)
    const owner = { principal: principal.value, request, background: getBackground(c) }
    if (requestMemory.isFull(owner)) return respond(MEMORY_FULL.failure, request)
    // `untilRead` holds the memory of the answer until it is read; `release` frees that of the body
    const memory = requestMemory.open(owner)
    try {
      const body = await readJson(request, { limit: MAX_CALL_BYTES, memory })
      if (!body.ok) return respond(body.failure, request)
      const origin = { ...owner, background: memory.background, budget: createBudget(CALL_UNITS) }
      const caller = createCaller(origin, dialect)
      return memory.untilRead(await handle({ request, caller, query: query.value, body: body.value }))
    } finally {
      memory.release()
    }
  })
}

const MAX_ID_CHARACTERS = 256

const NO_CALL_CONTEXT = ok(NO_CONTEXT)
const NO_CALL_ID = ok({})

export function readCallContext({ headers }: Request): Result<CallContext> {
  const userId = readIdHeader(headers, 'X-User-Id')
  if (userId === undefined) return NO_CALL_CONTEXT
  return userId.ok ? ok({ ...NO_CONTEXT, userId: userId.value }) : userId
}

export function readIdempotencyKey({ headers }: Request): Result<{ readonly callId?: string }> {
  const callId = readIdHeader(headers, 'Idempotency-Key')
  if (callId === undefined) return NO_CALL_ID
  return callId.ok ? ok({ callId: callId.value }) : callId
}

function readIdHeader(headers: Headers, name: string): Result<string> | undefined {
  const id = headers.get(name)
  if (id === null) return undefined
  if (id !== '' && id.length <= MAX_ID_CHARACTERS) return ok(id)
  return fail({
    type: 'request-malformed',
    message: `The header '${name}' must be of 1 to ${MAX_ID_CHARACTERS} characters`,
  })
}

/** The sender of a call, and the resources that all of its work shares. A batch has one. */
export interface CallOrigin extends Pick<Caller, 'principal' | 'background' | 'budget'> {
  readonly request: Request
}

export function createCaller(
  { principal, request, background, budget }: CallOrigin,
  dialect: string,
  traceparent = request.headers.get('traceparent'),
): Caller {
  return {
    principal,
    background,
    budget,
    dialect,
    audience: 'program',
    signal: () => request.signal,
    requestUrl: () => request.url,
    ...(traceparent !== null && TRACEPARENT.test(traceparent) ? { traceparent } : {}),
  }
}

/** Checks that `Accept` names the type: a wildcard is not enough. */
export function acceptsEventStream({ headers }: Request): boolean {
  const accept = headers.get('accept')
  if (accept === null || !/text\/event-stream/i.test(accept)) return false
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/event-stream' && !parameters.some((parameter) => /^q=0(?:\.0*)?$/.test(parameter))
  })
}
