import { isJsonObject, isJsonArray, isStringArray, type Json } from '../../core/tool/json.ts'

/**
 * Creates a value that fits a schema without references. Optional fields are included if they have an example. If `name` is
 * given, strings without an example are the names of their fields.
 */
export function createExample(schema: Json | undefined, name?: string): Json {
  if (!isJsonObject(schema)) return {}
  const { examples, enum: values, const: constant, anyOf, items, properties, format } = schema
  const [first] = [
    ...(isJsonArray(examples) ? examples : []),
    ...(constant === undefined ? [] : [constant]),
    ...(isJsonArray(values) ? values : []),
  ]
  if (first !== undefined) return first
  if (isJsonObject(properties)) {
    const required = new Set(isStringArray(schema.required) ? schema.required : [])
    const exampleFields = Object.entries(properties).filter(
      ([key, field]) => required.has(key) || (isJsonObject(field) && field.examples !== undefined),
    )
    return Object.fromEntries(exampleFields.map(([key, field]) => [key, createExample(field, name && key)]))
  }
  if (isJsonArray(anyOf))
    return createExample(
      anyOf.find((option) => !isJsonObject(option) || option.type !== 'null'),
      name,
    )
  const type = isJsonArray(schema.type) ? schema.type.find((candidate) => candidate !== 'null') : schema.type
  if (type === 'array') return items === undefined ? [] : [createExample(items, name)]
  if (type === 'string') return format === 'date-time' ? '2026-11-02T09:30:00.000Z' : (name ?? '')
  if (type === 'integer' || type === 'number') return 1
  return type === 'boolean' ? true : {}
}
