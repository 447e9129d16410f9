import { Hono } from 'hono'
import { findScopeDenial } from '../../core/access/principal.ts'
import type { Catalog, ToolkitCounts } from '../../core/catalog/catalog.ts'
import type { CallTool } from '../../core/call/call.ts'
import { type Failure, UnreachableError } from '../../core/failure/failure.ts'
import type { CheckReadiness } from '../../core/call/readiness.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import type { Seal } from '../../core/call/seal.ts'
import { withinBudget, CALL_UNITS, createRequestBudget } from '../../core/tool/budget.ts'
import type { Json } from '../../core/tool/json.ts'
import { yieldToEventLoop, readJson } from '../../http/request/body.ts'
import { FULL, requestMemory } from '../../http/request/request-memory.ts'
import { respondOrStream, createEventStream, type EventStream } from '../../http/response/event-stream.ts'
import { getBackground, type Authorize, type RouteContext } from '../../http/route/authorizer.ts'
import { MAX_CALL_BYTES } from '../../http/route/incoming-call.ts'
import { failureHeaders, jsonTextResponse, PRIVATE } from '../../http/response/json-response.ts'
import { MCP_FAILURES, formatFailure } from './failure.ts'
import { isAllowedOrigin } from './origin.ts'
import { revision2026 } from './revisions/2026-07-28.ts'
import { negotiateRevision, negotiateBatchRevision, type Revisions } from './revisions/negotiation.ts'
import type { Revision, ServerInfo } from './revisions/revision.ts'
import { revision2025November, revisionsUntil2025 } from './revisions/until-2025-11-25.ts'
import { handleToolsCall, toMcpFailure, messageEvent, wantsEventStream } from './tools-call.ts'
import { handleToolsList } from './tools-list.ts'
import { type ResponseSpecs, json, OBJECT } from '../../http/route/response-specs.ts'
import { declareCallOperation } from '../../http/route/operation.ts'
import { ALL_TOOLS, type McpRequestContext, restrictToToolset, readToolset, toolsetQuery } from './toolset.ts'
import {
  formatResponse,
  decodeToolCall,
  formatErrorResponse,
  INVALID_REQUEST,
  type McpResult,
  type McpError,
} from './wire.ts'
import { type McpRequest, MESSAGES, readMessage, type McpToolCall } from './wire.ts'

export interface McpEndpoint {
  readonly path: string
  readonly gate: Authorize
  readonly challenge: (request: Request) => { readonly hint?: string; readonly header?: string }
}

export interface McpRoutesDeps {
  readonly doors: readonly McpEndpoint[]
  readonly origins: ReadonlySet<string>
  readonly callTool: CallTool
  readonly catalog: Catalog & ToolkitCounts
  readonly resolver: Resolver
  readonly tellReadiness: CheckReadiness
  readonly seal: Seal
  readonly serverInfo: ServerInfo
}

const MAX_BATCH = 100
const READ_OR_CALL = ['tools:call', 'tools:read'] as const
const SEARCH_MODE = 'search_tools finds tools, and call_tool calls them'
const MCP_RESPONSES: ResponseSpecs = {
  200: { ...json('A JSON-RPC response, or a stream of messages that ends with it', OBJECT), streams: true },
  202: { description: 'The notification was accepted' },
}
const HOW_TO_CONNECT = '. What to copy for each agent is at /docs/agents'

/** The Model Context Protocol over stateless Streamable HTTP, in all revisions at the same URL. */
export function createMcpRoutes(deps: McpRoutesDeps): Hono {
  const { doors, origins, callTool, catalog, resolver, tellReadiness, seal, serverInfo } = deps
  const revisions: Revisions = {
    until2025: revisionsUntil2025(serverInfo),
    of2025November: revision2025November(serverInfo),
    from2026: revision2026(serverInfo, seal),
  }
  const calling = { callTool, resolver, suggest }
  const router = new Hono()
  for (const door of doors) {
    router.post(
      door.path,
      declareCallOperation(
        {
          summary: `Send messages of the Model Context Protocol, ${door.path === '/mcp' ? 'with an API key' : 'signed in with OAuth'}`,
          scope: 'tools:call',
          query: toolsetQuery,
          body: { reader: () => MESSAGES },
          responses: MCP_RESPONSES,
          failures: 'JsonRpcError',
        },
        (c) => post(c, door),
      ),
    )
    router.all(door.path, async (c) => {
      const admitted = await door.gate(c, READ_OR_CALL)
      if (!admitted.ok) return rejectUnauthenticated(c.req.raw, admitted.failure, door)
      return respondError({ type: 'method-not-allowed', method: c.req.method, allowed: ['POST'] })
    })
  }

  async function post(c: RouteContext, door: McpEndpoint): Promise<Response> {
    const request = c.req.raw
    const { url } = request
    const origin = request.headers.get('origin')
    if (origin !== null && !isAllowedOrigin(origin, url, origins))
      return respondError({ type: 'forbidden', reason: "The header 'Origin' is of another site" })
    const admitting = door.gate(c, READ_OR_CALL)
    // An await costs a turn of the queue even where nothing has to be waited for
    const admitted = admitting instanceof Promise ? await admitting : admitting
    if (!admitted.ok) return rejectUnauthenticated(request, admitted.failure, door)
    const toolset = url.includes('?') ? readToolset(url) : ALL_TOOLS
    if ('ok' in toolset) return errorResponse(null, malformed(formatFailure(toolset.failure)))
    const meter = createRequestBudget(CALL_UNITS)
    const owner = { principal: admitted.value, request, background: getBackground(c) }
    if (requestMemory.isFull(owner)) return respondError(FULL.failure)
    const memory = requestMemory.open(owner)
    try {
      const body = await readJson(request, { limit: MAX_CALL_BYTES, budget: meter, memory })
      if (!body.ok) return respondError(body.failure)
      const client = { ...owner, background: memory.background, toolset, meter, memory }
      return memory.untilRead(await answerBody(body.value, client))
    } finally {
      memory.release()
    }
  }

  async function answerBody(body: Json, addressed: McpRequestContext): Promise<Response> {
    const { request, toolset } = addressed
    const { headers } = request
    const client = toolset.names.length === 0 ? addressed : await catchUnreachable(withNames(addressed))
    if ('code' in client) return errorResponse(null, client)
    if (Array.isArray(body)) return batch(body, client)

    const message = readMessage(body)
    if (message.kind === 'response') return accepted()
    if (message.kind === 'malformed') return errorResponse(message.id, malformed(message.message))
    const revision = negotiateRevision(headers, message, revisions)
    if ('code' in revision) return errorResponse(message.kind === 'request' ? message.id : null, revision)
    if (message.kind === 'notification') return accepted()
    if (message.method !== 'tools/call') {
      const session = revision.sessionId?.(message.method, message.params, () => crypto.randomUUID())
      return reply(message, await answer(message, revision, client), session)
    }
    const call = decodeToolCall(message.params)
    if ('code' in call) return errorResponse(message.id, call)
    const stream = wantsEventStream(call, request) ? createEventStream(request.signal) : undefined
    const answering = callOrSearch(call, revision, client, stream)
    if (!stream) return reply(message, await answering)
    return respondOrStream(answering, {
      stream,
      background: client.background,
      toResponse: (answered) => reply(message, answered),
      toLastEvents: (answered) => [messageEvent(formatResponse(message.id, answered))],
      toErrorEvents: (reference) => [
        messageEvent(formatResponse(message.id, toMcpError({ type: 'internal', reference }))),
      ],
      headers: PRIVATE,
    })
  }

  async function answer(
    { method, params }: McpRequest,
    revision: Revision,
    client: McpRequestContext,
  ): Promise<McpResult> {
    if (method === 'tools/list') {
      const denied = findScopeDenial(client.principal, 'tools:read')
      if (denied) return toMcpFailure(denied, revision)
      return catchUnreachable(handleToolsList(params, revision, client, catalog))
    }
    if (method === 'tools/call') {
      const call = decodeToolCall(params)
      return 'code' in call ? call : callOrSearch(call, revision, client, undefined)
    }
    const instructions = method === revision.discoveryMethod ? await instruct(client) : undefined
    return (
      revision.handleMethod(method, params, instructions) ??
      toMcpFailure({ type: 'route-unknown', method, path: '/mcp' }, revision)
    )
  }

  const instruct = async (client: McpRequestContext) =>
    (await import('./instructions.ts')).createInstructions(client, catalog)

  type Calling = readonly [McpToolCall, Revision, McpRequestContext, EventStream | undefined]

  function callOrSearch(...[call, revision, client, stream]: Calling): Promise<McpResult> {
    if (client.toolset.search) return search(call, revision, client, stream)
    return handleToolsCall(call, revision, client, stream, calling)
  }

  async function search(...[call, revision, client, stream]: Calling): Promise<McpResult> {
    const denied = findScopeDenial(client.principal, 'tools:read')
    if (denied) return toMcpFailure(denied, revision)
    // Loaded on first use: few agents search, and those that do can wait
    const { searchCall } = await import('./search-mode.ts')
    const found = await catchUnreachable(searchCall({ call, revision, client, catalog, resolver, tellReadiness }))
    if (!found)
      return { ...MCP_FAILURES['tool-unknown'], message: `Unknown tool: '${call.name.slice(0, 200)}': ${SEARCH_MODE}` }
    if (typeof found === 'string' || 'code' in found) return found
    return handleToolsCall(found, revision, client, stream, calling)
  }

  async function suggest(name: string, client: McpRequestContext): Promise<readonly string[]> {
    const names = await catchUnreachable(
      catalog.suggestNames(name, restrictToToolset(client.principal, client.toolset)),
    )
    return 'code' in names ? [] : names
  }

  const withNames = async (client: McpRequestContext) =>
    (await import('./toolset-names.ts')).resolveToolsetNames(client, resolver)

  async function batch(values: readonly unknown[], client: McpRequestContext): Promise<Response> {
    const revision = negotiateBatchRevision(client.request.headers, revisions)
    if ('code' in revision) return errorResponse(null, revision)
    if (values.length === 0 || values.length > MAX_BATCH)
      return errorResponse(null, malformed(`A batch must be of 1 to ${MAX_BATCH} messages`))
    const texts: string[] = []
    const { meter } = client
    for (const value of values) {
      const message = readMessage(value)
      if (message.kind === 'malformed') texts.push(formatErrorResponse(message.id, malformed(message.message)))
      if (message.kind !== 'request') continue
      const isOver = meter.isExceeded || meter.answer.isExceeded
      const text = formatResponse(message.id, isOver ? TOO_MUCH : await answer(message, revision, client))
      texts.push(text)
      withinBudget(() => meter.answer.spend(text.length), '')
      await yieldToEventLoop()
    }
    return texts.length === 0 ? accepted() : jsonTextResponse(`[${texts.join(',')}]`, 200, PRIVATE)
  }

  return router
}

function reply({ id }: McpRequest, answered: McpResult, session?: string): Response {
  if (typeof answered !== 'string' && 'code' in answered) return errorResponse(id, answered)
  const headers = session === undefined ? undefined : { 'mcp-session-id': session }
  return jsonTextResponse(formatResponse(id, answered), 200, typeof answered === 'string' ? headers : answered.headers)
}

function errorResponse(id: string | number | null, error: McpError): Response {
  return jsonTextResponse(formatErrorResponse(id, error), error.status, { ...PRIVATE, ...error.headers })
}

async function catchUnreachable<T>(work: Promise<T>): Promise<T | McpError> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    return toMcpError({ type: 'unavailable', message: error.message })
  }
}

function rejectUnauthenticated(request: Request, failure: Failure, { challenge }: McpEndpoint): Response {
  if (failure.type !== 'unauthenticated') return respondError(failure)
  const { hint = '', header } = challenge(request)
  const error = toMcpError({ ...failure, reason: failure.reason + hint })
  const headers = header === undefined ? error.headers : { ...error.headers, 'www-authenticate': header }
  return errorResponse(null, { ...error, headers })
}

export function respondError(failure: Failure): Response {
  return errorResponse(null, toMcpError(failure))
}

function toMcpError(failure: Failure): McpError {
  const row = MCP_FAILURES[failure.type]
  const answer = row === 'result' ? MCP_FAILURES.internal : row
  const isHelped = failure.type === 'unauthenticated' || failure.type === 'method-not-allowed'
  return {
    ...answer,
    message: formatFailure(failure) + (isHelped ? HOW_TO_CONNECT : ''),
    headers: failureHeaders(failure),
  }
}

function malformed(message: string): McpError {
  return { code: INVALID_REQUEST, message, status: 400 }
}

const TOO_MUCH = malformed('Earlier messages used up what one request may take: send this message by itself')

const accepted = () => new Response(null, { status: 202 })
