import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import type { CallTool } from '../../core/call/call.ts'
import type { Failure } from '../../core/call/failure.ts'
import type { Catalogue, LineFormat } from '../../core/access/catalogue.ts'
import type { Resolver } from '../../core/call/resolve.ts'
import type { Background } from '../../core/tool/platform.ts'
import { askedByName, formatToolId, isNamePart, parseToolId } from '../../core/tool/tool-id.ts'
import { readJson } from '../../http/body.ts'
import type { Gate } from '../../http/gate.ts'
import { failureHeaders, holds, jsonText, PRIVATE } from '../../http/json-response.ts'
import { toolDescription } from './definition.ts'
import { STATUS } from './failure.ts'
import { decodeCall, encodeFailure, encodeOutcome } from './wire.ts'
import { isTraceparent } from '../../http/traceparent.ts'

export interface PluginFaceDeps {
  readonly gate: Gate
  readonly callTool: CallTool
  readonly catalogue: Catalogue
  readonly resolver: Resolver
  /** Names a representation by its text, for entity tags. */
  readonly sha256: (text: string) => Promise<string>
}

/** The largest body of a call, in bytes. */
const BODY_LIMIT = 4 * 1024 * 1024
const PAGE = 1_000
/** The most characters a list may have: the schema has no pages, and an isolate no room for more. */
const MAX_LISTED = 16_000_000

/** A tool that cannot be called is not described: its line is empty. */
const FORMAT: LineFormat = {
  name: 'plugin',
  write: (record, name) => (record.implementation ? JSON.stringify(toolDescription(record, name)) : ''),
}

/**
 * The registry as one plugin, or with `?toolkit=` each toolkit as one.
 *
 * - `GET` or `POST /plugin/describe`: a ListToolsResult of every tool that can be called, under names that are unique.
 * - `POST /plugin/call`: a CallToolRequest, answered with a CallToolResult: 200 for whatever the tool came to, and an error
 *   status when there is no such tool, the request is none, or its sender is not let in. A tool answers to its name in
 *   `describe`, to its id, and with `?toolkit=` to its own name in that toolkit.
 */
export function pluginFace(deps: PluginFaceDeps): Hono {
  const { gate, callTool, catalogue, resolver, sha256 } = deps
  const face = new Hono()

  face.get('/plugin/describe', describe)
  face.post('/plugin/describe', describe)
  face.post('/plugin/call', async (c) => {
    const request = c.req.raw
    const background: Background = (work) => c.executionCtx.waitUntil(work)
    const admitted = gate(request, 'tools:call', background)
    const caller = admitted instanceof Promise ? await admitted : admitted
    if (!caller.ok) return respond(caller.failure)
    const toolkit = c.req.query('toolkit')
    if (toolkit !== undefined && !isNamePart(toolkit)) return respond(WRONG_TOOLKIT)
    const body = await readJson(request, BODY_LIMIT)
    if (!body.ok) return respond(body.failure)
    const call = decodeCall(body.value)
    if ('ok' in call) return respond(call.failure)
    const { name, input } = call
    const asked = toolkit === undefined ? askedAnywhere(name) : await askedWithin(toolkit, name, background)
    if (asked === undefined) return respond({ type: 'id-malformed', asked: name })
    const traceparent = request.headers.get('traceparent')
    const outcome = await callTool(
      { asked, input, context: { tokens: new Map(), secrets: new Map() } },
      {
        principal: caller.value,
        background,
        signal: () => request.signal,
        reachedAt: () => request.url,
        ...(traceparent === null || !isTraceparent(traceparent) ? {} : { traceparent }),
      },
    )
    return outcome.result.ok ? jsonText(JSON.stringify(encodeOutcome(outcome))) : respond(outcome.result.failure)
  })

  /** The tool a name is exposed for when it is of this toolkit, and the toolkit's own tool of that name otherwise. */
  async function askedWithin(toolkit: string, name: string, background: Background): Promise<string | undefined> {
    const id = parseToolId(name)
    if (id) return id.toolkit.toLowerCase() === toolkit.toLowerCase() ? name : undefined
    if (!isNamePart(name)) return undefined
    const own = formatToolId({ toolkit, tool: name })
    try {
      const exposed = await resolver.resolve(askedByName(name), background)
      const isWithin = exposed.ok && exposed.tool.record.toolkit.toLowerCase() === toolkit.toLowerCase()
      return isWithin ? askedByName(name) : own
    } catch {
      // Storage that cannot be reached: the call meets the same, and has words for it
      return own
    }
  }

  async function describe(c: Context): Promise<Response> {
    const request = c.req.raw
    const caller = await gate(request, 'tools:read', (work) => c.executionCtx.waitUntil(work))
    if (!caller.ok) return respond(caller.failure)
    const toolkit = c.req.query('toolkit')
    if (toolkit !== undefined && !isNamePart(toolkit)) return respond(WRONG_TOOLKIT)
    const { id, kind, tools } = caller.value
    const state = [await catalogue.etag(), id, kind, tools.join(), toolkit ?? ''].join('\n')
    const etag = `"${(await sha256(state)).slice(0, 32)}"`
    if (request.method === 'GET' && holds(request, etag)) {
      return new Response(null, { status: 304, headers: { ...PRIVATE, etag } })
    }
    const lines = await linesOf(caller.value, toolkit)
    if (lines) return jsonText(`{"tools":[${lines.join()}]}`, 200, { ...PRIVATE, etag })
    return respond({
      type: 'request-malformed',
      message: 'Cannot describe so many tools at once',
      detail: 'Ask for one toolkit with ?toolkit=, or list and search by page with GET /tools',
    })
  }

  /** Every line the principal may see; undefined when they are too many. */
  async function linesOf(principal: Principal, toolkit: string | undefined): Promise<readonly string[] | undefined> {
    const lines: string[] = []
    let characters = 0
    let cursor: string | undefined
    do {
      const query = { toolkit, versions: 'newest', limit: PAGE, cursor } as const
      const listing = await catalogue.list(query, principal, FORMAT)
      if (!listing) throw new Error('Cannot list: the catalogue does not know its own cursor')
      for (const line of listing.lines) {
        if (line === '') continue
        lines.push(line)
        characters += line.length
      }
      cursor = listing.nextCursor
    } while (cursor !== undefined && characters <= MAX_LISTED)
    return characters <= MAX_LISTED ? lines : undefined
  }

  return face
}

const WRONG_TOOLKIT: Failure = {
  type: 'request-malformed',
  message: "The query parameter 'toolkit' must be a toolkit's name",
}

function askedAnywhere(name: string): string | undefined {
  if (isNamePart(name)) return askedByName(name)
  return parseToolId(name) ? name : undefined
}

function respond(failure: Failure): Response {
  const headers = { ...PRIVATE, ...failureHeaders(failure) }
  return jsonText(JSON.stringify(encodeFailure(failure)), STATUS[failure.type], headers)
}
