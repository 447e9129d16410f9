import type { Schema } from '@cfworker/json-schema'
import { isObject } from '../tool/json.ts'
import { keywordsWhere } from './keywords.ts'
import { backtracking } from './pattern.ts'
import { emptyRecord, everySubschema, mapSubschemas } from './subschemas.ts'
import type { JsonSchema } from '../tool/tool.ts'

/** The state of the validation that runs now. */
export interface Budget {
  /** Evaluations that may still be made. */
  left: number
  /** The evaluations that matching the names of one object against one pattern is worth. */
  names: number
  /** What one of our limits kept from being matched. */
  unmatched: string | undefined
}

/** Thrown through the library when the budget is spent. */
export class TooCostly extends Error {}

/** A copy of a schema that @cfworker/json-schema can be trusted with. */
export interface Prepared {
  readonly root: Schema
  /** Schemas put in for `false`, and the keywords that hold them. */
  readonly refusers: ReadonlyMap<object, string>
  /** Schemas put in for limits of ours, and what to say when they fail. */
  readonly guards: ReadonlyMap<object, string>
  /** What the schema's `patternProperties` ask of names: the degree of the worst, and the longest that it may meet. */
  readonly names: { readonly degree: number; readonly maxLength: number }
}

/** Steps a match may take: a pattern of degree d gets texts of at most the d-th root. */
const MAX_MATCH_STEPS = 2e7
const MIN_MATCH_LENGTH = 64

/** As many steps of matching or comparing take about as long as an evaluation. */
export const STEPS_PER_EVALUATION = 4_000

/** The library compares every item with every other one, and with all that is in it. */
const MAX_UNIQUE_ITEMS = 2_000
const STEPS_PER_COMPARISON = 8

/**
 * Prepares a schema: only keywords the library knows, without `format`, which it would assert; no prototypes, so that a
 * property named "constructor" is nothing special; `$dynamicRef` as the `$ref` it amounts to in a document of one
 * resource; each schema an object that takes from `budget` when it is evaluated; and limits on what takes more than
 * linear time. Throws for a schema that is none.
 */
export function prepareSchema(schema: JsonSchema, budget: Budget): Prepared {
  const refusers = new Map<object, string>()
  const guards = new Map<object, string>()
  const keepsId = refersAbroad(schema)
  let nameDegree = 1

  function prepare(each: unknown, holder: string): Record<string, unknown> {
    const copy = isObject(each) ? convert(mapSubschemas(known(each), prepare)) : emptyRecord()
    if (each === false) {
      copy['not'] = metered(emptyRecord())
      refusers.set(copy, holder)
    } else if (each !== true && !isObject(each)) {
      throw new TypeError('Cannot prepare a schema that is neither an object nor true or false')
    }
    const names = isObject(copy['patternProperties']) ? Object.keys(copy['patternProperties']) : []
    const degrees = names.map(degreeOf).filter((degree) => degree > 1)
    nameDegree = Math.max(nameDegree, ...degrees)
    return metered(copy, { namePatterns: degrees.length })
  }

  function convert(copy: Record<string, unknown>): Record<string, unknown> {
    if (!keepsId) delete copy['$id']
    if (copy['$dynamicAnchor'] !== undefined) copy['$anchor'] ??= copy['$dynamicAnchor']
    const rules: unknown[] = []
    if (copy['$dynamicRef'] !== undefined) rules.push(metered(record({ '$ref': copy['$dynamicRef'] })))
    const { pattern } = copy
    const degree = typeof pattern === 'string' ? degreeOf(pattern) : 1
    if (degree > 1) {
      const length = maxLengthOf(degree)
      const message = `Must be at most ${length} characters to be matched against the pattern`
      rules.push(limited('maxLength', length, (size) => size ** degree, { pattern }, message))
      delete copy['pattern']
    }
    if (copy['uniqueItems'] === true) {
      const message = `Must have at most ${MAX_UNIQUE_ITEMS} items to be searched for equal ones`
      const steps = (size: number) => size ** 2 * STEPS_PER_COMPARISON
      rules.push(limited('maxItems', MAX_UNIQUE_ITEMS, steps, { uniqueItems: true }, message))
      delete copy['uniqueItems']
    }
    if (rules.length > 0) copy['allOf'] = [...(Array.isArray(copy['allOf']) ? copy['allOf'] : []), ...rules]
    return copy
  }

  /** What is asked of a value of some size, at the cost of as many steps; up to a limit, and beyond it a failure. */
  function limited(keyword: string, limit: number, steps: (size: number) => number, asked: object, message: string) {
    let rule = metered(record({ [keyword]: limit }), { unmatched: message })
    guards.set(rule, message)
    for (let size = limit, cost = Infinity; cost > 2; size = Math.floor(size / 4)) {
      cost = Math.min(MAX_MATCH_STEPS, steps(size)) / STEPS_PER_EVALUATION
      const fits = metered(record({ [keyword]: size }))
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of that name; nobody awaits a schema
      rule = metered(record({ if: fits, then: metered(record({ ...asked }), { cost }), else: rule }))
    }
    return rule
  }

  /** The library reads `$recursiveAnchor`, which 2020-12 does not have, each time it evaluates a schema. */
  function metered(
    copy: Record<string, unknown>,
    { cost = 0, namePatterns = 0, unmatched }: { cost?: number; namePatterns?: number; unmatched?: string } = {},
  ): Record<string, unknown> {
    const whole = cost + costOf(copy)
    const get = (): undefined => {
      budget.left -= whole + namePatterns * budget.names
      budget.unmatched ??= unmatched
      if (budget.left < 0) throw new TooCostly()
    }
    return Object.defineProperty(copy, '$recursiveAnchor', { get, enumerable: false })
  }

  const root = prepare(schema, '')
  return { root, refusers, guards, names: { degree: nameDegree, maxLength: maxLengthOf(nameDegree) } }
}

/** 1, and more for a schema that is long in itself. */
function costOf(copy: Readonly<Record<string, unknown>>): number {
  let length = 0
  for (const value of Object.values(copy)) {
    if (Array.isArray(value)) length += value.length
    else if (isObject(value)) length += Object.keys(value).length
  }
  for (const value of [copy['enum'], copy['const']]) length += (JSON.stringify(value) ?? '').length / 16
  return 1 + Math.floor(length / 16)
}

/** The degree of a pattern that publication accepts. */
function degreeOf(pattern: string): number {
  const verdict = backtracking(pattern)
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
