import { createBudget } from '../../src/core/tool/budget.ts'
import canonicalize from 'canonicalize'
import { checkSchemas } from '../../src/core/publish/check-definition.ts'
import { expandSchema } from '../../src/core/schema/expand.ts'
import { mapSubschemas } from '../../src/core/schema/subschemas.ts'
import type { Codec, Loss } from '../../src/core/tool/codec.ts'
import { isObject, isStringArray, type Json } from '../../src/core/tool/json.ts'
import { type Definition, deriveSecurityLevel, type ToolRecord } from '../../src/core/tool/tool.ts'

/**
 * What a dialect writes of a record and its reader makes of that: every fault, in words. Two schemas are the same that say
 * the same with and without references, and with an object or a flag in place of each other.
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
  // A published document may hold further tools
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

/** What a field of a record means, as a text; made once, for every dialect. */
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
  // The level of a tool that requires less than it did is lower
  if (field === 'securityLevel') return isNamed(field) || isNamed('requirements')
  // What a tool is called is made of its id, and where that is another, what the document calls it is kept
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
      // A dialect that has tags, or modes of output, has them there, whatever else says them
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

/** What asks for nothing: no schemas, no names, or a schema of anything. */
function isIdle(value: unknown): boolean {
  return value === undefined || Object.keys(Object(value)).length === 0
}
