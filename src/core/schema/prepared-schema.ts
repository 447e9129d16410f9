import type { Schema } from '@cfworker/json-schema'
import type { Budget } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'
import type { ListSize } from './instance-size.ts'
import { keywordsWhere } from './keywords.ts'
import { backtracking } from './pattern.ts'
import { MAX_POINTER } from './publishable.ts'
import { emptyRecord, everySubschema, mapSubschemas } from './subschemas.ts'
import type { JsonSchema } from '../tool/tool.ts'

/** The state of the validation that runs now. Costs are in units of its budget. */
export interface Validation {
  budget: Budget
  /** What an evaluation costs: it can take time in proportion to the widest part of the value. */
  evaluation: number
  /** What matching the names of one object against one pattern costs. */
  names: number
  /** What reading the longest text costs. */
  text: number
  /** How much there is to compare where items of a list must differ. */
  lists: ListSize
  /** What one of our limits kept from being matched. */
  unmatched: string | undefined
}

/** A copy of a schema that @cfworker/json-schema can be trusted with. */
export interface Prepared {
  readonly root: Schema
  /** Schemas put in for `false`, and the keywords that hold them. */
  readonly refusers: ReadonlyMap<object, string>
  /** Schemas put in for limits of ours, and what to say when they fail. */
  readonly guards: ReadonlyMap<object, string>
  /** What the schema's `patternProperties` ask of names: the degree of the worst, and the longest that it may meet. */
  readonly names: { readonly degree: number; readonly maxLength: number }
  /** Whether items of some list must differ. */
  readonly comparesItems: boolean
}

/** Steps a match may take: a pattern of degree d gets texts of at most the d-th root. */
const MAX_MATCH_STEPS = 2e7
const MIN_MATCH_LENGTH = 64
/** Smaller texts and lists are taken for such of this size. */
const MIN_SIZE = 8

/** What it takes to make one schema of the copy, and to find it by its address. */
const MADE = 5

/** So many steps of a match, or characters of a text that is read through, cost a unit. */
export const STEPS_PER_UNIT = 400
/** So many parts of items that are compared cost a unit. */
const PARTS_PER_UNIT = 100

/** The library compares every item with every other one, and with all that is in it. */
const MAX_UNIQUE_ITEMS = 2_000
/** Keywords for which a text is read from its beginning to its end. */
const READING = ['minLength', 'maxLength', 'pattern']

/**
 * Prepares a schema: only keywords the library knows, without `format`, which it would assert; no prototypes, so that a
 * property named "constructor" is nothing special; `$dynamicRef` as the `$ref` it amounts to in a document of one
 * resource; each schema an object that takes from the budget of `validation` when it is evaluated; and limits on what takes more than
 * linear time. Draws on the budget that `validation` begins with. Throws for a schema that is none, and `Exhausted` for one
 * that takes too much.
 */
export function prepareSchema(schema: JsonSchema, validation: Validation): Prepared {
  const refusers = new Map<object, string>()
  const guards = new Map<object, string>()
  const keepsId = refersAbroad(schema)
  const { budget } = validation
  let nameDegree = 1
  let comparesItems = false

  function prepare(each: unknown, holder: string): Record<string, unknown> {
    const copy = isObject(each) ? convert(mapSubschemas(known(each), prepare)) : emptyRecord()
    if (each === false) {
      copy['not'] = metered(emptyRecord())
      refusers.set(copy, holder)
    } else if (each !== true && !isObject(each)) {
      throw new TypeError('Cannot prepare a schema that is neither an object nor true or false')
    }
    const names = isObject(copy['patternProperties']) ? Object.keys(copy['patternProperties']) : []
    const degrees = names.map((name) => degreeOf(name, budget)).filter((degree) => degree > 1)
    nameDegree = Math.max(nameDegree, ...degrees)
    return metered(copy, { namePatterns: degrees.length })
  }

  function convert(copy: Record<string, unknown>): Record<string, unknown> {
    if (!keepsId) delete copy['$id']
    if (copy['$dynamicAnchor'] !== undefined) copy['$anchor'] ??= copy['$dynamicAnchor']
    const rules: unknown[] = []
    if (copy['$dynamicRef'] !== undefined) rules.push(metered(record({ '$ref': copy['$dynamicRef'] })))
    const { pattern } = copy
    const degree = typeof pattern === 'string' ? degreeOf(pattern, budget) : 1
    if (degree > 1) {
      const length = maxLengthOf(degree)
      const message = `Must be at most ${length} characters to be matched against the pattern`
      const steps = (size: number) => Math.min(MAX_MATCH_STEPS, size ** degree)
      rules.push(limited('maxLength', length, (size) => () => steps(size) / STEPS_PER_UNIT, { pattern }, message))
      delete copy['pattern']
    }
    if (copy['uniqueItems'] === true) {
      const message = `Must have at most ${MAX_UNIQUE_ITEMS} items to be searched for equal ones`
      // The items may be those of any list, so of as large ones as there are
      const costOfSize = (size: number) => () => {
        const { heaviest, most } = validation.lists
        return Math.min(size ** 2 * heaviest, most) / PARTS_PER_UNIT
      }
      comparesItems = true
      rules.push(limited('maxItems', MAX_UNIQUE_ITEMS, costOfSize, { uniqueItems: true }, message))
      delete copy['uniqueItems']
    }
    if (rules.length > 0) copy['allOf'] = [...(Array.isArray(copy['allOf']) ? copy['allOf'] : []), ...rules]
    return copy
  }

  /** What is asked of a value of some size, at a cost; up to a limit, and beyond it a failure. */
  function limited(
    keyword: string,
    limit: number,
    costOfSize: (size: number) => () => number,
    asked: object,
    message: string,
  ) {
    let rule = metered(record({ [keyword]: limit }), { unmatched: message })
    guards.set(rule, message)
    for (let size = limit; size > MIN_SIZE; size = Math.floor(size / 2)) {
      const cost = costOfSize(size)
      const fits = metered(record({ [keyword]: size }))
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of that name; nobody awaits a schema
      rule = metered(record({ if: fits, then: metered(record({ ...asked }), { cost }), else: rule }))
    }
    return rule
  }

  /** The library reads `$recursiveAnchor`, which 2020-12 does not have, each time it evaluates a schema. */
  function metered(
    copy: Record<string, unknown>,
    { cost, namePatterns = 0, unmatched }: { cost?: () => number; namePatterns?: number; unmatched?: string } = {},
  ): Record<string, unknown> {
    budget.spend(MADE)
    const [evaluations, texts] = [costOf(copy), READING.filter((keyword) => keyword in copy).length]
    const get = (): undefined => {
      const { budget, evaluation, names, text } = validation
      budget.spend(evaluations * evaluation + namePatterns * names + texts * text + (cost?.() ?? 0))
      validation.unmatched ??= unmatched
    }
    return Object.defineProperty(copy, '$recursiveAnchor', { get, enumerable: false })
  }

  const root = prepare(schema, '')
  return { root, refusers, guards, names: { degree: nameDegree, maxLength: maxLengthOf(nameDegree) }, comparesItems }
}

/** 1, and more for a schema that is long in itself, or has much to tell of a value that does not fit. */
function costOf(copy: Readonly<Record<string, unknown>>): number {
  let length = 0
  for (const value of Object.values(copy)) {
    if (Array.isArray(value)) length += value.length
    else if (isObject(value)) length += Object.keys(value).length
  }
  for (const value of [copy['enum'], copy['const']]) length += (JSON.stringify(value) ?? '').length / 8
  for (const value of [copy['required'], ...Object.values(copy['dependentRequired'] ?? {})]) {
    if (Array.isArray(value)) length += value.length * 8
  }
  // Numbers are divided digit by digit, and what is found below a reference is copied on the way up
  const slow = (copy['multipleOf'] === undefined ? 0 : 8) + (copy['$ref'] === undefined ? 0 : 4)
  return 1 + slow + Math.floor(length / 8)
}

/** The degree of a pattern that publication accepts. */
function degreeOf(pattern: string, budget: Budget): number {
  const verdict = backtracking(pattern, budget)
  if (verdict.kind === 'linear') return 1
  if (verdict.kind === 'polynomial') return verdict.degree
  throw new TypeError(`Cannot prepare a schema with a pattern that is ${verdict.kind}`)
}

/** The longest text that a pattern of some degree may meet. */
function maxLengthOf(degree: number): number {
  return degree === 1 ? Infinity : Math.max(MIN_MATCH_LENGTH, Math.floor(MAX_MATCH_STEPS ** (1 / degree)))
}

/** Keywords that judge a value or are referred to, but for `format`. */
const KEPT = keywordsWhere(({ role }) => role !== 'annotation')

function known(schema: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const entries = Object.entries(schema).filter(([keyword, value]) => {
    return value !== undefined && keyword !== 'format' && KEPT.has(keyword)
  })
  return record(Object.fromEntries(entries))
}

/** Whether some reference needs the document's own URI to be understood; else a URI could only do harm. */
function refersAbroad(schema: JsonSchema): boolean {
  for (const { schema: each, path } of everySubschema(schema, Infinity)) {
    // The library keeps each schema under its place, as publication does
    if (path.length > MAX_POINTER) throw new TypeError('Cannot prepare a schema that lies below such long names')
    if (!isObject(each)) continue
    if (path !== '' && each['$id'] !== undefined) return true
    for (const reference of [each['$ref'], each['$dynamicRef']]) {
      if (typeof reference === 'string' && !reference.startsWith('#')) return true
    }
  }
  return false
}

function record(entries: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.assign(emptyRecord(), entries)
}
