import { Hono } from 'hono'
import { ANSWER_CHARACTERS } from '../../core/call/call-options.ts'
import { catchUnreachable, type Failure, ok } from '../../core/failure/failure.ts'
import type { Seal } from '../../core/call/seal.ts'
import { CALL_UNITS, createBudget } from '../../core/tool/budget.ts'
import type { Json } from '../../core/tool/json.ts'
import { yieldToEventLoop, readJson } from '../../http/request/body.ts'
import { MEMORY_FULL, requestMemory } from '../../http/request/request-memory.ts'
import { respondOrStream, createEventStream } from '../../http/response/event-stream.ts'
import { getBackground, type Authorize, type RouteContext } from '../../http/route/authorizer.ts'
import { acceptsEventStream, MAX_CALL_BYTES } from '../../http/route/incoming-call.ts'
import { jsonTextResponse, PRIVATE } from '../../http/response/json-response.ts'
import {
  answerReached,
  createDispatch,
  createExchange,
  type DispatchDeps,
  type McpOperation,
  toMcpOperation,
} from './dispatch.ts'
import { formatFailure } from './failure.ts'
import { toMcpError } from './failure-response.ts'
import { isAllowedOrigin } from './origin.ts'
import { revision2026 } from './revisions/2026-07-28.ts'
import { negotiateRevision, negotiateBatchRevision, type Revisions } from './revisions/negotiation.ts'
import type { ServerInfo } from './revisions/revision.ts'
import { revision2025November, revisionsUntil2025 } from './revisions/until-2025-11-25.ts'
import { createMessageEvent, type McpExchange } from './tools-call.ts'
import { type ResponseSpecs, json, OBJECT } from '../../http/route/response-specs.ts'
import { declareOperation } from '../../http/route/operation.ts'
import { DEFAULT_TOOLSET, type McpRequestContext, readToolset, restrictToPages, toolsetQuery } from './toolset.ts'
import {
  formatResponse,
  formatErrorResponse,
  INVALID_REQUEST,
  type McpResult,
  type McpError,
  type MessageId,
  MESSAGES,
  readMessage,
} from './wire.ts'

export interface McpEndpoint {
  readonly path: string
  /** Only for tools' pages, which may call tools that are for pages. Not part of the documented API. */
  readonly isForPages?: true
  /** Returns a failure if the URL names a missing toolset, because signing in would not help. */
  readonly checkToolset?: (request: Request) => Promise<Failure | undefined>
  readonly authorize: Authorize
  readonly challenge: (request: Request) => { readonly hint?: string; readonly header?: string }
}

interface McpRoutesDeps extends DispatchDeps {
  readonly endpoints: readonly McpEndpoint[]
  readonly origins: ReadonlySet<string>
  readonly seal: Seal
  readonly serverInfo: ServerInfo
}

const MAX_BATCH = 100
const READ_OR_CALL = ['tools:call', 'tools:read'] as const
const MCP_RESPONSES: ResponseSpecs = {
  200: { ...json('A JSON-RPC response, or a stream of messages that ends with it', OBJECT), streams: true },
  202: { description: 'The notification was accepted' },
}

/**
 * The Model Context Protocol over stateless Streamable HTTP, in all revisions at the same URL. A POST passes checks in this
 * order: origin, caller, toolset in the query, the caller's memory, body, names in the toolset, message, revision. Then its
 * operation runs. A batch runs its operations one after another, and streams none of them.
 */
export function createMcpRoutes(deps: McpRoutesDeps): Hono {
  const { endpoints, origins, resolver, seal, serverInfo } = deps
  const revisions: Revisions = {
    beforeNovember2025: revisionsUntil2025(serverInfo),
    of2025November: revision2025November(serverInfo),
    from2026: revision2026(serverInfo, seal),
  }
  const runOperation = createDispatch(deps)
  const router = new Hono()
  for (const endpoint of endpoints) {
    const { path, isForPages } = endpoint
    const credential = path.startsWith('/mcp') ? 'with an API key' : 'signed in with OAuth'
    const use = path.endsWith('mcp') ? credential : `${credential}, for one toolset`
    router.post(
      path,
      declareOperation(
        {
          ...(isForPages ? {} : { summary: `Send messages of the Model Context Protocol, ${use}` }),
          scope: 'tools:call',
          query: toolsetQuery,
          body: { reader: () => MESSAGES },
          responses: MCP_RESPONSES,
          failures: 'JsonRpcError',
        },
        (c: RouteContext) => handlePost(c, endpoint),
      ),
    )
    router.all(path, async (c) => {
      const caller = await endpoint.authorize(c, READ_OR_CALL)
      if (!caller.ok) return rejectCaller(c.req.raw, caller.failure, endpoint)
      return respondWithFailure({ type: 'method-not-allowed', method: c.req.method, allowed: ['POST'] })
    })
  }

  async function handlePost(c: RouteContext, endpoint: McpEndpoint): Promise<Response> {
    const request = c.req.raw
    const { url } = request
    const origin = request.headers.get('origin')
    if (origin !== null && !isAllowedOrigin(origin, url, origins))
      return respondWithFailure({ type: 'forbidden', reason: "The header 'Origin' is of another site" })
    const authorize = () => endpoint.authorize(c, READ_OR_CALL)
    const caller = await authorize()
    if (!caller.ok) return rejectCaller(request, caller.failure, endpoint)
    const toolset = url.includes('?') ? readToolset(url, caller.value.view) : DEFAULT_TOOLSET
    if (!toolset.ok) return respondWithError(null, createMalformedError(formatFailure(toolset.failure)))
    const owner = { principal: caller.value, request, background: getBackground(c), authorize }
    if (requestMemory.isFull(owner)) return respondWithFailure(MEMORY_FULL.failure)
    const memory = requestMemory.open(owner)
    try {
      const body = await readJson(request, { limit: MAX_CALL_BYTES, memory })
      if (!body.ok) return respondWithFailure(body.failure)
      const budget = createBudget(CALL_UNITS)
      const tools = endpoint.isForPages ? restrictToPages(toolset.value) : toolset.value
      const context = { ...owner, background: memory.background, toolset: tools, budget, memory, capabilities: {} }
      return memory.untilRead(await respondToBody(body.value, context))
    } finally {
      memory.release()
    }
  }

  async function respondToBody(body: Json, postContext: McpRequestContext): Promise<Response> {
    const needsNames = postContext.toolset.exposedNames.length > 0
    const resolvedContext = needsNames ? await catchUnreachable(resolveNames(postContext)) : ok(postContext)
    if (!resolvedContext.ok) return respondWithFailure(resolvedContext.failure)
    const context = resolvedContext.value
    if (Array.isArray(body)) return respondToBatch(body, context)

    const message = readMessage(body)
    if (message.kind === 'response') return respondAccepted()
    if (message.kind === 'malformed') return respondWithError(message.id, createMalformedError(message.message))
    const revision = negotiateRevision(context.request.headers, message, revisions)
    if (revision.kind === 'error') return respondWithError(message.kind === 'request' ? message.id : null, revision)
    if (message.kind === 'notification') return respondAccepted()
    const exchange = createExchange(message, revision, context)
    if (message.method === 'subscriptions/listen' && revision.isModern) {
      const { listen } = await import('./listen.ts')
      return respondTo(message.id, await answerReached(listen(message.id, message.params, exchange, deps)))
    }
    const operation = toMcpOperation(message)
    if (wantsEventStream(operation, context.request)) return streamOperation(operation, message.id, exchange)
    return respondTo(message.id, await runOperation(operation, exchange))
  }

  function streamOperation(operation: McpOperation, id: MessageId, exchange: McpExchange): Promise<Response> {
    const { request, background } = exchange.context
    const stream = createEventStream(request.signal)
    return respondOrStream(runOperation(operation, { ...exchange, stream }), {
      stream,
      background,
      toResponse: (result) => respondTo(id, result),
      toLastEvents: (result) => [createMessageEvent(formatResponse(id, result))],
      toErrorEvents: (reference) => [
        createMessageEvent(formatResponse(id, toMcpError({ type: 'internal', reference }))),
      ],
      headers: PRIVATE,
    })
  }

  const resolveNames = async (context: McpRequestContext) =>
    (await import('./toolset-names.ts')).resolveToolsetNames(context, resolver)

  async function respondToBatch(values: readonly unknown[], context: McpRequestContext): Promise<Response> {
    const revision = negotiateBatchRevision(context.request.headers, revisions)
    if (revision.kind === 'error') return respondWithError(null, revision)
    if (values.length === 0 || values.length > MAX_BATCH)
      return respondWithError(null, createMalformedError(`A batch must be of 1 to ${MAX_BATCH} messages`))
    const responses: string[] = []
    let characters = 0
    for (const value of values) {
      const message = readMessage(value)
      if (message.kind === 'malformed')
        responses.push(formatErrorResponse(message.id, createMalformedError(message.message)))
      if (message.kind !== 'request') continue
      const isExceeded = context.budget.isExceeded || characters > ANSWER_CHARACTERS
      const response = formatResponse(
        message.id,
        isExceeded
          ? BUDGET_SPENT
          : await runOperation(toMcpOperation(message), createExchange(message, revision, context)),
      )
      responses.push(response)
      characters += response.length
      await yieldToEventLoop()
    }
    return responses.length === 0 ? respondAccepted() : jsonTextResponse(`[${responses.join(',')}]`, 200, PRIVATE)
  }

  return router
}

/** A client that asks for progress or log lines gets a stream for them, unless its `Accept` names other types only. */
function wantsEventStream(operation: McpOperation, request: Request): boolean {
  const hasEvents = operation.kind === 'call' && (operation.progressToken !== undefined || operation.wantsLogs)
  const accept = request.headers.get('accept')
  const acceptsAny = accept === null || /(?:text|\*)\/\*/.test(accept)
  return hasEvents && (acceptsAny || acceptsEventStream(request))
}

function respondTo(id: MessageId, result: McpResult | Response): Response {
  if (result instanceof Response) return result
  if (result.kind === 'error') return respondWithError(id, result)
  return jsonTextResponse(formatResponse(id, result), 200, result.headers)
}

function respondWithError(id: MessageId | null, error: McpError): Response {
  return jsonTextResponse(formatErrorResponse(id, error), error.status, { ...PRIVATE, ...error.headers })
}

async function rejectCaller(request: Request, failure: Failure, endpoint: McpEndpoint): Promise<Response> {
  if (failure.type !== 'unauthenticated') return rejectRequest(failure)
  const toolsetResult = endpoint.checkToolset && (await catchUnreachable(endpoint.checkToolset(request)))
  const problem = toolsetResult?.ok ? toolsetResult.value : toolsetResult?.failure
  if (problem) return rejectRequest(problem)
  const { hint = '', header } = endpoint.challenge(request)
  const error = toMcpError({ ...failure, reason: failure.reason + hint })
  const headers = header === undefined ? error.headers : { ...error.headers, 'www-authenticate': header }
  return respondWithError(null, { ...error, headers })
}

/** Sets the status 404 if the URL names something that does not exist, whatever the message. */
function rejectRequest(failure: Failure): Response {
  const error = toMcpError(failure)
  return respondWithError(null, failure.type === 'not-found' ? { ...error, status: 404 } : error)
}

export function respondWithFailure(failure: Failure): Response {
  return respondWithError(null, toMcpError(failure))
}

function createMalformedError(message: string): McpError {
  return { kind: 'error', code: INVALID_REQUEST, message, status: 400 }
}

const BUDGET_SPENT = createMalformedError(
  'Earlier messages used up what one request may take: send this message by itself',
)

const respondAccepted = () => new Response(null, { status: 202 })
