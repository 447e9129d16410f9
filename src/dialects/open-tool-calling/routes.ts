import { Hono } from 'hono'
import type { CallTool } from '../../core/call/call.ts'
import type { Failure } from '../../core/failure/failure.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { component, json, listOf, OBJECT } from '../../http/route/answers.ts'
import { declare } from '../../http/route/operation.ts'
import { ANY_QUERY, NO_QUERY } from '../../http/request/query.ts'
import { callRoute, type IncomingCall } from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonText } from '../../http/answer/json-response.ts'
import { type ToolListDeps, wholeListRoute } from '../../http/route/tool-list.ts'
import { encodeListed } from './encode.ts'
import { answerTo } from './failure.ts'
import { RESPONSE_SCHEMA } from './schema-uri.ts'
import { decodeInvocation, encodeOutcome, REQUEST } from './wire.ts'

export interface OpenToolCallingFaceDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly now: () => number
}

const failures = 'WorkerError'
const LIST = {
  failures,
  summary: 'List tools (Open Tool Calling)',
  query: NO_QUERY,
  schema: listOf(OBJECT),
  format: { name: 'worker-tools', write: (record: ToolRecord) => JSON.stringify(encodeListed(record)) },
  join: (lines: readonly string[]) => `[${lines.join()}]`,
  tooMany: {
    message: 'Cannot list so many tools at once',
    detail: 'Use a key of fewer tools, or list and search by page with GET /tools?format=open-tool-calling',
  },
  respond,
} as const
const INVOKE = {
  failures,
  dialect: 'open-tool-calling',
  summary: 'Call a tool (Open Tool Calling)',
  query: NO_QUERY,
  reader: REQUEST,
  answer: json('The response', OBJECT),
  respondTo: () => respond,
}

/** The RFC's schemas at the Arcade engine's paths. The gate also admits the engine that holds `WORKER_SECRET`. */
export function openToolCallingFace(deps: OpenToolCallingFaceDeps): Hono {
  const { callTool, now } = deps
  const face = new Hono()
  face.get(
    '/worker/health',
    declare(
      {
        summary: 'Check the health of the worker (Open Tool Calling)',
        query: ANY_QUERY,
        answers: { 200: component('Healthy', 'Health') },
      },
      () => jsonText('{"status":"ok"}'),
    ),
  )
  face.get('/worker/tools', wholeListRoute(deps, LIST))
  face.post('/worker/tools/invoke', callRoute(deps.gate, INVOKE, invoke))

  async function invoke({ body, caller }: IncomingCall): Promise<Response> {
    const call = decodeInvocation(body)
    if ('ok' in call) return respond(call.failure)
    const outcome = await callTool(call, caller)
    const response = encodeOutcome(outcome, new Date(outcome.finishedAt ?? now()))
    if (response) return jsonText(JSON.stringify(response), 200, callHeaders(outcome))
    const failure = outcome.result.ok
      ? ({ type: 'internal', reference: outcome.callId } as const)
      : outcome.result.failure
    return respond(failure, callHeaders(outcome))
  }

  return face
}

export function respond(failure: Failure, headers?: Record<string, string>): Response {
  const answer = answerTo(failure)
  if ('output' in answer)
    return jsonFailure(failure, JSON.stringify({ $schema: RESPONSE_SCHEMA, ...answer, success: false }), 200, headers)
  const { status, message, detail } = answer
  const body = { detail: message, message, developer_message: detail }
  return jsonFailure(failure, JSON.stringify(body), status, headers)
}
