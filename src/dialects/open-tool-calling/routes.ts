import { Hono } from 'hono'
import { patternsFor, type Principal } from '../../core/access/principal.ts'
import type { CallTool } from '../../core/call/call-request.ts'
import type { Failure } from '../../core/failure/failure.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { jsonRef, arraySchema, OBJECT } from '../../http/route/response-specs.ts'
import { getBackground } from '../../http/route/authorizer.ts'
import { declareOperation } from '../../http/route/operation.ts'
import { ANY_QUERY, NO_QUERY } from '../../http/request/query.ts'
import { type AnswerMemory, requestMemory } from '../../http/request/request-memory.ts'
import { createCallRoute, type IncomingCall } from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonTextResponse } from '../../http/response/json-response.ts'
import { type ToolListDeps, createFullList, createFullListRoute } from '../../http/route/tool-list.ts'
import { encodeListed } from './encode.ts'
import { toFailureResponse } from './failure.ts'
import { RESPONSE_SCHEMA } from './schema-uri.ts'
import { decodeInvocation, encodeOutcome, findArtifact, REQUEST } from './wire.ts'

interface OpenToolCallingRoutesDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly now: () => number
}

interface WorkerTools {
  /** A string, as in the engine's own workers. */
  readonly tool_count: string
  readonly tool_definitions_hash: string
}

const failures = 'WorkerError'
const LIST = {
  failures,
  summary: 'List tools (Open Tool Calling)',
  query: NO_QUERY,
  schema: arraySchema(OBJECT),
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
  response: jsonRef('The response', 'WorkerResponse'),
  respond: (failure: Failure) => respond(failure),
}

/** The RFC's schemas at the Arcade engine's paths. The authorizer also admits an engine that has `WORKER_SECRET`. */
export function createOpenToolCallingRoutes(deps: OpenToolCallingRoutesDeps): Hono {
  const { callTool, now } = deps
  const router = new Hono()
  const startedAt = new Date(now()).toISOString()
  let lastDescription: { readonly key: string; readonly tools: WorkerTools } | undefined
  router.get(
    '/worker/health',
    declareOperation(
      {
        summary: 'Check the health of the worker (Open Tool Calling)',
        query: ANY_QUERY,
        responses: { 200: jsonRef('Healthy', 'WorkerHealth') },
      },
      async (c) => {
        const caller = await deps.authorize(c, 'tools:read')
        const respondHealthy = (tools?: WorkerTools) =>
          jsonTextResponse(JSON.stringify({ status: 'ok', ...tools, started_at: startedAt }))
        if (!caller.ok) return respondHealthy()
        const owner = { principal: caller.value, request: c.req.raw, background: getBackground(c) }
        const memory = requestMemory.open(owner)
        return memory.untilRead(respondHealthy(await describeTools(caller.value, memory).catch(() => undefined)))
      },
    ),
  )
  router.get('/worker/tools', createFullListRoute(deps, LIST))
  router.post('/worker/tools/invoke', createCallRoute(deps.authorize, INVOKE, invoke))

  /** An engine reloads the list when its hash changes. The last caller's result is kept, because engines poll. */
  async function describeTools(principal: Principal, memory: AnswerMemory): Promise<WorkerTools | undefined> {
    const { catalog, sha256 } = deps
    const patterns = patternsFor(principal, 'tools:read')
    const currentTag = await catalog.etag()
    const key = [currentTag, principal.id, principal.kind, patterns.join()].join('\n')
    if (lastDescription?.key === key) return lastDescription.tools
    const list = await createFullList(
      catalog,
      { ...LIST, join: (lines) => `${lines.length}\n${lines.join()}` },
      {},
    ).write(principal, memory)
    if (!list.ok) return undefined
    const { text, etag } = list.value
    const tools = { tool_count: String(Number.parseInt(text)), tool_definitions_hash: await sha256(text) }
    if (etag === currentTag) lastDescription = { key, tools }
    return tools
  }

  async function invoke({ body, caller }: IncomingCall): Promise<Response> {
    const call = decodeInvocation(body)
    if ('ok' in call) return respond(call.failure)
    const outcome = await callTool(call, { ...caller, findArtifact })
    const response = encodeOutcome(outcome, new Date(outcome.finishedAt ?? now()))
    if (response) return jsonTextResponse(JSON.stringify(response), 200, callHeaders(outcome))
    const failure = outcome.result.ok
      ? ({ type: 'internal', reference: outcome.callId } as const)
      : outcome.result.failure
    return respond(failure, callHeaders(outcome))
  }

  return router
}

export function respond(failure: Failure, headers?: Record<string, string>): Response {
  const response = toFailureResponse(failure)
  if (response.kind === 'response') {
    const { output } = response
    return jsonFailure(failure, JSON.stringify({ $schema: RESPONSE_SCHEMA, output, success: false }), 200, headers)
  }
  const { status, message, detail } = response
  const body = { detail: message, message, developer_message: detail }
  return jsonFailure(failure, JSON.stringify(body), status, headers)
}
