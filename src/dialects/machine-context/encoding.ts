import type { EncodeResult, Loss } from '../../core/tool/codec.ts'
import { isJsonObject, type JsonObject } from '../../core/tool/json.ts'
import {
  documentLosses,
  fieldLosses,
  CONTEXT_PARAMETERS_KEY,
  omitContextParameters,
  getToolkitDescription,
  contextParameterLosses,
} from '../../core/tool/metadata.ts'
import { sanitizeName } from '../../core/tool/sanitize-name.ts'
import { toDerivedName } from '../../core/tool/tool-id.ts'
import { toObjectSchema, getDisplayTitle, type ToolRecord } from '../../core/tool/tool.ts'
import { encodeParameters } from './parameters.ts'
import { tags as tagsReader } from '../../core/tool/definition-fields.ts'
import { parseValue, optional } from '../../core/tool/json-reader.ts'

export const DIALECT = 'machine-context'
export const TOOLKIT_PREFIX = 'toolkit:'
/** Holds the document's own fields in each tool, so that they are part of every capability's digest. */
export const TOOL_META_KEY = 'dev.switchboard/tool'

const NO_FIELD = 'The Machine Context Protocol has no such field'

/** A document's id is part of a key in KV, which bounds it. */
export function encode(record: ToolRecord): EncodeResult {
  const source = findPublishedDocument(record)
  if (source) return { document: source, losses: documentLosses(record, NO_FIELD, ['tags', 'securityLevel']) }
  const { toolkit, version, securityLevel } = record
  const { capability, losses } = encodeCapability(record)
  const metadata = encodeMetadata(record)
  return {
    document: {
      id: toolkit,
      name: toolkit,
      version,
      description: getToolkitDescription(record) ?? getDescription(record),
      capabilities: [capability],
      securityLevel,
      ...(metadata ? { metadata } : {}),
    },
    losses,
  }
}

export function findPublishedDocument({ source, securityLevel }: ToolRecord): JsonObject | undefined {
  if (source.dialect !== DIALECT || !isJsonObject(source.document)) return undefined
  const { securityLevel: documentLevel = 0 } = source.document
  return documentLevel === securityLevel ? source.document : { ...source.document, securityLevel }
}

export function getDescription(record: ToolRecord): string {
  return record.description || getDisplayTitle(record) || record.name
}

export function toCapabilityName({ tool, _meta }: ToolRecord): string {
  const sourceFields = _meta?.[TOOL_META_KEY]
  return isJsonObject(sourceFields) && typeof sourceFields.capability === 'string' ? sourceFields.capability : tool
}

export function encodeCapability(record: ToolRecord) {
  const { tool, output } = record
  const { parameters, losses: parameterLosses } = encodeParameters(omitContextParameters(record).input)
  const losses: Loss[] = [...parameterLosses, ...contextParameterLosses(record)]
  const addLoss = (path: string, reason: string) => losses.push({ path, reason })
  if (record.description === '')
    addLoss('/description', 'A description is required, so the title or the name is written')
  for (const part of ['toolkit', 'tool'] as const) {
    const sanitizedName = sanitizeName(record[part])
    if (sanitizedName !== record[part])
      addLoss(`/${part}`, `Is read as '${sanitizedName}': names have no other characters any more`)
  }
  const name = toDerivedName(record)
  if (record.name !== name) addLoss('/name', `The name is made of the tool's id and the capability: '${name}'`)
  losses.push(...fieldLosses(record, NO_FIELD, ['metadata', 'tags', 'securityLevel']))
  if (output === null) addLoss('/output', 'No output at all is written as the schema {"type": "null"}')
  if (record.metadata?.[CONTEXT_PARAMETERS_KEY] !== undefined)
    addLoss(`/metadata/${CONTEXT_PARAMETERS_KEY}`, 'Names what no model may infer')
  const metadataTags = record.metadata?.tags
  if (
    metadataTags !== undefined &&
    record.tags.length > 0 &&
    JSON.stringify(metadataTags) !== JSON.stringify(record.tags)
  ) {
    addLoss('/metadata/tags', "The tool's own tags stand there")
  } else if (record.tags.length === 0 && (listTags(record.metadata ?? {}) ?? []).length > 0) {
    addLoss('/tags', "The tags in the metadata count as the tool's own")
  }
  const schema = output === null ? { type: 'null' } : toObjectSchema(output)
  const returnField = typeof schema.description === 'string' ? { description: schema.description, schema } : { schema }
  const capability: JsonObject = {
    name: tool,
    description: getDescription(record),
    ...(parameters ? { parameters } : {}),
    ...(Object.keys(schema).length > 0 ? { return: returnField } : {}),
  }
  return { capability, losses }
}

export function encodeMetadata({ metadata, tags }: ToolRecord): JsonObject | undefined {
  const { [CONTEXT_PARAMETERS_KEY]: contextParameters, ...visibleMetadata } = metadata ?? {}
  const encodedMetadata =
    contextParameters !== undefined && Object.keys(visibleMetadata).length === 0
      ? undefined
      : metadata && visibleMetadata
  return tags.length > 0 ? { ...encodedMetadata, tags } : encodedMetadata
}

const TAGS = optional(tagsReader, [])

export function listTags({ tags }: JsonObject): readonly string[] | undefined {
  const read = parseValue(TAGS, tags)
  return read.ok ? read.value : undefined
}
