import { isObject, type JsonObject } from '../../core/tool/json.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { type Description, resolveOpenApiRef, type OpenApiNode, objectAt } from './description.ts'
import { chooseMedia, isRange } from './media-type.ts'
import { type ConversionResult, toConversionResult, type SchemaConverter, type ConversionWork } from './schema.ts'

export interface Output {
  readonly schema: ConversionResult | null
  readonly response?: JsonObject
  readonly accept?: string
  readonly warnings: readonly string[]
}

const BYTES_SCHEMA = {
  type: 'object',
  properties: { content_type: { type: 'string' }, data: { type: 'string', contentEncoding: 'base64' } },
  required: ['content_type', 'data'],
}
const NO_CONTENT_STATUSES = ['204', '205']

export function convertOutput(
  description: Description,
  converter: SchemaConverter,
  operation: OpenApiNode,
  method: string,
  work: ConversionWork,
): Output {
  const warnings: string[] = []
  if (method === 'HEAD') return toOutput('none', null)
  const responses = Object.entries(objectAt(operation, 'responses'))
  const successes = responses.filter(([status]) => /^2(?:\d\d|XX)$/i.test(status))
  if (successes.length === 0)
    return responses.some(([status]) => /^30[12378]$/.test(status))
      ? toOutput('binary', BYTES_SCHEMA)
      : toOutput('auto', {})
  const contents: OpenApiNode[] = []
  let withoutContent = 0
  for (const [status, response] of successes) {
    const resolution = resolveOpenApiRef(description, response)
    if (!resolution.ok) warnings.push(`the response ${status} cannot be read: ${resolution.problem}`)
    const content = resolution.ok && isObject(resolution.value) ? objectAt(resolution.value, 'content') : {}
    if (NO_CONTENT_STATUSES.includes(status)) withoutContent += 1
    else contents.push(content)
  }
  if (contents.length === 0) return toOutput('none', null)
  const media = chooseMedia(contents.flatMap((content) => Object.keys(content)))
  if (!media) return toOutput('auto', {})
  if (media.kind === 'text') return toOutput('text', { type: 'string' }, media.type)
  if (media.kind !== 'json') return toOutput('binary', BYTES_SCHEMA, media.type)

  const schemas: ConversionResult[] = []
  for (const content of contents) {
    const type = chooseMedia(Object.keys(content))
    if (!type) withoutContent += 1
    else if (type.kind === 'json') schemas.push(converter.convert(objectAt(content, type.type).schema ?? {}, work))
    else return toOutput('auto', {})
  }
  return { schema: joinSchemas(schemas, withoutContent > 0), ...buildAccept(media.type), warnings }

  function toOutput(type: 'none' | 'auto' | 'text' | 'binary', schema: JsonSchema | null, media?: string): Output {
    return {
      schema: schema === null ? null : toConversionResult(schema),
      response: { type },
      ...buildAccept(media),
      warnings,
    }
  }
}

function buildAccept(media: string | undefined): { readonly accept?: string } {
  return media === undefined || media === 'application/json' || isRange(media) ? {} : { accept: media }
}

function joinSchemas(outputs: readonly ConversionResult[], orNull: boolean): ConversionResult {
  const unique = [...new Set(outputs)]
  const [first] = unique
  if (!first) return toConversionResult({})
  if (unique.length === 1 && !orNull) return first
  const schemas = unique.map(({ schema }) => schema)
  return toConversionResult({ anyOf: orNull ? [...schemas, { type: 'null' }] : schemas }, unique)
}
