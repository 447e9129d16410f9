import { Hono } from 'hono'
import type { CallTool } from '../../core/call/call.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { optional, text } from '../../core/tool/json-reader.ts'
import { json, listOf, OBJECT, objectOf } from '../../http/route/answers.ts'
import { dialectRoutes, type WholeList } from '../../http/route/dialect-routes.ts'
import { NO_QUERY, query } from '../../http/request/query.ts'
import type { IncomingCall } from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonText } from '../../http/answer/json-response.ts'
import type { ToolListDeps } from '../../http/route/tool-list.ts'
import { joinShares, writeShare } from './listing.ts'
import { decodeCall, encodeFailure, encodeOutcome, MESSAGE, NOBODY, type ReplyTo, replyTo, statusOf } from './wire.ts'

export interface MachineContextFaceDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly newId: () => string
  readonly today: () => Date
}

const LIST = query({ toolkit: optional(text("a tool's id", isNamePart)) })
const WHOLE: WholeList = {
  format: { name: 'machine-context', write: writeShare },
  join: (lines) => `{"tools":[${joinShares(lines).join()}]}`,
  tooMany: {
    type: 'request-malformed',
    message: 'Cannot list so many tools at once',
    detail: 'Ask for one tool with ?toolkit=, or list and search by page with GET /tools',
  },
}

/** The Machine Context Protocol 1.0. It has no message for a list, so the body of a list's POST is not read. */
export function machineContextFace(deps: MachineContextFaceDeps): Hono {
  const { callTool, newId, today } = deps
  const face = new Hono()
  const routes = dialectRoutes(deps, 'machine-context', 'MachineContextError', (failure) => respond(failure))
  const documents = objectOf({ tools: listOf(OBJECT) })
  const list = routes.list('List tools as documents of machine-context', LIST, documents, WHOLE)
  face.get('/machine-context/tools', list).post('/machine-context/tools', list)
  const answer = json('A response message', OBJECT)
  const operation = { summary: 'Call a tool (machine-context)', query: NO_QUERY, reader: MESSAGE, answer }
  face.post('/machine-context/execute', routes.call(operation, execute))

  async function execute({ body, caller }: IncomingCall): Promise<Response> {
    const to = replyTo(body)
    const call = decodeCall(body)
    if ('ok' in call) return respond(call.failure, to)
    const outcome = await callTool(call, caller)
    const { result, durationMs } = outcome
    const headers = callHeaders(outcome)
    if (!result.ok) return respond(result.failure, to, durationMs, headers)
    return jsonText(JSON.stringify(encodeOutcome(outcome, to, stamp())), 200, headers)
  }

  function respond(failure: Failure, to: ReplyTo = NOBODY, durationMs = 0, headers?: Record<string, string>): Response {
    const body = JSON.stringify(encodeFailure(failure, to, stamp(), durationMs))
    return jsonFailure(failure, body, statusOf(failure), headers)
  }

  const stamp = () => ({ messageId: newId(), timestamp: today().toISOString() })

  return face
}
