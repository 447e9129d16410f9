import { isObject, type JsonObject } from '../core/tool/json.ts'

const NULL = { type: 'null' }

/** A schema of strict mode that also allows null: a type beside its own, or a branch beside it. */
export function nullable(schema: JsonObject): JsonObject {
  const { type, anyOf, enum: allowed } = schema
  if (Array.isArray(anyOf)) return anyOf.some(isNull) ? schema : { ...schema, anyOf: [...anyOf, NULL] }
  if (Array.isArray(type)) return type.includes('null') ? schema : withNull(schema, [...type, 'null'], allowed)
  if (type === 'null') return schema
  if (typeof type !== 'string' || type === 'object' || type === 'array' || 'const' in schema) {
    return { anyOf: [schema, NULL] }
  }
  return withNull(schema, [type, 'null'], allowed)
}

function withNull(schema: JsonObject, type: readonly string[], allowed: JsonObject['enum']): JsonObject {
  if (!Array.isArray(allowed)) return { ...schema, type }
  return { ...schema, type, enum: allowed.includes(null) ? allowed : [...allowed, null] }
}

function isNull(branch: unknown): boolean {
  return isObject(branch) && branch.type === 'null'
}
