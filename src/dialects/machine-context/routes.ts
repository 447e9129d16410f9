import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import type { CallTool } from '../../core/call/call.ts'
import type { Failure } from '../../core/call/failure.ts'
import type { Catalogue } from '../../core/access/catalogue.ts'
import type { Background } from '../../core/tool/platform.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { readJson } from '../../http/body.ts'
import type { Gate } from '../../http/gate.ts'
import { failureHeaders, holds, jsonText, PRIVATE } from '../../http/json-response.ts'
import { joinShares, writeShare } from './listing.ts'
import {
  decodeCall,
  encodeFailure,
  encodeOutcome,
  NOBODY,
  type ReplyTo,
  replyTo,
  type Stamp,
  statusOf,
} from './wire.ts'
import { isTraceparent } from '../../http/traceparent.ts'

export interface MachineContextFaceDeps {
  readonly gate: Gate
  readonly callTool: CallTool
  readonly catalogue: Catalogue
  /** Names a representation by its text, for entity tags. */
  readonly sha256: (text: string) => Promise<string>
  readonly newId: () => string
  /** The date and time of a reply. */
  readonly today: () => Date
}

/** The largest body of a request, in bytes. */
const BODY_LIMIT = 4 * 1024 * 1024
const PAGE = 1_000
/** The most characters a list may have: the protocol has no pages, and an isolate no room for more. */
const MAX_LISTED = 16_000_000

/**
 * The face of the Machine Context Protocol 1.0.
 *
 * - `GET` or `POST /machine-context/tools` (`?toolkit=` for one tool): `{"tools": [definition…]}`, each tool of one document
 *   with all capabilities that the caller may see. The body of a POST is not read: the protocol has no message for it.
 * - `POST /machine-context/execute`: a request message, answered with a response (200) whatever came of it, or with an
 *   error message (4xx) when it is no request message or its sender is not let in.
 */
export function machineContextFace(deps: MachineContextFaceDeps): Hono {
  const { gate, callTool, catalogue, sha256, newId, today } = deps
  const face = new Hono()

  face.get('/machine-context/tools', list)
  face.post('/machine-context/tools', list)
  face.post('/machine-context/execute', async (c) => {
    const request = c.req.raw
    const background: Background = (work) => c.executionCtx.waitUntil(work)
    const admitted = gate(request, 'tools:call', background)
    const caller = admitted instanceof Promise ? await admitted : admitted
    if (!caller.ok) return respond(caller.failure)
    const body = await readJson(request, BODY_LIMIT)
    if (!body.ok) return respond(body.failure)
    const to = replyTo(body.value)
    const call = decodeCall(body.value)
    if ('ok' in call) return respond(call.failure, to)
    const traceparent = request.headers.get('traceparent')
    const outcome = await callTool(call, {
      principal: caller.value,
      background,
      signal: () => request.signal,
      reachedAt: () => request.url,
      ...(traceparent === null || !isTraceparent(traceparent) ? {} : { traceparent }),
    })
    if (!outcome.result.ok) return respond(outcome.result.failure, to, outcome.durationMs)
    return jsonText(JSON.stringify(encodeOutcome(outcome, to, stamp())))
  })

  async function list(c: Context): Promise<Response> {
    const request = c.req.raw
    const caller = await gate(request, 'tools:read', (work) => c.executionCtx.waitUntil(work))
    if (!caller.ok) return respond(caller.failure)
    const toolkit = c.req.query('toolkit')
    if (toolkit !== undefined && !isNamePart(toolkit)) {
      return respond({ type: 'request-malformed', message: "The query parameter 'toolkit' must be a tool's id" })
    }
    const { id, kind, tools } = caller.value
    const state = [await catalogue.etag(), id, kind, tools.join(), toolkit ?? ''].join('\n')
    const etag = `"${(await sha256(state)).slice(0, 32)}"`
    if (request.method === 'GET' && holds(request, etag)) {
      return new Response(null, { status: 304, headers: { ...PRIVATE, etag } })
    }
    const lines = await linesOf(caller.value, toolkit)
    if (lines) return jsonText(`{"tools":[${joinShares(lines).join()}]}`, 200, { ...PRIVATE, etag })
    return respond({
      type: 'request-malformed',
      message: 'Cannot list so many tools at once',
      detail: 'Ask for one tool with ?toolkit=, or list and search by page with GET /tools',
    })
  }

  /** Every line the principal may see; undefined when they are too many. */
  async function linesOf(principal: Principal, toolkit: string | undefined): Promise<readonly string[] | undefined> {
    const lines: string[] = []
    let characters = 0
    let cursor: string | undefined
    do {
      const query = { toolkit, versions: 'newest', limit: PAGE, cursor } as const
      const listing = await catalogue.list(query, principal, { name: 'machine-context', write: writeShare })
      if (!listing) throw new Error('Cannot list: the catalogue does not know its own cursor')
      for (const line of listing.lines) {
        lines.push(line)
        characters += line.length
      }
      cursor = listing.nextCursor
    } while (cursor !== undefined && characters <= MAX_LISTED)
    return characters <= MAX_LISTED ? lines : undefined
  }

  function respond(failure: Failure, to: ReplyTo = NOBODY, durationMs = 0): Response {
    const body = JSON.stringify(encodeFailure(failure, to, stamp(), durationMs))
    return jsonText(body, statusOf(failure), { ...PRIVATE, ...failureHeaders(failure) })
  }

  const stamp = (): Stamp => ({ messageId: newId(), timestamp: today().toISOString() })

  return face
}
