import { createBudget } from '../../src/core/tool/budget.ts'
import canonicalize from 'canonicalize'
import { checkSchemas } from '../../src/core/publish/check-definition.ts'
import { expandSchema } from '../../src/core/schema/expand.ts'
import { mapSubschemas } from '../../src/core/schema/subschemas.ts'
import type { Codec, Loss } from '../../src/core/tool/codec.ts'
import { isObject, isStringArray, type Json } from '../../src/core/tool/json.ts'
import { type Definition, deriveSecurityLevel, type ToolRecord } from '../../src/core/tool/tool.ts'

/**
 * Writes a record in a dialect, reads it back, and describes every fault. Schemas are equal if they mean the same with or
 * without references, and with an object or a flag in place of each other.
 */
export function faults(record: ToolRecord, writer: Codec): readonly string[] {
  const { document: written, losses } = writer.encode(record)
  const document: Json = JSON.parse(JSON.stringify(written))
  const { toolkit, version } = record
  const decoded = writer.decode(
    document,
    writer.dialect === 'plugin' || writer.dialect === 'mcp' ? { toolkit, version } : {},
  )
  if (!decoded.ok) return decoded.problems.map(({ path, message }) => `${path}: ${message}`)
  const { definitions, schemas } = decoded.value
  const refused = checkSchemas(schemas, writer.references, createBudget()).map(
    ({ path, message }) => `${path}: ${message}`,
  )
  if (refused.length > 0) return refused
  // A published document may contain other tools
  const isOwn = record.source.dialect === writer.dialect
  const found = isOwn ? definitions.find(({ tool }) => tool === record.tool) : definitions[0]
  if (!found || (!isOwn && definitions.length > 1)) return [`gives ${definitions.length} tools`]
  return FIELDS.filter((field) => !isLost(field, losses)).flatMap((field) => {
    const before = textOf(field, record)
    const after = canonicalize(meant(field, found)) ?? ''
    return before === after ? [] : [`${field} was ${before.slice(0, 500)}, is ${after.slice(0, 500)}`]
  })
}

const texts = new WeakMap<ToolRecord, Map<Field, string>>()

/** Returns the meaning of a record's field as text, created once for all dialects. */
function textOf(field: Field, record: ToolRecord): string {
  const known = texts.get(record) ?? new Map<Field, string>()
  texts.set(record, known)
  const text = known.get(field) ?? canonicalize(meant(field, record)) ?? ''
  known.set(field, text)
  return text
}

const FIELDS = [
  'toolkit',
  'tool',
  'version',
  'name',
  'title',
  'description',
  'input',
  'output',
  'requirements',
  'securityLevel',
  'annotations',
  'icons',
  '_meta',
  'metadata',
  'examples',
  'tags',
] as const satisfies readonly (keyof Definition)[]
type Field = (typeof FIELDS)[number]

function isLost(field: string, losses: readonly Loss[]): boolean {
  const isNamed = (name: string) => losses.some(({ path }) => path === `/${name}` || path.startsWith(`/${name}/`))
  // A tool that lost requirements has a lower level
  if (field === 'securityLevel') return isNamed(field) || isNamed('requirements')
  // The name is derived from the id; if the id differs, the document's name is kept
  if (field === 'name' || field === '_meta') return [field, 'toolkit', 'tool'].some(isNamed)
  return isNamed(field)
}

function meant(field: Field, definition: Definition): unknown {
  switch (field) {
    case 'input': {
      const { schema } = expandSchema(definition.input)
      return said({ type: 'object', ...Object(schema) })
    }
    case 'output':
      return definition.output === null ? null : said(expandSchema(definition.output).schema)
    case 'securityLevel':
      return definition.securityLevel ?? deriveSecurityLevel(definition.requirements)
    case 'metadata': {
      // Dialects with tags or output modes read them into metadata, wherever else they are written
      const { tags: _, available_modes: __, ...rest } = definition.metadata ?? {}
      return rest
    }
    default:
      return definition[field] ?? null
  }
}

function said(schema: unknown): unknown {
  if (schema === false) return { not: {} }
  if (!isObject(schema)) return {}
  const { properties, required, additionalProperties, ...rest } = mapSubschemas(schema, said)
  return {
    ...(isStringArray(rest.enum) ? { type: 'string' } : {}),
    ...rest,
    ...(isIdle(properties) ? {} : { properties }),
    ...(isIdle(required) ? {} : { required }),
    ...(isIdle(additionalProperties) ? {} : { additionalProperties }),
  }
}

/** Whether a value requires nothing: no schemas, no names, or a schema that allows anything. */
function isIdle(value: unknown): boolean {
  return value === undefined || Object.keys(Object(value)).length === 0
}
