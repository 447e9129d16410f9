import { type Context, Hono } from 'hono'
import { maySee } from '../../core/access/principal.ts'
import type { Caller, CallTool } from '../../core/call/call.ts'
import { type Failure, ok } from '../../core/failure/failure.ts'
import type { LineFormat } from '../../core/catalogue/catalogue.ts'
import type { Resolver } from '../../core/call/resolve.ts'
import { plainName, PUBLISHED_NAME } from '../../core/tool/name-suffix.ts'
import { askedByName, formatToolId, isNamePart, parseToolId } from '../../core/tool/tool-id.ts'
import { optional, text } from '../../core/tool/json-reader.ts'
import { component, listing, listOf, OBJECT, objectOf } from '../../http/route/answers.ts'
import { afterGate, reading } from '../../http/route/operation.ts'
import { query, type ReadOf } from '../../http/request/query.ts'
import { callIdOf, contextOf, receiveCall } from '../../http/route/incoming-call.ts'
import { callHeaders, jsonFailure, jsonText } from '../../http/answer/json-response.ts'
import { answerToolList, type ToolListDeps, wholeList } from '../../http/route/tool-list.ts'
import { toolDescription } from './definition.ts'
import { STATUS } from './failure.ts'
import { decodeCall, encodeFailure, encodeOutcome, REQUEST } from './wire.ts'

export interface PluginFaceDeps extends ToolListDeps {
  readonly callTool: CallTool
  readonly resolver: Resolver
}

/** A tool that cannot be called is an empty line. */
const FORMAT: LineFormat = {
  name: 'plugin',
  write: (record, name) => (record.implementation ? JSON.stringify(toolDescription(record, name)) : ''),
}

/** The registry as one plugin, or with `?toolkit=` each toolkit as one, whose tools then keep their own names. */
export function pluginFace(deps: PluginFaceDeps): Hono {
  const { gate, callTool, catalogue, resolver } = deps
  const face = new Hono()

  const refuse = afterGate(gate, (failure) => respond(failure))
  const describing = reading(
    {
      summary: 'Describe the registry as a plugin',
      scope: 'tools:read',
      query: TOOLKIT,
      answers: listing(objectOf({ tools: listOf(OBJECT) })),
      failures: 'CallToolResult',
    },
    describe,
    refuse,
  )
  face.get('/plugin/describe', describing)
  face.post('/plugin/describe', describing)
  face.post(
    '/plugin/call',
    reading(
      {
        summary: 'Call a tool (plugin)',
        scope: 'tools:call',
        query: TOOLKIT,
        body: { reader: () => REQUEST },
        answers: { 200: component('What the tool came to', 'CallToolResult') },
        failures: 'CallToolResult',
      },
      call,
      refuse,
    ),
  )

  async function call(c: Context, { toolkit }: ReadOf<typeof TOOLKIT>): Promise<Response> {
    const incoming = await receiveCall(c, gate, 'plugin')
    if (!incoming.ok) return respond(incoming.failure)
    const { body, caller } = incoming.value
    const context = contextOf(c.req.raw)
    if (!context.ok) return respond(context.failure)
    const decoded = decodeCall(body)
    if ('ok' in decoded) return respond(decoded.failure)
    const { name, input, method, values, select } = decoded
    const asked = toolkit === undefined ? askedAnywhere(name) : await askedWithin(toolkit, name, caller)
    if (asked === undefined) return respond({ type: 'id-malformed', asked: name })
    const id = callIdOf(c.req.raw)
    if (!id.ok) return respond(id.failure)
    const given = { ...context.value, ...(values === undefined ? {} : { values }) }
    const outcome = await callTool(
      { asked, input, ...id.value, context: given, ...(select === undefined ? {} : { select }) },
      { ...caller, method },
    )
    const headers = callHeaders(outcome)
    if (!outcome.result.ok) return respond(outcome.result.failure, headers)
    return jsonText(JSON.stringify(encodeOutcome(outcome)), 200, headers)
  }

  /** A toolkit's own tool of that name counts, unless the name is exposed for another of the toolkit's tools. */
  async function askedWithin(toolkit: string, name: string, caller: Caller): Promise<string | undefined> {
    const id = parseToolId(name)
    if (id?.toolkit.toLowerCase() === toolkit.toLowerCase()) return name
    if (!PUBLISHED_NAME.test(name)) return undefined
    const own = formatToolId({ toolkit, tool: plainName(name) })
    if (!isNamePart(name)) return own
    const { principal, background } = caller
    try {
      const exposed = await resolver.resolve(askedByName(name), background)
      const found = exposed.ok && maySee(principal, exposed.tool.record) ? exposed.tool.record : undefined
      const isWithin = found?.toolkit.toLowerCase() === toolkit.toLowerCase()
      return isWithin ? askedByName(name) : own
    } catch {
      // The call itself then meets the unreachable storage, and reports it
      return own
    }
  }

  function describe(c: Context, { toolkit }: ReadOf<typeof TOOLKIT>): Promise<Response> {
    const join = (lines: readonly string[]) => `{"tools":[${lines.join()}]}`
    const all = wholeList(catalogue, FORMAT, join, { toolkit, tooMany: TOO_MANY })
    return answerToolList(c, deps, () => ok(all), respond)
  }

  return face
}

const TOOLKIT = query({ toolkit: optional(text("a toolkit's name", isNamePart)) })
const TOO_MANY: Failure = {
  type: 'request-malformed',
  message: 'Cannot describe so many tools at once',
  detail: 'Ask for one toolkit with ?toolkit=, or list and search by page with GET /tools',
}

function askedAnywhere(name: string): string | undefined {
  if (isNamePart(name)) return askedByName(name)
  return parseToolId(name) ? name : undefined
}

function respond(failure: Failure, headers?: Record<string, string>): Response {
  return jsonFailure(failure, JSON.stringify(encodeFailure(failure)), STATUS[failure.type], headers)
}
