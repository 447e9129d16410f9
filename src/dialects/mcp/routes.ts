import { Hono } from 'hono'
import { scopeDenial } from '../../core/access/principal.ts'
import type { Catalogue, ToolkitCounts } from '../../core/catalogue/catalogue.ts'
import type { CallTool } from '../../core/call/call.ts'
import { type Failure, Unreachable } from '../../core/failure/failure.ts'
import type { TellReadiness } from '../../core/call/readiness.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import type { Seal } from '../../core/call/seal.ts'
import { afford, CALL_UNITS, createMeter } from '../../core/tool/budget.ts'
import type { Json } from '../../core/tool/json.ts'
import { giveWay, readJson } from '../../http/request/body.ts'
import { FULL, requestMemory } from '../../http/request/request-memory.ts'
import { answerOrStream, createEventStream, type EventStream } from '../../http/answer/event-stream.ts'
import { backgroundOf, type Gate, type RouteContext } from '../../http/route/gate.ts'
import { CALL_LIMIT } from '../../http/route/incoming-call.ts'
import { failureHeaders, jsonText, PRIVATE } from '../../http/answer/json-response.ts'
import { ANSWERS, textOf } from './failure.ts'
import { isAllowedOrigin } from './origin.ts'
import { revision2026 } from './revisions/2026-07-28.ts'
import { revisionOf, revisionOfBatch, type Revisions } from './revisions/negotiation.ts'
import type { Revision, ServerInfo } from './revisions/revision.ts'
import { revision2025November, revisionsUntil2025 } from './revisions/until-2025-11-25.ts'
import { answerCall, answerFailure, messageEvent, wantsMessages } from './tools-call.ts'
import { listTools } from './tools-list.ts'
import { type Answers, json, OBJECT } from '../../http/route/answers.ts'
import { declareCall } from '../../http/route/operation.ts'
import { ALL, type McpClient, narrowedTo, readToolset, toolsetQuery } from './toolset.ts'
import { answerText, decodeToolCall, errorText, INVALID_REQUEST, type McpAnswer, type McpError } from './wire.ts'
import { type McpRequest, MESSAGES, readMessage, type ToolCall } from './wire.ts'

export interface Door {
  readonly path: string
  readonly gate: Gate
  readonly challenge: (request: Request) => { readonly hint?: string; readonly header?: string }
}

export interface McpFaceDeps {
  readonly doors: readonly Door[]
  readonly origins: ReadonlySet<string>
  readonly callTool: CallTool
  readonly catalogue: Catalogue & ToolkitCounts
  readonly resolver: Resolver
  readonly tellReadiness: TellReadiness
  readonly seal: Seal
  readonly serverInfo: ServerInfo
}

const MAX_BATCH = 100
const ANY_USE = ['tools:call', 'tools:read'] as const
const SEARCH_MODE = 'search_tools finds tools, and call_tool calls them'
const ANSWERED: Answers = {
  200: { ...json('A JSON-RPC response, or a stream of messages that ends with it', OBJECT), streams: true },
  202: { says: 'The notification was accepted' },
}
const HOW_TO_CONNECT = '. What to copy for each agent is at /docs/agents'

/** The Model Context Protocol over stateless Streamable HTTP, in all revisions at the same URL. */
export function mcpFace(deps: McpFaceDeps): Hono {
  const { doors, origins, callTool, catalogue, resolver, tellReadiness, seal, serverInfo } = deps
  const revisions: Revisions = {
    until2025: revisionsUntil2025(serverInfo),
    of2025November: revision2025November(serverInfo),
    from2026: revision2026(serverInfo, seal),
  }
  const calling = { callTool, resolver, suggest }
  const face = new Hono()
  for (const door of doors) {
    face.post(
      door.path,
      declareCall(
        {
          summary: `Send messages of the Model Context Protocol, ${door.path === '/mcp' ? 'with an API key' : 'signed in with OAuth'}`,
          scope: 'tools:call',
          query: toolsetQuery,
          body: { reader: () => MESSAGES },
          answers: ANSWERED,
          failures: 'JsonRpcError',
        },
        (c) => post(c, door),
      ),
    )
    face.all(door.path, async (c) => {
      const admitted = await door.gate(c, ANY_USE)
      if (!admitted.ok) return turnAway(c.req.raw, admitted.failure, door)
      return refuse({ type: 'method-not-allowed', method: c.req.method, allowed: ['POST'] })
    })
  }

  async function post(c: RouteContext, door: Door): Promise<Response> {
    const request = c.req.raw
    const { url } = request
    const origin = request.headers.get('origin')
    if (origin !== null && !isAllowedOrigin(origin, url, origins))
      return refuse({ type: 'forbidden', reason: "The header 'Origin' is of another site" })
    const admitting = door.gate(c, ANY_USE)
    // An await costs a turn of the queue even where nothing has to be waited for
    const admitted = admitting instanceof Promise ? await admitting : admitting
    if (!admitted.ok) return turnAway(request, admitted.failure, door)
    const toolset = url.includes('?') ? readToolset(url) : ALL
    if ('ok' in toolset) return errorResponse(null, malformed(textOf(toolset.failure)))
    const meter = createMeter(CALL_UNITS)
    const owner = { principal: admitted.value, request, background: backgroundOf(c) }
    if (requestMemory.isFull(owner)) return refuse(FULL.failure)
    const memory = requestMemory.open(owner)
    try {
      const body = await readJson(request, { limit: CALL_LIMIT, meter, memory })
      if (!body.ok) return refuse(body.failure)
      const client = { ...owner, background: memory.background, toolset, meter, memory }
      return memory.untilRead(await answerBody(body.value, client))
    } finally {
      memory.release()
    }
  }

  async function answerBody(body: Json, addressed: McpClient): Promise<Response> {
    const { request, toolset } = addressed
    const { headers } = request
    const client = toolset.names.length === 0 ? addressed : await reached(withNames(addressed))
    if ('code' in client) return errorResponse(null, client)
    if (Array.isArray(body)) return batch(body, client)

    const message = readMessage(body)
    if (message.kind === 'response') return accepted()
    if (message.kind === 'malformed') return errorResponse(message.id, malformed(message.message))
    const revision = revisionOf(headers, message, revisions)
    if ('code' in revision) return errorResponse(message.kind === 'request' ? message.id : null, revision)
    if (message.kind === 'notification') return accepted()
    if (message.method !== 'tools/call') {
      const session = revision.sessionId?.(message.method, message.params, () => crypto.randomUUID())
      return reply(message, await answer(message, revision, client), session)
    }
    const call = decodeToolCall(message.params)
    if ('code' in call) return errorResponse(message.id, call)
    const stream = wantsMessages(call, request) ? createEventStream(request.signal) : undefined
    const answering = callOrSearch(call, revision, client, stream)
    if (!stream) return reply(message, await answering)
    return answerOrStream(answering, {
      stream,
      background: client.background,
      whole: (answered) => reply(message, answered),
      last: (answered) => [messageEvent(answerText(message.id, answered))],
      crashed: (reference) => [messageEvent(answerText(message.id, errorOf({ type: 'internal', reference })))],
      headers: PRIVATE,
    })
  }

  async function answer({ method, params }: McpRequest, revision: Revision, client: McpClient): Promise<McpAnswer> {
    if (method === 'tools/list') {
      const denied = scopeDenial(client.principal, 'tools:read')
      if (denied) return answerFailure(denied, revision)
      return reached(listTools(params, revision, client, catalogue))
    }
    if (method === 'tools/call') {
      const call = decodeToolCall(params)
      return 'code' in call ? call : callOrSearch(call, revision, client, undefined)
    }
    const instructions = method === revision.greeting ? await instruct(client) : undefined
    return (
      revision.answer(method, params, instructions) ??
      answerFailure({ type: 'route-unknown', method, path: '/mcp' }, revision)
    )
  }

  const instruct = async (client: McpClient) => (await import('./instructions.ts')).instructionsFor(client, catalogue)

  type Calling = readonly [ToolCall, Revision, McpClient, EventStream | undefined]

  function callOrSearch(...[call, revision, client, stream]: Calling): Promise<McpAnswer> {
    if (client.toolset.search) return search(call, revision, client, stream)
    return answerCall(call, revision, client, stream, calling)
  }

  async function search(...[call, revision, client, stream]: Calling): Promise<McpAnswer> {
    const denied = scopeDenial(client.principal, 'tools:read')
    if (denied) return answerFailure(denied, revision)
    // Loaded on first use: few agents search, and those that do can wait
    const { searchCall } = await import('./search-mode.ts')
    const found = await reached(searchCall({ call, revision, client, catalogue, resolver, tellReadiness }))
    if (!found)
      return { ...ANSWERS['tool-unknown'], message: `Unknown tool: '${call.name.slice(0, 200)}': ${SEARCH_MODE}` }
    if (typeof found === 'string' || 'code' in found) return found
    return answerCall(found, revision, client, stream, calling)
  }

  async function suggest(name: string, client: McpClient): Promise<readonly string[]> {
    const names = await reached(catalogue.near(name, narrowedTo(client.principal, client.toolset)))
    return 'code' in names ? [] : names
  }

  const withNames = async (client: McpClient) => (await import('./named-tools.ts')).withNames(client, resolver)

  async function batch(values: readonly unknown[], client: McpClient): Promise<Response> {
    const revision = revisionOfBatch(client.request.headers, revisions)
    if ('code' in revision) return errorResponse(null, revision)
    if (values.length === 0 || values.length > MAX_BATCH)
      return errorResponse(null, malformed(`A batch must be of 1 to ${MAX_BATCH} messages`))
    const texts: string[] = []
    const { meter } = client
    for (const value of values) {
      const message = readMessage(value)
      if (message.kind === 'malformed') texts.push(errorText(message.id, malformed(message.message)))
      if (message.kind !== 'request') continue
      const isOver = meter.isSpent || meter.answer.isSpent
      const text = answerText(message.id, isOver ? TOO_MUCH : await answer(message, revision, client))
      texts.push(text)
      afford(() => meter.answer.spend(text.length), '')
      await giveWay()
    }
    return texts.length === 0 ? accepted() : jsonText(`[${texts.join(',')}]`, 200, PRIVATE)
  }

  return face
}

function reply({ id }: McpRequest, answered: McpAnswer, session?: string): Response {
  if (typeof answered !== 'string' && 'code' in answered) return errorResponse(id, answered)
  const headers = session === undefined ? undefined : { 'mcp-session-id': session }
  return jsonText(answerText(id, answered), 200, typeof answered === 'string' ? headers : answered.headers)
}

function errorResponse(id: string | number | null, error: McpError): Response {
  return jsonText(errorText(id, error), error.status, { ...PRIVATE, ...error.headers })
}

async function reached<T>(work: Promise<T>): Promise<T | McpError> {
  try {
    return await work
  } catch (error) {
    if (!(error instanceof Unreachable)) throw error
    return errorOf({ type: 'unavailable', message: error.message })
  }
}

function turnAway(request: Request, failure: Failure, { challenge }: Door): Response {
  if (failure.type !== 'unauthenticated') return refuse(failure)
  const { hint = '', header } = challenge(request)
  const error = errorOf({ ...failure, reason: failure.reason + hint })
  const headers = header === undefined ? error.headers : { ...error.headers, 'www-authenticate': header }
  return errorResponse(null, { ...error, headers })
}

export function refuse(failure: Failure): Response {
  return errorResponse(null, errorOf(failure))
}

function errorOf(failure: Failure): McpError {
  const row = ANSWERS[failure.type]
  const answer = row === 'result' ? ANSWERS.internal : row
  const isHelped = failure.type === 'unauthenticated' || failure.type === 'method-not-allowed'
  return { ...answer, message: textOf(failure) + (isHelped ? HOW_TO_CONNECT : ''), headers: failureHeaders(failure) }
}

function malformed(message: string): McpError {
  return { code: INVALID_REQUEST, message, status: 400 }
}

const TOO_MUCH = malformed('Earlier messages used up what one request may take: send this message by itself')

const accepted = () => new Response(null, { status: 202 })
