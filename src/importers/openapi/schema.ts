import type { Budget } from '../../core/tool/budget.ts'
import { isJsonObject, isJsonArray, isNumber, isObject, type Json, type JsonObject } from '../../core/tool/json.ts'
import { encodePointerStep } from '../../core/tool/problem.ts'
import { keywordsWhere, findKeywordProblem } from '../../core/schema/keywords.ts'
import { checkPattern } from '../../core/schema/publishable.ts'
import { mapSubschemas } from '../../core/schema/subschemas.ts'
import type { JsonSchema } from '../../core/tool/tool.ts'
import { fnv1a } from '../../core/tool/tool-id.ts'
import { type Description, followToObject, isAnnotated, listAt, type OpenApiNode, objectAt } from './description.ts'
import { type ConvertResult, referredTo, shortened, listTexts } from './description.ts'
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

/** They judge no value, and may stand beside a reference in every edition. */
const ANNOTATIONS = keywordsWhere(({ role }) => role === 'annotation')
const KEPT: ReadonlySet<string> = new Set(
  [...ANNOTATIONS, ...keywordsWhere(({ role }) => role === 'applicator' || role === 'assertion')].filter(
    (keyword) => keyword !== 'readOnly' && keyword !== 'writeOnly',
  ),
)
const MAX_EXAMPLE = 200
const SCHEMA_UNITS = 4
const MAX_PARTS = 8

/**
 * Responses lose examples and patterns, and closed objects become open, since servers add properties before their
 * descriptions do. `oneOf` becomes `anyOf`: without discriminators and directions, alternatives overlap.
 */
export function createSchemaConverter(description: Description, direction: 'request' | 'response') {
  const annotation = direction === 'request' ? 'readOnly' : 'writeOnly'
  const known = new WeakMap<object, ConversionResult>()
  const definitions = new Map<string, unknown>()

  function convert(raw: unknown, { budget, patterns }: ConversionWork): ConversionResult {
    const before = isObject(raw) ? known.get(raw) : undefined
    if (before) return before
    const references: string[] = []
    const problems: string[] = []
    const warnings: string[] = []
    let size = 0
    const schema = convertSchema(raw)
    const converted = { schema, references, problems, warnings, size }
    if (isObject(raw)) known.set(raw, converted)
    return converted

    function convertSchema(source: unknown): JsonSchema {
      size += 1
      budget.spend(isObject(source) ? SCHEMA_UNITS + Object.keys(source).length : 1)
      if (typeof source === 'boolean') return source
      if (!isObject(source)) {
        warnings.push('a schema that is none is taken to allow anything')
        return {}
      }
      if (typeof source.$ref === 'string') return referring(source, source.$ref)
      if (typeof source.$dynamicRef === 'string') problems.push("'$dynamicRef' is not understood")
      return plain(source)
    }

    function referring(source: OpenApiNode, reference: string): JsonSchema {
      budget.spend(SCHEMA_UNITS)
      const name = nameReference(reference)
      if (!name.ok) {
        problems.push(name.problem)
        return {}
      }
      references.push(name.value)
      const target = { $ref: `#/$defs/${name.value}` }
      const isLatest = description.edition === '3.1'
      const kept = Object.entries(source).filter(([key]) => key !== '$ref' && (isLatest || ANNOTATIONS.has(key)))
      const beside = plain(Object.fromEntries(kept))
      if (!isLatest && isNullable(source)) return { ...beside, anyOf: [target, { type: 'null' }] }
      const judges = Object.keys(beside).some((key) => !ANNOTATIONS.has(key))
      return judges ? { ...beside, allOf: [target, ...toList(beside.allOf)] } : { ...beside, ...target }
    }

    function plain(source: OpenApiNode) {
      const schema: Record<string, unknown> = {}
      const node = withoutForeign(withoutOldSpellings(source))
      for (const [keyword, value] of Object.entries(withReadableProperties(node))) {
        if (!KEPT.has(keyword)) continue
        if (direction === 'response' && (keyword === 'pattern' || keyword === 'examples')) continue
        if (Array.isArray(value)) budget.spend(value.length)
        const wrong = findKeywordProblem(keyword, value)
        if (wrong !== undefined) warnings.push(`'${keyword}' is left out: ${wrong}`)
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
      const isOrNull = description.edition !== '3.1' && isNullable(source)
      return isOrNull || hasNullMember(schema) ? orNull(schema) : asSchema(schema)
    }

    /** The node with its subschemas converted, without the optional properties that cannot be read. */
    function withReadableProperties(node: OpenApiNode): Record<string, unknown> {
      const unreadable = new Map<unknown, readonly string[]>()
      const converted = mapSubschemas(node, (each) => {
        const before = problems.length
        const schema = convertSchema(each)
        if (problems.length > before) unreadable.set(each, problems.splice(before))
        return schema
      })
      if (unreadable.size === 0) return converted
      const required = new Set(listTexts(node.required))
      const properties: Record<string, unknown> = { ...objectAt(converted, 'properties') }
      for (const [name, raw] of Object.entries(objectAt(node, 'properties'))) {
        const found = unreadable.get(raw)
        if (!found || required.has(name)) continue
        unreadable.delete(raw)
        delete properties[name]
        warnings.push(`the optional property '${name}' is left out: ${found[0]}`)
      }
      problems.push(...[...unreadable.values()].flat())
      return { ...converted, ...(isObject(node.properties) ? { properties } : {}) }
    }

    /**
     * The node without the properties that are for the other direction, nor required ones that are so by what they
     * refer to: some APIs take those all the same.
     */
    function withoutForeign(source: OpenApiNode): OpenApiNode {
      const foreign = foreignNames(source)
      if (foreign.size === 0) return source
      const withoutRequired = (part: OpenApiNode): OpenApiNode => {
        if (!Array.isArray(part.required)) return part
        const { required: names, ...rest } = part
        const required = listTexts(names).filter((name) => !foreign.has(name))
        return required.length > 0 ? { ...rest, required } : rest
      }
      const properties = Object.entries(objectAt(source, 'properties')).filter(
        ([, each]) => !isObject(each) || each[annotation] !== true,
      )
      return {
        ...withoutRequired(source),
        ...(isObject(source.properties) ? { properties: Object.fromEntries(properties) } : {}),
        ...(Array.isArray(source.allOf)
          ? { allOf: source.allOf.map((part) => (isObject(part) ? withoutRequired(part) : part)) }
          : {}),
      }
    }

    function foreignNames(source: OpenApiNode, depth = 0): Set<string> {
      budget.spend(1)
      const names = new Set<string>()
      for (const [name, property] of Object.entries(objectAt(source, 'properties')))
        if (isAnnotated(description, property, annotation, budget)) names.add(name)
      for (const part of depth > MAX_PARTS ? [] : listAt(source, 'allOf')) {
        const followed = followToObject(description, part)
        if (followed) for (const name of foreignNames(followed, depth + 1)) names.add(name)
      }
      return names
    }
  }

  function isUsable(pattern: unknown, patterns: Budget): boolean {
    return typeof pattern === 'string' && checkPattern(pattern, patterns) === undefined
  }

  function nameReference(reference: string): ConvertResult<string> {
    const found = referredTo(description.root, reference)
    if (!found.ok) return found
    const { value, steps } = found
    const last = steps.at(-1)
    const isSchema = isObject(value) || typeof value === 'boolean'
    if (!isSchema || last === undefined || !reference.startsWith('#/'))
      return { ok: false, problem: `'${shortened(reference)}' is not understood` }
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

function withoutOldSpellings(source: OpenApiNode): OpenApiNode {
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
    const small = schema.examples.filter((each) => JSON.stringify(each).length <= MAX_EXAMPLE).slice(0, 3)
    if (small.length > 0) schema.examples = small
    else delete schema.examples
  }
  return schema
}

function isNullable(source: OpenApiNode): boolean {
  return source.nullable === true || source['x-nullable'] === true
}

function orNull(schema: Record<string, unknown>): JsonObject {
  const { type, enum: values, description, title, ...rest } = schema
  if (typeof type === 'string') {
    const listed = Array.isArray(values) ? { enum: values.includes(null) ? values : [...values, null] } : {}
    return asSchema({ ...schema, type: type === 'null' ? type : [type, 'null'], ...listed })
  }
  const judges = Object.keys(rest).some((key) => !ANNOTATIONS.has(key))
  if (!judges && values === undefined) return asSchema(schema)
  const annotated = { ...(title === undefined ? {} : { title }), ...(description === undefined ? {} : { description }) }
  const base = { ...rest, ...(values === undefined ? {} : { enum: values }) }
  return asSchema({ ...annotated, anyOf: [base, { type: 'null' }] })
}

export function asSchema(schema: Record<string, unknown>): JsonObject {
  return isJsonObject(schema) ? schema : {}
}

function toList(value: unknown): readonly Json[] {
  return isJsonArray(value) ? value : []
}
