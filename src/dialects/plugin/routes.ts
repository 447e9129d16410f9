import { Hono } from 'hono'
import { maySee } from '../../core/access/principal.ts'
import type { Caller, CallTool } from '../../core/call/call-request.ts'
import { fail, type Failure, needsSuggestions } from '../../core/failure/failure.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import { formatToolId, isNamePart, isOwnName } from '../../core/tool/tool-id.ts'
import { BY_TOOLKIT, parseToolRef, toDocumentRef, toIdRef, toNameRef, type ToolRef } from '../../core/tool/tool-ref.ts'
import { toToolName } from '../../core/tool/sanitize-name.ts'
import { optional, stringMatching } from '../../core/tool/json-reader.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { jsonRef, arraySchema, OBJECT, objectSchema } from '../../http/route/response-specs.ts'
import { defineQuery, type QueryValues } from '../../http/request/query.ts'
import {
  readIdempotencyKey,
  createCallRoute,
  readCallContext,
  type IncomingCall,
} from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonTextResponse } from '../../http/response/json-response.ts'
import { type ToolListDeps, createFullListRoute } from '../../http/route/tool-list.ts'
import { toolDescription } from './definition.ts'
import { STATUS } from './failure.ts'
import { decodeCall, encodeFailure, encodeOutcome, REQUEST } from './wire.ts'

interface PluginRoutesDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly resolver: Resolver
}

/** Serves the registry as one plugin, or with `?toolkit=` one toolkit, whose tools then keep their own names. */
export function createPluginRoutes(deps: PluginRoutesDeps): Hono {
  const { callTool, resolver } = deps
  const router = new Hono()
  const describe = createFullListRoute(deps, DESCRIBE)
  router.get('/plugin/describe', describe).post('/plugin/describe', describe)
  router.post('/plugin/call', createCallRoute(deps.authorize, CALL, call))

  async function call({ request, caller, query, body }: IncomingCall<QueryValues<typeof TOOLKIT>>): Promise<Response> {
    const { toolkit } = query
    const context = readCallContext(request)
    if (!context.ok) return respond(context.failure)
    const decodedCall = decodeCall(body)
    if ('ok' in decodedCall) return respond(decodedCall.failure)
    const { name, input, method, values, select, structured } = decodedCall
    if (!isOwnName(name)) return respond({ type: 'id-malformed', ref: name })
    const toolRef = toolkit === undefined ? parseToolRef(name) : await findRefInToolkit(toolkit, name, caller)
    const isSourceName = toolkit !== undefined && !isNamePart(name)
    const document = isSourceName && { documentRef: toDocumentRef({ dialect: BY_TOOLKIT, id: toolkit, tool: name }) }
    const id = readIdempotencyKey(request)
    if (!id.ok) return respond(id.failure)
    const fallback = toolkit === undefined && isNamePart(name) && { fallback: { bareName: { name } } }
    const outcome = await callTool(
      { toolRef, ...document, ...fallback, input, method, ...id.value, context: { ...context.value, values }, select },
      caller,
    )
    const headers = callHeaders(outcome)
    const result = outcome.result.ok ? outcome.result : fail(await addSuggestions(outcome.result.failure, caller))
    const text = JSON.stringify(encodeOutcome({ ...outcome, result }, structured))
    return result.ok
      ? jsonTextResponse(text, 200, headers)
      : jsonFailure(result.failure, text, STATUS[result.failure.type], headers)
  }

  async function addSuggestions(failure: Failure, { principal }: Caller): Promise<Failure> {
    if (!needsSuggestions(failure)) return failure
    return { ...failure, suggestions: await deps.catalog.suggestNames(failure.ref, principal) }
  }

  async function findRefInToolkit(toolkit: string, name: string, caller: Caller): Promise<ToolRef> {
    const ref = toIdRef(name)
    if (ref.kind === 'id' && ref.toolkit.toLowerCase() === toolkit.toLowerCase()) return ref
    const idRef = toIdRef(formatToolId({ toolkit, tool: toToolName(name) }))
    if (!isNamePart(name)) return idRef
    const { principal, background } = caller
    try {
      const exposed = await resolver.resolve(toNameRef(name), principal.view, background)
      const visibleRecord =
        exposed.ok && maySee(principal, exposed.tool.record, 'tools:call') ? exposed.tool.record : undefined
      const isWithin = visibleRecord?.toolkit.toLowerCase() === toolkit.toLowerCase()
      return isWithin ? toNameRef(name) : idRef
    } catch {
      return idRef
    }
  }

  return router
}

const TOOLKIT = defineQuery({ toolkit: optional(stringMatching("a toolkit's name", isNamePart)) })
const failures = 'CallToolResult'
const DESCRIBE = {
  failures,
  summary: 'Describe the registry as a plugin',
  query: TOOLKIT,
  schema: objectSchema({ tools: arraySchema(OBJECT) }),
  format: {
    name: 'plugin',
    write: (record: ToolRecord, name: string) =>
      record.implementation ? JSON.stringify(toolDescription(record, name)) : '',
  },
  join: (lines: readonly string[]) => `{"tools":[${lines.join()}]}`,
  tooMany: {
    message: 'Cannot describe so many tools at once',
    detail: 'Ask for one toolkit with ?toolkit=, or list and search by page with GET /tools',
  },
  respond,
} as const
const CALL = {
  failures,
  dialect: 'plugin',
  summary: 'Call a tool (plugin)',
  query: TOOLKIT,
  reader: REQUEST,
  response: jsonRef('The result of the tool', 'CallToolResult'),
  respond: (failure: Failure) => respond(failure),
}

export function respond(failure: Failure, headers?: Record<string, string>): Response {
  return jsonFailure(failure, JSON.stringify(encodeFailure(failure)), STATUS[failure.type], headers)
}
