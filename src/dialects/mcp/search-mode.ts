import { isJsonObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { parseJson, parseTrusted } from '../../core/tool/json-text.ts'
import type { Catalog, LineFormat, ListQuery } from '../../core/catalog/catalog.ts'
import { covers } from '../../core/access/principal.ts'
import { resolveUserId } from '../../core/call/authorize-call.ts'
import { isShownTo, withoutPage } from '../../core/page/page.ts'
import type { CheckReadiness } from '../../core/call/readiness.ts'
import { getListed, type Resolver } from '../../core/call/resolve-tool.ts'
import { toToolName } from '../../core/tool/sanitize-name.ts'
import * as json from '../../core/tool/json-reader.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { findUnknownAmong } from '../../http/response/why-empty.ts'
import { readCallContext } from '../../http/route/incoming-call.ts'
import { summarizeSchema } from './output-summary.ts'
import { findListedTool } from './find-tool.ts'
import { explainUnknownNames } from './toolset-names.ts'
import { formatFailure, formatUnknownTool } from './failure.ts'
import { toErrorResult } from './failure-response.ts'
import type { Revision } from './revisions/revision.ts'
import { addSelectParameter } from './select-parameter.ts'
import { type McpRequestContext, restrictToToolset } from './toolset.ts'
import { invalid, type McpResult, type McpToolCall } from './wire.ts'
import { getDisplayTitle } from '../../core/tool/tool.ts'

const DEFAULT_RESULTS = 10
const MAX_RESULTS = 50
/** Names of the same tool in other toolkits. */
const MAX_ALSO = 3

const READ_ONLY = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }
const ANY_EFFECT = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true }
const NAME = json.withSchemaDescription('A name that search_tools gave.', json.string())
const LIMIT = json.withSchemaDescription(`How many; ${DEFAULT_RESULTS} if absent.`, json.integer(1, MAX_RESULTS))
const OUTPUT_SCHEMA_DESCRIPTION = 'True for the JSON Schemas of arguments and output, however long they are.'

const createTextReader = (description: string) => json.withSchemaDescription(description, json.string({ max: 500 }))
/** Some models write an object as a string. */
const argumentsReader = json.withSchemaFrom(json.anyObject, (value, report) => {
  const read = typeof value === 'string' ? parseJson(value.trim() || '{}') : undefined
  return json.anyObject(read?.ok ? read.value : value, report)
})

const SEARCH_ARGUMENTS = json.object({
  query: json.optional(createTextReader('Words that say what the tool should do. Empty lists all tools.'), ''),
  toolkit: json.optional(createTextReader('Only tools of this toolkit.')),
  cursor: json.optional(createTextReader('The next_cursor of the answer before, for what comes after it.')),
  limit: json.optional(LIMIT, DEFAULT_RESULTS),
  all: json.optional(json.withSchemaDescription('True for weaker matches too.', json.boolean)),
})
const DESCRIBE_ARGUMENTS = json.object({
  name: NAME,
  output_schema: json.optional(json.withSchemaDescription(OUTPUT_SCHEMA_DESCRIPTION, json.boolean)),
})
const CALL_ARGUMENTS = json.object({
  name: NAME,
  arguments: json.optional(json.withSchemaDescription("The tool's arguments.", argumentsReader), {}),
})

interface SearchCall {
  readonly call: McpToolCall
  readonly revision: Revision
  readonly context: McpRequestContext
  readonly catalog: Catalog
  readonly resolver: Resolver
  readonly checkReadiness: CheckReadiness
}

function createSearchTool<T>(
  reader: json.Reader<T>,
  handle: (input: T, request: SearchCall) => Promise<McpResult | McpToolCall>,
) {
  return {
    inputSchema: json.toJsonSchema(reader),
    async handle(request: SearchCall) {
      // Models send null for an argument that they leave out
      const entries = Object.entries(request.call.input).filter(([, value]) => value !== null)
      const read = json.parseValue(reader, Object.fromEntries(entries))
      return read.ok ? handle(read.value, request) : encodeInvalidInput(read.problems, request.revision)
    },
  }
}

function encodeInvalidInput(problems: readonly Problem[], revision: Revision): McpResult {
  return toErrorResult(formatFailure({ type: 'input-invalid', problems }), revision)
}

/** Encodes a result as text only, without structured content, because every client shows its model the text. */
function encodeAsText(value: object, revision: Revision): McpResult {
  return revision.createResult({ content: [{ type: 'text', text: JSON.stringify(value) }] })
}

/** Matches the first tokens of a text, by an estimate: up to three lower-case letters or any other character are one token. */
const createPrefixPattern = (tokens: number) => new RegExp(`^(?:[a-z ]{1,3}|[^a-z ]){0,${tokens}}`)

const TITLE_PREFIX = createPrefixPattern(26)
const DESCRIPTION_PREFIX = createPrefixPattern(120)

/** Formats a tool in a search result so briefly that five take at most 1,500 tokens. */
const BRIEF: LineFormat = {
  name: 'mcp-brief',
  write(record, name) {
    if (record.implementation === undefined || !isShownTo('model', record)) return ''
    const title = getDisplayTitle(record)
    const description = shorten(record.description, DESCRIPTION_PREFIX)
    return JSON.stringify({ name, title: title && shorten(title, TITLE_PREFIX), description })
  },
}

function shorten(text: string, pattern: RegExp): string {
  const [start = ''] = pattern.exec(text) ?? []
  return start === text ? text : `${start.replace(/\s+\S{0,40}$|[\ud800-\udbff]$/, '')}…`
}

const search = createSearchTool(
  SEARCH_ARGUMENTS,
  async ({ query, toolkit, limit, cursor, all }, { revision, context, catalog }) => {
    const viewer = restrictToToolset(context.principal, context.toolset)
    const unknown =
      (await explainUnknownNames(context, catalog)) ??
      (await findUnknownAmong(toolkit === undefined ? [] : [toolkit], viewer, catalog))
    if (unknown !== undefined) return toErrorResult(unknown, revision)
    const q = query.trim() === '' ? undefined : query
    const results = q === undefined || all ? undefined : 'relevant'
    const listQuery: ListQuery = { q, results, toolkit, versions: 'newest', limit, callable: true, cursor }
    const listing = await catalog.list(listQuery, viewer, BRIEF)
    if (!listing && cursor !== undefined)
      return encodeInvalidInput(
        [{ path: '/cursor', message: 'Must be a next_cursor that search_tools gave' }],
        revision,
      )
    const { lines = [], operations = [], total, unmatched, nextCursor } = listing ?? {}
    const tools = lines.flatMap((line, at): Json[] => {
      const also = operations[at]?.slice(1, 1 + MAX_ALSO).map(({ name }) => name) ?? []
      return line === '' ? [] : [{ ...parseTrusted(line), ...(results && also.length > 0 ? { also } : {}) }]
    })
    const unmatchedField = unmatched?.length ? { unmatched } : {}
    return encodeAsText({ tools, total, ...unmatchedField, next_cursor: nextCursor }, revision)
  },
)

/** Longer schemas are summarized, so both together take about 1,500 tokens. */
const MAX_INPUT_CHARACTERS = 4_500
const MAX_OUTPUT_CHARACTERS = 1_500

function summarizeSchemas({ inputSchema, outputSchema, ...fields }: JsonObject): JsonObject {
  return {
    ...fields,
    ...summarizeIfLong('input', inputSchema, MAX_INPUT_CHARACTERS),
    ...summarizeIfLong('output', outputSchema, MAX_OUTPUT_CHARACTERS),
  }
}

function summarizeIfLong(name: string, schema: Json | undefined, maxCharacters: number): JsonObject {
  if (!isJsonObject(schema)) return {}
  const isLong = JSON.stringify(schema).length > maxCharacters
  return isLong ? { [name]: summarizeSchema(schema, maxCharacters) } : { [`${name}Schema`]: schema }
}

const describe = createSearchTool(
  DESCRIBE_ARGUMENTS,
  async ({ name, output_schema: wantsSchemas }, { revision, context, ...deps }) => {
    const { principal, request, toolset } = context
    const foundTool = await findListedTool({ name }, context, deps.resolver)
    if (!foundTool || !covers(principal, foundTool.resolved.tool.record, 'tools:read')) {
      const suggestions = await deps.catalog.suggestNames(name, restrictToToolset(principal, toolset))
      const message = formatUnknownTool(name, suggestions, ': search_tools finds the names there are')
      return toErrorResult(message, revision)
    }
    const callContext = readCallContext(request)
    if (!callContext.ok) return toErrorResult(formatFailure(callContext.failure), revision)
    const { resolved } = foundTool
    const { record, runnable } = resolved.tool
    const caller = {
      principal,
      userId: resolveUserId(principal, callContext.value.userId),
      requestUrl: () => request.url,
    }
    const readiness = await deps.checkReadiness({ ...resolved, record, runnable }, caller)
    const tool = revision.encodeTool(withoutPage(getListed(resolved)), toToolName(name))
    // Lists leave out the output schema, which a model needs here to write `_select`
    const selectable = toolset.select ? { ...tool, ...addSelectParameter(tool) } : tool
    const _meta = { ...(isJsonObject(tool._meta) ? tool._meta : {}), 'dev.switchboard/readiness': readiness }
    return encodeAsText({ ...(wantsSchemas ? selectable : summarizeSchemas(selectable)), _meta }, revision)
  },
)

const TOOLS = [
  {
    name: 'search_tools',
    title: 'Search tools',
    description:
      'Finds tools by what they do. Gives names and beginnings of descriptions, best first; `also` is the same in other toolkits, and `total` counts weaker matches too. describe_tool tells the arguments of one.',
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
    ...createSearchTool(CALL_ARGUMENTS, async ({ name, arguments: input }, { call }) => ({ ...call, name, input })),
    annotations: ANY_EFFECT,
  },
]

/** Members of a list as JSON, which leaves out the functions. */
export const SEARCH_TOOLS = JSON.stringify(TOOLS).slice(1, -1)

/** Returns the result of `search_tools` or `describe_tool`, or the call requested by `call_tool` or of a pinned tool. */
export async function callSearchTool(request: SearchCall): Promise<McpResult | McpToolCall> {
  const { name } = request.call
  const tool = TOOLS.find((each) => each.name === name)
  if (tool) return tool.handle(request)
  return request.context.principal.view?.toolset?.definition.pinned
    ? request.call
    : invalid(formatUnknownTool(name, [], ': search_tools finds tools, and call_tool calls them'))
}
