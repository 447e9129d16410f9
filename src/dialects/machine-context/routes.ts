import { type Context, Hono, type Next } from 'hono'
import type { CallTool } from '../../core/call/call.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { oneOf, optional, text } from '../../core/tool/json-reader.ts'
import { OWN_NAME } from '../../core/tool/sanitize-name.ts'
import { json, listOf, OBJECT, objectOf } from '../../http/route/answers.ts'
import { NO_QUERY, query } from '../../http/request/query.ts'
import { callRoute, type IncomingCall } from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonText } from '../../http/answer/json-response.ts'
import { declare } from '../../http/route/operation.ts'
import { type ToolListDeps, wholeListRoute } from '../../http/route/tool-list.ts'
import { joinShares, type Joining, writeShare } from './listing.ts'
import { decodeCall, encodeFailure, encodeOutcome, MESSAGE, NOBODY, type ReplyTo, replyTo, statusOf } from './wire.ts'

export interface MachineContextFaceDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly newId: () => string
  readonly now: () => number
}

const LIST = {
  summary: 'List tools (machine-context)',
  query: query({
    toolkit: optional(text("a toolkit's name", isNamePart)),
    id: optional(OWN_NAME),
    versions: optional(oneOf(['newest', 'all'])),
  }),
  schema: objectOf({ tools: listOf(OBJECT) }),
  format: { name: 'machine-context', write: writeShare },
  join: (lines: readonly string[], query: Joining) => `{"tools":[${joinShares(lines, query).join()}]}`,
  tooMany: {
    message: 'Cannot list so many tools at once',
    detail: 'Ask for one toolkit with ?toolkit=, or list and search by page with GET /tools',
  },
} as const
const EXECUTE = {
  dialect: 'machine-context',
  summary: 'Call a tool (machine-context)',
  query: NO_QUERY,
  reader: MESSAGE,
  answer: json('A response message', OBJECT),
}

/** The Machine Context Protocol 1.0. It has no message for a list, which a POST without a body, and so without a type of one, asks for. */
export function machineContextFace(deps: MachineContextFaceDeps): Hono {
  const { callTool } = deps
  const respond = responder(deps)
  const face = new Hono()
  const failures = 'MachineContextError'
  const list = wholeListRoute(deps, { ...LIST, failures, respond: (failure) => respond(failure) })
  face.get('/machine-context/tools', list)
  // A definition is for the door of everything published
  const listUnlessSent = (c: Context, next: Next) => (c.req.header('content-type') === undefined ? list(c) : next())
  face.post('/machine-context/tools', declare({ query: NO_QUERY }, listUnlessSent))
  const respondTo = () => (failure: Failure) => respond(failure)
  face.post('/machine-context/execute', callRoute(deps.gate, { ...EXECUTE, failures, respondTo }, execute))

  async function execute({ body, caller }: IncomingCall): Promise<Response> {
    const to = replyTo(body)
    const call = decodeCall(body)
    if ('ok' in call) return respond(call.failure, to)
    const outcome = await callTool(call, caller)
    const { result, durationMs } = outcome
    const headers = callHeaders(outcome)
    if (!result.ok) return respond(result.failure, to, durationMs, headers)
    return jsonText(JSON.stringify(encodeOutcome(outcome, to, stampBy(deps))), 200, headers)
  }

  return face
}

export function responder(deps: Stamping) {
  return (failure: Failure, to: ReplyTo = NOBODY, durationMs = 0, headers?: Record<string, string>): Response => {
    const body = JSON.stringify(encodeFailure(failure, to, stampBy(deps), durationMs))
    return jsonFailure(failure, body, statusOf(failure), headers)
  }
}

type Stamping = Pick<MachineContextFaceDeps, 'newId' | 'now'>

function stampBy({ newId, now }: Stamping) {
  return { messageId: newId(), timestamp: new Date(now()).toISOString() }
}
