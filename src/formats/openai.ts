import { textUnits } from '../core/tool/budget.ts'
import type { EncodeResult, FormatWriter, Loss } from '../core/tool/codec.ts'
import { isObject, type Json, type JsonObject, getJsonType } from '../core/tool/json.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import {
  addLoss,
  findLocalTarget,
  mergeAllOf,
  type SchemaObject,
  chargeVisit,
  type FormatContext,
  type Position,
} from './writing.ts'
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

export const openai: FormatWriter = (record, name, budget) => {
  const losses = recordLosses(record)
  const context = { root: record.input, losses, budget }
  const parameters = toCurrentSchema(toRootObject(record.input, '/input', context), '/input', context)
  return createDeclaration(record, name, losses, { parameters })
}

function createDeclaration(
  { description }: ToolRecord,
  name: string,
  losses: Loss[],
  fields: JsonObject,
): EncodeResult {
  const document = { type: 'function', function: { name: toProviderName(name, losses), description, ...fields } }
  return { document, losses }
}

interface StrictContext extends FormatContext {
  readonly names: Map<string, string>
  readonly definitions: Map<string, JsonObject>
  /** Schemas still allowed, because merging can double them with every level. */
  schemasLeft: number
  /** Nesting so far. Alternatives may refer to the enclosing schema endlessly. */
  depth: number
}

interface StrictPosition extends Position {
  readonly level: number
  readonly context: StrictContext
}

function enter(position: StrictPosition, step: string, level = position.level): StrictPosition {
  return { ...position, path: position.path + step, level }
}

/** "Structured Outputs": closed objects, all properties required, optional ones nullable, at most 10 levels. */
export const openaiStrict: FormatWriter = (record, name, budget) => {
  const losses = recordLosses(record)
  const definitions = new Map<string, JsonObject>()
  const counts = { schemasLeft: MAX_SCHEMAS, depth: 0 }
  const context: StrictContext = { root: record.input, losses, budget, names: new Map(), definitions, ...counts }
  const root = toRootObject(record.input, '/input', context)
  const schema = encodeObject(root, { path: '/input', level: 1, context })
  const parameters = definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) }
  return createDeclaration(record, name, losses, { parameters, strict: true })
}

function convert(schema: unknown, position: StrictPosition): JsonObject {
  const { path, context } = position
  chargeVisit(schema, path, context)
  if (!isObject(schema) || --context.schemasLeft < 0 || context.depth >= MAX_DEPTH) return encodeAnything(position)
  context.depth += 1
  const convertedSchema = convertObject(schema, position)
  context.depth -= 1
  return convertedSchema
}

function convertObject(schema: SchemaObject, position: StrictPosition): JsonObject {
  if ('$ref' in schema) return encodeReference(schema, position)
  if (Array.isArray(schema.allOf)) return convert(mergeAllOf(schema, position.path, position.context), position)
  const types = listTypes(schema)
  const alternatives = findAlternatives(schema)
  if (alternatives) return encodeUnion(schema, alternatives, position)
  const [type, ...otherTypes] = types.filter((each) => each !== 'null')
  if (type === undefined)
    return types.length > 0 ? encodeTyped(schema, 'null', position) : encodeAnything(position, schema)
  if (otherTypes.length > 0) {
    addLoss(position, '/type', "Becomes 'anyOf', one schema a type")
    return { anyOf: types.map((each) => encodeType(schema, each, position)) }
  }
  const encodedType = encodeType(schema, type, position)
  return types.length > 1 ? makeNullable(encodedType) : encodedType
}

function encodeType(schema: SchemaObject, type: string, position: StrictPosition): JsonObject {
  if (type !== 'object' && type !== 'array') return encodeTyped(schema, type, position)
  const { level } = position
  if (level >= MAX_LEVELS) {
    addLoss(position, '', `Lies deeper than ${MAX_LEVELS} levels`)
    return encodeAnything(position)
  }
  if (type === 'object') return encodeObject(schema, enter(position, '', level + 1))
  const items = convert(schema.items, enter(position, '/items', level + 1))
  return { ...encodeTyped(schema, 'array', position), items }
}

function encodeObject(schema: SchemaObject, position: StrictPosition): JsonObject {
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  const properties = isObject(schema.properties) ? schema.properties : {}
  if (schema.additionalProperties !== false)
    addLoss(position, '/additionalProperties', 'Strict mode allows no other properties')
  if ([...required].some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name)))
    addLoss(position, '/required', 'Names a property that has no schema')
  const converted = Object.entries(properties).map(([name, property]): [string, JsonObject] => {
    const propertyPosition = enter(position, `/properties${encodePointerStep(name)}`)
    const propertySchema = convert(property, propertyPosition)
    if (required.has(name)) return [name, propertySchema]
    addLoss(propertyPosition, '', 'Is optional, and becomes required and nullable')
    return [name, makeNullable(propertySchema)]
  })
  return {
    ...encodeTyped(schema, 'object', position),
    properties: Object.fromEntries(converted),
    required: converted.map(([name]) => name),
    additionalProperties: false,
  }
}

function encodeTyped(schema: SchemaObject, type: string, position: StrictPosition): JsonObject {
  const keywords = new Map<string, Json>([['type', type]])
  const allowedKeywords = KEYWORDS[type] ?? []
  if (schema.type === undefined) addLoss(position, '/type', `Is added: '${type}'`)
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'type' || ['$defs', 'definitions'].includes(keyword)) continue
    const at = encodePointerStep(keyword)
    if (keyword === 'enum' && Array.isArray(value) && type !== 'object' && type !== 'array') {
      const fittingValues = value.filter((each) => isOfType(each, type))
      if (fittingValues.length < value.length) addLoss(position, at, `Holds values of other types than '${type}'`)
      if (fittingValues.length > 0) keywords.set('enum', fittingValues)
    } else if (keyword === 'const' && isScalar(value) && isOfType(value, type)) keywords.set('const', value)
    else if (['title', 'description'].includes(keyword) && typeof value === 'string') keywords.set(keyword, value)
    else if (keyword === 'format' && !FORMATS.includes(String(value))) addLoss(position, at, UNSUPPORTED)
    else if (!allowedKeywords.includes(keyword)) addLoss(position, at, UNSUPPORTED)
    else if (isScalar(value)) keywords.set(keyword, value)
    else if (keyword === 'items' && Array.isArray(value)) addLoss(position, at, UNSUPPORTED)
  }
  return Object.fromEntries(keywords)
}

function encodeUnion(schema: SchemaObject, { keyword, branches }: Alternatives, position: StrictPosition): JsonObject {
  if (keyword === 'oneOf') addLoss(position, '/oneOf', "Becomes 'anyOf'")
  const { description } = schema
  for (const otherKeyword of Object.keys(schema)) {
    if (otherKeyword === keyword || otherKeyword === 'description') continue
    addLoss(position, encodePointerStep(otherKeyword), `Stands beside '${keyword}', which counts`)
  }
  const anyOf = branches.map((branch, index) => convert(branch, enter(position, `/${keyword}/${index}`)))
  return typeof description === 'string' ? { anyOf, description } : { anyOf }
}

function encodeReference(schema: SchemaObject, position: StrictPosition): JsonObject {
  const { path, context } = position
  const target = findLocalTarget(schema.$ref, path, context)
  for (const keyword of Object.keys(schema)) {
    if (keyword === '$ref') continue
    addLoss(position, encodePointerStep(keyword), "Strict mode allows nothing beside '$ref'")
  }
  if (!target) {
    addLoss(position, '/$ref', 'Points to no schema of this document')
    return encodeAnything(position)
  }
  if (target.path === '') return { $ref: '#' }
  let name = context.names.get(target.path)
  if (name === undefined) {
    name = createDefinitionName(target.path, path, context)
    context.names.set(target.path, name)
    context.definitions.set(name, {})
    context.definitions.set(name, convert(target.schema, { ...position, path: `/input${target.path}` }))
  }
  const $ref = `#/$defs/${name}`
  if ($ref !== schema.$ref) addLoss(position, '/$ref', `Becomes '${$ref}'`)
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

/** Strict mode requires a type, and only scalar types need no further schema. */
function encodeAnything(position: StrictPosition, schema: SchemaObject = {}): JsonObject {
  addLoss(position, '', 'Becomes a string, number, boolean or null: strict mode wants a type')
  for (const keyword of Object.keys(schema)) {
    if (keyword !== 'description') addLoss(position, encodePointerStep(keyword), UNSUPPORTED)
  }
  const type = ['string', 'number', 'boolean', 'null']
  return typeof schema.description === 'string' ? { type, description: schema.description } : { type }
}

function isScalar(value: unknown): value is string | number | bigint | boolean | null {
  return value === null || ['string', 'number', 'boolean'].includes(getJsonType(value))
}
