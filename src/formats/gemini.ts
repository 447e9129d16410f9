import type { FormatWriter } from '../core/tool/codec.ts'
import { isJson, isNumber, isObject, type Json, type JsonObject } from '../core/tool/json.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import {
  addLoss,
  findLocalTarget,
  mergeAllOf,
  type SchemaObject,
  chargeVisit,
  type FormatContext,
  type Position,
} from './writing.ts'
import { toProviderName, recordLosses, toRootObject } from './declaration.ts'
import { type Alternatives, findAlternatives, isNull, listTypes } from './schema-types.ts'

/** Inlined definitions can double with every level. */
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

interface GeminiContext extends FormatContext {
  schemasLeft: number
}

interface GeminiPosition extends Position {
  readonly level: number
  readonly enclosingRefs: readonly string[]
  readonly context: GeminiContext
}

function enter(position: GeminiPosition, step: string): GeminiPosition {
  return { ...position, path: position.path + step, level: position.level + 1 }
}

/** Gemini's Schema is a subset of OpenAPI 3.0's: one type per schema, `nullable`, enums of strings, no references. */
export const gemini: FormatWriter = (record, name, budget) => {
  const losses = recordLosses(record)
  const context: GeminiContext = { root: record.input, losses, budget, schemasLeft: MAX_SCHEMAS }
  const root = toRootObject(record.input, '/input', context)
  const parameters = encodeTyped(root, 'object', { path: '/input', level: 1, enclosingRefs: [], context })
  const declaration = { name: toProviderName(name, losses, 'letter'), description: record.description }
  return { document: parameters.properties === undefined ? declaration : { ...declaration, parameters }, losses }
}

function convert(schema: unknown, position: GeminiPosition): JsonObject {
  const { path, level, enclosingRefs, context } = position
  chargeVisit(schema, path, context)
  if (!isObject(schema)) {
    if (schema !== true) addLoss(position, '', 'Becomes anything')
    return {}
  }
  context.schemasLeft -= 1
  if (level > MAX_LEVELS || context.schemasLeft < 0) {
    addLoss(position, '', `Lies deeper than ${MAX_LEVELS} levels, or beyond ${MAX_SCHEMAS} schemas`)
    return {}
  }
  if ('$ref' in schema) {
    const { $ref, ...siblings } = schema
    const target = findLocalTarget($ref, path, context)
    const isCycle = target !== undefined && (target.path === '' || enclosingRefs.includes(target.path))
    if (!target || isCycle || !isObject(target.schema)) {
      addLoss(position, '', isCycle ? 'Refers to itself, and becomes anything' : 'Refers to no object')
      return {}
    }
    addLoss(position, '/$ref', 'Is put in place')
    const inner = { ...enter(position, ''), enclosingRefs: [...enclosingRefs, target.path] }
    return convert({ ...target.schema, ...siblings }, inner)
  }
  if (Array.isArray(schema.allOf)) return convert(mergeAllOf(schema, path, context), enter(position, ''))
  const alternatives = findAlternatives(schema)
  if (alternatives) return encodeUnion(schema, alternatives, position)
  const types = listTypes(schema)
  const [type, ...otherTypes] = types.filter((each) => each !== 'null')
  const isNullable = types.includes('null')
  if (type === undefined) return encodeUntyped(schema, isNullable, position)
  if (isNullable) addLoss(position, '/type', "Becomes 'nullable'")
  const nullability = isNullable ? { nullable: true } : {}
  if (otherTypes.length === 0) return { ...encodeTyped(schema, type, position), ...nullability }
  addLoss(position, '/type', "Becomes 'anyOf', one schema a type")
  return {
    anyOf: [type, ...otherTypes].map((each) => ({ ...encodeTyped(schema, each, position), ...nullability })),
  }
}

function encodeUntyped(schema: SchemaObject, isNullable: boolean, position: GeminiPosition): JsonObject {
  if (isNullable) addLoss(position, '/type', 'Becomes a nullable string')
  const annotations = Object.entries(schema).filter(([keyword, value]) => {
    const isText = (keyword === 'title' || keyword === 'description') && typeof value === 'string'
    if (!isText && keyword !== 'type') addLoss(position, encodePointerStep(keyword), NO_FIELD)
    return isText
  })
  const encodedAnnotations: JsonObject = Object.fromEntries(
    annotations.map(([keyword, text]) => [keyword, String(text)]),
  )
  return isNullable ? { type: 'string', nullable: true, ...encodedAnnotations } : encodedAnnotations
}

function encodeTyped(schema: SchemaObject, type: string, position: GeminiPosition): JsonObject {
  const keywords = new Map<string, Json>([['type', type]])
  if (schema.type === undefined) addLoss(position, '/type', `Is added: '${type}'`)
  for (const [keyword, value] of Object.entries(schema)) {
    const at = encodePointerStep(keyword)
    const bound = type === 'integer' && isNumber(value) ? inclusiveBound(keyword, value) : undefined
    if (keyword === 'type' || isConvertedElsewhere(keyword, value, type)) continue
    else if ((keyword === 'enum' || keyword === 'const') && type === 'string') {
      const values: readonly unknown[] = keyword === 'const' ? [value] : Array.isArray(value) ? value : []
      const texts = values.filter((each) => typeof each === 'string' && each !== '')
      const allowedTexts = [...new Set(texts)]
      if (keyword === 'const') addLoss(position, at, "Becomes 'enum'")
      else if (texts.length < values.length) addLoss(position, at, 'Holds values that are no texts, or empty')
      if (allowedTexts.length > 0 && !keywords.has('enum')) keywords.set('enum', allowedTexts.map(String))
    } else if (bound) {
      addLoss(position, at, `Becomes '${bound.keyword}'`)
      if (!(bound.keyword in schema)) keywords.set(bound.keyword, bound.value)
    } else if (isJson(value) && isSupported(keyword, value, type)) keywords.set(keyword, value)
    else addLoss(position, at, NO_FIELD)
  }
  if (type === 'array') {
    const { items } = schema
    const convertedItems = Array.isArray(items) ? {} : convert(items ?? true, enter(position, '/items'))
    if (Object.keys(convertedItems).some((key) => key === 'type' || key === 'anyOf'))
      keywords.set('items', convertedItems)
    else {
      addLoss(position, '/items', 'Becomes a string: Gemini wants a list to have items of a type')
      keywords.set('items', { ...convertedItems, type: 'string' })
    }
  }
  if (type === 'object') setProperties(schema, keywords, position)
  return Object.fromEntries(keywords)
}

function inclusiveBound(keyword: string, value: number | bigint) {
  const isBig = typeof value === 'bigint'
  if (keyword === 'exclusiveMinimum') return { keyword: 'minimum', value: isBig ? value + 1n : Math.floor(value) + 1 }
  return keyword === 'exclusiveMaximum'
    ? { keyword: 'maximum', value: isBig ? value - 1n : Math.ceil(value) - 1 }
    : undefined
}

function isConvertedElsewhere(keyword: string, value: unknown, type: string): boolean {
  if (type === 'object') return keyword === 'properties' || keyword === 'required'
  return type === 'array' && keyword === 'items' && !Array.isArray(value)
}

function isSupported(keyword: string, value: Json, type: string): boolean {
  if (keyword === 'format') return FORMATS[type]?.includes(String(value)) ?? false
  if (keyword === 'title' || keyword === 'description') return typeof value === 'string'
  return ANNOTATIONS.includes(keyword) || (KEYWORDS[type]?.includes(keyword) ?? false)
}

function setProperties(schema: SchemaObject, keywords: Map<string, Json>, position: GeminiPosition): void {
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  if (properties.length > 0) {
    const converted = properties.map(([name, property]): [string, JsonObject] => {
      return [name, convert(property, enter(position, `/properties${encodePointerStep(name)}`))]
    })
    keywords.set('properties', Object.fromEntries(converted))
  }
  if (!Array.isArray(schema.required)) return
  const names = new Set<unknown>(properties.map(([name]) => name))
  const required = schema.required.filter((name) => names.has(name))
  if (required.length < schema.required.length) addLoss(position, '/required', 'Names a property that has no schema')
  if (required.length > 0) keywords.set('required', required)
}

/** `anyOf` must be the only keyword: other keywords are moved into each branch, or lost. */
function encodeUnion(schema: SchemaObject, { keyword, branches }: Alternatives, position: GeminiPosition): JsonObject {
  const { description } = schema
  if (keyword === 'oneOf') addLoss(position, '/oneOf', "Becomes 'anyOf'")
  for (const otherKeyword of Object.keys(schema)) {
    if (otherKeyword === keyword) continue
    const isMoved = otherKeyword === 'description' && typeof description === 'string'
    const reason = isMoved ? "Goes into the branches of 'anyOf'" : `Stands beside '${keyword}'`
    addLoss(position, encodePointerStep(otherKeyword), reason)
  }
  const hasNull = branches.some(isNull)
  if (hasNull) addLoss(position, `/${keyword}`, "A branch that is null becomes 'nullable'")
  const converted = branches.flatMap((branch, index) => {
    if (isNull(branch)) return []
    const convertedBranch = convert(branch, enter(position, `/${keyword}/${index}`))
    const describedBranch =
      typeof description === 'string' && !('anyOf' in convertedBranch)
        ? { description, ...convertedBranch }
        : convertedBranch
    return [hasNull && !('anyOf' in convertedBranch) ? { ...describedBranch, nullable: true } : describedBranch]
  })
  const [onlyBranch, ...otherBranches] = converted
  if (onlyBranch === undefined) return { type: 'string', nullable: true }
  if (otherBranches.length > 0) return { anyOf: converted }
  addLoss(position, `/${keyword}`, 'Has one branch, which takes its place')
  return onlyBranch
}
