import { createBudget } from '../core/tool/budget.ts'
import type { EncodeResult } from '../core/tool/codec.ts'
import { isJson, isNumber, isObject, type Json, type JsonObject } from '../core/tool/json.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import { findLocalTarget, mergeAllOf, type SchemaObject, chargeVisit, type FormatContext } from './writing.ts'
import { toProviderName, recordLosses, toRootObject } from './declaration.ts'
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

interface GeminiContext extends FormatContext {
  schemasLeft: number
}

interface Position {
  readonly path: string
  readonly level: number
  readonly enclosingRefs: readonly string[]
}

/** Gemini's Schema is a subset of OpenAPI 3.0's: one type a schema, `nullable`, enums of strings, no references. */
export function gemini(record: ToolRecord, name: string, budget = createBudget()): EncodeResult {
  const losses = recordLosses(record)
  const context: GeminiContext = { root: record.input, losses, budget, schemasLeft: MAX_SCHEMAS }
  const root = toRootObject(record.input, '/input', context)
  const parameters = encodeTyped(root, 'object', { path: '/input', level: 1, enclosingRefs: [] }, context)
  const declaration = { name: toProviderName(name, losses, 'letter'), description: record.description }
  return { document: parameters.properties === undefined ? declaration : { ...declaration, parameters }, losses }
}

function convert(schema: unknown, position: Position, context: GeminiContext): JsonObject {
  const { path, level, enclosingRefs } = position
  chargeVisit(schema, path, context)
  const addLoss = (reason: string, at = '') => context.losses.push({ path: path + at, reason })
  if (!isObject(schema)) {
    if (schema !== true) addLoss('Becomes anything')
    return {}
  }
  context.schemasLeft -= 1
  if (level > MAX_LEVELS || context.schemasLeft < 0) {
    addLoss(`Lies deeper than ${MAX_LEVELS} levels, or beyond ${MAX_SCHEMAS} schemas`)
    return {}
  }
  const below = { ...position, level: level + 1 }
  if ('$ref' in schema) {
    const { $ref, ...siblings } = schema
    const target = findLocalTarget($ref, path, context)
    const isCycle = target !== undefined && (target.path === '' || enclosingRefs.includes(target.path))
    if (!target || isCycle || !isObject(target.schema)) {
      addLoss(isCycle ? 'Refers to itself, and becomes anything' : 'Refers to no object')
      return {}
    }
    addLoss('Is put in place', '/$ref')
    return convert(
      { ...target.schema, ...siblings },
      { ...below, enclosingRefs: [...enclosingRefs, target.path] },
      context,
    )
  }
  if (Array.isArray(schema.allOf)) return convert(mergeAllOf(schema, path, context), below, context)
  const alternatives = findAlternatives(schema)
  if (alternatives) return encodeUnion(schema, alternatives, position, context)
  const types = listTypes(schema)
  const [type, ...otherTypes] = types.filter((each) => each !== 'null')
  const isNullable = types.includes('null')
  if (type === undefined) return encodeUntyped(schema, isNullable, position, context)
  if (isNullable) addLoss("Becomes 'nullable'", '/type')
  const nullability = isNullable ? { nullable: true } : {}
  if (otherTypes.length === 0) return { ...encodeTyped(schema, type, position, context), ...nullability }
  addLoss("Becomes 'anyOf', one schema a type", '/type')
  return {
    anyOf: [type, ...otherTypes].map((each) => ({ ...encodeTyped(schema, each, position, context), ...nullability })),
  }
}

function encodeUntyped(
  schema: SchemaObject,
  isNullable: boolean,
  { path }: Position,
  context: GeminiContext,
): JsonObject {
  if (isNullable) context.losses.push({ path: `${path}/type`, reason: 'Becomes a nullable string' })
  const annotations = Object.entries(schema).filter(([keyword, value]) => {
    const isText = (keyword === 'title' || keyword === 'description') && typeof value === 'string'
    if (!isText && keyword !== 'type')
      context.losses.push({ path: path + encodePointerStep(keyword), reason: NO_FIELD })
    return isText
  })
  const encodedAnnotations: JsonObject = Object.fromEntries(
    annotations.map(([keyword, text]) => [keyword, String(text)]),
  )
  return isNullable ? { type: 'string', nullable: true, ...encodedAnnotations } : encodedAnnotations
}

function encodeTyped(schema: SchemaObject, type: string, position: Position, context: GeminiContext): JsonObject {
  const { path, level } = position
  const keywords = new Map<string, Json>([['type', type]])
  const addLoss = (keyword: string, reason = NO_FIELD) =>
    context.losses.push({ path: path + encodePointerStep(keyword), reason })
  if (schema.type === undefined) addLoss('type', `Is added: '${type}'`)
  for (const [keyword, value] of Object.entries(schema)) {
    const bound = type === 'integer' && isNumber(value) ? inclusiveBound(keyword, value) : undefined
    if (keyword === 'type' || isConvertedElsewhere(keyword, value, type)) continue
    else if ((keyword === 'enum' || keyword === 'const') && type === 'string') {
      const values: readonly unknown[] = keyword === 'const' ? [value] : Array.isArray(value) ? value : []
      const texts = values.filter((each) => typeof each === 'string' && each !== '')
      const allowed = [...new Set(texts)]
      if (keyword === 'const') addLoss(keyword, "Becomes 'enum'")
      else if (texts.length < values.length) addLoss(keyword, 'Holds values that are no texts, or empty')
      if (allowed.length > 0 && !keywords.has('enum')) keywords.set('enum', allowed.map(String))
    } else if (bound) {
      addLoss(keyword, `Becomes '${bound.keyword}'`)
      if (!(bound.keyword in schema)) keywords.set(bound.keyword, bound.value)
    } else if (isJson(value) && isSupported(keyword, value, type)) keywords.set(keyword, value)
    else addLoss(keyword)
  }
  if (type === 'array') {
    const items = schema.items
    const itemsPath = `${path}/items`
    const converted = Array.isArray(items)
      ? {}
      : convert(items ?? true, { ...position, path: itemsPath, level: level + 1 }, context)
    if (Object.keys(converted).some((key) => key === 'type' || key === 'anyOf')) keywords.set('items', converted)
    else {
      context.losses.push({ path: itemsPath, reason: 'Becomes a string: Gemini wants a list to have items of a type' })
      keywords.set('items', { ...converted, type: 'string' })
    }
  }
  if (type === 'object') setProperties(schema, keywords, position, context)
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

function setProperties(
  schema: SchemaObject,
  keywords: Map<string, Json>,
  position: Position,
  context: GeminiContext,
): void {
  const { path, level } = position
  const properties = isObject(schema.properties) ? Object.entries(schema.properties) : []
  if (properties.length > 0) {
    const converted = properties.map(([name, property]): [string, JsonObject] => {
      const propertyPath = `${path}/properties${encodePointerStep(name)}`
      return [name, convert(property, { ...position, path: propertyPath, level: level + 1 }, context)]
    })
    keywords.set('properties', Object.fromEntries(converted))
  }
  if (!Array.isArray(schema.required)) return
  const names = new Set<unknown>(properties.map(([name]) => name))
  const required = schema.required.filter((name) => names.has(name))
  if (required.length < schema.required.length)
    context.losses.push({ path: `${path}/required`, reason: 'Names a property that has no schema' })
  if (required.length > 0) keywords.set('required', required)
}

/** `anyOf` must stand alone: keywords beside it go into each branch, or are lost. */
function encodeUnion(
  schema: SchemaObject,
  { keyword, branches }: Alternatives,
  position: Position,
  context: GeminiContext,
): JsonObject {
  const { path, level } = position
  const { description } = schema
  const addLoss = (at: string, reason: string) => context.losses.push({ path: `${path}/${at}`, reason })
  if (keyword === 'oneOf') addLoss('oneOf', "Becomes 'anyOf'")
  for (const otherKeyword of Object.keys(schema)) {
    if (otherKeyword === keyword) continue
    const isMoved = otherKeyword === 'description' && typeof description === 'string'
    addLoss(
      encodePointerStep(otherKeyword).slice(1),
      isMoved ? "Goes into the branches of 'anyOf'" : `Stands beside '${keyword}'`,
    )
  }
  const hasNull = branches.some(isNull)
  if (hasNull) addLoss(keyword, "A branch that is null becomes 'nullable'")
  const converted = branches.flatMap((branch, index) => {
    if (isNull(branch)) return []
    const convertedBranch = convert(
      branch,
      { ...position, path: `${path}/${keyword}/${index}`, level: level + 1 },
      context,
    )
    const describedBranch =
      typeof description === 'string' && !('anyOf' in convertedBranch)
        ? { description, ...convertedBranch }
        : convertedBranch
    return [hasNull && !('anyOf' in convertedBranch) ? { ...describedBranch, nullable: true } : describedBranch]
  })
  const [onlyBranch, ...otherBranches] = converted
  if (onlyBranch === undefined) return { type: 'string', nullable: true }
  if (otherBranches.length > 0) return { anyOf: converted }
  addLoss(keyword, 'Has one branch, which takes its place')
  return onlyBranch
}
