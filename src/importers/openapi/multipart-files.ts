import { followToObject, listAt, type OpenApiNode, objectAt } from './description.ts'
import type { Draft } from './draft.ts'
import { kindOfMedia } from './media-type.ts'

/** The schema of a file input, which `runners/http/body.ts` reads. */
export const FILE = {
  type: 'object',
  description: 'A file.',
  properties: {
    filename: { type: 'string' },
    content_type: { type: 'string', description: 'Its media type.' },
    data: { type: 'string', contentEncoding: 'base64', description: 'Its bytes, in base64.' },
  },
  required: ['filename', 'data'],
}

const MAX_DEPTH = 8
const ALTERNATIVES = ['anyOf', 'oneOf'] as const

type FileContext = Pick<Draft, 'description' | 'work'>

/**
 * Returns the schema of a whole multipart body, with files for each field of bytes: properties, additional properties and
 * those of alternatives. Returns the same object if there is no such field.
 */
export function withFiles(context: FileContext, raw: unknown, depth = 0): unknown {
  const schema = resolveSchema(context, raw, depth)
  if (!schema) return raw
  const changedKeywords = changeAlternatives(schema, (part) => withFiles(context, part, depth + 1))
  const properties = Object.entries(objectAt(schema, 'properties'))
  const files = properties.map(([name, property]) => [name, withFile(context, property)] as const)
  if (files.some(([, file], index) => file !== properties[index]?.[1]))
    changedKeywords.properties = Object.fromEntries(files)
  const additional = withFile(context, schema.additionalProperties)
  if (additional !== schema.additionalProperties) changedKeywords.additionalProperties = additional
  return Object.keys(changedKeywords).length > 0 ? { ...schema, ...changedKeywords } : raw
}

/** Returns one field's schema with files for bytes: in itself, its items or an alternative. Without bytes, the same object. */
export function withFile(context: FileContext, raw: unknown, depth = 0): unknown {
  const schema = resolveSchema(context, raw, depth)
  if (!schema) return raw
  const isFile = (part: unknown) => {
    const resolution = followToObject(context.description, part)
    return resolution !== undefined && isBytes(resolution)
  }
  if (isBytes(schema) || listAt(schema, 'allOf').some(isFile)) {
    const isNullable = schema.nullable === true || (Array.isArray(schema.type) && schema.type.includes('null'))
    return {
      ...FILE,
      ...(isNullable ? { type: ['object', 'null'] } : {}),
      description: schema.description ?? FILE.description,
    }
  }
  const changedKeywords = changeAlternatives(schema, (part) => withFile(context, part, depth + 1))
  const items = withFile(context, schema.items, depth + 1)
  if (items !== schema.items) changedKeywords.items = items
  return Object.keys(changedKeywords).length > 0 ? { ...schema, ...changedKeywords } : raw
}

function resolveSchema({ description, work }: FileContext, raw: unknown, depth: number): OpenApiNode | undefined {
  work.budget.spend(1)
  return depth > MAX_DEPTH ? undefined : followToObject(description, raw)
}

function changeAlternatives(schema: OpenApiNode, change: (part: unknown) => unknown): Record<string, unknown> {
  const changedKeywords: Record<string, unknown> = {}
  for (const keyword of ALTERNATIVES) {
    const parts = listAt(schema, keyword)
    const files = parts.map(change)
    if (files.some((file, index) => file !== parts[index])) changedKeywords[keyword] = files
  }
  return changedKeywords
}

function isBytes({ type, format, contentMediaType, contentEncoding }: OpenApiNode): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (type === 'file' || (types.includes('string') && format === 'binary')) return true
  if (typeof contentMediaType !== 'string' || contentEncoding !== undefined) return false
  return !types.includes('object') && !types.includes('array') && kindOfMedia(contentMediaType) === 'binary'
}
