import type { Encoded, Loss } from '../../core/tool/codec.ts'
import { isJsonObject, type JsonObject } from '../../core/tool/json.ts'
import { besideLosses, fieldLosses, HIDDEN, offered, toolkitDescription, withheld } from '../../core/tool/metadata.ts'
import { sanitizedName } from '../../core/tool/sanitize-name.ts'
import { joinedName } from '../../core/tool/tool-id.ts'
import { objectSchema, titleOf, type ToolRecord } from '../../core/tool/tool.ts'
import { encodeParameters } from './parameters.ts'
import { tags as tagsReader } from '../../core/tool/definition-fields.ts'
import { check, optional } from '../../core/tool/json-reader.ts'

export const DIALECT = 'machine-context'
export const TOOLKIT_PREFIX = 'toolkit:'
/** Holds the document's own fields in each tool, so that they are part of every capability's digest. */
export const TOOL = 'dev.switchboard/tool'

const NO_FIELD = 'The Machine Context Protocol has no such field'

/** A document's id is part of a key in KV, which bounds it. */
export function encode(record: ToolRecord): Encoded {
  const source = publishedDocument(record)
  if (source) return { document: source, losses: besideLosses(record, NO_FIELD, ['tags', 'securityLevel']) }
  const { toolkit, version, securityLevel } = record
  const { capability, losses } = encodeCapability(record)
  const metadata = encodeMetadata(record)
  return {
    document: {
      id: toolkit,
      name: toolkit,
      version,
      description: toolkitDescription(record) ?? describe(record),
      capabilities: [capability],
      securityLevel,
      ...(metadata ? { metadata } : {}),
    },
    losses,
  }
}

export function publishedDocument({ source, securityLevel }: ToolRecord): JsonObject | undefined {
  if (source.dialect !== DIALECT || !isJsonObject(source.document)) return undefined
  const { securityLevel: said = 0 } = source.document
  return said === securityLevel ? source.document : { ...source.document, securityLevel }
}

export function describe(record: ToolRecord): string {
  return record.description || titleOf(record) || record.name
}

export function calledAs({ tool, _meta }: ToolRecord): string {
  const said = _meta?.[TOOL]
  return isJsonObject(said) && typeof said.capability === 'string' ? said.capability : tool
}

export function encodeCapability(record: ToolRecord) {
  const { tool, output } = record
  const { parameters, losses: unsaid } = encodeParameters(offered(record).input)
  const losses: Loss[] = [...unsaid, ...withheld(record)]
  const lose = (path: string, reason: string) => losses.push({ path, reason })
  if (record.description === '') lose('/description', 'A description is required, so the title or the name is written')
  for (const part of ['toolkit', 'tool'] as const) {
    const made = sanitizedName(record[part])
    if (made !== record[part]) lose(`/${part}`, `Is read as '${made}': names have no other characters any more`)
  }
  const name = joinedName(record)
  if (record.name !== name) lose('/name', `The name is made of the tool's id and the capability: '${name}'`)
  losses.push(...fieldLosses(record, NO_FIELD, ['metadata', 'tags', 'securityLevel']))
  if (output === null) lose('/output', 'No output at all is written as the schema {"type": "null"}')
  if (record.metadata?.[HIDDEN] !== undefined) lose(`/metadata/${HIDDEN}`, 'Names what no model may infer')
  const own = record.metadata?.tags
  if (own !== undefined && record.tags.length > 0 && JSON.stringify(own) !== JSON.stringify(record.tags)) {
    lose('/metadata/tags', "The tool's own tags stand there")
  } else if (record.tags.length === 0 && (tagsOf(record.metadata ?? {}) ?? []).length > 0) {
    lose('/tags', "The tags in the metadata count as the tool's own")
  }
  const schema = output === null ? { type: 'null' } : objectSchema(output)
  const returned = typeof schema.description === 'string' ? { description: schema.description, schema } : { schema }
  const capability: JsonObject = {
    name: tool,
    description: describe(record),
    ...(parameters ? { parameters } : {}),
    ...(Object.keys(schema).length > 0 ? { return: returned } : {}),
  }
  return { capability, losses }
}

export function encodeMetadata({ metadata, tags }: ToolRecord): JsonObject | undefined {
  const { [HIDDEN]: hidden, ...shown } = metadata ?? {}
  const rest = hidden !== undefined && Object.keys(shown).length === 0 ? undefined : metadata && shown
  return tags.length > 0 ? { ...rest, tags } : rest
}

const TAGS = optional(tagsReader, [])

export function tagsOf({ tags }: JsonObject): readonly string[] | undefined {
  const read = check(TAGS, tags)
  return read.ok ? read.value : undefined
}
