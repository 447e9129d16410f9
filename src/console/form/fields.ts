import { isJsonObject, isJsonArray, isStringArray, type Json, type JsonObject } from '../../core/tool/json.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'
import { truncate } from '../../http/page/text.ts'

export interface Field {
  /** The name of its control: `input`, then the JSON Pointer of its value in the input. */
  readonly name: string
  readonly key: string
  readonly label: string
  readonly description: string
  readonly isRequired: boolean
  readonly default?: Json
  /** Absent if no schema has the field. */
  readonly schema?: Json
  readonly kind: FieldKind
}

export type FieldKind =
  | { readonly type: 'text'; readonly isLong: boolean }
  | { readonly type: 'number'; readonly isWhole: boolean }
  | { readonly type: 'time' }
  | { readonly type: 'choice'; readonly values: readonly Json[] }
  /** A checkbox; left out of the input unless it is checked. */
  | { readonly type: 'flag' }
  | {
      readonly type: 'several'
      readonly values: readonly Json[]
      readonly notes?: Readonly<Record<string, string>>
    }
  /** An array of strings, one per line, or the text `constant` instead. */
  | { readonly type: 'lines'; readonly constant?: string }
  /** An object of strings, one `name=value` per line. */
  | { readonly type: 'entries' }
  | { readonly type: 'group'; readonly fields: readonly Field[] }
  /** A text, or JSON of one of the other `types`. A second control selects the type; by default, the text is parsed. */
  | { readonly type: 'mixed'; readonly types: readonly string[] }
  | { readonly type: 'json' }

export const ROOT_FIELD = 'input'
/** Deeper objects are entered as JSON. */
const MAX_DEPTH = 3
/** The limit of a form, because a longer page is slow to load. */
const MAX_FORM_CHARACTERS = 22_000
const MAX_DESCRIPTION_CHARACTERS = 1_000
const MAX_CHOICES = 200
/** Longer texts get several lines. */
const MAX_LINE_CHARACTERS = 200
/** Names of texts that are often several lines long. */
const LONG_TEXT =
  /(?:^|[_-])(?:body|text|content|message|description|comment|prompt|instructions|notes?|markdown|html|code)$/i

type FormatLabel = (key: string) => string

/** Lists the fields of an object's schema without references, as far as they fit on a page; none without `properties`. */
export function listFields(schema: Json, formatLabel: FormatLabel = (key) => key): readonly Field[] {
  return fitFields(listFieldsAt(schema, { name: ROOT_FIELD, depth: 0, formatLabel }))
}

/** If a form has no space left, groups are entered as JSON, and other optional fields are left out. */
function fitFields(fields: readonly Field[]): readonly Field[] {
  let space = MAX_FORM_CHARACTERS - measureFields(fields.filter(isNeeded))
  return fields.flatMap((field): readonly Field[] => {
    if (isNeeded(field)) return [field]
    const length = measureFields([field])
    if (length <= space) {
      space -= length
      return [field]
    }
    return field.kind.type === 'group' ? [{ ...field, kind: { type: 'json' } }] : []
  })
}

function isNeeded({ isRequired, kind }: Field): boolean {
  return isRequired && kind.type !== 'group'
}

/** Estimates the characters that fields take in a page. */
function measureFields(fields: readonly Field[]): number {
  return fields.reduce((sum, { name, description, kind }) => {
    const values = 'values' in kind ? kind.values : []
    const choices = values.reduce<number>((length, value) => length + 40 + JSON.stringify(value).length, 0)
    const inner = kind.type === 'group' ? measureFields(kind.fields) : 0
    return sum + 250 + 6 * name.length + description.length + choices + inner
  }, 0)
}

interface FieldPlace {
  readonly name: string
  readonly depth: number
  readonly formatLabel: FormatLabel
}

function listFieldsAt(schema: Json, { name, depth, formatLabel }: FieldPlace): readonly Field[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return []
  const required = isStringArray(schema.required) ? schema.required : []
  return Object.entries(schema.properties).map(([key, property = {}]) => {
    const { description, default: defaultValue } = isJsonObject(property) ? property : {}
    const place = { name: name + encodePointerStep(key), depth: depth + 1, formatLabel }
    return {
      name: place.name,
      key,
      label: formatLabel(key),
      description: typeof description === 'string' ? truncate(description, MAX_DESCRIPTION_CHARACTERS) : '',
      isRequired: required.includes(key),
      ...(defaultValue === undefined ? {} : { default: defaultValue }),
      schema: property,
      kind: findFieldKind(property, place),
    }
  })
}

function findFieldKind(property: Json, place: FieldPlace): FieldKind {
  const schema = withoutNull(property)
  if (!isJsonObject(schema)) return { type: 'json' }
  const { type, enum: values, const: constant, items, anyOf, additionalProperties: extra } = schema
  if (constant === true) return { type: 'flag' }
  if (constant !== undefined) return { type: 'choice', values: [constant] }
  if (isChoice(values)) return { type: 'choice', values }
  const types = listTypes(schema)
  if (types.length > 1 && types.includes('string')) return { type: 'mixed', types }
  if (isJsonArray(anyOf)) return toLinesKind(anyOf)
  switch (type) {
    case 'boolean':
      return schema.default === false ? { type: 'flag' } : { type: 'choice', values: [true, false] }
    case 'integer':
    case 'number':
      return { type: 'number', isWhole: type === 'integer' }
    case 'string':
      if (schema.format === 'date-time') return { type: 'time' }
      return { type: 'text', isLong: isLongText(schema, place.name) }
    case 'array':
      if (!isJsonObject(items)) return { type: 'json' }
      if (isChoice(items.enum)) return { type: 'several', values: items.enum }
      return items.type === 'string' ? { type: 'lines' } : { type: 'json' }
    case 'object': {
      if (schema.properties === undefined && isJsonObject(extra) && extra.type === 'string') return { type: 'entries' }
      const fields = place.depth < MAX_DEPTH ? listFieldsAt(schema, place) : []
      return fields.length > 0 ? { type: 'group', fields } : { type: 'json' }
    }
    default:
      return { type: 'json' }
  }
}

function isLongText({ maxLength, format, pattern }: JsonObject, name: string): boolean {
  if (maxLength !== undefined) return Number(maxLength) > MAX_LINE_CHARACTERS && format !== 'uri'
  return format === undefined && pattern === undefined && LONG_TEXT.test(name.slice(name.lastIndexOf('/') + 1))
}

/** Lists the types of a schema's alternatives, with `number` for integers; none if one has no type. */
function listTypes({ type, anyOf, oneOf }: JsonObject): readonly string[] {
  const alternatives = isJsonArray(anyOf) ? anyOf : isJsonArray(oneOf) ? oneOf : []
  const types = isStringArray(type) ? type : alternatives.map((each) => (isJsonObject(each) ? each.type : undefined))
  const isPlain = alternatives.every(
    (each) => isJsonObject(each) && each.const === undefined && each.enum === undefined,
  )
  return isPlain && isStringArray(types) ? types.map((each) => (each === 'integer' ? 'number' : each)) : []
}

function isChoice(values: Json | undefined): values is readonly Json[] {
  return isJsonArray(values) && values.length <= MAX_CHOICES
}

function toLinesKind([first, lines, ...others]: readonly Json[]): FieldKind {
  const isLines = isJsonObject(lines) && isJsonObject(lines.items) && lines.items.type === 'string'
  const isText = isJsonObject(first) && typeof first.const === 'string'
  return isLines && isText && others.length === 0 ? { type: 'lines', constant: String(first.const) } : { type: 'json' }
}

/** Drops null, because an empty field is left out. */
function withoutNull(schema: Json): Json {
  if (!isJsonObject(schema)) return schema
  const { type, anyOf } = schema
  if (isStringArray(type)) {
    const others = type.filter((each) => each !== 'null')
    return { ...schema, type: others.length === 1 ? others[0] : others }
  }
  if (!isJsonArray(anyOf)) return schema
  const [first, ...more] = anyOf.filter((each) => !isJsonObject(each) || each.type !== 'null')
  return first !== undefined && more.length === 0 ? first : schema
}
