import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { parseJson, parseTrusted } from '../../core/tool/json-text.ts'
import type { Catalogue, LineFormat, ListQuery } from '../../core/catalogue/catalogue.ts'
import { covers } from '../../core/access/principal.ts'
import { userOf } from '../../core/call/authorise.ts'
import type { TellReadiness } from '../../core/call/readiness.ts'
import type { Resolver } from '../../core/call/resolve-tool.ts'
import { plainName } from '../../core/tool/sanitize-name.ts'
import * as json from '../../core/tool/json-reader.ts'
import { didYouMean, type Problem } from '../../core/tool/problem.ts'
import { contextOf } from '../../http/route/incoming-call.ts'
import { digestOf } from './output-digest.ts'
import { addressByListedName, misnamed } from './named-tools.ts'
import { textOf } from './failure.ts'
import { isCalled } from './tool-document.ts'
import { encodeErrorResult } from './tools-call.ts'
import type { Revision } from './revisions/revision.ts'
import { withSelect } from './select-parameter.ts'
import { type McpClient, narrowedTo, shownTool } from './toolset.ts'
import type { ToolCall } from './wire.ts'
import { titleOf } from '../../core/tool/tool.ts'

const DEFAULT_RESULTS = 10
const MAX_RESULTS = 50

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const ANYTHING = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
const NAME = json.described('A name that search_tools gave.', json.string())
const LIMIT = json.described(`How many; ${DEFAULT_RESULTS} if absent.`, json.integer(1, MAX_RESULTS))
const SCHEMA_WANTED = 'True for the JSON Schemas of arguments and output, however long they are.'

const text = (description: string) => json.described(description, json.string({ most: 500 }))
/** Some models write an object as a text. */
const object = json.statingAs(json.anyObject, (value, report) => {
  const read = typeof value === 'string' ? parseJson(value.trim() || '{}', report.budget()) : undefined
  return json.anyObject(read?.ok ? read.value : value, report)
})

const SEARCH = json.object({
  query: json.optional(text('Words that say what the tool should do. Empty lists all tools.'), ''),
  cursor: json.optional(text('The next_cursor of the answer before, for what comes after it.')),
  limit: json.optional(LIMIT, DEFAULT_RESULTS),
})
const DESCRIBE = json.object({ name: NAME, output_schema: json.optional(json.described(SCHEMA_WANTED, json.boolean)) })
const CALL = json.object({ name: NAME, arguments: json.optional(json.described("The tool's arguments.", object), {}) })

interface SearchCall {
  readonly call: ToolCall
  readonly revision: Revision
  readonly client: McpClient
  readonly catalogue: Catalogue
  readonly resolver: Resolver
  readonly tellReadiness: TellReadiness
}

function taking<T>(reader: json.Reader<T>, answer: (read: T, made: SearchCall) => Promise<string | ToolCall>) {
  return {
    inputSchema: json.schemaOf(reader),
    async answer(made: SearchCall) {
      // Models send null for what they leave out
      const said = Object.entries(made.call.input).filter(([, value]) => value !== null)
      const read = json.check(reader, Object.fromEntries(said), [], made.client.meter)
      return read.ok ? answer(read.value, made) : refused(read.problems, made.revision)
    },
  }
}

function refused(problems: readonly Problem[], revision: Revision): string {
  return encodeErrorResult(textOf({ type: 'input-invalid', problems }), revision)
}

/** As text alone, not twice: every client shows its model that. */
function once(found: object, revision: Revision): string {
  return revision.result(`"content":[{"type":"text","text":${JSON.stringify(JSON.stringify(found))}}]`)
}

/** Three small letters, of which a token has four or more in English; others are often tokens of their own, or two. */
const MAX_TITLE = /^(?:[a-z ]{1,3}|[^a-z ]){0,26}/
const MAX_DESCRIPTION = /^(?:[a-z ]{1,3}|[^a-z ]){0,120}/

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

function shortened(text: string, most: RegExp): string {
  const [kept = ''] = most.exec(text) ?? []
  return kept === text ? text : `${kept.replace(/\s+\S{0,40}$|[\ud800-\udbff]$/, '')}…`
}

const search = taking(SEARCH, async ({ query, limit, cursor }, { revision, client, catalogue }) => {
  const unknown = await misnamed(client, catalogue)
  if (unknown !== undefined) return encodeErrorResult(unknown, revision)
  const q = query.trim() === '' ? undefined : query
  const asked: ListQuery = { q, versions: 'newest', limit, callable: true, cursor }
  const listing = await catalogue.list(asked, narrowedTo(client.principal, client.toolset), BRIEF)
  if (!listing && cursor !== undefined)
    return refused([{ path: '/cursor', message: 'Must be a next_cursor that search_tools gave' }], revision)
  const { lines = [], total, unmatched, nextCursor } = listing ?? {}
  const tools = lines.filter(Boolean).map((line): Json => parseTrusted(line))
  const lacking = unmatched?.length ? { unmatched } : {}
  return once({ tools, total, ...lacking, next_cursor: nextCursor }, revision)
})

/** Schemas of more characters are shown in short: both are some 1,500 tokens then. */
const MAX_INPUT = 4_500
const MAX_OUTPUT = 1_500

function inShort({ inputSchema, outputSchema, ...others }: JsonObject): JsonObject {
  return { ...others, ...shown('input', inputSchema, MAX_INPUT), ...shown('output', outputSchema, MAX_OUTPUT) }
}

function shown(name: string, schema: Json | undefined, most: number): JsonObject {
  if (!isJsonObject(schema)) return {}
  const isLong = JSON.stringify(schema).length > most
  return isLong ? { [name]: digestOf(schema, most) } : { [`${name}Schema`]: schema }
}

const describe = taking(DESCRIBE, async ({ name, output_schema: isWhole }, { revision, client, ...deps }) => {
  const plain = plainName(name)
  const asked = await addressByListedName({ name: plain }, client, deps.resolver)
  const found = await shownTool(asked, client, deps.resolver)
  const isRead = found && covers(client.principal, found.tool.record, 'tools:read')
  if (!isRead || (plain !== name && !isCalled(found.tool.record, name))) {
    const near = await deps.catalogue.near(name, narrowedTo(client.principal, client.toolset))
    const hint = didYouMean(near) || ': search_tools finds the names there are'
    return encodeErrorResult(`Unknown tool: '${name.slice(0, 200)}'${hint}`, revision)
  }
  const context = contextOf(client.request)
  if (!context.ok) return encodeErrorResult(textOf(context.failure), revision)
  const { principal, request } = client
  const { record, runnable } = found.tool
  const caller = { principal, userId: userOf(principal, context.value.userId), reachedAt: () => request.url }
  const readiness = await deps.tellReadiness({ ...found, record, runnable }, caller)
  const tool = revision.tool(record, plain)
  // A list leaves out what the whole output is, which whoever selects from it has to know
  const whole = client.toolset.select ? { ...tool, ...withSelect(tool) } : tool
  const _meta = { ...(isJsonObject(tool._meta) ? tool._meta : {}), 'dev.switchboard/readiness': readiness }
  return once({ ...(isWhole ? whole : inShort(whole)), _meta }, revision)
})

const TOOLS = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by what they do. Gives names and beginnings of descriptions, best first, with the total and the words that no tool has; describe_tool tells the arguments of one.',
    ...search,
    annotations: READ_ONLY,
  },
  {
    name: 'describe_tool',
    title: 'Describe a tool',
    description:
      'Gives the definition of a tool: its description, the JSON Schema of its arguments, what it gives (either in short where its JSON Schema is long), and whether it can be called now.',
    ...describe,
    annotations: READ_ONLY,
  },
  {
    name: 'call_tool',
    title: 'Call a tool',
    description: 'Calls a tool that search_tools found, with arguments that pass the schema describe_tool gives.',
    ...taking(CALL, async ({ name, arguments: input }, { call }) => ({ ...call, name, input })),
    annotations: ANYTHING,
  },
]

/** Without the functions, which JSON leaves out. */
export const SEARCH_TOOLS = `"tools":${JSON.stringify(TOOLS)}`

/** A result, or the call that it stands for; undefined for a tool that the mode does not have. */
export async function searchCall(made: SearchCall): Promise<string | ToolCall | undefined> {
  return TOOLS.find(({ name }) => name === made.call.name)?.answer(made)
}
