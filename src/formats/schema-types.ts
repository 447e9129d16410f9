import { isObject } from '../core/tool/json.ts'
import type { Schema } from './merge.ts'

const NAMES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']

/** The types a schema allows: those it names, else those that its keywords are about; none when it says nothing of it. */
export function typesOf(schema: Schema): readonly string[] {
  const { type } = schema
  const named: readonly unknown[] = type === undefined ? [] : Array.isArray(type) ? type : [type]
  const known = NAMES.filter((name) => named.includes(name))
  if (type !== undefined) return known
  const values = 'const' in schema ? [schema.const] : schema.enum
  if (Array.isArray(values)) return NAMES.filter((name) => values.some((value) => typeName(value) === name))
  if (isObject(schema.properties)) return ['object']
  return schema.items === undefined && schema.prefixItems === undefined ? [] : ['array']
}

/** The JSON Schema type of a value; whole numbers are integers. */
export function typeName(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

export function isOfType(value: unknown, type: string): boolean {
  const name = typeName(value)
  return name === type || (type === 'number' && name === 'integer')
}
