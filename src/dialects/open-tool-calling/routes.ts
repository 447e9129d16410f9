import { type Context, Hono } from 'hono'
import type { Principal } from '../../core/access/principal.ts'
import type { Caller, CallTool, Outcome } from '../../core/call/call.ts'
import { type Failure, fail } from '../../core/call/failure.ts'
import type { Catalogue } from '../../core/access/catalogue.ts'
import type { Background } from '../../core/tool/platform.ts'
import { readJson } from '../../http/body.ts'
import type { Gate } from '../../http/gate.ts'
import { failureHeaders, holds, jsonText, PRIVATE } from '../../http/json-response.ts'
import { openToolCalling } from './definition.ts'
import { answerTo } from './failure.ts'
import { decodeInvocation, encodeOutcome, type Invocation, withTool } from './wire.ts'
import { isTraceparent } from '../../http/traceparent.ts'

export interface OpenToolCallingFaceDeps {
  /** Lets in who is let in elsewhere, and the engine that holds `WORKER_SECRET`. */
  readonly gate: Gate
  readonly callTool: CallTool
  readonly catalogue: Catalogue
  /** The ids of the tools that are called so, ignoring case and toolkits, out of those the principal may see. */
  readonly findByName: (name: string, principal: Principal) => Promise<readonly string[]>
  /** Names a representation by its text, for entity tags. */
  readonly sha256: (text: string) => Promise<string>
  readonly now: () => Date
}

/** The largest body of a call, in bytes. */
const CALL_LIMIT = 4 * 1024 * 1024
const PAGE = 1_000
const MAX_SUGGESTIONS = 3
const FORMAT = {
  name: openToolCalling.dialect,
  write: (record: Parameters<typeof openToolCalling.encode>[0]) =>
    JSON.stringify(openToolCalling.encode(record).document),
}

/** The Open Tool Calling RFC's schemas, at the paths where its living user, the Arcade engine, calls a worker. */
export function openToolCallingFace(deps: OpenToolCallingFaceDeps): Hono {
  const { gate, callTool, catalogue, findByName, sha256, now } = deps
  const face = new Hono()

  face.get('/worker/health', () => jsonText('{"status":"ok"}'))
  face.get('/worker/tools', list)
  face.post('/worker/tools/invoke', invoke)

  async function list(c: Context): Promise<Response> {
    const request = c.req.raw
    const admitted = await gate(request, 'tools:read', (work) => c.executionCtx.waitUntil(work))
    if (!admitted.ok) return respond(admitted.failure)
    const { id, kind, tools } = admitted.value
    const state = [await catalogue.etag(), id, kind, tools.join(), FORMAT.name].join('\n')
    const etag = `"${(await sha256(state)).slice(0, 32)}"`
    if (holds(request, etag)) return new Response(null, { status: 304, headers: { ...PRIVATE, etag } })
    const lines: string[] = []
    let cursor: string | undefined
    do {
      const listing = await catalogue.list({ versions: 'newest', limit: PAGE, cursor }, admitted.value, FORMAT)
      if (!listing) return respond({ type: 'unavailable', message: 'The catalogue changed while it was read' })
      for (const line of listing.lines) lines.push(line)
      cursor = listing.nextCursor
    } while (cursor !== undefined)
    return jsonText(`[${lines.join(',')}]`, 200, { ...PRIVATE, etag })
  }

  async function invoke(c: Context): Promise<Response> {
    const request = c.req.raw
    const background: Background = (work) => c.executionCtx.waitUntil(work)
    const admitted = gate(request, 'tools:call', background)
    const caller = admitted instanceof Promise ? await admitted : admitted
    if (!caller.ok) return respond(caller.failure)
    const body = await readJson(request, CALL_LIMIT)
    if (!body.ok) return respond(body.failure)
    const invocation = decodeInvocation(body.value)
    if ('ok' in invocation) return respond(invocation.failure)
    const traceparent = request.headers.get('traceparent')
    const outcome = await execute(invocation, {
      principal: caller.value,
      background,
      signal: () => request.signal,
      reachedAt: () => request.url,
      ...(traceparent === null || !isTraceparent(traceparent) ? {} : { traceparent }),
    })
    const response = encodeOutcome(outcome, now())
    if (response) return jsonText(JSON.stringify(response), 200, PRIVATE)
    return respond(outcome.result.ok ? { type: 'internal', reference: outcome.callId } : outcome.result.failure)
  }

  /** A name without a toolkit is the name that models see, else that of the one tool called so in any toolkit. */
  async function execute(invocation: Invocation, caller: Caller): Promise<Outcome> {
    const { call, bare } = invocation
    const outcome = await callTool(call, caller)
    if (!bare || outcome.result.ok || outcome.result.failure.type !== 'tool-unknown') return outcome
    const ids = await findByName(bare.name, caller.principal)
    const [only, ...others] = ids
    if (only === undefined) return outcome
    if (others.length === 0) return callTool(withTool(invocation, only), caller)
    const suggestions = ids.slice(0, MAX_SUGGESTIONS)
    return { ...outcome, result: fail({ type: 'tool-unknown', asked: bare.name, suggestions }) }
  }

  return face
}

/** A failure in this face's shape: `detail` is where its engine looks, `message` where everybody else does. */
function respond(failure: Failure): Response {
  const answer = answerTo(failure)
  const headers = { ...PRIVATE, ...failureHeaders(failure) }
  if ('output' in answer) return jsonText(JSON.stringify({ success: false, output: answer.output }), 200, headers)
  const { status, message, detail } = answer
  const body = { detail: message, message, ...(detail === undefined ? {} : { developer_message: detail }) }
  return jsonText(JSON.stringify(body), status, headers)
}
