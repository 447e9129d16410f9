import { createBudget, textUnits } from '../core/tool/budget.ts'
import type { EncodeResult, Loss } from '../core/tool/codec.ts'
import { isObject, type Json, type JsonObject, getJsonType } from '../core/tool/json.ts'
import { encodePointerStep } from '../core/tool/problem.ts'
import type { ToolRecord } from '../core/tool/tool.ts'
import { localTarget, mergeAllOf, type SchemaObject, visit, type FormatContext } from './writing.ts'
import { current, providerName, recordLosses, rootObject } from './declaration.ts'
import { type Alternatives, findAlternatives, isOfType, toNullable, listTypes } from './schema-types.ts'

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
  const writing = { root: record.input, losses, budget }
  const parameters = current(rootObject(record.input, '/input', writing), '/input', writing)
  return declared(record, name, losses, { parameters })
}

function declared({ description }: ToolRecord, name: string, losses: Loss[], more: JsonObject): EncodeResult {
  const document = { type: 'function', function: { name: providerName(name, losses), description, ...more } }
  return { document, losses }
}

interface Work extends FormatContext {
  readonly names: Map<string, string>
  readonly definitions: Map<string, JsonObject>
  /** Schemas still allowed: merging can double them with every level. */
  left: number
  /** Nesting so far: alternatives may refer to the schema around them without end. */
  deep: number
}

/** "Structured Outputs": objects closed, all properties required, optional ones nullable; at most 10 levels. */
export function openaiStrict(record: ToolRecord, name: string, budget = createBudget()): EncodeResult {
  const losses = recordLosses(record)
  const definitions = new Map<string, JsonObject>()
  const work: Work = { root: record.input, losses, budget, names: new Map(), definitions, left: MAX_SCHEMAS, deep: 0 }
  const root = rootObject(record.input, '/input', work)
  const schema = objectSchema(root, '/input', 1, work)
  const parameters = definitions.size === 0 ? schema : { ...schema, $defs: Object.fromEntries(definitions) }
  return declared(record, name, losses, { parameters, strict: true })
}

function convert(schema: unknown, path: string, level: number, work: Work): JsonObject {
  visit(schema, path, work)
  if (!isObject(schema) || --work.left < 0 || work.deep >= MAX_DEPTH) return anything(path, work)
  work.deep += 1
  const converted = convertObject(schema, path, level, work)
  work.deep -= 1
  return converted
}

function convertObject(schema: SchemaObject, path: string, level: number, work: Work): JsonObject {
  if ('$ref' in schema) return reference(schema, path, level, work)
  if (Array.isArray(schema.allOf)) return convert(mergeAllOf(schema, path, work), path, level, work)
  const types = listTypes(schema)
  const alternatives = findAlternatives(schema)
  if (alternatives) return union(schema, alternatives, path, level, work)
  const [type, ...others] = types.filter((each) => each !== 'null')
  if (type === undefined) return types.length > 0 ? typed(schema, 'null', path, work) : anything(path, work, schema)
  if (others.length > 0) {
    work.losses.push({ path: `${path}/type`, reason: "Becomes 'anyOf', one schema a type" })
    return { anyOf: types.map((each) => ofType(schema, each, path, level, work)) }
  }
  const one = ofType(schema, type, path, level, work)
  return types.length > 1 ? toNullable(one) : one
}

function ofType(schema: SchemaObject, type: string, path: string, level: number, work: Work): JsonObject {
  if (type !== 'object' && type !== 'array') return typed(schema, type, path, work)
  if (level >= MAX_LEVELS) {
    work.losses.push({ path, reason: `Lies deeper than ${MAX_LEVELS} levels` })
    return anything(path, work)
  }
  if (type === 'object') return objectSchema(schema, path, level + 1, work)
  const items = convert(schema.items, `${path}/items`, level + 1, work)
  return { ...typed(schema, 'array', path, work), items }
}

function objectSchema(schema: SchemaObject, path: string, level: number, work: Work): JsonObject {
  const { losses } = work
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  const properties = isObject(schema.properties) ? schema.properties : {}
  if (schema.additionalProperties !== false)
    losses.push({ path: `${path}/additionalProperties`, reason: 'Strict mode allows no other properties' })
  if ([...required].some((name) => typeof name !== 'string' || !Object.hasOwn(properties, name)))
    losses.push({ path: `${path}/required`, reason: 'Names a property that has no schema' })
  const converted = Object.entries(properties).map(([name, property]): [string, JsonObject] => {
    const at = `${path}/properties${encodePointerStep(name)}`
    const changed = convert(property, at, level, work)
    if (required.has(name)) return [name, changed]
    losses.push({ path: at, reason: 'Is optional, and becomes required and nullable' })
    return [name, toNullable(changed)]
  })
  return {
    ...typed(schema, 'object', path, work),
    properties: Object.fromEntries(converted),
    required: converted.map(([name]) => name),
    additionalProperties: false,
  }
}

function typed(schema: SchemaObject, type: string, path: string, { losses }: Work): JsonObject {
  const said = new Map<string, Json>([['type', type]])
  const allowed = KEYWORDS[type] ?? []
  if (schema.type === undefined) losses.push({ path: `${path}/type`, reason: `Is added: '${type}'` })
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'type' || ['$defs', 'definitions'].includes(keyword)) continue
    const at = path + encodePointerStep(keyword)
    if (keyword === 'enum' && Array.isArray(value) && type !== 'object' && type !== 'array') {
      const fitting = value.filter((each) => isOfType(each, type))
      if (fitting.length < value.length) losses.push({ path: at, reason: `Holds values of other types than '${type}'` })
      if (fitting.length > 0) said.set('enum', fitting)
    } else if (keyword === 'const' && isScalar(value) && isOfType(value, type)) said.set('const', value)
    else if (['title', 'description'].includes(keyword) && typeof value === 'string') said.set(keyword, value)
    else if (keyword === 'format' && !FORMATS.includes(String(value))) losses.push({ path: at, reason: UNSUPPORTED })
    else if (!allowed.includes(keyword)) losses.push({ path: at, reason: UNSUPPORTED })
    else if (isScalar(value)) said.set(keyword, value)
    else if (keyword === 'items' && Array.isArray(value)) losses.push({ path: at, reason: UNSUPPORTED })
  }
  return Object.fromEntries(said)
}

function union(schema: SchemaObject, alternatives: Alternatives, path: string, level: number, work: Work): JsonObject {
  const { keyword, branches } = alternatives
  if (keyword === 'oneOf') work.losses.push({ path: `${path}/oneOf`, reason: "Becomes 'anyOf'" })
  const { description } = schema
  for (const other of Object.keys(schema)) {
    if (other === keyword || other === 'description') continue
    work.losses.push({ path: path + encodePointerStep(other), reason: `Stands beside '${keyword}', which counts` })
  }
  const anyOf = branches.map((branch, index) => convert(branch, `${path}/${keyword}/${index}`, level, work))
  return typeof description === 'string' ? { anyOf, description } : { anyOf }
}

function reference(schema: SchemaObject, path: string, level: number, work: Work): JsonObject {
  const target = localTarget(schema.$ref, path, work)
  for (const keyword of Object.keys(schema)) {
    if (keyword === '$ref') continue
    work.losses.push({ path: path + encodePointerStep(keyword), reason: "Strict mode allows nothing beside '$ref'" })
  }
  if (!target) {
    work.losses.push({ path: `${path}/$ref`, reason: 'Points to no schema of this document' })
    return anything(path, work)
  }
  if (target.path === '') return { $ref: '#' }
  let name = work.names.get(target.path)
  if (name === undefined) {
    name = definitionName(target.path, path, work)
    work.names.set(target.path, name)
    work.definitions.set(name, {})
    work.definitions.set(name, convert(target.schema, `/input${target.path}`, level, work))
  }
  const $ref = `#/$defs/${name}`
  if ($ref !== schema.$ref) work.losses.push({ path: `${path}/$ref`, reason: `Becomes '${$ref}'` })
  return { $ref }
}

function definitionName(path: string, at: string, { definitions, budget }: Work): string {
  const wanted = path.slice(path.lastIndexOf('/') + 1).replace(/[^A-Za-z0-9_-]/g, '_') || 'definition'
  let name = wanted
  for (let count = 2; definitions.has(name); count++) {
    budget.spend(textUnits(wanted), at)
    name = `${wanted}_${count}`
  }
  return name
}

/** Strict mode wants a type, and only scalar ones need no schema of their own. */
function anything(path: string, { losses }: Work, schema: SchemaObject = {}): JsonObject {
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
