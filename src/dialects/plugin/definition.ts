import type { Codec, EncodeResult, DecodeOptions, Loss } from '../../core/tool/codec.ts'
import { inputSchema, findMissingFields } from '../../core/tool/definition-fields.ts'
import { isJsonObject, isJsonArray, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { parseValue, array, object, string } from '../../core/tool/json-reader.ts'
import { documentLosses, fieldLosses, omitContextParameters, contextParameterLosses } from '../../core/tool/metadata.ts'
import { createToolNameReader } from '../../core/tool/sanitize-name.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { type Definition, NO_REQUIREMENTS, type ToolRecord } from '../../core/tool/tool.ts'

const FIELDS = ['name', 'description', 'inputSchema']

/** A ListToolsResult. The publisher must specify its toolkit and version, because the document has neither. */
export const plugin: Codec = {
  dialect: 'plugin',
  references: 'local',
  recognizes,
  decode,
  countTools: (document) => (isJsonObject(document) && isJsonArray(document.tools) ? document.tools.length : 1),
  encode(record) {
    const { source } = record
    const { dialect, document } = source
    if (dialect === plugin.dialect && document !== undefined)
      return { document, losses: documentLosses(record, NO_FIELD, [], 0) }
    return { document: { tools: [toolDescription(record, record.name)] }, losses: listLosses(record) }
  },
}

function recognizes(document: unknown): boolean {
  if (!isObject(document) || !('tools' in document)) return false
  const { tools } = document
  if (!isJsonArray(tools)) return true
  return tools.every((tool) => !isObject(tool) || Object.keys(tool).every((key) => FIELDS.includes(key)))
}

export function toolDescription(record: ToolRecord, name: string): JsonObject {
  const { description, input } = omitContextParameters(record)
  return { name, description, inputSchema: input }
}

function decode(document: Json, options: DecodeOptions): ReturnType<Codec['decode']> {
  const { toolkit, version } = options
  const warnings: Problem[] = []
  const read = parseValue(createListReader(), document, warnings)
  if (!read.ok || toolkit === undefined || version === undefined)
    return { ok: false, problems: [...findMissingFields(options), ...(read.ok ? [] : read.problems)] }
  const { tools } = read.value
  const definitions = tools.map((tool): Definition => ({
    toolkit,
    ...tool.name,
    version,
    name: tool.name.tool,
    description: tool.description,
    input: tool.inputSchema,
    output: {},
    requirements: NO_REQUIREMENTS,
    tags: [],
  }))
  const schemas = tools.map((tool, index) => ({ path: `/tools/${index}/inputSchema`, schema: tool.inputSchema }))
  const sourceTools = isJsonObject(document) && isJsonArray(document.tools) ? document.tools : []
  const sourceNames = sourceTools.map((tool) => (isJsonObject(tool) && typeof tool.name === 'string' ? tool.name : ''))
  return { ok: true, value: { definitions, sourceNames, schemas, warnings } }
}

function createListReader() {
  const tool = object({ name: createToolNameReader(), description: string(), inputSchema }, { unknown: 'warn' })
  return object({ tools: array(tool) }, { unknown: 'warn' })
}

const NO_FIELD = 'A ToolDescription has no such field'

function listLosses(record: ToolRecord): EncodeResult['losses'] {
  const losses: Loss[] = [...contextParameterLosses(record)]
  const addLoss = (path: string, reason = NO_FIELD) => losses.push({ path, reason })
  addLoss('/toolkit', 'It is given beside the definition')
  addLoss('/version', 'It is given beside the definition')
  const { tool, name, output } = record
  if (tool !== name) addLoss('/tool', `A tool is called after its name, '${name}'`)
  if (output === null || output === false || Object.keys(output).length > 0) addLoss('/output')
  return [...losses, ...fieldLosses(record, NO_FIELD, [], 0)]
}
