import { maySee } from '../../core/access/principal.ts'
import type { Meter } from '../../core/tool/budget.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { parseJson } from '../../core/tool/json-text.ts'
import type { Catalogue, LineFormat, ListQuery } from '../../core/catalogue/catalogue.ts'
import { userOf } from '../../core/call/authorise.ts'
import type { TellReadiness } from '../../core/call/readiness.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import { askedByName } from '../../core/tool/tool-id.ts'
import { plainName } from '../../core/tool/sanitize-name.ts'
import { didYouMean } from '../../core/tool/problem.ts'
import { contextOf } from '../../http/route/incoming-call.ts'
import { digestOf, MAX_SHOWN } from './output-digest.ts'
import { namesNear } from '../../http/answer/why-empty.ts'
import { misnamed } from './named-tools.ts'
import { textOf } from './failure.ts'
import { publishedName } from './tool-document.ts'
import { encodeErrorResult } from './tools-call.ts'
import type { Revision } from './revisions/revision.ts'
import { withSelect } from './select-parameter.ts'
import { type McpClient, isChosen, narrowedTo } from './toolset.ts'
import type { ToolCall } from './wire.ts'
import { titleOf } from '../../core/tool/tool.ts'

const DEFAULT_RESULTS = 10
const MAX_RESULTS = 50
const WANTED_CURSOR = 'a next_cursor that search_tools gave'

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const ANYTHING = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
const NAME = { type: 'string', description: 'A name that search_tools gave.' }

const TOOLS = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by what they do. Gives names and beginnings of descriptions, best first, with the total and the words that no tool has; describe_tool tells the arguments of one.',
    inputSchema: argumentsOf('query', {
      query: { type: 'string', description: 'Words that say what the tool should do. Empty lists all tools.' },
      cursor: { type: 'string', description: 'The next_cursor of the answer before, for what comes after it.' },
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
      'Gives the definition of a tool: its description, the JSON Schema of its arguments, what it gives (either in short where its JSON Schema is long), and whether it can be called now.',
    inputSchema: argumentsOf('name', {
      name: NAME,
      output_schema: {
        type: 'boolean',
        description: 'True for the JSON Schemas of arguments and output, however long they are.',
      },
    }),
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
    annotations: ANYTHING,
  },
]

function argumentsOf(required: string, properties: JsonObject): JsonObject {
  return { type: 'object', properties, required: [required], additionalProperties: false }
}

export const SEARCH_TOOLS = `"tools":${JSON.stringify(TOOLS)}`

interface SearchDeps {
  readonly catalogue: Catalogue
  readonly resolver: Resolver
  readonly tellReadiness: TellReadiness
}

type SearchAnswer = { readonly result: string } | { readonly call: ToolCall }

const READINESS_KEY = 'dev.switchboard/readiness'

export async function searchCall(
  call: ToolCall,
  revision: Revision,
  client: McpClient,
  deps: SearchDeps,
): Promise<SearchAnswer | undefined> {
  const { name, arguments: inner = {} } = call.input
  if (call.name === 'search_tools') return { result: await search(call, revision, client, deps) }
  if (call.name !== 'describe_tool' && call.name !== 'call_tool') return undefined
  if (typeof name !== 'string') return { result: wrong('name', 'a name that search_tools gave', revision) }
  if (call.name === 'call_tool') return callOf(call, name, inner, revision, client.meter)
  return { result: await describe(name, call.input.output_schema === true, revision, client, deps) }
}

function callOf(call: ToolCall, name: string, given: Json, revision: Revision, meter: Meter): SearchAnswer {
  const read = typeof given === 'string' ? parseJson(given.trim() === '' ? '{}' : given, meter) : undefined
  const input = read?.ok ? read.value : given
  if (!isJsonObject(input)) return { result: wrong('arguments', 'an object', revision) }
  return { call: { ...call, name, input } }
}

async function search(call: ToolCall, revision: Revision, client: McpClient, { catalogue }: SearchDeps) {
  const { query = '', limit = DEFAULT_RESULTS, cursor, ...others } = call.input
  const [other] = Object.keys(others)
  if (other !== undefined)
    return encodeErrorResult(`Unknown argument '${other.slice(0, 200)}': wanted 'query', 'cursor' or 'limit'`, revision)
  if (typeof query !== 'string' || query.length > 500)
    return wrong('query', 'a string of at most 500 characters', revision)
  if (typeof limit !== 'number' || !Number.isInteger(limit) || limit < 1 || limit > MAX_RESULTS)
    return wrong('limit', `a whole number from 1 to ${MAX_RESULTS}`, revision)
  const isCursor = cursor === undefined || (typeof cursor === 'string' && cursor.length <= 500)
  if (!isCursor) return wrong('cursor', WANTED_CURSOR, revision)
  const { principal, toolset } = client
  const unknown = await misnamed(client, catalogue)
  if (unknown !== undefined) return encodeErrorResult(unknown, revision)
  const q = query.trim() === '' ? undefined : query
  const asked: ListQuery = { q, versions: 'newest', limit, callable: true, cursor }
  const listing = await catalogue.list(asked, narrowedTo(principal, toolset), BRIEF)
  if (!listing && cursor !== undefined) return wrong('cursor', WANTED_CURSOR, revision)
  const { lines = [], total, unmatched = [], nextCursor } = listing ?? {}
  // Lines are JSON already
  const tools = `"tools":[${lines.filter(Boolean).join()}]`
  const lacking = unmatched.length === 0 ? {} : { unmatched }
  const about = JSON.stringify({ total, ...lacking, next_cursor: nextCursor }).slice(1, -1)
  return once(`{${[tools, about].filter(Boolean).join()}}`, revision)
}

/** As text alone, not twice: every client shows its model that. */
function once(text: string, revision: Revision): string {
  return revision.result(`"content":[{"type":"text","text":${JSON.stringify(text)}}]`)
}

async function describe(name: string, isWhole: boolean, revision: Revision, client: McpClient, deps: SearchDeps) {
  const plain = plainName(name)
  const resolved = await deps.resolver.resolve(askedByName(plain), client.background)
  const found = resolved.ok ? resolved.tool.record : undefined
  const record = found && (plain === name || publishedName(found) === name) ? found : undefined
  if (!resolved.ok || !record || !maySee(client.principal, record) || !isChosen(client.toolset, record)) {
    const near = await namesNear(name, narrowedTo(client.principal, client.toolset), deps.catalogue)
    const hint = didYouMean(near) || ': search_tools finds the names there are'
    return encodeErrorResult(`Unknown tool: '${name.slice(0, 200)}'${hint}`, revision)
  }
  const context = contextOf(client.request)
  if (!context.ok) return encodeErrorResult(textOf(context.failure), revision)
  const { principal, request } = client
  const { status, publisher, tool: callable } = resolved
  const caller = { principal, userId: userOf(principal, context.value.userId), reachedAt: () => request.url }
  const readiness = await deps.tellReadiness({ record, status, publisher, runnable: callable.runnable }, caller)
  const tool = revision.tool(record, plain)
  // A list leaves out what the whole output is, which whoever selects from it has to know
  const whole = client.toolset.select ? { ...tool, ...withSelect(tool) } : tool
  const shown = isWhole ? whole : inShort(whole)
  const _meta = { ...(isJsonObject(tool._meta) ? tool._meta : {}), [READINESS_KEY]: readiness }
  return once(JSON.stringify({ ...shown, _meta }), revision)
}

/** In characters: some 1,500 tokens. */
const MAX_DEFINITION = 6_000

function inShort(tool: JsonObject): JsonObject {
  const { outputSchema, ...rest } = tool
  const isLong = isJsonObject(outputSchema) && JSON.stringify(outputSchema).length > MAX_SHOWN
  const short = isLong ? { ...rest, output: digestOf(outputSchema) } : tool
  const { inputSchema, ...others } = short
  if (!isJsonObject(inputSchema) || JSON.stringify(short).length <= MAX_DEFINITION) return short
  const room = Math.max(MAX_SHOWN, MAX_DEFINITION - JSON.stringify(others).length)
  return { ...others, input: digestOf(inputSchema, room) }
}

function wrong(argument: string, wanted: string, revision: Revision): string {
  return encodeErrorResult(`Some arguments are invalid\n- ${argument}: Must be ${wanted}`, revision)
}

/** In small letters: a model takes four or more of a text in English for a token. */
const MAX_TITLE = 80
const MAX_DESCRIPTION = 360

/** In small letters, roughly by tokens: those of other scripts and symbols are often tokens of their own. */
function lettersOf(character: string): number {
  if (/[a-z ]/.test(character)) return 1
  if (/[A-Z,.'\n-]/.test(character)) return 2
  return character.length === 1 ? 3 : 10
}

/** A tool in a search result, so short that five cost a model no more than 1,500 tokens. */
const BRIEF: LineFormat = {
  name: 'mcp-brief',
  write(record, name) {
    if (record.implementation === undefined) return ''
    const title = titleOf(record)
    const description = shortened(record.description, MAX_DESCRIPTION)
    return JSON.stringify({ name, title: title && shortened(title, MAX_TITLE), description })
  },
}

function shortened(text: string, most: number): string {
  let at = 0
  let letters = 0
  for (const character of text) {
    letters += lettersOf(character)
    if (letters > most) return `${text.slice(0, at).replace(/\s+\S{0,40}$/, '')}…`
    at += character.length
  }
  return text
}
