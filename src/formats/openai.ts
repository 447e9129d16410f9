import { createBudget, textUnits } from '../core/tool/budget.ts'
import type { EncodeResult, Loss } from '../core/tool/codec.ts'
import { isObject, type Json, type JsonObject, getJsonType } from '../core/tool/json.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import { findLocalTarget, mergeAllOf, type SchemaObject, chargeVisit, type FormatContext } from './writing.ts'
import { toCurrentSchema, toProviderName, recordLosses, toRootObject } from './declaration.ts'
import { type Alternatives, findAlternatives, isOfType, makeNullable, listTypes } from './schema-types.ts'

const MAX_LEVELS = 10
const MAX_DEPTH = 64
const MAX_SCHEMAS = 5_000
const FORMATS = ['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']
const UNSUPPORTED = 'Strict mode does not support it'
const KEYWORDS: Readonly<Record<string, readonly string[]>> = {
  string: ['pattern', 'format'],
  number: ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  integer: ['multipleOf', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'],
  array: ['items', 'minItems', 'maxItems'],
  object: ['properties', 'required', 'additionalProperties'],
}

export function openai(record: ToolRecord, name: string, budget = createBudget()): EncodeResult {
  const losses = recordLosses(record)
  const context = { root: record.input, losses, budget }
  const parameters = toCurrentSchema(toRootObject(record.input, '/input', context), '/input', context)
  return createDeclaration(record, name, losses, { parameters })
}

function createDeclaration(
  { description }: ToolRecord,
  name: string,
  losses: Loss[],
  functionFields: JsonObject,
): EncodeResult {
  const document = {
    type: 'function',
    function: { name: toProviderName(name, losses), description, ...functionFields },
  }
  return { document, losses }
}

interface StrictContext extends FormatContext {
  readonly names: Map<string, string>
  readonly definitions: Map<string, JsonObject>
  /** Schemas still allowed: merging can double them with every level. */
  schemasLeft: number
  /** Nesting so far: alternatives may refer to the schema around them without end. */
  depth: number
}

/** "Structured Outputs": objects closed, all properties required, optional ones nullable; at most 10 levels. */
export function openaiStrict(record: ToolRecord, name: string, budget = createBudget()): EncodeResult {
  const losses = recordLosses(record)
  const definitions = new Map<string, JsonObject>()
  const context: StrictContext = {
    root: record.input,
    losses,
    budget,
    names: new Map(),
    definitions,
    schemasLeft: MAX_SCHEMAS,
    depth: 0,
  }
  const root = toRootObject(record.input, '/input', context)
  const schema = encodeObject(root, '/input', 1, context)
  const parameters = definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) }
  return createDeclaration(record, name, losses, { parameters, strict: true })
}

function convert(schema: unknown, path: string, level: number, context: StrictContext): JsonObject {
  chargeVisit(schema, path, context)
  if (!isObject(schema) || --context.schemasLeft < 0 || context.depth >= MAX_DEPTH) return encodeAnything(path, context)
  context.depth += 1
  const converted = convertObject(schema, path, level, context)
  context.depth -= 1
  return converted
}

function convertObject(schema: SchemaObject, path: string, level: number, context: StrictContext): JsonObject {
  if ('$ref' in schema) return encodeReference(schema, path, level, context)
  if (Array.isArray(schema.allOf)) return convert(mergeAllOf(schema, path, context), path, level, context)
  const types = listTypes(schema)
  const alternatives = findAlternatives(schema)
  if (alternatives) return encodeUnion(schema, alternatives, path, level, context)
  const [type, ...otherTypes] = types.filter((each) => each !== 'null')
  if (type === undefined)
    return types.length > 0 ? encodeTyped(schema, 'null', path, context) : encodeAnything(path, context, schema)
  if (otherTypes.length > 0) {
    context.losses.push({ path: `${path}/type`, reason: "Becomes 'anyOf', one schema a type" })
    return { anyOf: types.map((each) => encodeType(schema, each, path, level, context)) }
  }
  const encoded = encodeType(schema, type, path, level, context)
  return types.length > 1 ? makeNullable(encoded) : encoded
}

function encodeType(
  schema: SchemaObject,
  type: string,
  path: string,
  level: number,
  context: StrictContext,
): JsonObject {
  if (type !== 'object' && type !== 'array') return encodeTyped(schema, type, path, context)
  if (level >= MAX_LEVELS) {
    context.losses.push({ path, reason: `Lies deeper than ${MAX_LEVELS} levels` })
    return encodeAnything(path, context)
  }
  if (type === 'object') return encodeObject(schema, path, level + 1, context)
  const items = convert(schema.items, `${path}/items`, level + 1, context)
  return { ...encodeTyped(schema, 'array', path, context), items }
}

function encodeObject(schema: SchemaObject, path: string, level: number, context: StrictContext): JsonObject {
  const { losses } = context
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  const properties = isObject(schema.properties) ? schema.properties : {}
  if (schema.additionalProperties !== false)
    losses.push({ path: `${path}/additionalProperties`, reason: 'Strict mode allows no other properties' })
  if ([...required].some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name)))
    losses.push({ path: `${path}/required`, reason: 'Names a property that has no schema' })
  const converted = Object.entries(properties).map(([name, property]): [string, JsonObject] => {
    const propertyPath = `${path}/properties${encodePointerStep(name)}`
    const propertySchema = convert(property, propertyPath, level, context)
    if (required.has(name)) return [name, propertySchema]
    losses.push({ path: propertyPath, reason: 'Is optional, and becomes required and nullable' })
    return [name, makeNullable(propertySchema)]
  })
  return {
    ...encodeTyped(schema, 'object', path, context),
    properties: Object.fromEntries(converted),
    required: converted.map(([name]) => name),
    additionalProperties: false,
  }
}

function encodeTyped(schema: SchemaObject, type: string, path: string, { losses }: StrictContext): JsonObject {
  const keywords = new Map<string, Json>([['type', type]])
  const allowed = KEYWORDS[type] ?? []
  if (schema.type === undefined) losses.push({ path: `${path}/type`, reason: `Is added: '${type}'` })
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'type' || ['$defs', 'definitions'].includes(keyword)) continue
    const keywordPath = path + encodePointerStep(keyword)
    if (keyword === 'enum' && Array.isArray(value) && type !== 'object' && type !== 'array') {
      const fittingValues = value.filter((each) => isOfType(each, type))
      if (fittingValues.length < value.length)
        losses.push({ path: keywordPath, reason: `Holds values of other types than '${type}'` })
      if (fittingValues.length > 0) keywords.set('enum', fittingValues)
    } else if (keyword === 'const' && isScalar(value) && isOfType(value, type)) keywords.set('const', value)
    else if (['title', 'description'].includes(keyword) && typeof value === 'string') keywords.set(keyword, value)
    else if (keyword === 'format' && !FORMATS.includes(String(value)))
      losses.push({ path: keywordPath, reason: UNSUPPORTED })
    else if (!allowed.includes(keyword)) losses.push({ path: keywordPath, reason: UNSUPPORTED })
    else if (isScalar(value)) keywords.set(keyword, value)
    else if (keyword === 'items' && Array.isArray(value)) losses.push({ path: keywordPath, reason: UNSUPPORTED })
  }
  return Object.fromEntries(keywords)
}

function encodeUnion(
  schema: SchemaObject,
  alternatives: Alternatives,
  path: string,
  level: number,
  context: StrictContext,
): JsonObject {
  const { keyword, branches } = alternatives
  if (keyword === 'oneOf') context.losses.push({ path: `${path}/oneOf`, reason: "Becomes 'anyOf'" })
  const { description } = schema
  for (const otherKeyword of Object.keys(schema)) {
    if (otherKeyword === keyword || otherKeyword === 'description') continue
    context.losses.push({
      path: path + encodePointerStep(otherKeyword),
      reason: `Stands beside '${keyword}', which counts`,
    })
  }
  const anyOf = branches.map((branch, index) => convert(branch, `${path}/${keyword}/${index}`, level, context))
  return typeof description === 'string' ? { anyOf, description } : { anyOf }
}

function encodeReference(schema: SchemaObject, path: string, level: number, context: StrictContext): JsonObject {
  const target = findLocalTarget(schema.$ref, path, context)
  for (const keyword of Object.keys(schema)) {
    if (keyword === '$ref') continue
    context.losses.push({ path: path + encodePointerStep(keyword), reason: "Strict mode allows nothing beside '$ref'" })
  }
  if (!target) {
    context.losses.push({ path: `${path}/$ref`, reason: 'Points to no schema of this document' })
    return encodeAnything(path, context)
  }
  if (target.path === '') return { $ref: '#' }
  let name = context.names.get(target.path)
  if (name === undefined) {
    name = createDefinitionName(target.path, path, context)
    context.names.set(target.path, name)
    context.definitions.set(name, {})
    context.definitions.set(name, convert(target.schema, `/input${target.path}`, level, context))
  }
  const $ref = `#/$defs/${name}`
  if ($ref !== schema.$ref) context.losses.push({ path: `${path}/$ref`, reason: `Becomes '${$ref}'` })
  return { $ref }
}

function createDefinitionName(path: string, at: string, { definitions, budget }: StrictContext): string {
  const baseName = path.slice(path.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9_-]/g, '_') || 'definition'
  let name = baseName
  for (let count = 2; definitions.has(name); count++) {
    budget.spend(textUnits(baseName), at)
    name = `${baseName}_${count}`
  }
  return name
}

/** Strict mode wants a type, and only scalar ones need no schema of their own. */
function encodeAnything(path: string, { losses }: StrictContext, schema: SchemaObject = {}): JsonObject {
  losses.push({ path, reason: 'Becomes a string, number, boolean or null: strict mode wants a type' })
  for (const keyword of Object.keys(schema)) {
    if (keyword !== 'description') losses.push({ path: path + encodePointerStep(keyword), reason: UNSUPPORTED })
  }
  const type = ['string', 'number', 'boolean', 'null']
  return typeof schema.description === 'string' ? { type, description: schema.description } : { type }
}

function isScalar(value: unknown): value is string | number | bigint | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(getJsonType(value))
}
