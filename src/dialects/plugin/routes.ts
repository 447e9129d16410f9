import { Hono } from 'hono'
import { maySee } from '../../core/access/principal.ts'
import type { Caller, CallTool } from '../../core/call/call.ts'
import { fail, type Failure, lacksSuggestions } from '../../core/failure/failure.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import {
  askedByDocument,
  askedByIdOrName,
  askedByName,
  BY_TOOLKIT,
  formatToolId,
  isNamePart,
  isOwnName,
  parseToolId,
} from '../../core/tool/tool-id.ts'
import { plainName } from '../../core/tool/sanitize-name.ts'
import { optional, text } from '../../core/tool/json-reader.ts'
import type { ToolRecord } from '../../core/tool/tool.ts'
import { component, listOf, OBJECT, objectOf } from '../../http/route/answers.ts'
import { query, type ReadOf } from '../../http/request/query.ts'
import { callIdOf, callRoute, contextOf, type IncomingCall } from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonText } from '../../http/answer/json-response.ts'
import { type ToolListDeps, wholeListRoute } from '../../http/route/tool-list.ts'
import { toolDescription } from './definition.ts'
import { STATUS } from './failure.ts'
import { decodeCall, encodeFailure, encodeOutcome, REQUEST } from './wire.ts'

export interface PluginFaceDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly resolver: Resolver
}

/** The registry as one plugin, or with `?toolkit=` each toolkit as one, whose tools then keep their own names. */
export function pluginFace(deps: PluginFaceDeps): Hono {
  const { callTool, resolver } = deps
  const face = new Hono()
  const describe = wholeListRoute(deps, DESCRIBE)
  face.get('/plugin/describe', describe).post('/plugin/describe', describe)
  face.post('/plugin/call', callRoute(deps.gate, CALL, call))

  async function call({ request, caller, query, body }: IncomingCall<ReadOf<typeof TOOLKIT>>): Promise<Response> {
    const { toolkit } = query
    const context = contextOf(request)
    if (!context.ok) return respond(context.failure)
    const decoded = decodeCall(body)
    if ('ok' in decoded) return respond(decoded.failure)
    const { name, input, method, values, select, structured } = decoded
    if (!isOwnName(name)) return respond({ type: 'id-malformed', asked: name })
    const asked = toolkit === undefined ? askedByIdOrName(name) : await askedWithin(toolkit, name, caller)
    const isOwn = toolkit !== undefined && !isNamePart(name)
    const address = isOwn ? { address: askedByDocument({ dialect: BY_TOOLKIT, id: toolkit, tool: name }) } : {}
    const id = callIdOf(request)
    if (!id.ok) return respond(id.failure)
    const otherwise = toolkit === undefined && isNamePart(name) ? { otherwise: { bareName: { name } } } : {}
    const outcome = await callTool(
      { asked, ...address, ...otherwise, input, method, ...id.value, context: { ...context.value, values }, select },
      caller,
    )
    const headers = callHeaders(outcome)
    const result = outcome.result.ok ? outcome.result : fail(await suggesting(outcome.result.failure, caller))
    const text = JSON.stringify(encodeOutcome({ ...outcome, result }, structured))
    return result.ok
      ? jsonText(text, 200, headers)
      : jsonFailure(result.failure, text, STATUS[result.failure.type], headers)
  }

  async function suggesting(failure: Failure, { principal }: Caller): Promise<Failure> {
    if (!lacksSuggestions(failure)) return failure
    return { ...failure, suggestions: await deps.catalogue.near(failure.asked, principal) }
  }

  async function askedWithin(toolkit: string, name: string, caller: Caller): Promise<string> {
    const id = parseToolId(name)
    if (id?.toolkit.toLowerCase() === toolkit.toLowerCase()) return name
    const own = formatToolId({ toolkit, tool: plainName(name) })
    if (!isNamePart(name)) return own
    const { principal, background } = caller
    try {
      const exposed = await resolver.resolve(askedByName(name), background)
      const found = exposed.ok && maySee(principal, exposed.tool.record, 'tools:call') ? exposed.tool.record : undefined
      const isWithin = found?.toolkit.toLowerCase() === toolkit.toLowerCase()
      return isWithin ? askedByName(name) : own
    } catch {
      return own
    }
  }

  return face
}

const TOOLKIT = query({ toolkit: optional(text("a toolkit's name", isNamePart)) })
const failures = 'CallToolResult'
const DESCRIBE = {
  failures,
  summary: 'Describe the registry as a plugin',
  query: TOOLKIT,
  schema: objectOf({ tools: listOf(OBJECT) }),
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
  answer: component('What the tool came to', 'CallToolResult'),
  respondTo: () => respond,
}

export function respond(failure: Failure, headers?: Record<string, string>): Response {
  return jsonFailure(failure, JSON.stringify(encodeFailure(failure)), STATUS[failure.type], headers)
}
