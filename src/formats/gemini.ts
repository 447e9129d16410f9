import { createBudget } from '../core/tool/budget.ts'
import type { EncodeResult } from '../core/tool/codec.ts'
import { isJson, isNumber, isObject, type Json, type JsonObject } from '../core/tool/json.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import { localTarget, mergeAllOf, type SchemaObject, visit, type FormatContext } from './writing.ts'
import { providerName, recordLosses, rootObject } from './declaration.ts'
import { type Alternatives, findAlternatives, isNull, listTypes } from './schema-types.ts'

/** Definitions put in place can double with every level. */
const MAX_SCHEMAS = 5_000
const MAX_LEVELS = 32
const NO_FIELD = "Gemini's Schema has no such field"
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['minLength', 'maxLength', 'pattern'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  array: ['minItems', 'maxItems'],
  object: ['minProperties', 'maxProperties'],
}
const FORMATS: Readonly<Record<string, readonly string[]>> = {
  string: ['date-time', 'enum'],
  number: ['float', 'double'],
  integer: ['int32', 'int64'],
}
const ANNOTATIONS = ['default', 'example']

interface Work extends FormatContext {
  left: number
}

interface Place {
  readonly path: string
  readonly level: number
  readonly within: readonly string[]
}

/** Gemini's Schema is a subset of OpenAPI 3.0's: one type a schema, `nullable`, enums of strings, no references. */
export function gemini(record: ToolRecord, name: string, budget = createBudget()): EncodeResult {
  const losses = recordLosses(record)
  const work: Work = { root: record.input, losses, budget, left: MAX_SCHEMAS }
  const root = rootObject(record.input, '/input', work)
  const parameters = typed(root, 'object', { path: '/input', level: 1, within: [] }, work)
  const declaration = { name: providerName(name, losses, 'letter'), description: record.description }
  return { document: parameters.properties === undefined ? declaration : { ...declaration, parameters }, losses }
}

function convert(schema: unknown, place: Place, work: Work): JsonObject {
  const { path, level, within } = place
  visit(schema, path, work)
  const lose = (reason: string, at = '') => work.losses.push({ path: path + at, reason })
  if (!isObject(schema)) {
    if (schema !== true) lose('Becomes anything')
    return {}
  }
  work.left -= 1
  if (level > MAX_LEVELS || work.left < 0) {
    lose(`Lies deeper than ${MAX_LEVELS} levels, or beyond ${MAX_SCHEMAS} schemas`)
    return {}
  }
  const below = { ...place, level: level + 1 }
  if ('$ref' in schema) {
    const { $ref, ...siblings } = schema
    const target = localTarget($ref, path, work)
    const isCycle = target !== undefined && (target.path === '' || within.includes(target.path))
    if (!target || isCycle || !isObject(target.schema)) {
      lose(isCycle ? 'Refers to itself, and becomes anything' : 'Refers to no object')
      return {}
    }
    lose('Is put in place', '/$ref')
    return convert({ ...target.schema, ...siblings }, { ...below, within: [...within, target.path] }, work)
  }
  if (Array.isArray(schema.allOf)) return convert(mergeAllOf(schema, path, work), below, work)
  const alternatives = findAlternatives(schema)
  if (alternatives) return union(schema, alternatives, place, work)
  const types = listTypes(schema)
  const [type, ...others] = types.filter((each) => each !== 'null')
  const isNullable = types.includes('null')
  if (type === undefined) return untyped(schema, isNullable, place, work)
  if (isNullable) lose("Becomes 'nullable'", '/type')
  const mayBeNull = isNullable ? { nullable: true } : {}
  if (others.length === 0) return { ...typed(schema, type, place, work), ...mayBeNull }
  lose("Becomes 'anyOf', one schema a type", '/type')
  return { anyOf: [type, ...others].map((each) => ({ ...typed(schema, each, place, work), ...mayBeNull })) }
}

function untyped(schema: SchemaObject, isNull: boolean, { path }: Place, work: Work): JsonObject {
  if (isNull) work.losses.push({ path: `${path}/type`, reason: 'Becomes a nullable string' })
  const texts = Object.entries(schema).filter(([keyword, value]) => {
    const isText = (keyword === 'title' || keyword === 'description') && typeof value === 'string'
    if (!isText && keyword !== 'type') work.losses.push({ path: path + encodePointerStep(keyword), reason: NO_FIELD })
    return isText
  })
  const said: JsonObject = Object.fromEntries(texts.map(([keyword, text]) => [keyword, String(text)]))
  return isNull ? { type: 'string', nullable: true, ...said } : said
}

function typed(schema: SchemaObject, type: string, place: Place, work: Work): JsonObject {
  const { path, level } = place
  const said = new Map<string, Json>([['type', type]])
  const lose = (keyword: string, reason = NO_FIELD) =>
    work.losses.push({ path: path + encodePointerStep(keyword), reason })
  if (schema.type === undefined) lose('type', `Is added: '${type}'`)
  for (const [keyword, value] of Object.entries(schema)) {
    const bound = type === 'integer' && isNumber(value) ? inclusiveBound(keyword, value) : undefined
    if (keyword === 'type' || isConverted(keyword, value, type)) continue
    else if ((keyword === 'enum' || keyword === 'const') && type === 'string') {
      const values: readonly unknown[] = keyword === 'const' ? [value] : Array.isArray(value) ? value : []
      const texts = values.filter((each) => typeof each === 'string' && each !== '')
      const allowed = [...new Set(texts)]
      if (keyword === 'const') lose(keyword, "Becomes 'enum'")
      else if (texts.length < values.length) lose(keyword, 'Holds values that are no texts, or empty')
      if (allowed.length > 0 && !said.has('enum')) said.set('enum', allowed.map(String))
    } else if (bound) {
      lose(keyword, `Becomes '${bound.keyword}'`)
      if (!(bound.keyword in schema)) said.set(bound.keyword, bound.value)
    } else if (isJson(value) && isKept(keyword, value, type)) said.set(keyword, value)
    else lose(keyword)
  }
  if (type === 'array') {
    const items = schema.items
    const at = `${path}/items`
    const converted = Array.isArray(items) ? {} : convert(items ?? true, { ...place, path: at, level: level + 1 }, work)
    if (Object.keys(converted).some((key) => key === 'type' || key === 'anyOf')) said.set('items', converted)
    else {
      work.losses.push({ path: at, reason: 'Becomes a string: Gemini wants a list to have items of a type' })
      said.set('items', { ...converted, type: 'string' })
    }
  }
  if (type === 'object') setProperties(schema, said, place, work)
  return Object.fromEntries(said)
}

function inclusiveBound(keyword: string, value: number | bigint) {
  const isBig = typeof value === 'bigint'
  if (keyword === 'exclusiveMinimum') return { keyword: 'minimum', value: isBig ? value + 1n : Math.floor(value) + 1 }
  return keyword === 'exclusiveMaximum'
    ? { keyword: 'maximum', value: isBig ? value - 1n : Math.ceil(value) - 1 }
    : undefined
}

function isConverted(keyword: string, value: unknown, type: string): boolean {
  if (type === 'object') return keyword === 'properties' || keyword === 'required'
  return type === 'array' && keyword === 'items' && !Array.isArray(value)
}

function isKept(keyword: string, value: Json, type: string): boolean {
  if (keyword === 'format') return FORMATS[type]?.includes(String(value)) ?? false
  if (keyword === 'title' || keyword === 'description') return typeof value === 'string'
  return ANNOTATIONS.includes(keyword) || (KEYWORDS[type]?.includes(keyword) ?? false)
}

function setProperties(schema: SchemaObject, said: Map<string, Json>, place: Place, work: Work): void {
  const { path, level } = place
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  if (properties.length > 0) {
    const converted = properties.map(([name, property]): [string, JsonObject] => {
      const at = `${path}/properties${encodePointerStep(name)}`
      return [name, convert(property, { ...place, path: at, level: level + 1 }, work)]
    })
    said.set('properties', Object.fromEntries(converted))
  }
  if (!Array.isArray(schema.required)) return
  const names = new Set<unknown>(properties.map(([name]) => name))
  const required = schema.required.filter((name) => names.has(name))
  if (required.length < schema.required.length)
    work.losses.push({ path: `${path}/required`, reason: 'Names a property that has no schema' })
  if (required.length > 0) said.set('required', required)
}

/** `anyOf` must stand alone: keywords beside it go into each branch, or are lost. */
function union(schema: SchemaObject, { keyword, branches }: Alternatives, place: Place, work: Work): JsonObject {
  const { path, level } = place
  const { description } = schema
  const lose = (at: string, reason: string) => work.losses.push({ path: `${path}/${at}`, reason })
  if (keyword === 'oneOf') lose('oneOf', "Becomes 'anyOf'")
  for (const other of Object.keys(schema)) {
    if (other === keyword) continue
    const moves = other === 'description' && typeof description === 'string'
    lose(encodePointerStep(other).slice(1), moves ? "Goes into the branches of 'anyOf'" : `Stands beside '${keyword}'`)
  }
  const hasNull = branches.some(isNull)
  if (hasNull) lose(keyword, "A branch that is null becomes 'nullable'")
  const converted = branches.flatMap((branch, index) => {
    if (isNull(branch)) return []
    const one = convert(branch, { ...place, path: `${path}/${keyword}/${index}`, level: level + 1 }, work)
    const said = typeof description === 'string' && !('anyOf' in one) ? { description, ...one } : one
    return [hasNull && !('anyOf' in one) ? { ...said, nullable: true } : said]
  })
  const [only, ...others] = converted
  if (only === undefined) return { type: 'string', nullable: true }
  if (others.length > 0) return { anyOf: converted }
  lose(keyword, 'Has one branch, which takes its place')
  return only
}
