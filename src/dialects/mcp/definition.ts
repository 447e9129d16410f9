import type { Codec, DecodeOptions, EncodeResult, Loss } from '../../core/tool/codec.ts'
import { ok } from '../../core/failure/failure.ts'
import { jsonSchema, findMissingFields } from '../../core/tool/definition-fields.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import * as json from '../../core/tool/json-reader.ts'
import { contextParameterLosses, documentLosses, fieldLosses } from '../../core/tool/metadata.ts'
import { createToolNameReader, toToolName } from '../../core/tool/sanitize-name.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { walkSubschemas } from '../../core/schema/subschemas.ts'
import { type Definition, NO_REQUIREMENTS, TASK_SUPPORT, type ToolRecord } from '../../core/tool/tool.ts'
import { dropHeaderExtensions, isOwnKey, toMcpTool, wrapOutputSchema } from './tool-document.ts'
import { outputKind } from './wire.ts'

const ANNOTATIONS = omitNulls(
  json.looseObject({
    title: json.nullish(json.string()),
    readOnlyHint: json.nullish(json.boolean),
    destructiveHint: json.nullish(json.boolean),
    idempotentHint: json.nullish(json.boolean),
    openWorldHint: json.nullish(json.boolean),
  }),
)

/** Clients that show the icon fetch its URL, unless it contains the data itself. */
const ICON = omitNulls(
  json.looseObject({
    src: json.stringMatching("an 'https:' or a 'data:' URL", /^(?:https:\/\/[^/]|data:)/i),
    mimeType: json.nullish(json.string()),
    sizes: json.nullish(json.stringArray),
    theme: json.nullish(json.enumReader(['light', 'dark'])),
  }),
)

const MAX_DEPTH = 200

/** One `Tool`, or `{"tools": […]}` as one toolkit. Ids and some models do not allow dots in names. */
export const mcp: Codec = {
  dialect: 'mcp',
  references: 'local',
  recognizes: (document) =>
    isJsonObject(document) &&
    ('inputSchema' in document ||
      (isJsonArray(document.tools) &&
        document.tools.length > 0 &&
        document.tools.every((tool) => isJsonObject(tool) && 'inputSchema' in tool))),
  decode,
  encode,
  countTools: (document) => (isJsonObject(document) && isJsonArray(document.tools) ? document.tools.length : 1),
}

function decode(document: Json, options: DecodeOptions): ReturnType<Codec['decode']> {
  const { toolkit, version } = options
  const warnings: Problem[] = []
  const isListing = isJsonObject(document) && document.tools !== undefined && document.inputSchema === undefined
  const tool = createToolReader()
  const tools = json.looseObject({ tools: json.array(tool, { min: 1 }) })
  const read = json.parseValue(
    isListing ? json.transform(tools, (list) => list.tools) : json.transform(tool, (definition) => [definition]),
    document,
    warnings,
  )
  if (!read.ok || toolkit === undefined || version === undefined)
    return { ok: false, problems: [...findMissingFields(options), ...(read.ok ? [] : read.problems)] }
  return ok({
    definitions: read.value.map((definition) => ({ ...definition, toolkit, version })),
    sourceNames: listToolNames(isListing ? document.tools : [document]),
    schemas: read.value.flatMap(({ input, output }, index) => {
      const path = isListing ? `/tools/${index}` : ''
      return [
        { path: `${path}/inputSchema`, schema: input },
        { path: `${path}/outputSchema`, schema: output },
      ]
    }),
    warnings,
  })
}

function listToolNames(tools: unknown): readonly string[] {
  if (!isJsonArray(tools)) return []
  return tools.map((tool) => (isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : ''))
}

type Tool = Omit<Definition, 'toolkit' | 'version' | 'output'> & { readonly output: JsonObject }

function createToolReader(): json.Reader<Tool> {
  const tool = json.object(
    {
      name: createToolNameReader(),
      title: json.nullish(json.string()),
      description: json.nullish(json.string()),
      inputSchema: INPUT_SCHEMA,
      outputSchema: json.nullish(OUTPUT_SCHEMA, {}),
      annotations: json.nullish(ANNOTATIONS),
      icons: json.nullish(json.array(ICON)),
      _meta: json.nullish(json.anyObject),
      execution: json.anyJson,
    },
    { unknown: 'warn' },
  )
  return json.transform(tool, ({ name, inputSchema, outputSchema, execution, ...fields }, { warnings }) => {
    if (fields.description === undefined)
      warnings.push({ path: '/description', message: 'Without a description models cannot tell what it is for' })
    const stated = isJsonObject(execution) ? execution.taskSupport : undefined
    const taskSupport = TASK_SUPPORT.find((support) => support === stated)
    return {
      description: '',
      ...name,
      ...fields,
      ...(taskSupport === undefined ? {} : { taskSupport }),
      name: name.tool,
      input: inputSchema,
      output: outputSchema,
      requirements: NO_REQUIREMENTS,
      tags: [],
    }
  })
}

function omitNulls(reader: json.Reader<unknown>): json.Reader<JsonObject> {
  return json.transform(json.checkAlso(json.anyObject, reader), (value) =>
    Object.fromEntries(Object.entries(value).filter(([, field]) => field !== null)),
  )
}

const SCHEMA_FIELDS = ['properties', 'required', '$defs']

/** Clients that write every field write null for a missing `properties`, `required` or `$defs`. */
function createToolSchemaReader(reason: string): json.Reader<JsonObject> {
  const isAbsent = ([key, field]: readonly [string, unknown]) => field === null && SCHEMA_FIELDS.includes(key)
  return json.transform(jsonSchema, (value, report) => {
    if (value.type !== 'object') json.addProblem(report, `Must be 'object': ${reason}`, '/type')
    const entries = Object.entries(value)
    return entries.some(isAbsent) ? Object.fromEntries(entries.filter((entry) => !isAbsent(entry))) : value
  })
}

const OUTPUT_SCHEMA = createToolSchemaReader("a tool's structured content has names")

/** `x-mcp-header` asks the server to check headers against arguments (MCP 2026-07-28), which this server does not do. */
const INPUT_SCHEMA = json.checkAlso(createToolSchemaReader("a tool's arguments have names"), (value, report) => {
  for (const { schema, path } of walkSubschemas(value, MAX_DEPTH)) {
    if (!isJsonObject(schema) || !('x-mcp-header' in schema)) continue
    json.addProblem(report, 'Must be left out: parameters are not read from headers here', `${path}/x-mcp-header`)
  }
})

const NO_FIELD = 'MCP has no such field'

function encode(record: ToolRecord): EncodeResult {
  const { dialect, document } = record.source
  if (dialect === 'mcp' && document !== undefined) return { document, losses: documentLosses(record, NO_FIELD, []) }
  return { document: wrapOutputSchema(toMcpTool(record, record.name)), losses: listLosses(record) }
}

function listLosses(record: ToolRecord): readonly Loss[] {
  const losses: Loss[] = [...contextParameterLosses(record)]
  const addLoss = (path: string, reason: string) => losses.push({ path, reason })
  addLoss('/toolkit', 'An MCP tool names no toolkit: publish it with ?toolkit=')
  addLoss('/version', 'An MCP tool has no version: publish it with ?version=')
  losses.push(...fieldLosses(record, NO_FIELD, ['title', 'annotations', 'taskSupport', 'icons', '_meta']))
  if (toToolName(record.name) !== record.tool) addLoss('/tool', `A tool is called after its name, '${record.name}'`)
  const kind = outputKind(record.output)
  if (record.output === null) addLoss('/output', 'MCP cannot say that a tool has no output')
  else if (kind === 'any' && Object.keys(record.output).length > 0)
    addLoss('/output', 'It allows any value, and is not listed')
  else if (kind === 'value') addLoss('/output', "It is not an object, and is wrapped as {'result': …}")
  if (Object.keys(record._meta ?? {}).some(isOwnKey)) addLoss('/_meta', 'What Switchboard keeps there is for itself')
  if (dropHeaderExtensions(record.input) !== record.input)
    addLoss('/input', "'x-mcp-header' is left out: parameters are not read from headers here")
  return losses
}
