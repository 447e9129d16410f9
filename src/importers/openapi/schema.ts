import type { Budget } from '../../core/tool/budget.ts'
import { isJsonObject, isJsonArray, isNumber, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'
import { keywordsWhere, findKeywordProblem } from '../../core/schema/keywords.ts'
import { checkPattern } from '../../core/schema/publishable.ts'
import { mapSubschemas } from '../../core/schema/subschemas.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { fnv1a } from '../../core/tool/tool-id.ts'
import { type Description, followToObject, isAnnotated, listAt, type OpenApiNode, objectAt } from './description.ts'
import { type ConvertResult, referredTo, shorten, listTexts } from './description.ts'
import { fitMembers, hasNullMember } from './enum-members.ts'

export interface ConversionResult {
  readonly schema: JsonSchema
  readonly references: readonly string[]
  readonly problems: readonly string[]
  readonly warnings: readonly string[]
  readonly size: number
}

export function toConversionResult(schema: JsonSchema, parts: readonly ConversionResult[] = []): ConversionResult {
  return {
    schema,
    references: parts.flatMap(({ references }) => references),
    problems: parts.flatMap(({ problems }) => problems),
    warnings: parts.flatMap(({ warnings }) => warnings),
    size: parts.reduce((sum, { size }) => sum + size, 1),
  }
}

export interface ConversionWork {
  readonly budget: Budget
  readonly patterns: Budget
}

export type SchemaConverter = ReturnType<typeof createSchemaConverter>

/** They do not validate, and are allowed beside a reference in every edition. */
const ANNOTATIONS = keywordsWhere(({ role }) => role === 'annotation')
const KEPT_KEYWORDS: ReadonlySet<string> = new Set(
  [...ANNOTATIONS, ...keywordsWhere(({ role }) => role === 'applicator' || role === 'assertion')].filter(
    (keyword) => keyword !== 'readOnly' && keyword !== 'writeOnly',
  ),
)
const MAX_EXAMPLE = 200
const SCHEMA_UNITS = 4
const MAX_PARTS = 8

/**
 * Responses lose examples and patterns, and closed objects become open, because servers add properties before their
 * descriptions do. `oneOf` becomes `anyOf`, because alternatives overlap without discriminators and directions.
 */
export function createSchemaConverter(description: Description, direction: 'request' | 'response') {
  const annotation = direction === 'request' ? 'readOnly' : 'writeOnly'
  const convertedBySource = new WeakMap<object, ConversionResult>()
  const definitions = new Map<string, unknown>()

  function convert(source: unknown, { budget, patterns }: ConversionWork): ConversionResult {
    const cachedSchema = isObject(source) ? convertedBySource.get(source) : undefined
    if (cachedSchema) return cachedSchema
    const references: string[] = []
    const problems: string[] = []
    const warnings: string[] = []
    let size = 0
    const schema = convertSchema(source)
    const convertedSchema = { schema, references, problems, warnings, size }
    if (isObject(source)) convertedBySource.set(source, convertedSchema)
    return convertedSchema

    function convertSchema(node: unknown): JsonSchema {
      size += 1
      budget.spend(isObject(node) ? SCHEMA_UNITS + Object.keys(node).length : 1)
      if (typeof node === 'boolean') return node
      if (!isObject(node)) {
        warnings.push('a schema that is none is taken to allow anything')
        return {}
      }
      if (typeof node.$ref === 'string') return convertReference(node, node.$ref)
      if (typeof node.$dynamicRef === 'string') problems.push("'$dynamicRef' is not understood")
      return convertKeywords(node)
    }

    function convertReference(source: OpenApiNode, reference: string): JsonSchema {
      budget.spend(SCHEMA_UNITS)
      const name = nameReference(reference)
      if (!name.ok) {
        problems.push(name.problem)
        return {}
      }
      references.push(name.value)
      const target = { $ref: `#/$defs/${name.value}` }
      const isLatest = description.edition === '3.1'
      const siblingKeywords = Object.entries(source).filter(
        ([key]) => key !== '$ref' && (isLatest || ANNOTATIONS.has(key)),
      )
      const siblings = convertKeywords(Object.fromEntries(siblingKeywords))
      if (!isLatest && isNullable(source)) return { ...siblings, anyOf: [target, { type: 'null' }] }
      const hasAssertions = Object.keys(siblings).some((key) => !ANNOTATIONS.has(key))
      return hasAssertions ? { ...siblings, allOf: [target, ...toList(siblings.allOf)] } : { ...siblings, ...target }
    }

    function convertKeywords(source: OpenApiNode) {
      const schema: Record<string, unknown> = {}
      const node = withoutForeignProperties(normalizeKeywords(source))
      for (const [keyword, value] of Object.entries(withReadableProperties(node))) {
        if (!KEPT_KEYWORDS.has(keyword)) continue
        if (direction === 'response' && (keyword === 'pattern' || keyword === 'examples')) continue
        if (Array.isArray(value)) budget.spend(value.length)
        const problem = findKeywordProblem(keyword, value)
        if (problem !== undefined) warnings.push(`'${keyword}' is left out: ${problem}`)
        else if (keyword === 'pattern' && !isUsable(value, patterns))
          warnings.push("a 'pattern' that is not supported is left out")
        else schema[keyword] = value
      }
      fitMembers(schema, direction, warnings)
      if (schema.oneOf !== undefined) {
        if (schema.anyOf === undefined) schema.anyOf = schema.oneOf
        else schema.allOf = [...toList(schema.allOf), { anyOf: schema.oneOf }]
        delete schema.oneOf
      }
      if (direction === 'response') {
        if (schema.additionalProperties === false) delete schema.additionalProperties
        if (schema.unevaluatedProperties === false) delete schema.unevaluatedProperties
      }
      const allowsNull = description.edition !== '3.1' && isNullable(source)
      return allowsNull || hasNullMember(schema) ? withNull(schema) : asSchema(schema)
    }

    /** Converts the subschemas of a node, and removes optional properties that cannot be read. */
    function withReadableProperties(node: OpenApiNode): Record<string, unknown> {
      const unreadable = new Map<unknown, readonly string[]>()
      const converted = mapSubschemas(node, (subschema) => {
        const problemsBefore = problems.length
        const schema = convertSchema(subschema)
        if (problems.length > problemsBefore) unreadable.set(subschema, problems.splice(problemsBefore))
        return schema
      })
      if (unreadable.size === 0) return converted
      const required = new Set(listTexts(node.required))
      const properties: Record<string, unknown> = { ...objectAt(converted, 'properties') }
      for (const [name, property] of Object.entries(objectAt(node, 'properties'))) {
        const unreadableProblems = unreadable.get(property)
        if (!unreadableProblems || required.has(name)) continue
        unreadable.delete(property)
        delete properties[name]
        warnings.push(`the optional property '${name}' is left out: ${unreadableProblems[0]}`)
      }
      problems.push(...[...unreadable.values()].flat())
      return { ...converted, ...(isObject(node.properties) ? { properties } : {}) }
    }

    /**
     * Removes properties that are for the other direction. Those that are so only by what they refer to become optional,
     * because some APIs accept them anyway.
     */
    function withoutForeignProperties(source: OpenApiNode): OpenApiNode {
      const foreignProperties = listForeignProperties(source)
      if (foreignProperties.size === 0) return source
      const withoutRequired = (part: OpenApiNode): OpenApiNode => {
        if (!Array.isArray(part.required)) return part
        const { required: names, ...rest } = part
        const required = listTexts(names).filter((name) => !foreignProperties.has(name))
        return required.length > 0 ? { ...rest, required } : rest
      }
      const properties = Object.entries(objectAt(source, 'properties')).filter(
        ([, property]) => !isObject(property) || property[annotation] !== true,
      )
      return {
        ...withoutRequired(source),
        ...(isObject(source.properties) ? { properties: Object.fromEntries(properties) } : {}),
        ...(Array.isArray(source.allOf)
          ? { allOf: source.allOf.map((part) => (isObject(part) ? withoutRequired(part) : part)) }
          : {}),
      }
    }

    function listForeignProperties(source: OpenApiNode, depth = 0): Set<string> {
      budget.spend(1)
      const names = new Set<string>()
      for (const [name, property] of Object.entries(objectAt(source, 'properties')))
        if (isAnnotated(description, property, annotation, budget)) names.add(name)
      for (const part of depth > MAX_PARTS ? [] : listAt(source, 'allOf')) {
        const resolution = followToObject(description, part)
        if (resolution) for (const name of listForeignProperties(resolution, depth + 1)) names.add(name)
      }
      return names
    }
  }

  function isUsable(pattern: unknown, patterns: Budget): boolean {
    return typeof pattern === 'string' && checkPattern(pattern, patterns) === undefined
  }

  function nameReference(reference: string): ConvertResult<string> {
    const resolved = referredTo(description.root, reference)
    if (!resolved.ok) return resolved
    const { value, steps } = resolved
    const last = steps.at(-1)
    const isSchema = isObject(value) || typeof value === 'boolean'
    if (!isSchema || last === undefined || !reference.startsWith('#/'))
      return { ok: false, problem: `'${shorten(reference)}' is not understood` }
    const pointer = steps.map(encodePointerStep).join('')
    const isCommon = /^\/(?:components\/schemas|definitions)\/[A-Za-z0-9_.-]+$/.test(pointer) && last !== '__proto__'
    const name = isCommon ? last : `${last.replace(/[^A-Za-z0-9_.-]+/g, '_').slice(0, 64)}_${fnv1a(pointer)}`
    definitions.set(name, value)
    return { ok: true, value: name }
  }

  return {
    convert,
    definition: (name: string, work: ConversionWork) =>
      definitions.has(name) ? convert(definitions.get(name), work) : undefined,
  }
}

function normalizeKeywords(source: OpenApiNode): OpenApiNode {
  const schema: Record<string, unknown> = { ...source }
  for (const [bound, exclusive] of [
    ['minimum', 'exclusiveMinimum'],
    ['maximum', 'exclusiveMaximum'],
  ] as const) {
    if (typeof schema[exclusive] !== 'boolean') continue
    if (schema[exclusive] === true && isNumber(schema[bound])) {
      schema[exclusive] = schema[bound]
      delete schema[bound]
    } else delete schema[exclusive]
  }
  if (schema.type === 'file') {
    schema.type = 'string'
    schema.format = 'binary'
  }
  if (Array.isArray(schema.items)) {
    schema.prefixItems = schema.items
    delete schema.items
  }
  const { example } = schema
  if (example !== undefined && !Array.isArray(schema.examples)) schema.examples = [example]
  if (Array.isArray(schema.examples)) {
    const smallExamples = schema.examples.filter((example) => JSON.stringify(example).length <= MAX_EXAMPLE).slice(0, 3)
    if (smallExamples.length > 0) schema.examples = smallExamples
    else delete schema.examples
  }
  return schema
}

function isNullable(source: OpenApiNode): boolean {
  return source.nullable === true || source['x-nullable'] === true
}

function withNull(schema: Record<string, unknown>): JsonObject {
  const { type, enum: values, description, title, ...rest } = schema
  if (typeof type === 'string') {
    const enumWithNull = Array.isArray(values) ? { enum: values.includes(null) ? values : [...values, null] } : {}
    return asSchema({ ...schema, type: type === 'null' ? type : [type, 'null'], ...enumWithNull })
  }
  const hasAssertions = Object.keys(rest).some((key) => !ANNOTATIONS.has(key))
  if (!hasAssertions && values === undefined) return asSchema(schema)
  const annotations = {
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
  }
  const base = { ...rest, ...(values === undefined ? {} : { enum: values }) }
  return asSchema({ ...annotations, anyOf: [base, { type: 'null' }] })
}

export function asSchema(schema: Record<string, unknown>): JsonObject {
  return isJsonObject(schema) ? schema : {}
}

function toList(value: unknown): readonly Json[] {
  return isJsonArray(value) ? value : []
}
