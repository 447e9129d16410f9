import { isTexts, type Json, type JsonObject } from '../../core/tool/json.ts'
import type { Problem } from '../../core/tool/problem.ts'
import { objectAt } from './fields.ts'

const PRIMITIVES = ['string', 'integer', 'number', 'boolean', 'json']
const FIELDS = { val_type: 'required', inner_val_type: 'optional', enum: 'optional' } as const

/** What a `value_schema` becomes; a warning is for what it says and JSON Schema cannot mean. */
export interface ValueSchema {
  readonly schema: JsonObject
  readonly warnings: readonly Problem[]
}

/**
 * Reads a `value_schema` (Open Tool Calling RFC, tool definition schema, `$defs.value_schema`) into JSON Schema: `json`
 * is an object, `array` a list of its inner type. A list's `enum` is of its items, as the RFC's engine takes it. Every
 * breach joins `problems`, and gives undefined.
 */
export function decodeValueSchema(value: Json | undefined, path: string, problems: Problem[]): ValueSchema | undefined {
  const before = problems.length
  const object = objectAt(value, path, FIELDS, problems)
  if (!object) return undefined
  const { val_type, inner_val_type, enum: allowed = null } = object
  const isArray = val_type === 'array'
  if (val_type !== undefined && !isArray && !isPrimitive(val_type)) {
    problems.push({ path: `${path}/val_type`, message: `Must be one of ${[...PRIMITIVES, 'array'].join(', ')}` })
  }
  if (isArray && inner_val_type === undefined) {
    problems.push({ path: `${path}/inner_val_type`, message: "Is required when 'val_type' is 'array'" })
  }
  if (inner_val_type !== undefined && inner_val_type !== null && !isPrimitive(inner_val_type)) {
    problems.push({ path: `${path}/inner_val_type`, message: `Must be null or one of ${PRIMITIVES.join(', ')}` })
  }
  if (allowed !== null && !isTexts(allowed)) {
    problems.push({ path: `${path}/enum`, message: 'Must be null or an array of strings' })
  }
  if (problems.length > before || typeof val_type !== 'string') return undefined

  const type = isArray ? (inner_val_type ?? undefined) : val_type
  const texts = isTexts(allowed) ? allowed : undefined
  const isMeant = texts !== undefined && texts.length > 0 && type === 'string'
  const one = { ...(typeof type === 'string' ? { type: jsonType(type) } : {}), ...(isMeant ? { enum: texts } : {}) }
  const unmeant = 'Allows no value: an enum holds at least one string, and is of strings. It is passed over'
  return {
    schema: isArray ? { type: 'array', ...(Object.keys(one).length > 0 ? { items: one } : {}) } : one,
    warnings: texts && !isMeant ? [{ path: `${path}/enum`, message: unmeant }] : [],
  }
}

/** A schema that allows null beside what `schema` allows, for the output mode `null`. */
export function orNull(schema: JsonObject): JsonObject {
  if (typeof schema.type !== 'string') return schema
  const { enum: allowed } = schema
  return {
    ...schema,
    type: [schema.type, 'null'],
    ...(Array.isArray(allowed) ? { enum: [...allowed, null] } : {}),
  }
}

function isPrimitive(value: Json): boolean {
  return typeof value === 'string' && PRIMITIVES.includes(value)
}

function jsonType(primitive: string): string {
  return primitive === 'json' ? 'object' : primitive
}
