import { type Context, Hono, type Next } from 'hono'
import type { CallTool } from '../../core/call/call-request.ts'
import type { Failure } from '../../core/failure/failure.ts'
import { isNamePart } from '../../core/tool/tool-id.ts'
import { enumReader, optional, stringMatching } from '../../core/tool/json-reader.ts'
import { SOURCE_NAME } from '../../core/tool/sanitize-name.ts'
import { json, arraySchema, OBJECT, objectSchema } from '../../http/route/response-specs.ts'
import { NO_QUERY, defineQuery } from '../../http/request/query.ts'
import { createCallRoute, type IncomingCall } from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonTextResponse } from '../../http/response/json-response.ts'
import { declareOperation } from '../../http/route/operation.ts'
import { type ToolListDeps, createFullListRoute } from '../../http/route/tool-list.ts'
import { joinCapabilityLines, type JoinOptions, encodeCapabilityLine } from './listing.ts'
import {
  decodeCall,
  encodeFailure,
  encodeOutcome,
  MESSAGE,
  NO_SENDER,
  type ReplyTo,
  createReplyHeader,
  getStatus,
} from './wire.ts'

interface MachineContextRoutesDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly newId: () => string
  readonly now: () => number
}

const LIST_OPTIONS = {
  summary: 'List tools (machine-context)',
  query: defineQuery({
    toolkit: optional(stringMatching("a toolkit's name", isNamePart)),
    id: optional(SOURCE_NAME),
    versions: optional(enumReader(['newest', 'all'])),
  }),
  schema: objectSchema({ tools: arraySchema(OBJECT) }),
  format: { name: 'machine-context', write: encodeCapabilityLine },
  join: (lines: readonly string[], query: JoinOptions) => `{"tools":[${joinCapabilityLines(lines, query).join()}]}`,
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
  response: json('A response message', OBJECT),
}

/** The Machine Context Protocol 1.0, which has no list message: a POST without a body, and so without its type, gets a list. */
export function createMachineContextRoutes(deps: MachineContextRoutesDeps): Hono {
  const { callTool } = deps
  const respond = createResponder(deps)
  const router = new Hono()
  const failures = 'MachineContextError'
  const list = createFullListRoute(deps, { ...LIST_OPTIONS, failures, respond: (failure) => respond(failure) })
  router.get('/machine-context/tools', list)
  // A body is a definition, which the route for all publications handles
  const listUnlessBody = (c: Context, next: Next) => (c.req.header('content-type') === undefined ? list(c) : next())
  router.post('/machine-context/tools', declareOperation({ query: NO_QUERY }, listUnlessBody))
  router.post(
    '/machine-context/execute',
    createCallRoute(deps.authorize, { ...EXECUTE, failures, respond: (failure) => respond(failure) }, execute),
  )

  async function execute({ body, caller }: IncomingCall): Promise<Response> {
    const replyTo = createReplyHeader(body)
    const call = decodeCall(body)
    if ('ok' in call) return respond(call.failure, replyTo)
    const outcome = await callTool(call, caller)
    const { result, durationMs } = outcome
    const headers = callHeaders(outcome)
    if (!result.ok) return respond(result.failure, replyTo, durationMs, headers)
    return jsonTextResponse(JSON.stringify(encodeOutcome(outcome, replyTo, createStamp(deps))), 200, headers)
  }

  return router
}

export function createResponder(deps: StampDeps) {
  return (
    failure: Failure,
    replyTo: ReplyTo = NO_SENDER,
    durationMs = 0,
    headers?: Record<string, string>,
  ): Response => {
    const body = JSON.stringify(encodeFailure(failure, replyTo, createStamp(deps), durationMs))
    return jsonFailure(failure, body, getStatus(failure), headers)
  }
}

type StampDeps = Pick<MachineContextRoutesDeps, 'newId' | 'now'>

function createStamp({ newId, now }: StampDeps) {
  return { messageId: newId(), timestamp: new Date(now()).toISOString() }
}
