import { completeAnnotations } from '../../core/tool/annotations.ts'
import type { EncodeResult, Loss } from '../../core/tool/codec.ts'
import { isJson, isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import { documentLosses, fieldLosses, omitContextParameters, contextParameterLosses } from '../../core/tool/metadata.ts'
import { toToolName, PUBLISHED_NAME } from '../../core/tool/sanitize-name.ts'
import { toObjectSchema, type ToolRecord } from '../../core/tool/tool.ts'
import { mapSubschemas } from '../../core/schema/subschemas.ts'
import { outputKind } from './wire.ts'

const ID_KEY = 'dev.switchboard/id'
export const OWN_META_PREFIX = 'dev.switchboard/'

const NO_FIELD = 'MCP has no such field'

export function encode(record: ToolRecord): EncodeResult {
  const { dialect, document } = record.source
  if (dialect === 'mcp' && document !== undefined) return { document, losses: documentLosses(record, NO_FIELD, []) }
  return { document: wrapOutputSchema(toMcpTool(record, record.name)), losses: listLosses(record) }
}

export function wrapOutputSchema(tool: JsonObject): JsonObject {
  const { outputSchema } = tool
  if (!isJsonObject(outputSchema) || outputKind(outputSchema) === 'object') return tool
  return { ...tool, outputSchema: wrapSchema(outputSchema) }
}

export function toListedName(record: ToolRecord, exposedName: string): string {
  const published =
    exposedName === record.name && record.source.dialect === 'mcp' ? findPublishedName(record) : undefined
  return published !== undefined && PUBLISHED_NAME.test(published) ? published : exposedName
}

function findPublishedName({ source, name, sourceName }: ToolRecord): string | undefined {
  const { dialect, document } = source
  const published = sourceName ?? (dialect === 'mcp' && isJsonObject(document) ? document.name : undefined)
  return typeof published === 'string' && toToolName(published) === name ? published : undefined
}

/** Names may have characters that names of ours have not. */
export function hasPublishedName(record: ToolRecord, name: string): boolean {
  return findPublishedName(record) === name || record.sourceName === name
}

function toMcpTool(record: ToolRecord, name: string): JsonObject {
  const { title, description, input: schema, output, annotations, icons } = omitContextParameters(record)
  const input = dropHeaderExtensions(schema)
  const _meta = foreignMeta(record)
  const kind = outputKind(output)
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === '' ? {} : { description }),
    // "inputSchema root must be type: object": other dialects may leave that unsaid
    inputSchema: input.type === 'object' ? input : { type: 'object', ...input },
    ...(output === null || kind === 'any' ? {} : { outputSchema: toObjectSchema(output) }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(icons === undefined ? {} : { icons }),
    ...(_meta === undefined ? {} : { _meta }),
  }
}

/** Our own keys are left out: some name a document's other tools, which not everybody may know. */
function foreignMeta({ _meta }: ToolRecord): JsonObject | undefined {
  if (_meta === undefined) return undefined
  const foreign = Object.entries(_meta).filter(([key]) => !isOwnKey(key))
  return foreign.length === 0 && Object.keys(_meta).length > 0 ? undefined : Object.fromEntries(foreign)
}

const isOwnKey = (key: string) => key.startsWith(OWN_META_PREFIX)

export function toListedTool(record: ToolRecord, name: string): JsonObject {
  const { inputSchema, outputSchema, ...tool } = toMcpTool(record, name)
  return {
    ...tool,
    ...(isJsonObject(inputSchema) ? { inputSchema: replaceBooleanSchemas(inputSchema) } : {}),
    ...(isJsonObject(outputSchema) ? { outputSchema: replaceBooleanSchemas(outputSchema) } : {}),
    annotations: completeAnnotations(record),
    _meta: { ...foreignMeta(record), [ID_KEY]: record.id },
  }
}

/** MCP 2025-11-25, `Tool`: a property's schema is an object. Clients refuse the whole list for one that is `true`. */
function replaceBooleanSchemas(schema: JsonObject): JsonObject {
  const converted = /[:[,](?:true|false)[,\]}]/.test(JSON.stringify(schema)) ? replaceBooleans(schema, '') : schema
  return isJsonObject(converted) ? converted : schema
}

function replaceBooleans(schema: unknown, keyword: string): unknown {
  if (typeof schema !== 'boolean') return isObject(schema) ? mapSubschemas(schema, replaceBooleans) : schema
  return /^(?:additional|unevaluated)/.test(keyword) ? schema : toObjectSchema(schema)
}

function listLosses(record: ToolRecord): readonly Loss[] {
  const losses: Loss[] = [...contextParameterLosses(record)]
  const addLoss = (path: string, reason: string) => losses.push({ path, reason })
  addLoss('/toolkit', 'An MCP tool names no toolkit: publish it with ?toolkit=')
  addLoss('/version', 'An MCP tool has no version: publish it with ?version=')
  losses.push(...fieldLosses(record, NO_FIELD, ['title', 'annotations', 'icons', '_meta']))
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

function wrapSchema(schema: JsonObject): JsonObject {
  const result = moveReferences(schema)
  return { type: 'object', properties: isJson(result) ? { result } : {}, required: ['result'] }
}

function moveReferences(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  if (typeof schema.$id === 'string' && !schema.$id.startsWith('#')) return schema
  const copy = mapSubschemas(schema, moveReferences)
  for (const keyword of ['$ref', '$dynamicRef']) {
    const reference = copy[keyword]
    if (typeof reference !== 'string' || (reference !== '#' && !reference.startsWith('#/'))) continue
    copy[keyword] = `#/properties/result${reference.slice(1)}`
  }
  return copy
}

/** Drops `x-mcp-header` (MCP 2026-07-28, "custom headers"), which this server does not check. */
export function dropHeaderExtensions(schema: JsonObject): JsonObject {
  const result = JSON.stringify(schema).includes('"x-mcp-header"') ? removeHeaderExtension(schema) : schema
  return isJsonObject(result) ? result : schema
}

function removeHeaderExtension(schema: unknown): unknown {
  if (!isObject(schema)) return schema
  const { 'x-mcp-header': _, ...fields } = mapSubschemas(schema, removeHeaderExtension)
  return fields
}
