import { formatLockedTool } from '../../core/access/tool-lock.ts'
import { completeAnnotations } from '../../core/tool/annotations.ts'
import { getToolUi, withoutPage } from '../../core/page/page.ts'
import { isJson, isJsonObject, isObject, type JsonObject } from '../../core/tool/json.ts'
import { omitContextParameters } from '../../core/tool/metadata.ts'
import { toToolName, PUBLISHED_NAME } from '../../core/tool/sanitize-name.ts'
import { toObjectSchema, type ToolRecord } from '../../core/tool/tool.ts'
import { mapSubschemas } from '../../core/schema/subschemas.ts'
import { outputKind } from './wire.ts'

const ID_KEY = 'dev.switchboard/id'
export const OWN_META_PREFIX = 'dev.switchboard/'

/** Wraps an output schema whose type is not 'object' in that of `{"result": …}`. */
export function wrapOutputSchema(tool: JsonObject): JsonObject {
  const { outputSchema } = tool
  if (!isJsonObject(outputSchema) || outputKind(outputSchema) === 'object') return tool
  return { ...tool, outputSchema: wrapSchema(outputSchema) }
}

/** Returns the name for clients from 2025-11-25 on: the one in the MCP document, if the exposed name is derived from it. */
export function toListedName(record: ToolRecord, exposedName: string): string {
  const documentName =
    exposedName === record.name && record.source.dialect === 'mcp' ? findDocumentName(record) : undefined
  return documentName !== undefined && PUBLISHED_NAME.test(documentName) ? documentName : exposedName
}

/** Returns a tool's name in its document, if its exposed name is derived from it. */
function findDocumentName({ source, name, sourceName }: ToolRecord): string | undefined {
  const { dialect, document } = source
  const documentName = sourceName ?? (dialect === 'mcp' && isJsonObject(document) ? document.name : undefined)
  return typeof documentName === 'string' && toToolName(documentName) === name ? documentName : undefined
}

/** Checks whether the tool was published under the name. Its exposed name may have other characters. */
export function hasPublishedName(record: ToolRecord, name: string): boolean {
  return findDocumentName(record) === name || record.sourceName === name
}

export function toMcpTool(record: ToolRecord, name: string): JsonObject {
  const { title, description, input: schema, output, annotations, taskSupport, icons } = omitContextParameters(record)
  const input = dropHeaderExtensions(schema)
  const _meta = foreignMeta(record)
  const kind = outputKind(output)
  return {
    name,
    ...(title === undefined ? {} : { title }),
    ...(description === '' ? {} : { description }),
    // "inputSchema root must be type: object": other dialects may omit the type
    inputSchema: input.type === 'object' ? input : { type: 'object', ...input },
    ...(output === null || kind === 'any' ? {} : { outputSchema: toObjectSchema(output) }),
    ...(annotations === undefined ? {} : { annotations }),
    ...(taskSupport === undefined ? {} : { execution: { taskSupport } }),
    ...(icons === undefined ? {} : { icons }),
    ...(_meta === undefined ? {} : { _meta }),
  }
}

/** Leaves out our own keys, because some name other tools of the document, which the caller may not be allowed to see. */
function foreignMeta({ _meta }: Pick<ToolRecord, '_meta'>): JsonObject | undefined {
  if (_meta === undefined) return undefined
  const foreign = Object.entries(_meta).filter(([key]) => !isOwnKey(key))
  // An empty `_meta` that was published stays
  return foreign.length === 0 && Object.keys(_meta).length > 0 ? undefined : Object.fromEntries(foreign)
}

export const isOwnKey = (key: string) => key.startsWith(OWN_META_PREFIX)

/** Returns the text of a tool by its exposed name. Locks contain the digest of this text. */
export function formatLocked(record: ToolRecord, exposedName: string): string {
  return formatLockedTool(toListedTool(record, toListedName(record, exposedName)))
}

/** Returns a tool for lists: with all hints and its id in `_meta`, without fields that clients refuse or we do not support. */
export function toListedTool(record: ToolRecord, name: string): JsonObject {
  // 2026-07-28 has no `execution`, and 2025-11-25 clients would not call a tool that requires a task
  const { inputSchema, outputSchema, execution: _, ...tool } = toMcpTool(record, name)
  return {
    ...tool,
    ...(isJsonObject(inputSchema) ? { inputSchema: replaceBooleanSchemas(inputSchema) } : {}),
    ...(isJsonObject(outputSchema) ? { outputSchema: replaceBooleanSchemas(outputSchema) } : {}),
    annotations: completeAnnotations(record),
    _meta: { ...foreignMeta(withoutPage(record)), ...listUi(record), [ID_KEY]: record.id },
  }
}

/** The address of a page contains its digest, so that a lock of the tool covers the page. */
function listUi(record: ToolRecord): JsonObject {
  const { uri, visibility, digest } = getToolUi(record)
  if (uri === undefined) return visibility ? { ui: { visibility } } : {}
  const resourceUri = `ui://${record.id.replace('.', '/')}${digest === undefined ? '' : `/${digest.slice(0, 16)}`}`
  // Older hosts read the key of earlier drafts
  return { 'ui': { resourceUri, ...(visibility ? { visibility } : {}) }, 'ui/resourceUri': resourceUri }
}

/** MCP 2025-11-25, `Tool`: a property's schema is an object. Clients refuse the whole list if one is `true`. */
function replaceBooleanSchemas(schema: JsonObject): JsonObject {
  const convertedSchema = /[:[,](?:true|false)[,\]}]/.test(JSON.stringify(schema))
    ? replaceBooleans(schema, '')
    : schema
  return isJsonObject(convertedSchema) ? convertedSchema : schema
}

function replaceBooleans(schema: unknown, keyword: string): unknown {
  if (typeof schema !== 'boolean') return isObject(schema) ? mapSubschemas(schema, replaceBooleans) : schema
  return /^(?:additional|unevaluated)/.test(keyword) ? schema : toObjectSchema(schema)
}

function wrapSchema(schema: JsonObject): JsonObject {
  const result = moveReferences(schema)
  return { type: 'object', properties: isJson(result) ? { result } : {}, required: ['result'] }
}

/** Updates references within the schema, which is now in `properties.result`. */
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
