import { isJson, isJsonObject, isJsonArray, isObject, isStringArray, type Json, type JsonObject } from './json.ts'
import { findClosest } from './nearest.ts'
import { type ParseResult, encodePointerStep, type Problem, quoteList } from './problem.ts'

/**
 * Reads a JSON value, undefined if it is absent, or reports why it cannot. One pass finds every problem:
 *
 *     const PERSON = object({ name: string({ min: 1 }), age: optional(integer(0, 150)) })
 *     parseValue(PERSON, { name: '', pet: 'cat' })
 *     // { ok: false, problems: [
 *     //   { path: '/pet', message: "Unknown field 'pet': wanted 'name', 'age'" },
 *     //   { path: '/name', message: "Must be a string that is not empty, got ''" },
 *     // ] }
 */
export interface Reader<T> {
  (value: unknown, report: ReadContext): T | typeof INVALID_VALUE
  readonly schema?: () => JsonObject
}

export type InferOutput<R extends Reader<unknown>> = Exclude<ReturnType<R>, typeof INVALID_VALUE>

export const INVALID_VALUE: unique symbol = Symbol('wrong')

const MAX_PROBLEMS = 100
const MAX_STEP = 300
/** The maximum length of a whole definition. A longer string is refused unread, unless its reader allows more. */
const MAX_STRING_CHARACTERS = 256 * 1024

export interface ReadContext {
  readonly problems: Problem[]
  readonly warnings: Problem[]
  readonly quotes: boolean
}

interface Bounds {
  readonly min?: number
  readonly max?: number
}

type Fields<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
type Flat<T> = { readonly [K in keyof T]: T[K] }
export type ObjectValue<T> = Flat<Fields<T>>

interface ObjectRules<T> {
  /** `extension`: warns of an unknown field, but refuses it if it looks like a misspelled known field. */
  readonly unknown?: 'warn' | 'ignore' | 'extension'
  readonly fieldNoun?: 'field' | 'parameter'
  readonly misnomers?: Readonly<Record<string, string>>
  readonly otherFields?: readonly string[]
  readonly rule?: (fields: Partial<T>, report: ReadContext, source: Readonly<Record<string, unknown>>) => void
}

export function parseValue<T>(reader: Reader<T>, document: unknown, warnings: Problem[] = []): ParseResult<T> {
  const problems: Problem[] = []
  const value = reader(document, { problems, warnings, quotes: true })
  return value === INVALID_VALUE || problems.length > 0 ? { ok: false, problems } : { ok: true, value }
}

export function addProblem({ problems }: ReadContext, message: string, path = ''): typeof INVALID_VALUE {
  pushProblem(problems, path, message)
  return INVALID_VALUE
}

/** Limits the list, because the problems of a value could be far larger than the value. */
function pushProblem(problems: Problem[], path: string, message: string): void {
  if (problems.length < MAX_PROBLEMS) problems.push({ path, message })
}

export function addTypeProblem(report: ReadContext, expected: string, value: unknown): typeof INVALID_VALUE {
  const message =
    value === undefined ? 'Is required' : `Must be ${expected}, got ${formatReceived(value, report.quotes)}`
  return addProblem(report, message)
}

export function readAt<T>(
  step: string | number,
  reader: Reader<T>,
  value: unknown,
  report: ReadContext,
): T | typeof INVALID_VALUE {
  const { problems, warnings } = report
  const problemsBefore = problems.length
  const warningsBefore = warnings.length
  const read = reader(value, report)
  if (problems.length > problemsBefore) prefix(problems, problemsBefore, step)
  if (warnings.length > warningsBefore) prefix(warnings, warningsBefore, step)
  return read
}

function prefix(problems: Problem[], from: number, step: string | number): void {
  const parentPath = stepTo(step)
  for (const [offset, { path, message }] of problems.slice(from).entries())
    problems[from + offset] = { path: parentPath + path, message }
}

function stepTo(step: string | number): string {
  return encodePointerStep(typeof step === 'string' ? step.slice(0, MAX_STEP) : step)
}

export function withSchema<T>(schema: () => JsonObject, reader: Reader<T>): Reader<T> {
  return Object.assign((value: unknown, report: ReadContext) => reader(value, report), { schema })
}

export function toJsonSchema(reader: Reader<unknown>): JsonObject {
  return reader.schema?.() ?? {}
}

export function withSchemaDescription<T>(description: string, reader: Reader<T>, defaultValue?: Json): Reader<T> {
  const schemaDefault = defaultValue === undefined ? {} : { default: defaultValue }
  return withSchema(() => ({ ...toJsonSchema(reader), description, ...schemaDefault }), reader)
}

export function withSchemaFrom<T>(source: Reader<unknown>, reader: Reader<T>): Reader<T> {
  return source.schema ? Object.assign(reader, { schema: source.schema }) : reader
}

export function custom<T>(
  expected: string,
  parse: (value: unknown) => T | undefined,
  schema: () => JsonObject = () => ({ description: `Must be ${expected}` }),
): Reader<T> {
  return withSchema(schema, (value, report) => {
    const read = parse(value)
    return read === undefined ? addTypeProblem(report, expected, value) : read
  })
}

export function typeGuard<T>(
  expected: string,
  isType: (value: unknown) => value is T,
  schema?: () => JsonObject,
): Reader<T> {
  return custom(expected, (value) => (isType(value) ? value : undefined), schema)
}

export function stringMatching(
  expected: string,
  pattern: RegExp | ((text: string) => boolean),
  max = MAX_STRING_CHARACTERS,
): Reader<string> {
  const test = typeof pattern === 'function' ? pattern : (value: string) => pattern.test(value)
  const schema = () => ({ type: 'string', description: `Must be ${expected}` })
  const isFit = (value: unknown): value is string => typeof value === 'string' && value.length <= max && test(value)
  return typeGuard(expected, isFit, schema)
}

/** Length in UTF-16 code units. */
export function string({ min = 0, max = Infinity }: Bounds = {}): Reader<string> {
  const expected = `a string${span('characters', min, max)}`
  const reader = stringMatching(expected, ({ length }) => length >= min, max < Infinity ? max : MAX_STRING_CHARACTERS)
  // JSON Schema counts characters, which are one or two UTF-16 units each
  return withSchema(() => ({ type: 'string', ...bounds('Length', Math.ceil(min / 2), max) }), reader)
}

export function integer(min: number, max: number): Reader<number> {
  const isType = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= min && Number(value) <= max
  return typeGuard(`an integer from ${min} to ${max}`, isType, () => ({ type: 'integer', minimum: min, maximum: max }))
}

const isBoolean = (value: unknown) => typeof value === 'boolean'
export const boolean = typeGuard('a boolean', isBoolean, () => ({ type: 'boolean' }))

export function enumReader<const T extends string>(words: readonly T[]): Reader<T> {
  const expected = words.length === 1 ? quoteList(words) : `one of ${quoteList(words)}`
  const parse = (value: unknown) => words.find((word) => word === value)
  return custom(expected, parse, () => ({ enum: words }))
}

export const anyObject = typeGuard('an object', isJsonObject, () => ({ type: 'object' }))

export const anyJson: Reader<Json | undefined> = (value) => (isJson(value) ? value : undefined)

const STRINGS = { type: 'array', items: { type: 'string' } }
export const stringArray = typeGuard('an array of strings', isStringArray, () => STRINGS)

export function array<T>(item: Reader<T>, { min = 0, max = Infinity }: Bounds = {}): Reader<readonly T[]> {
  const expected = `an array${span('items', min, max)}`
  const schema = () => ({ type: 'array', items: toJsonSchema(item), ...bounds('Items', min, max) })
  return withSchema(schema, (value, report) => {
    if (!isJsonArray(value) || value.length < min || value.length > max) return addTypeProblem(report, expected, value)
    const items: T[] = []
    for (let index = 0; index < value.length; index++) {
      const read = readAt(index, item, value[index], report)
      if (read !== INVALID_VALUE) items.push(read)
    }
    return items.length === value.length ? items : INVALID_VALUE
  })
}

export function map<T>(
  entry: Reader<T>,
  max = Infinity,
  findProblem: (key: string) => string | undefined = () => undefined,
): Reader<Readonly<Record<string, T>>> {
  const expected = `an object${span('fields', 0, max)}`
  const schema = () => ({ type: 'object', additionalProperties: toJsonSchema(entry), ...bounds('Properties', 0, max) })
  return withSchema(schema, (value, report) => {
    const fields = isObject(value) ? Object.entries(value) : undefined
    if (!fields || fields.length > max) return addTypeProblem(report, expected, value)
    const entries: [string, T][] = []
    for (const [key, item] of fields) {
      const problem = findProblem(key)
      const read = problem === undefined ? readAt(key, entry, item, report) : addProblem(report, problem, stepTo(key))
      if (read !== INVALID_VALUE) entries.push([key, read])
    }
    return entries.length === fields.length ? Object.fromEntries(entries) : INVALID_VALUE
  })
}

export function object<T extends object>(
  readers: { readonly [K in keyof T]: Reader<T[K]> },
  {
    unknown,
    fieldNoun: noun = 'field',
    misnomers: knownMisnomers = {},
    otherFields: alsoKnown = [],
    rule,
  }: ObjectRules<T> = {},
): Reader<ObjectValue<T>> {
  const knownFields = [...alsoKnown, ...Object.keys(readers)]
  const expected = knownFields.length === 0 ? `no ${noun}s are taken here` : `wanted ${quoteList(knownFields)}`
  const hint = (name: string): string => {
    const correction = Object.hasOwn(knownMisnomers, name) ? knownMisnomers[name] : undefined
    const suggestion =
      correction !== undefined && knownFields.includes(correction) ? correction : findClosest(name, knownFields)
    return suggestion === undefined ? '' : ` (meant '${suggestion}'?)`
  }
  const schema = () => {
    const fields = Object.entries<Reader<unknown>>(readers)
    const properties = Object.fromEntries(fields.map(([name, reader]) => [name, toJsonSchema(reader)]))
    const required = fields.flatMap(([name, reader]) => (isOptional(reader) ? [] : [name]))
    const closedSchema = unknown === undefined && alsoKnown.length === 0 ? { additionalProperties: false } : {}
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...closedSchema }
  }
  return withSchema(schema, (value, report) => {
    if (!isObject(value)) return addTypeProblem(report, 'an object', value)
    const { problems, warnings } = report
    const before = problems.length
    for (const name in value) {
      if (unknown === 'ignore' || Object.hasOwn(readers, name)) continue
      const suggestion = hint(name)
      const isIgnored = unknown === 'warn' || (unknown === 'extension' && suggestion === '')
      const target = isIgnored ? warnings : problems
      if (target.length >= MAX_PROBLEMS) break
      const suffix = isIgnored ? ', which is ignored' : ''
      pushProblem(target, stepTo(name), `Unknown ${noun} '${name.slice(0, 100)}'${suggestion}${suffix}: ${expected}`)
    }
    const fields: Partial<T> = {}
    for (const name in readers) {
      const read = readAt(name, readers[name], value[name], report)
      if (read !== INVALID_VALUE && read !== undefined) fields[name] = read
    }
    rule?.(fields, report, value)
    const isRead = (read: Partial<T>): read is Partial<T> & ObjectValue<T> =>
      read === fields && problems.length === before && before < MAX_PROBLEMS
    return isRead(fields) ? fields : INVALID_VALUE
  })
}

/** Ignores unknown fields. */
export function looseObject<T extends object>(readers: {
  readonly [K in keyof T]: Reader<T[K]>
}): Reader<ObjectValue<T>> {
  return object(readers, { unknown: 'ignore' })
}

function isOptional(reader: Reader<unknown>): boolean {
  const scratch: ReadContext = { problems: [], warnings: [], quotes: false }
  return reader(undefined, scratch) !== INVALID_VALUE && scratch.problems.length === 0
}

export function optional<T>(reader: Reader<T>): Reader<T | undefined>
export function optional<T>(reader: Reader<T>, defaultValue: T): Reader<T>
export function optional<T>(reader: Reader<T>, defaultValue?: T): Reader<T | undefined> {
  return withSchemaFrom(reader, (value, report) => (value === undefined ? defaultValue : reader(value, report)))
}

export function nullish<T>(reader: Reader<T>): Reader<T | undefined>
export function nullish<T>(reader: Reader<T>, defaultValue: T): Reader<T>
export function nullish<T>(reader: Reader<T>, defaultValue?: T): Reader<T | undefined> {
  return withSchema(
    () => toJsonSchema(nullable(reader)),
    (value, report) => (value == null ? defaultValue : reader(value, report)),
  )
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return withSchema(
    () => ({ anyOf: [toJsonSchema(reader), { type: 'null' }] }),
    (value, report) => (value === null ? null : reader(value, report)),
  )
}

export function transform<A, B>(
  reader: Reader<A>,
  convert: (value: A, report: ReadContext) => B | typeof INVALID_VALUE,
): Reader<B> {
  return withSchemaFrom(reader, (value, report) => {
    const read = reader(value, report)
    return read === INVALID_VALUE ? INVALID_VALUE : convert(read, report)
  })
}

export function checkAlso<T>(reader: Reader<T>, check: Reader<unknown>): Reader<T> {
  return transform(reader, (value, report) => (check(value, report) === INVALID_VALUE ? INVALID_VALUE : value))
}

export function refine<T>(reader: Reader<T>, findProblem: (value: T) => string | undefined): Reader<T> {
  return transform(reader, (value, report) => {
    const problem = findProblem(value)
    return problem === undefined ? value : addProblem(report, problem)
  })
}

/** Keeps a value that may be a secret out of all messages. */
export function hideValue<T>(reader: Reader<T>): Reader<T> {
  return withSchemaFrom(reader, (value, report) => reader(value, { ...report, quotes: false }))
}

/** Refuses repeated strings. The reader remembers strings, so each document needs a new one. */
export function unique(reader: Reader<string>, ignoringCase = false): Reader<string> {
  const seenValues = new Set<string>()
  return transform(reader, (value, report) => {
    const key = ignoringCase ? value.toLowerCase() : value
    const expected = ignoringCase ? 'unique, ignoring case' : 'unique'
    if (seenValues.has(key))
      return addProblem(report, `Must be ${expected}, got ${formatReceived(value, report.quotes)} again`)
    seenValues.add(key)
    return value
  })
}

function bounds(what: 'Length' | 'Items' | 'Properties', min: number, max: number): JsonObject {
  return { ...(min > 0 ? { [`min${what}`]: min } : {}), ...(max < Infinity ? { [`max${what}`]: max } : {}) }
}

function span(what: string, min: number, max: number): string {
  if (max < Infinity) return min === 0 ? ` of at most ${max} ${what}` : ` of ${min} to ${max} ${what}`
  return min === 0 ? '' : ' that is not empty'
}

function formatReceived(value: unknown, quotes: boolean): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  if (!quotes) return `a ${typeof value}`
  if (typeof value !== 'string') return String(value)
  const limit = value.length > MAX_STRING_CHARACTERS ? `: the limit is ${MAX_STRING_CHARACTERS}` : ''
  return /^[^\p{Cc}]{0,40}$/u.test(value) ? `'${value}'` : `a string of ${value.length} characters${limit}`
}
