import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import type { CallTool } from '../../core/call/call.ts'
import type { Failure, Result } from '../../core/call/failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import type { Catalogue } from '../../core/access/catalogue.ts'
import type { Resolver } from '../../core/call/resolve.ts'
import type { Background } from '../../core/tool/platform.ts'
import type { Seal } from '../../core/call/seal.ts'
import { readJson } from '../../http/body.ts'
import type { Gate } from '../../http/gate.ts'
import { failureHeaders, jsonText, PRIVATE } from '../../http/json-response.ts'
import { isLoopback } from '../../http/loopback.ts'
import { answerCall, type Asker, failed, lacks, unknown } from './tools-call.ts'
import { ANSWERS, type Era, textOf } from './failure.ts'
import {
  errorText,
  INVALID_REQUEST,
  type McpError,
  type McpRequest,
  type Message,
  readMessage,
  resultText,
} from './json-rpc.ts'
import { lineFormat, listTools } from './tools-list.ts'
import { modern } from './revisions/2026-07-28.ts'
import { eraOf, isModernBatch } from './revisions/negotiation.ts'
import { legacy } from './revisions/until-2025-11-25.ts'
import type { Revision, ServerInfo } from './revisions/revision.ts'
import { SEARCH_TOOLS, searchCall } from './search-mode.ts'
import { createMessages, type Messages } from './stream.ts'
import { readChoice } from './toolset.ts'
import { decodeToolCall, type ToolCall } from './wire.ts'

export interface McpFaceDeps {
  readonly gate: Gate
  readonly callTool: CallTool
  readonly catalogue: Catalogue
  readonly resolver: Resolver
  /** Seals what a tool wants to be told again. */
  readonly seal: Seal
  readonly serverInfo: ServerInfo
}

/** The largest body, in bytes. */
const LIMIT = 4 * 1024 * 1024
const MAX_BATCH = 100

/**
 * The Model Context Protocol over stateless Streamable HTTP: `POST /mcp`, in its revision 2026-07-28 and, at the same URL,
 * in those with the `initialize` handshake. Nothing is kept between requests, and nothing of an SDK is used.
 */
export function mcpFace(deps: McpFaceDeps): Hono {
  const { gate, callTool, catalogue, resolver, seal, serverInfo } = deps
  const revisions = { modern: modern(serverInfo), legacy: legacy(serverInfo) }
  const formats = { modern: lineFormat(revisions.modern), legacy: lineFormat(revisions.legacy) }
  const face = new Hono()
  face.post('/mcp', post)
  face.all('/mcp', async (c) => {
    const admitted = await admit(c.req.raw, (work) => c.executionCtx.waitUntil(work))
    if (!admitted.ok) return refuse(admitted.failure)
    return refuse({ type: 'method-not-allowed', method: c.req.method, allowed: ['POST'] })
  })

  async function post(c: Context): Promise<Response> {
    const request = c.req.raw
    if (!isOwnOrigin(request)) return refuse({ type: 'forbidden', reason: "The header 'Origin' is of another site" })
    const background: Background = (work) => c.executionCtx.waitUntil(work)
    const admitting = admit(request, background)
    const admitted = admitting instanceof Promise ? await admitting : admitting
    if (!admitted.ok) return refuse(admitted.failure)
    const chosen = readChoice(request.url)
    if ('ok' in chosen)
      return errorResponse(null, { code: INVALID_REQUEST, message: textOf(chosen.failure), status: 400 })
    const body = await readJson(request, LIMIT)
    if (!body.ok) return refuse(body.failure)
    const asker: Asker = { request, principal: admitted.value, background, chosen }
    if (Array.isArray(body.value)) return batch(body.value, asker)

    const message = readMessage(body.value)
    if (message.kind === 'response') return accepted()
    if (message.kind === 'malformed') return errorResponse(message.id, malformed(message.message))
    const era = eraOf(request.headers, message)
    if (typeof era !== 'string') return errorResponse(message.kind === 'request' ? message.id : null, era)
    if (message.kind === 'notification') return accepted()
    if (message.method !== 'tools/call') {
      const session = revisions[era].sessionId?.(message.method, message.params, () => crypto.randomUUID())
      return reply(message, await answer(message, era, asker), session)
    }
    const call = toolCall(message.params, revisions[era], request)
    if ('code' in call) return errorResponse(message.id, call)
    const messages = wantsMessages(call, request) ? createMessages(request.signal) : undefined
    const answering = tool(call, revisions[era], asker, messages)
    if (!messages) return reply(message, await answering)
    const first = await Promise.race([messages.begun, answering])
    if (first !== 'begun') return reply(message, first)
    const crashed = (): McpError => ({
      code: ANSWERS.internal.code,
      message: 'Something went wrong on our side',
      status: 500,
    })
    void answering.catch(crashed).then((answered) => messages.end(textFor(message, answered)))
    return messages.response(PRIVATE)
  }

  /** Lets in whoever may do one thing here, to list or to call; what needs which is judged later. */
  function admit(request: Request, background: Background): Result<Principal> | Promise<Result<Principal>> {
    const toRead = (admitted: Result<Principal>) =>
      admitted.ok || admitted.failure.type !== 'forbidden' ? admitted : gate(request, 'tools:read', background)
    const admitted = gate(request, 'tools:call', background)
    return admitted instanceof Promise ? admitted.then(toRead) : toRead(admitted)
  }

  /** The result of a request, serialised, or its error. */
  async function answer({ method, params }: McpRequest, era: Era, asker: Asker): Promise<string | McpError> {
    const as = revisions[era]
    const { principal, chosen } = asker
    if (method === 'tools/list') {
      const denied = lacks(principal, 'tools:read')
      if (denied) return failed(denied, as)
      if (chosen.search) return as.listResult(SEARCH_TOOLS)
      return listTools(params, as, formats[era], principal, chosen, catalogue)
    }
    if (method === 'tools/call') {
      const call = toolCall(params, as, asker.request)
      return 'code' in call ? call : tool(call, as, asker, undefined)
    }
    return as.answer(method, params) ?? failed({ type: 'route-unknown', method, path: '/mcp' }, as)
  }

  async function tool(
    call: ToolCall,
    as: Revision,
    asker: Asker,
    messages: Messages | undefined,
  ): Promise<string | McpError> {
    if (!asker.chosen.search) return answerCall(call, as, asker, messages, { callTool, resolver, seal })
    const denied = lacks(asker.principal, 'tools:read')
    if (denied) return failed(denied, as)
    const found = await searchCall(call, as, asker, { catalogue, resolver })
    if (!found) return failed(unknown(call.name), as)
    return 'result' in found ? found.result : answerCall(found.call, as, asker, messages, { callTool, resolver, seal })
  }

  /** MCP 2025-03-26, "Batching": the other legacy revisions' clients send none. */
  async function batch(values: readonly unknown[], asker: Asker): Promise<Response> {
    const { headers } = asker.request
    if (isModernBatch(headers)) return errorResponse(null, malformed('This revision has no batches'))
    if (values.length === 0 || values.length > MAX_BATCH) {
      return errorResponse(null, malformed(`A batch must be of 1 to ${MAX_BATCH} messages`))
    }
    const texts = await Promise.all(
      values.map(async (value) => {
        const message: Message = readMessage(value)
        if (message.kind === 'malformed') return errorText(message.id, malformed(message.message))
        return message.kind === 'request' ? textFor(message, await answer(message, 'legacy', asker)) : undefined
      }),
    )
    const answered = texts.filter((text) => text !== undefined)
    return answered.length === 0 ? accepted() : jsonText(`[${answered.join(',')}]`, 200, PRIVATE)
  }

  return face
}

function textFor({ id }: McpRequest, answered: string | McpError): string {
  return typeof answered === 'string' ? resultText(id, answered) : errorText(id, answered)
}

/** A call, with what its client can be asked for. */
function toolCall(params: JsonObject, as: Revision, { headers }: Request): ToolCall | McpError {
  const call = decodeToolCall(params)
  if ('code' in call) return call
  const capabilities = as.capabilities(call.capabilities, headers.get('mcp-session-id'))
  return capabilities === call.capabilities ? call : { ...call, capabilities }
}

function reply({ id }: McpRequest, answered: string | McpError, session?: string): Response {
  // No cache keeps the answer to a POST (RFC 9111, section 3)
  if (typeof answered === 'string') {
    const text = resultText(id, answered)
    return session === undefined ? jsonText(text) : jsonText(text, 200, { 'mcp-session-id': session })
  }
  return errorResponse(id, answered)
}

function errorResponse(id: string | number | null, error: McpError): Response {
  return jsonText(errorText(id, error), error.status, { ...PRIVATE, ...error.headers })
}

/** A failure before there is a message to answer. */
function refuse(failure: Failure): Response {
  const row = ANSWERS[failure.type]
  const { code, legacy: status } = row === 'result' ? ANSWERS.internal : row
  return errorResponse(null, { code, message: textOf(failure), status, headers: failureHeaders(failure) })
}

function malformed(message: string): McpError {
  return { code: INVALID_REQUEST, message, status: 400 }
}

/** What needs no answer. */
function accepted(): Response {
  return new Response(null, { status: 202 })
}

/** Messages go with the answer only to whoever wants them and takes a stream. */
function wantsMessages({ progressToken, logs }: ToolCall, { headers }: Request): boolean {
  if (progressToken === undefined && !logs) return false
  const accept = headers.get('accept')
  return accept === null || /text\/(?:event-stream|\*)|\*\/\*/.test(accept)
}

/** "Servers MUST validate the Origin header": a page may speak to its own host, and on this machine to any port of it. */
function isOwnOrigin({ headers, url }: Request): boolean {
  const origin = headers.get('origin')
  if (origin === null) return true
  const from = URL.parse(origin)
  const to = new URL(url)
  return from !== null && (from.host === to.host || (isLoopback(from.hostname) && isLoopback(to.hostname)))
}
