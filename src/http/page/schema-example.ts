import { isJsonObject, isList, isTexts, type Json } from '../../core/tool/json.ts'

/**
 * A value that fits a schema without references: fields that may be absent are where they have an example. A text is the
 * `name` of its field, where one is given.
 */
export function exampleOf(schema: Json | undefined, name?: string): Json {
  if (!isJsonObject(schema)) return {}
  const { examples, enum: values, const: only, anyOf, items, properties, format } = schema
  const [first] = [
    ...(isList(examples) ? examples : []),
    ...(only === undefined ? [] : [only]),
    ...(isList(values) ? values : []),
  ]
  if (first !== undefined) return first
  if (isJsonObject(properties)) {
    const required = new Set(isTexts(schema.required) ? schema.required : [])
    const shown = Object.entries(properties).filter(
      ([key, field]) => required.has(key) || (isJsonObject(field) && field.examples !== undefined),
    )
    return Object.fromEntries(shown.map(([key, field]) => [key, exampleOf(field, name && key)]))
  }
  if (isList(anyOf))
    return exampleOf(
      anyOf.find((each) => !isJsonObject(each) || each.type !== 'null'),
      name,
    )
  const type = isList(schema.type) ? schema.type.find((each) => each !== 'null') : schema.type
  if (type === 'array') return items === undefined ? [] : [exampleOf(items, name)]
  if (type === 'string') return format === 'date-time' ? '2026-11-02T09:30:00.000Z' : (name ?? '')
  if (type === 'integer' || type === 'number') return 1
  return type === 'boolean' ? true : {}
}
