import { type Budget, createBudget } from './budget.ts'
import { isJson, isJsonObject, isList, isObject, isTexts, type Json, type JsonObject } from './json.ts'
import { nearestOf } from './nearest.ts'
import { type Checked, pointerStep, type Problem, quoted } from './problem.ts'

/**
 * Reads a JSON value, undefined where it is absent, or reports why it cannot. One pass finds every problem:
 *
 *     const PERSON = object({ name: string({ least: 1 }), age: optional(integer(0, 150)) })
 *     check(PERSON, { name: '', pet: 'cat' })
 *     // { ok: false, problems: [
 *     //   { path: '/pet', message: "Unknown field 'pet': wanted 'name', 'age'" },
 *     //   { path: '/name', message: "Must be a string that is not empty, got ''" },
 *     // ] }
 */
export interface Reader<T> {
  (value: unknown, report: Report): T | typeof WRONG
  readonly schema?: () => JsonObject
}

export type ReadBy<R extends Reader<unknown>> = Exclude<ReturnType<R>, typeof WRONG>

export const WRONG: unique symbol = Symbol('wrong')

const MAX_PROBLEMS = 100
const MAX_STEP = 300
/** As long as a whole definition may be: nothing looks into a longer string, unless its reader says so. */
const MAX_STRING_CHARACTERS = 256 * 1024

export interface Report {
  readonly problems: Problem[]
  readonly warnings: Problem[]
  readonly quotes: boolean
  readonly budget: () => Budget
}

interface Bounds {
  readonly least?: number
  readonly most?: number
}

type Fields<T> = { readonly [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  readonly [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>
}
type Flat<T> = { readonly [K in keyof T]: T[K] }
export type ObjectOf<T> = Flat<Fields<T>>

interface ObjectRules<T> {
  /** `extension`: warned of, but refused where it reads like a known field misspelt. */
  readonly unknown?: 'warn' | 'ignore' | 'extension'
  readonly called?: 'field' | 'parameter'
  readonly meant?: Readonly<Record<string, string>>
  readonly beside?: readonly string[]
  readonly rule?: (fields: Partial<T>, report: Report, source: Readonly<Record<string, unknown>>) => void
}

export function check<T>(reader: Reader<T>, document: unknown, warnings: Problem[] = [], budget?: Budget): Checked<T> {
  const problems: Problem[] = []
  const report: Report = {
    problems,
    warnings,
    quotes: true,
    // Few readers do work that can be made to grow
    budget: () => (budget ??= createBudget()),
  }
  const value = reader(document, report)
  return value === WRONG || problems.length > 0 ? { ok: false, problems } : { ok: true, value }
}

export function wrong({ problems }: Report, message: string, path = ''): typeof WRONG {
  tell(problems, path, message)
  return WRONG
}

/** Capped, since the problems of a value could be far larger than it. */
function tell(found: Problem[], path: string, message: string): void {
  if (found.length < MAX_PROBLEMS) found.push({ path, message })
}

export function unfit(report: Report, wanted: string, value: unknown): typeof WRONG {
  const message = value === undefined ? 'Is required' : `Must be ${wanted}, got ${shown(value, report.quotes)}`
  return wrong(report, message)
}

export function readAt<T>(step: string | number, reader: Reader<T>, value: unknown, report: Report): T | typeof WRONG {
  const { problems, warnings } = report
  const problemsBefore = problems.length
  const warningsBefore = warnings.length
  const read = reader(value, report)
  if (problems.length > problemsBefore) prefix(problems, problemsBefore, step)
  if (warnings.length > warningsBefore) prefix(warnings, warningsBefore, step)
  return read
}

function prefix(found: Problem[], from: number, step: string | number): void {
  const place = stepTo(step)
  for (const [offset, { path, message }] of found.slice(from).entries())
    found[from + offset] = { path: place + path, message }
}

function stepTo(step: string | number): string {
  return pointerStep(typeof step === 'string' ? step.slice(0, MAX_STEP) : step)
}

export function stating<T>(schema: () => JsonObject, reader: Reader<T>): Reader<T> {
  return Object.assign((value: unknown, report: Report) => reader(value, report), { schema })
}

export function schemaOf(reader: Reader<unknown>): JsonObject {
  return reader.schema?.() ?? {}
}

export function described<T>(description: string, reader: Reader<T>, otherwise?: Json): Reader<T> {
  const more = otherwise === undefined ? {} : { default: otherwise }
  return stating(() => ({ ...schemaOf(reader), description, ...more }), reader)
}

export function statingAs<T>(inner: Reader<unknown>, reader: Reader<T>): Reader<T> {
  return inner.schema ? Object.assign(reader, { schema: inner.schema }) : reader
}

export function parsed<T>(
  wanted: string,
  parse: (value: unknown) => T | undefined,
  schema: () => JsonObject = () => ({ description: `Must be ${wanted}` }),
): Reader<T> {
  return stating(schema, (value, report) => {
    const read = parse(value)
    return read === undefined ? unfit(report, wanted, value) : read
  })
}

export function matching<T>(wanted: string, is: (value: unknown) => value is T, schema?: () => JsonObject): Reader<T> {
  return parsed(wanted, (value) => (is(value) ? value : undefined), schema)
}

export function text(
  wanted: string,
  fits: RegExp | ((text: string) => boolean),
  most = MAX_STRING_CHARACTERS,
): Reader<string> {
  const test = typeof fits === 'function' ? fits : (value: string) => fits.test(value)
  const schema = () => ({ type: 'string', description: `Must be ${wanted}` })
  const isFit = (value: unknown): value is string => typeof value === 'string' && value.length <= most && test(value)
  return matching(wanted, isFit, schema)
}

/** Length in UTF-16 code units. */
export function string({ least = 0, most = Infinity }: Bounds = {}): Reader<string> {
  const wanted = `a string${span('characters', least, most)}`
  const reader = text(wanted, ({ length }) => length >= least, most < Infinity ? most : MAX_STRING_CHARACTERS)
  // A schema counts characters, each of one or two UTF-16 units
  return stating(() => ({ type: 'string', ...bounds('Length', Math.ceil(least / 2), most) }), reader)
}

export function integer(least: number, most: number): Reader<number> {
  const is = (value: unknown): value is number =>
    Number.isInteger(value) && Number(value) >= least && Number(value) <= most
  return matching(`an integer from ${least} to ${most}`, is, () => ({ type: 'integer', minimum: least, maximum: most }))
}

const isBoolean = (value: unknown) => typeof value === 'boolean'
export const boolean = matching('a boolean', isBoolean, () => ({ type: 'boolean' }))

export function oneOf<const T extends string>(words: readonly T[]): Reader<T> {
  const wanted = words.length === 1 ? quoted(words) : `one of ${quoted(words)}`
  const parse = (value: unknown) => words.find((word) => word === value)
  return parsed(wanted, parse, () => ({ enum: words }))
}

export const anyObject = matching('an object', isJsonObject, () => ({ type: 'object' }))

export const anything: Reader<Json | undefined> = (value) => (isJson(value) ? value : undefined)

const STRINGS = { type: 'array', items: { type: 'string' } }
export const strings = matching('an array of strings', isTexts, () => STRINGS)

export function list<T>(item: Reader<T>, { least = 0, most = Infinity }: Bounds = {}): Reader<readonly T[]> {
  const wanted = `an array${span('items', least, most)}`
  const schema = () => ({ type: 'array', items: schemaOf(item), ...bounds('Items', least, most) })
  return stating(schema, (value, report) => {
    if (!isList(value) || value.length < least || value.length > most) return unfit(report, wanted, value)
    const items: T[] = []
    for (let index = 0; index < value.length; index++) {
      const read = readAt(index, item, value[index], report)
      if (read !== WRONG) items.push(read)
    }
    return items.length === value.length ? items : WRONG
  })
}

export function map<T>(
  entry: Reader<T>,
  most = Infinity,
  why: (key: string) => string | undefined = () => undefined,
): Reader<Readonly<Record<string, T>>> {
  const wanted = `an object${span('fields', 0, most)}`
  const schema = () => ({ type: 'object', additionalProperties: schemaOf(entry), ...bounds('Properties', 0, most) })
  return stating(schema, (value, report) => {
    const fields = isObject(value) ? Object.entries(value) : undefined
    if (!fields || fields.length > most) return unfit(report, wanted, value)
    const entries: [string, T][] = []
    for (const [key, each] of fields) {
      const refused = why(key)
      const read = refused === undefined ? readAt(key, entry, each, report) : wrong(report, refused, stepTo(key))
      if (read !== WRONG) entries.push([key, read])
    }
    return entries.length === fields.length ? Object.fromEntries(entries) : WRONG
  })
}

export function object<T extends object>(
  readers: { readonly [K in keyof T]: Reader<T[K]> },
  { unknown, called = 'field', meant = {}, beside = [], rule }: ObjectRules<T> = {},
): Reader<ObjectOf<T>> {
  const known = [...beside, ...Object.keys(readers)]
  const wanted = known.length === 0 ? `no ${called}s are taken here` : `wanted ${quoted(known)}`
  const hint = (name: string): string => {
    const tried = Object.hasOwn(meant, name) ? meant[name] : undefined
    const near = tried !== undefined && known.includes(tried) ? tried : nearestOf(name, known)
    return near === undefined ? '' : ` (meant '${near}'?)`
  }
  const schema = () => {
    const fields = Object.entries<Reader<unknown>>(readers)
    const properties = Object.fromEntries(fields.map(([name, reader]) => [name, schemaOf(reader)]))
    const required = fields.flatMap(([name, reader]) => (isOptional(reader) ? [] : [name]))
    const closed = unknown === undefined && beside.length === 0 ? { additionalProperties: false } : {}
    return { type: 'object', properties, ...(required.length > 0 ? { required } : {}), ...closed }
  }
  return stating(schema, (value, report) => {
    if (!isObject(value)) return unfit(report, 'an object', value)
    const { problems, warnings } = report
    const before = problems.length
    for (const name in value) {
      if (unknown === 'ignore' || Object.hasOwn(readers, name)) continue
      const near = hint(name)
      const isIgnored = unknown === 'warn' || (unknown === 'extension' && near === '')
      const found = isIgnored ? warnings : problems
      if (found.length >= MAX_PROBLEMS) break
      const fate = isIgnored ? ', which is ignored' : ''
      tell(found, stepTo(name), `Unknown ${called} '${name.slice(0, 100)}'${near}${fate}: ${wanted}`)
    }
    const fields: Partial<T> = {}
    for (const name in readers) {
      const read = readAt(name, readers[name], value[name], report)
      if (read !== WRONG && read !== undefined) fields[name] = read
    }
    rule?.(fields, report, value)
    const isRead = (read: Partial<T>): read is Partial<T> & ObjectOf<T> =>
      read === fields && problems.length === before && before < MAX_PROBLEMS
    return isRead(fields) ? fields : WRONG
  })
}

/** Passes over fields that it does not know. */
export function openObject<T extends object>(readers: {
  readonly [K in keyof T]: Reader<T[K]>
}): Reader<ObjectOf<T>> {
  return object(readers, { unknown: 'ignore' })
}

function isOptional(reader: Reader<unknown>): boolean {
  const scratch: Report = { problems: [], warnings: [], quotes: false, budget: createBudget }
  return reader(undefined, scratch) !== WRONG && scratch.problems.length === 0
}

export function optional<T>(reader: Reader<T>): Reader<T | undefined>
export function optional<T>(reader: Reader<T>, otherwise: T): Reader<T>
export function optional<T>(reader: Reader<T>, otherwise?: T): Reader<T | undefined> {
  return statingAs(reader, (value, report) => (value === undefined ? otherwise : reader(value, report)))
}

export function nullish<T>(reader: Reader<T>): Reader<T | undefined>
export function nullish<T>(reader: Reader<T>, otherwise: T): Reader<T>
export function nullish<T>(reader: Reader<T>, otherwise?: T): Reader<T | undefined> {
  return stating(
    () => schemaOf(nullable(reader)),
    (value, report) => (value == null ? otherwise : reader(value, report)),
  )
}

export function nullable<T>(reader: Reader<T>): Reader<T | null> {
  return stating(
    () => ({ anyOf: [schemaOf(reader), { type: 'null' }] }),
    (value, report) => (value === null ? null : reader(value, report)),
  )
}

export function into<A, B>(reader: Reader<A>, next: (value: A, report: Report) => B | typeof WRONG): Reader<B> {
  return statingAs(reader, (value, report) => {
    const read = reader(value, report)
    return read === WRONG ? WRONG : next(read, report)
  })
}

export function also<T>(reader: Reader<T>, other: Reader<unknown>): Reader<T> {
  return into(reader, (value, report) => (other(value, report) === WRONG ? WRONG : value))
}

export function judged<T>(reader: Reader<T>, why: (value: T) => string | undefined): Reader<T> {
  return into(reader, (value, report) => {
    const refused = why(value)
    return refused === undefined ? value : wrong(report, refused)
  })
}

/** For a value that may be a secret: no message repeats it. */
export function unquoted<T>(reader: Reader<T>): Reader<T> {
  return statingAs(reader, (value, report) => reader(value, { ...report, quotes: false }))
}

/** Refuses a string that came before. It remembers them, so each document needs a reader of its own. */
export function unique(reader: Reader<string>, ignoringCase = false): Reader<string> {
  const seen = new Set<string>()
  return into(reader, (value, report) => {
    const key = ignoringCase ? value.toLowerCase() : value
    const wanted = ignoringCase ? 'unique, ignoring case' : 'unique'
    if (seen.has(key)) return wrong(report, `Must be ${wanted}, got ${shown(value, report.quotes)} again`)
    seen.add(key)
    return value
  })
}

function bounds(what: 'Length' | 'Items' | 'Properties', least: number, most: number): JsonObject {
  return { ...(least > 0 ? { [`min${what}`]: least } : {}), ...(most < Infinity ? { [`max${what}`]: most } : {}) }
}

function span(what: string, least: number, most: number): string {
  if (most < Infinity) return least === 0 ? ` of at most ${most} ${what}` : ` of ${least} to ${most} ${what}`
  return least === 0 ? '' : ' that is not empty'
}

function shown(value: unknown, quotes: boolean): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : `an array of ${value.length}`
  if (typeof value === 'object') return 'an object'
  if (!quotes) return `a ${typeof value}`
  if (typeof value !== 'string') return String(value)
  const limit = value.length > MAX_STRING_CHARACTERS ? `: the limit is ${MAX_STRING_CHARACTERS}` : ''
  return /^[^\p{Cc}]{0,40}$/u.test(value) ? `'${value}'` : `a string of ${value.length} characters${limit}`
}
