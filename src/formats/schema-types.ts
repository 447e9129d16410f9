import { isInteger, isObject, type JsonObject, getJsonType } from '../core/tool/json.ts'
import type { SchemaObject } from './writing.ts'

const NULL = { type: 'null' }
const TYPE_NAMES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

export function listTypes(schema: SchemaObject): readonly string[] {
  const { type } = schema
  if (type !== undefined) {
    const types: readonly unknown[] = [type].flat()
    return TYPE_NAMES.filter((name) => types.includes(name))
  }
  const values = 'const' in schema ? [schema.const] : schema.enum
  if (Array.isArray(values)) return TYPE_NAMES.filter((name) => values.some((value) => getTypeName(value) === name))
  if (isObject(schema.properties)) return ['object']
  return schema.items === undefined && schema.prefixItems === undefined ? [] : ['array']
}

export interface Alternatives {
  readonly keyword: 'anyOf' | 'oneOf'
  readonly branches: readonly unknown[]
}

export function findAlternatives({ anyOf, oneOf, properties }: SchemaObject): Alternatives | undefined {
  const [keyword, branches] = anyOf === undefined ? (['oneOf', oneOf] as const) : (['anyOf', anyOf] as const)
  return Array.isArray(branches) && branches.length > 0 && !isObject(properties) ? { keyword, branches } : undefined
}

function getTypeName(value: unknown): string {
  return isInteger(value) ? 'integer' : getJsonType(value)
}

export function isOfType(value: unknown, type: string): boolean {
  const name = getTypeName(value)
  return name === type || (type === 'number' && name === 'integer')
}

export function makeNullable(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: allowed } = schema
  if (Array.isArray(anyOf)) return anyOf.some(isNull) ? schema : { ...schema, anyOf: [...anyOf, NULL] }
  if (Array.isArray(type)) return type.includes('null') ? schema : addNull(schema, [...type, 'null'], allowed)
  if (type === 'null') return schema
  if (typeof type !== 'string' || type === 'object' || type === 'array' || 'const' in schema)
    return { anyOf: [schema, NULL] }
  return addNull(schema, [type, 'null'], allowed)
}

function addNull(schema: JsonObject, type: readonly string[], allowed: JsonObject['enum']): JsonObject {
  if (!Array.isArray(allowed)) return { ...schema, type }
  return { ...schema, type, enum: allowed.includes(null) ? allowed : [...allowed, null] }
}

export function isNull(branch: unknown): boolean {
  return isObject(branch) && branch.type === 'null'
}
