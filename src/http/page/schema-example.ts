import { isJsonObject, isJsonArray, isStringArray, type Json } from '../../core/tool/json.ts'

/**
 * A value that fits a schema without references: fields that may be absent are where they have an example. A text is the
 * `name` of its field, where one is given.
 */
export function createExample(schema: Json | undefined, name?: string): Json {
  if (!isJsonObject(schema)) return {}
  const { examples, enum: values, const: only, anyOf, items, properties, format } = schema
  const [first] = [
    ...(isJsonArray(examples) ? examples : []),
    ...(only === undefined ? [] : [only]),
    ...(isJsonArray(values) ? values : []),
  ]
  if (first !== undefined) return first
  if (isJsonObject(properties)) {
    const required = new Set(isStringArray(schema.required) ? schema.required : [])
    const shown = Object.entries(properties).filter(
      ([key, field]) => required.has(key) || (isJsonObject(field) && field.examples !== undefined),
    )
    return Object.fromEntries(shown.map(([key, field]) => [key, createExample(field, name && key)]))
  }
  if (isJsonArray(anyOf))
    return createExample(
      anyOf.find((each) => !isJsonObject(each) || each.type !== 'null'),
      name,
    )
  const type = isJsonArray(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  if (type === 'array') return items === undefined ? [] : [createExample(items, name)]
  if (type === 'string') return format === 'date-time' ? '2026-11-02T09:30:00.000Z' : (name ?? '')
  if (type === 'integer' || type === 'number') return 1
  return type === 'boolean' ? true : {}
}
