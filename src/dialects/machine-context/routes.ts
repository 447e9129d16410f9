import { type Context, Hono } from 'hono'
import type { CallTool } from '../../core/call/call.ts'
import { type Failure, ok } from '../../core/failure/failure.ts'
import type { LineFormat } from '../../core/catalogue/catalogue.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { optional, text } from '../../core/tool/json-reader.ts'
import { json, listing, listOf, OBJECT, objectOf } from '../../http/route/answers.ts'
import { afterGate, reading } from '../../http/route/operation.ts'
import { NO_QUERY, query, type ReadOf } from '../../http/request/query.ts'
import { receiveCall } from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonText } from '../../http/answer/json-response.ts'
import { answerToolList, type ToolListDeps, wholeList } from '../../http/route/tool-list.ts'
import { joinShares, writeShare } from './listing.ts'
import {
  decodeCall,
  encodeFailure,
  encodeOutcome,
  MESSAGE,
  NOBODY,
  type ReplyTo,
  replyTo,
  type Stamp,
  statusOf,
} from './wire.ts'

export interface MachineContextFaceDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly newId: () => string
  readonly today: () => Date
}

const FORMAT: LineFormat = { name: 'machine-context', write: writeShare }
const LIST = query({ toolkit: optional(text("a tool's id", isNamePart)) })
const TOO_MANY: Failure = {
  type: 'request-malformed',
  message: 'Cannot list so many tools at once',
  detail: 'Ask for one tool with ?toolkit=, or list and search by page with GET /tools',
}

/** The Machine Context Protocol 1.0. It has no message for a list, so the body of a list's POST is not read. */
export function machineContextFace(deps: MachineContextFaceDeps): Hono {
  const { gate, callTool, catalogue, newId, today } = deps
  const face = new Hono()

  const refuse = afterGate(gate, (failure) => respond(failure))
  const lists = reading(
    {
      summary: 'List tools as documents of machine-context',
      scope: 'tools:read',
      query: LIST,
      answers: listing(objectOf({ tools: listOf(OBJECT) })),
      failures: 'MachineContextError',
    },
    list,
    refuse,
  )
  face.get('/machine-context/tools', lists)
  face.post('/machine-context/tools', lists)
  face.post(
    '/machine-context/execute',
    reading(
      {
        summary: 'Call a tool (machine-context)',
        scope: 'tools:call',
        query: NO_QUERY,
        body: { reader: () => MESSAGE },
        answers: { 200: json('A response message', OBJECT) },
        failures: 'MachineContextError',
      },
      execute,
      refuse,
    ),
  )

  async function execute(c: Context): Promise<Response> {
    const incoming = await receiveCall(c, gate, 'machine-context')
    if (!incoming.ok) return respond(incoming.failure)
    const { body, caller } = incoming.value
    const to = replyTo(body)
    const call = decodeCall(body)
    if ('ok' in call) return respond(call.failure, to)
    const outcome = await callTool(call, caller)
    const { result, durationMs } = outcome
    const headers = callHeaders(outcome)
    if (!result.ok) return respond(result.failure, to, durationMs, headers)
    return jsonText(JSON.stringify(encodeOutcome(outcome, to, stamp())), 200, headers)
  }

  function list(c: Context, { toolkit }: ReadOf<typeof LIST>): Promise<Response> {
    const join = (lines: readonly string[]) => `{"tools":[${joinShares(lines).join()}]}`
    const all = wholeList(catalogue, FORMAT, join, { toolkit, tooMany: TOO_MANY })
    return answerToolList(c, deps, () => ok(all), respond)
  }

  function respond(failure: Failure, to: ReplyTo = NOBODY, durationMs = 0, headers?: Record<string, string>): Response {
    const body = JSON.stringify(encodeFailure(failure, to, stamp(), durationMs))
    return jsonFailure(failure, body, statusOf(failure), headers)
  }

  const stamp = (): Stamp => ({ messageId: newId(), timestamp: today().toISOString() })

  return face
}
