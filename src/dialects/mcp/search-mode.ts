import { maySee } from '../../core/access/principal.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Catalogue, LineFormat } from '../../core/access/catalogue.ts'
import { userOf } from '../../core/call/authorise.ts'
import { encodeReadiness, type TellReadiness } from '../../core/call/readiness.ts'
import type { Resolver } from '../../core/call/resolve.ts'
import { plainName } from '../../core/tool/name-suffix.ts'
import { askedByName } from '../../core/tool/tool-id.ts'
import { titleOf } from '../../core/tool/tool.ts'
import { contextOf } from '../../http/incoming-call.ts'
import { textOf } from './failure.ts'
import { publishedName } from './tool-document.ts'
import { encodeErrorResult, encodeSuccess } from './result.ts'
import type { Revision } from './revisions/revision.ts'
import { withSelect } from './select-parameter.ts'
import { type Client, isChosen, narrowedTo } from './toolset.ts'
import type { ToolCall } from './wire.ts'

const DEFAULT_RESULTS = 10
const MAX_RESULTS = 50

const READ_ONLY = { readOnlyHint: true, openWorldHint: false }
const NAME = { type: 'string', description: 'A name that search_tools gave.' }

const TOOLS = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by what they do. Gives names and descriptions, best first; describe_tool tells the arguments of one.',
    inputSchema: argumentsOf('query', {
      query: { type: 'string', description: 'Words that say what the tool should do. Empty lists all tools.' },
      limit: {
        type: 'integer',
        minimum: 1,
        maximum: MAX_RESULTS,
        description: `How many; ${DEFAULT_RESULTS} if absent.`,
      },
    }),
    annotations: READ_ONLY,
  },
  {
    name: 'describe_tool',
    title: 'Describe a tool',
    description:
      'Gives the definition of a tool: its description, the JSON Schemas of its arguments and output, and whether it can be called now.',
    inputSchema: argumentsOf('name', { name: NAME }),
    annotations: READ_ONLY,
  },
  {
    name: 'call_tool',
    title: 'Call a tool',
    description: 'Calls a tool that search_tools found, with arguments that pass the schema describe_tool gives.',
    inputSchema: argumentsOf('name', {
      name: NAME,
      arguments: { type: 'object', description: "The tool's arguments." },
    }),
  },
]

function argumentsOf(required: string, properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: [required], additionalProperties: false }
}

/** What `tools/list` gives in this mode, whatever the catalogue holds. */
export const SEARCH_TOOLS = `"tools":${JSON.stringify(TOOLS)}`

const BRIEF: LineFormat = {
  name: 'mcp-brief',
  write(record, name) {
    const title = titleOf(record)
    if (record.implementation === undefined) return ''
    return JSON.stringify({ name, ...(title === undefined ? {} : { title }), description: record.description })
  },
}

interface SearchDeps {
  readonly catalogue: Catalogue
  readonly resolver: Resolver
  readonly tellReadiness: TellReadiness
}

/** The key of `_meta` that says whether a described tool could be called now. */
const READINESS_KEY = 'dev.switchboard/readiness'

/** Answers `search_tools` and `describe_tool`; gives the call that `call_tool` stands for, and undefined for any other name. */
export async function searchCall(
  call: ToolCall,
  revision: Revision,
  client: Client,
  deps: SearchDeps,
): Promise<{ readonly result: string } | { readonly call: ToolCall } | undefined> {
  const { name, arguments: inner = {} } = call.input
  switch (call.name) {
    case 'search_tools':
      return { result: await search(call, revision, client, deps) }
    case 'describe_tool':
      if (typeof name !== 'string') return { result: wrong('name', 'a name that search_tools gave', revision) }
      return { result: await describe(name, revision, client, deps) }
    case 'call_tool':
      if (typeof name !== 'string') return { result: wrong('name', 'a name that search_tools gave', revision) }
      if (!isJsonObject(inner)) return { result: wrong('arguments', 'an object', revision) }
      return { call: { ...call, name, input: inner } }
    default:
      return undefined
  }
}

async function search(call: ToolCall, revision: Revision, client: Client, { catalogue }: SearchDeps): Promise<string> {
  const { query = '', limit = DEFAULT_RESULTS } = call.input
  if (typeof query !== 'string' || query.length > 500)
    return wrong('query', 'a string of at most 500 characters', revision)
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_RESULTS) {
    return wrong('limit', `a whole number from 1 to ${MAX_RESULTS}`, revision)
  }
  const q = query.trim() === '' ? undefined : query
  const principal = narrowedTo(client.principal, client.toolset)
  const listing = await catalogue.list({ q, versions: 'newest', limit }, principal, BRIEF)
  const found: Json = JSON.parse(`[${(listing?.lines ?? []).filter((line) => line !== '').join(',')}]`)
  return encodeSuccess({ ok: true, value: { tools: found } }, {}, revision)
}

async function describe(
  name: string,
  revision: Revision,
  client: Client,
  { resolver, tellReadiness }: SearchDeps,
): Promise<string> {
  const plain = plainName(name)
  const resolved = await resolver.resolve(askedByName(plain), client.background)
  const found = resolved.ok ? resolved.tool.record : undefined
  const record = found && (plain === name || publishedName(found) === name) ? found : undefined
  if (!resolved.ok || !record || !maySee(client.principal, record) || !isChosen(client.toolset, record)) {
    return encodeErrorResult(`Unknown tool: '${name.slice(0, 200)}': search_tools finds the names there are`, revision)
  }
  const context = contextOf(client.request)
  if (!context.ok) return encodeErrorResult(textOf(context.failure), revision)
  const { principal, request } = client
  const { status, publisher, tool: callable } = resolved
  const caller = { principal, userId: userOf(principal, context.value.userId), reachedAt: () => request.url }
  const readiness = await tellReadiness({ record, status, publisher, runnable: callable.runnable }, caller)
  const tool = revision.tool(record, plain)
  const shown = client.toolset.select ? withSelect(tool) : tool
  const _meta = { ...(isJsonObject(tool._meta) ? tool._meta : {}), [READINESS_KEY]: encodeReadiness(readiness) }
  return encodeSuccess({ ok: true, value: { ...shown, _meta } }, {}, revision)
}

function wrong(argument: string, wanted: string, revision: Revision): string {
  return encodeErrorResult(`Some arguments are invalid\n- ${argument}: Must be ${wanted}`, revision)
}
