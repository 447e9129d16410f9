import { followToObject, listAt, type OpenApiNode, objectAt } from './description.ts'
import type { Draft } from './draft.ts'
import { kindOfMedia } from './media-type.ts'

/** A file as an input: what `runners/http/body.ts` reads. */
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

type Work = Pick<Draft, 'description' | 'work'>

/**
 * The schema of a whole multipart body, with each field that takes bytes taking files: properties, additional ones,
 * and those of alternatives. The same object where no field does.
 */
export function withFiles(work: Work, raw: unknown, depth = 0): unknown {
  const schema = enter(work, raw, depth)
  if (!schema) return raw
  const changed = changeAlternatives(schema, (part) => withFiles(work, part, depth + 1))
  const properties = Object.entries(objectAt(schema, 'properties'))
  const files = properties.map(([name, property]) => [name, withFile(work, property)] as const)
  if (files.some(([, file], index) => file !== properties[index]?.[1])) changed.properties = Object.fromEntries(files)
  const others = withFile(work, schema.additionalProperties)
  if (others !== schema.additionalProperties) changed.additionalProperties = others
  return Object.keys(changed).length > 0 ? { ...schema, ...changed } : raw
}

/** The schema of one field, with files where it takes bytes: itself, its items, or an alternative. The same object where it does not. */
export function withFile(work: Work, raw: unknown, depth = 0): unknown {
  const schema = enter(work, raw, depth)
  if (!schema) return raw
  const isFile = (part: unknown) => {
    const followed = followToObject(work.description, part)
    return followed !== undefined && isBytes(followed)
  }
  if (isBytes(schema) || listAt(schema, 'allOf').some(isFile)) {
    const isNullable = schema.nullable === true || (Array.isArray(schema.type) && schema.type.includes('null'))
    return {
      ...FILE,
      ...(isNullable ? { type: ['object', 'null'] } : {}),
      description: schema.description ?? FILE.description,
    }
  }
  const changed = changeAlternatives(schema, (part) => withFile(work, part, depth + 1))
  const items = withFile(work, schema.items, depth + 1)
  if (items !== schema.items) changed.items = items
  return Object.keys(changed).length > 0 ? { ...schema, ...changed } : raw
}

function enter({ description, work }: Work, raw: unknown, depth: number): OpenApiNode | undefined {
  work.budget.spend(1)
  return depth > MAX_DEPTH ? undefined : followToObject(description, raw)
}

function changeAlternatives(schema: OpenApiNode, change: (part: unknown) => unknown): Record<string, unknown> {
  const changed: Record<string, unknown> = {}
  for (const keyword of ALTERNATIVES) {
    const parts = listAt(schema, keyword)
    const files = parts.map(change)
    if (files.some((file, index) => file !== parts[index])) changed[keyword] = files
  }
  return changed
}

function isBytes({ type, format, contentMediaType, contentEncoding }: OpenApiNode): boolean {
  const types: readonly unknown[] = Array.isArray(type) ? type : [type]
  if (type === 'file' || (types.includes('string') && format === 'binary')) return true
  if (typeof contentMediaType !== 'string' || contentEncoding !== undefined) return false
  return !types.includes('object') && !types.includes('array') && kindOfMedia(contentMediaType) === 'binary'
}
