import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formats } from '../../src/compose/dialects.ts'
import { compareDefinitions, compareExpanded } from '../../src/core/schema/compatibility.ts'
import { createEvaluator } from '../../src/core/schema/evaluator.ts'
import { expandSchema } from '../../src/core/schema/expand.ts'
import { compileLinearPattern } from '../../src/core/schema/pattern.ts'
import { createMatchers, loadPatternEngine } from '../../src/core/schema/pattern-matcher.ts'
import { checkSchema } from '../../src/core/schema/publishable.ts'
import { interpretSchema } from '../../src/core/schema/validator.ts'
import { walkSubschemas } from '../../src/core/schema/subschemas.ts'
import { type Budget, createBudget, DEFAULT_UNITS, withinBudget } from '../../src/core/tool/budget.ts'
import type { Json, JsonObject } from '../../src/core/tool/json.ts'
import { parsePointer } from '../../src/core/tool/problem.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { climb, type Cross, unitsOf } from '../climb.ts'
import { effortOf, MOST_EFFORT } from '../effort.ts'
import { recordWith } from './call/fakes.ts'
import { input, pattern, value } from './schema/made-up.ts'

await loadPatternEngine({ pattern: '' })

const MAX_CHARACTERS = 8_000

/** One schema of the best is replaced by a whole one, which finds the same definitions. */
const graft: Cross<JsonObject> = (best, fresh, number) => {
  const copy: JsonObject = JSON.parse(JSON.stringify(best))
  const places = [...walkSubschemas(copy, 20)].filter(({ path }) => path !== '')
  const place = places[Math.floor(number() * places.length)]
  const steps = parsePointer(place?.path ?? '') ?? []
  const last = steps.at(-1)
  if (last === undefined) return fresh
  const { $defs: _, ...scion } = fresh
  let holder: unknown = copy
  for (const step of steps.slice(0, -1)) holder = Reflect.get(Object(holder), step)
  Reflect.set(Object(holder), last, scion)
  return JSON.stringify(copy).length > MAX_CHARACTERS ? best : copy
}

const publishable = input.filter((schema) => checkSchema(schema, { references: 'local' }).length === 0)
const recordOf = (schema: JsonObject): ToolRecord => ({
  ...recordWith({}),
  input: schema,
  output: schema,
  source: { dialect: 'mcp', document: null },
})
const other = recordOf({ type: 'object', properties: { a: { type: 'string' } } })

const WORK: readonly (readonly [string, (schema: JsonObject, budget: Budget) => unknown])[] = [
  ['writing its references out', (schema, budget) => expandSchema(schema, undefined, budget)],
  ['comparing it with another', (schema, budget) => compareDefinitions(other, recordOf(schema), budget)],
  ['what another must be called after it', (schema, budget) => compareExpanded(recordOf(schema), other, budget)],
  ...[...formats].map(([name, format]): readonly [string, (schema: JsonObject, budget: Budget) => unknown] => [
    `writing it as ${name}`,
    (schema, budget) => format(recordOf(schema), 'x', budget),
  ]),
]

it.each(WORK)('the worst schema for %s that a climb finds stays within its budget', (_, work) => {
  const { best, most } = climb(publishable, graft, (schema) => unitsOf((budget) => work(schema, budget)), 5)
  // What is taken last may be the whole of a list, or of a text
  expect(most).toBeLessThan(DEFAULT_UNITS + MAX_CHARACTERS)
  expect(effortOf(() => unitsOf((budget) => work(best, budget)))).toBeLessThan(MOST_EFFORT)
})

it('the worst schema to check that a climb finds stays within its budget', () => {
  const judge = (schema: JsonObject, budget: Budget) => checkSchema(schema, { references: 'local', budget })
  const { best, most } = climb(input, graft, (schema) => unitsOf((budget) => judge(schema, budget)), 6)
  expect(most).toBeLessThan(DEFAULT_UNITS + MAX_CHARACTERS)
  expect(effortOf(() => unitsOf((budget) => judge(best, budget)))).toBeLessThan(MOST_EFFORT)
})

it('the worst pattern that a climb finds takes at most the limit of a pattern', () => {
  const join: Cross<string> = (best, fresh, number) => {
    const at = Math.floor(number() * best.length)
    const joined = number() < 0.5 ? `(?:${best})|${fresh}` : best.slice(0, at) + fresh + best.slice(at)
    return joined.length > 400 ? best : joined
  }
  const { best, most } = climb(pattern, join, (each) => unitsOf((budget) => compileLinearPattern(each, budget)), 7)
  expect(most).toBeGreaterThan(1_000)
  expect(most).toBeLessThan(DEFAULT_UNITS)
  expect(effortOf(() => interpretSchema({ pattern: best })('aab'))).toBeLessThan(MOST_EFFORT)
})

/** The units that making a schema's validator takes, and those that checking a value by it takes. */
function checking(schema: JsonObject, given: Json): { readonly making: number; readonly checking: number } {
  const [making, checked] = [createBudget(2 * DEFAULT_UNITS), createBudget(Infinity)]
  withinBudget(() => createEvaluator(schema, making, createMatchers(making)), '')
  expect(Array.isArray(interpretSchema(schema)(given, checked))).toBe(true)
  return { making: making.spent, checking: checked.spent }
}

it('the worst schema and value to check that a climb finds stay within their budgets', () => {
  const pair = fc.record({ schema: publishable, given: value })
  const cross: Cross<{ schema: JsonObject; given: Json }> = (best, fresh, number) => {
    if (number() < 0.5) return { ...best, schema: graft(best.schema, fresh.schema, number) }
    const names = Object.fromEntries(['a', 'b', 'c', 'toString'].map((name) => [name, fresh.given]))
    const given = number() < 0.5 ? fresh.given : { ...Object(best.given), ...names }
    return JSON.stringify(given).length > 100 * MAX_CHARACTERS ? best : { ...best, given }
  }
  const { best, most } = climb(pair, cross, ({ schema, given }) => checking(schema, given).checking, 13)
  expect(most).toBeGreaterThan(1_000)
  // What is taken last may be all that an evaluation costs where the value is widest
  expect(most).toBeLessThan(2 * DEFAULT_UNITS)
  const validate = interpretSchema(best.schema)
  expect(effortOf(() => validate(best.given))).toBeLessThan(MOST_EFFORT)
})

it('the worst schema to compile that a climb finds stays within its budget', () => {
  const { best, most } = climb(publishable, graft, (schema) => checking(schema, {}).making, 14)
  expect(most).toBeGreaterThan(100)
  expect(most).toBeLessThan(2 * DEFAULT_UNITS)
  expect(effortOf(() => interpretSchema(best))).toBeLessThan(MOST_EFFORT)
})

const each = (count: number, make: (index: number) => JsonObject): JsonObject => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)])),
})

it.each<[string, JsonObject]>([
  ['of lists that must differ', each(500, () => ({ uniqueItems: true }))],
  ['of patterns', each(500, (index) => ({ pattern: `(a|b)*c${index}` }))],
  ['of as many parts as there may be', each(1_999, () => ({ type: 'string' }))],
  [
    'of all of them',
    each(1_990, (index) => (index < 250 ? { uniqueItems: true } : index < 500 ? { pattern: 'a*b' } : { minimum: 1 })),
  ],
])('the largest publishable schemas are compiled within the budget for that: %s', (_, schema) => {
  expect(checkSchema(schema, { references: 'local', budget: createBudget() })).toEqual([])
  const { making } = checking(schema, {})
  expect(making).toBeGreaterThan(2_500)
  expect(making).toBeLessThan(2 * DEFAULT_UNITS)
  expect(interpretSchema(schema)({})).toEqual([])
})

it('a schema that exceeds the compile budget gives a validator that refuses everything', () => {
  const schema = each(2_000, (index) => ({ pattern: `(a|b){500}c${index}` }))
  const refused = interpretSchema(schema)({})
  expect(refused).toEqual([{ path: '', message: 'Cannot be checked, since the schema cannot be used' }])
})
