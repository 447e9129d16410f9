import { isJsonObject, isList, isTexts, type Json, type JsonObject } from '../../core/tool/json.ts'
import { MAX_DEPTH as MAX_LEVELS, nestsTooDeep } from '../../http/request/json-text.ts'
import { pointerStep, type Problem } from '../../core/tool/problem.ts'

/** A field of a form, for one parameter of a tool or a part of one. */
export interface Field {
  /** What it is called in the form: `input`, and the JSON Pointer of its value in the input. */
  readonly name: string
  /** Its value's key in the object that it is of. */
  readonly key: string
  readonly description: string
  readonly isRequired: boolean
  readonly kind: FieldKind
}

/** How a value is written in a form. `lines` is a list of texts; `json` is whatever no other kind can write. */
export type FieldKind =
  | { readonly type: 'text'; readonly isLong: boolean }
  | { readonly type: 'number'; readonly isWhole: boolean }
  | { readonly type: 'choice'; readonly values: readonly Json[] }
  | { readonly type: 'lines' }
  | { readonly type: 'json' }
  | { readonly type: 'group'; readonly fields: readonly Field[] }

/** The name of the field in which somebody may write the whole input as JSON instead. */
export const WHOLE = 'whole'
const ROOT = 'input'
/** What is deeper, or more, is written as JSON. */
const MAX_DEPTH = 3
const MAX_FIELDS = 100
const MAX_CHOICES = 200
const LONG = 200

/** The fields of a schema of an object, without references; none where it names no parameters. */
export function fieldsOf(schema: Json): readonly Field[] {
  return fieldsIn(schema, ROOT, 0)
}

function fieldsIn(schema: Json, name: string, depth: number): readonly Field[] {
  if (!isJsonObject(schema) || !isJsonObject(schema.properties)) return []
  const required = isTexts(schema.required) ? schema.required : []
  return Object.entries(schema.properties)
    .slice(0, MAX_FIELDS)
    .map(([key, property = {}]) => {
      const said = isJsonObject(property) ? property.description : undefined
      return {
        name: name + pointerStep(key),
        key,
        description: typeof said === 'string' ? said : '',
        isRequired: required.includes(key),
        kind: kindOf(property, name + pointerStep(key), depth + 1),
      }
    })
}

function kindOf(given: Json, name: string, depth: number): FieldKind {
  const schema = withoutNull(given)
  if (!isJsonObject(schema)) return { type: 'json' }
  const { type, enum: values, const: only, items } = schema
  if (only !== undefined) return { type: 'choice', values: [only] }
  if (isList(values) && values.length <= MAX_CHOICES) return { type: 'choice', values }
  switch (type) {
    case 'boolean':
      return { type: 'choice', values: [true, false] }
    case 'integer':
    case 'number':
      return { type: 'number', isWhole: type === 'integer' }
    case 'string':
      return { type: 'text', isLong: typeof schema.maxLength === 'number' && schema.maxLength > LONG }
    case 'array':
      return isJsonObject(items) && items.type === 'string' ? { type: 'lines' } : { type: 'json' }
    case 'object': {
      const fields = depth < MAX_DEPTH ? fieldsIn(schema, name, depth) : []
      return fields.length > 0 ? { type: 'group', fields } : { type: 'json' }
    }
    default:
      return { type: 'json' }
  }
}

/** A schema that takes null too, as the one beside it: what is left empty is left out. */
function withoutNull(schema: Json): Json {
  if (!isJsonObject(schema)) return schema
  const { type, anyOf } = schema
  if (isTexts(type)) {
    const [first, ...more] = type.filter((each) => each !== 'null')
    return first !== undefined && more.length === 0 ? { ...schema, type: first } : { ...schema, type: undefined }
  }
  if (!isList(anyOf)) return schema
  const [first, ...more] = anyOf.filter((each) => !isJsonObject(each) || each.type !== 'null')
  return first !== undefined && more.length === 0 ? first : schema
}

/** An input as a form says it, and what is no value of its kind; paths are those of the input. */
export interface ReadInput {
  readonly input: JsonObject
  readonly problems: readonly Problem[]
}

/** Reads a form. What is left empty is left out; whether the rest fits is for the tool's schema to say. */
export function readInput(fields: readonly Field[], form: URLSearchParams): ReadInput {
  const problems: Problem[] = []
  const whole = form.get(WHOLE)?.trim() ?? ''
  if (whole !== '') {
    const read = parsed(whole, '', problems)
    if (isJsonObject(read)) return { input: read, problems }
    if (problems.length === 0) problems.push({ path: '', message: 'Must be a JSON object' })
    return { input: {}, problems }
  }
  return { input: objectOf(fields, form, problems) ?? {}, problems }
}

function objectOf(fields: readonly Field[], form: URLSearchParams, problems: Problem[]): JsonObject | undefined {
  const given = fields.flatMap((field): (readonly [string, Json])[] => {
    const value = valueOf(field, form, problems)
    return value === undefined ? [] : [[field.key, value]]
  })
  return given.length === 0 ? undefined : Object.fromEntries(given)
}

function valueOf({ name, isRequired, kind }: Field, form: URLSearchParams, problems: Problem[]): Json | undefined {
  if (kind.type === 'group') return objectOf(kind.fields, form, problems) ?? (isRequired ? {} : undefined)
  const text = form.get(name) ?? ''
  if (text.trim() === '') return undefined
  switch (kind.type) {
    case 'text':
      // Browsers send CR LF for each end of a line (HTML, "constructing the form data set")
      return text.replaceAll('\r\n', '\n')
    case 'number': {
      const number = Number(text)
      return Number.isFinite(number) ? number : text
    }
    case 'choice':
      return /^\d{1,4}$/.test(text) ? kind.values[Number(text)] : text
    case 'lines':
      return text.split(/\r?\n/).filter((line) => line !== '')
    case 'json':
      return parsed(text, name.slice(ROOT.length), problems)
  }
}

function parsed(text: string, path: string, problems: Problem[]): Json | undefined {
  if (nestsTooDeep(text)) {
    problems.push({ path, message: `Must not nest deeper than ${MAX_LEVELS} levels` })
    return undefined
  }
  try {
    return JSON.parse(text)
  } catch {
    problems.push({ path, message: 'Must be JSON, such as "a text", 3, true, ["a", "b"] or {"a": 1}' })
    return undefined
  }
}

/** An input with a value for each required parameter, for examples. */
export function exampleOf(fields: readonly Field[]): JsonObject {
  return Object.fromEntries(
    fields.filter(({ isRequired }) => isRequired).map((field) => [field.key, exampleFor(field)]),
  )
}

function exampleFor({ key, kind }: Field): Json {
  switch (kind.type) {
    case 'text':
      return key
    case 'number':
      return 1
    case 'choice':
      return kind.values[0] ?? null
    case 'lines':
      return [key]
    case 'json':
      return {}
    case 'group':
      return exampleOf(kind.fields)
  }
}
