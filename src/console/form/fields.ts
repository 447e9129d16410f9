import { isJsonObject, isJsonArray, isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'

export interface Field {
  /** The name of its control: `input`, and the JSON Pointer of its value in the input. */
  readonly name: string
  readonly key: string
  readonly description: string
  readonly isRequired: boolean
  readonly default?: Json
  /** Absent where no schema has it. */
  readonly schema?: Json
  readonly kind: FieldKind
}

export type FieldKind =
  | { readonly type: 'text'; readonly isLong: boolean }
  | { readonly type: 'number'; readonly isWhole: boolean }
  | { readonly type: 'time' }
  | { readonly type: 'choice'; readonly values: readonly Json[] }
  /** A box to tick; not ticked, it is left out. */
  | { readonly type: 'flag' }
  | { readonly type: 'several'; readonly values: readonly Json[] }
  /** An array of strings, a line each; or the text `instead` in its place. */
  | { readonly type: 'lines'; readonly instead?: string }
  /** An object of strings, a line `name=value` each. */
  | { readonly type: 'entries' }
  | { readonly type: 'group'; readonly fields: readonly Field[] }
  /** A text, or JSON of another of the types that it may have. */
  | { readonly type: 'mixed'; readonly types: readonly string[] }
  | { readonly type: 'json' }

export const ROOT_FIELD = 'input'
/** Anything deeper, or more, is written as JSON. */
const MAX_DEPTH = 3
const MAX_FIELDS = 100
const MAX_CHOICES = 200
/** In characters: longer texts get several lines. */
const LONG = 200

/** The fields of a schema of an object, without references; none where it names no properties. */
export function listFields(schema: Json): readonly Field[] {
  return fieldsIn(schema, ROOT_FIELD, 0)
}

function fieldsIn(schema: Json, name: string, depth: number): readonly Field[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return []
  const required = isStringArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties)
    .slice(0, MAX_FIELDS)
    .map(([key, property = {}]) => {
      const { description, default: otherwise } = isJsonObject(property) ? property : {}
      return {
        name: name + encodePointerStep(key),
        key,
        description: typeof description === 'string' ? description : '',
        isRequired: required.includes(key),
        ...(otherwise === undefined ? {} : { default: otherwise }),
        schema: property,
        kind: findFieldKind(property, name + encodePointerStep(key), depth + 1),
      }
    })
}

function findFieldKind(property: Json, name: string, depth: number): FieldKind {
  const schema = withoutNull(property)
  if (!isJsonObject(schema)) return { type: 'json' }
  const { type, enum: values, const: only, items, anyOf, additionalProperties: more } = schema
  if (only === true) return { type: 'flag' }
  if (only !== undefined) return { type: 'choice', values: [only] }
  if (isChoice(values)) return { type: 'choice', values }
  const types = listTypes(schema)
  if (types.length > 1 && types.includes('string')) return { type: 'mixed', types }
  if (isJsonArray(anyOf)) return textOrLines(anyOf)
  switch (type) {
    case 'boolean':
      return schema.default === false ? { type: 'flag' } : { type: 'choice', values: [true, false] }
    case 'integer':
    case 'number':
      return { type: 'number', isWhole: type === 'integer' }
    case 'string':
      if (schema.format === 'date-time') return { type: 'time' }
      return { type: 'text', isLong: Number(schema.maxLength) > LONG && schema.format !== 'uri' }
    case 'array':
      if (!isJsonObject(items)) return { type: 'json' }
      if (isChoice(items.enum)) return { type: 'several', values: items.enum }
      return items.type === 'string' ? { type: 'lines' } : { type: 'json' }
    case 'object': {
      if (schema.properties === undefined && isJsonObject(more) && more.type === 'string') return { type: 'entries' }
      const fields = depth < MAX_DEPTH ? fieldsIn(schema, name, depth) : []
      return fields.length > 0 ? { type: 'group', fields } : { type: 'json' }
    }
    default:
      return { type: 'json' }
  }
}

/** The types of the alternatives of a schema, as JavaScript has them; none where one says no type. */
function listTypes({ type, anyOf, oneOf }: JsonObject): readonly string[] {
  const alternatives = isJsonArray(anyOf) ? anyOf : isJsonArray(oneOf) ? oneOf : []
  const named = isStringArray(type) ? type : alternatives.map((each) => (isJsonObject(each) ? each.type : undefined))
  const isPlain = alternatives.every(
    (each) => isJsonObject(each) && each.const === undefined && each.enum === undefined,
  )
  return isPlain && isStringArray(named) ? named.map((each) => (each === 'integer' ? 'number' : each)) : []
}

function isChoice(values: Json | undefined): values is readonly Json[] {
  return isJsonArray(values) && values.length <= MAX_CHOICES
}

function textOrLines([only, list, ...more]: readonly Json[]): FieldKind {
  const isLines = isJsonObject(list) && isJsonObject(list.items) && list.items.type === 'string'
  const isText = isJsonObject(only) && typeof only.const === 'string'
  return isLines && isText && more.length === 0 ? { type: 'lines', instead: String(only.const) } : { type: 'json' }
}

/** Drops null, since an empty field is left out. */
function withoutNull(schema: Json): Json {
  if (!isJsonObject(schema)) return schema
  const { type, anyOf } = schema
  if (isStringArray(type)) {
    const [first, ...more] = type.filter((each) => each !== 'null')
    return first !== undefined && more.length === 0 ? { ...schema, type: first } : { ...schema, type: undefined }
  }
  if (!isJsonArray(anyOf)) return schema
  const [first, ...more] = anyOf.filter((each) => !isJsonObject(each) || each.type !== 'null')
  return first !== undefined && more.length === 0 ? first : schema
}
