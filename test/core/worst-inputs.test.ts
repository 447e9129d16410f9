import { expect, it } from 'vitest'
import { formats } from '../../src/compose/dialects.ts'
import { compareDefinitions, requiredBump } from '../../src/core/schema/change.ts'
import { expandSchema } from '../../src/core/schema/expand.ts'
import { backtracking } from '../../src/core/schema/pattern.ts'
import { checkSchema } from '../../src/core/schema/publishable.ts'
import { everySubschema } from '../../src/core/schema/subschemas.ts'
import { type Budget, createBudget, UNITS } from '../../src/core/tool/budget.ts'
import type { JsonObject } from '../../src/core/tool/json.ts'
import { pointerSteps } from '../../src/core/tool/problem.ts'
import type { ToolRecord } from '../../src/core/tool/tool.ts'
import { climb, type Cross, leastOf, LONG_MS, unitsOf } from '../climb.ts'
import { recordWith } from './call/fakes.ts'
import { input, pattern } from './schema/made-up.ts'

const MAX_CHARACTERS = 8_000

/** One schema of the best is replaced by a whole one, which finds the same definitions. */
const graft: Cross<JsonObject> = (best, fresh, number) => {
  const copy: JsonObject = JSON.parse(JSON.stringify(best))
  const places = [...everySubschema(copy, 20)].filter(({ path }) => path !== '')
  const place = places[Math.floor(number() * places.length)]
  const steps = pointerSteps(place?.path ?? '') ?? []
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
  ['what another must be called after it', (schema, budget) => requiredBump(recordOf(schema), other, budget)],
  ...[...formats].map(([name, format]): readonly [string, (schema: JsonObject, budget: Budget) => unknown] => [
    `writing it as ${name}`,
    (schema, budget) => format(recordOf(schema), 'x', budget),
  ]),
]

it.each(WORK)('the worst schema for %s that a climb finds is within its budget', (_, work) => {
  const { best, most } = climb(publishable, graft, (schema) => unitsOf((budget) => work(schema, budget)), 5)
  // What is taken last may be the whole of a list, or of a text
  expect(most).toBeLessThan(UNITS + MAX_CHARACTERS)
  expect(leastOf(() => unitsOf((budget) => work(best, budget)))).toBeLessThan(LONG_MS)
})

it('the worst schema to judge that a climb finds is within its budget', () => {
  const judge = (schema: JsonObject, budget: Budget) => checkSchema(schema, { references: 'local', budget })
  const { best, most } = climb(input, graft, (schema) => unitsOf((budget) => judge(schema, budget)), 6)
  expect(most).toBeLessThan(UNITS + MAX_CHARACTERS)
  expect(leastOf(() => unitsOf((budget) => judge(best, budget)))).toBeLessThan(LONG_MS)
})

it('the worst pattern that a climb finds takes no more than a pattern may', () => {
  const join: Cross<string> = (best, fresh, number) => {
    const at = Math.floor(number() * best.length)
    const joined = number() < 0.5 ? `(?:${best})|${fresh}` : best.slice(0, at) + fresh + best.slice(at)
    return joined.length > 400 ? best : joined
  }
  const { best, most } = climb(pattern, join, (each) => unitsOf((budget) => backtracking(each, budget)), 7)
  expect(most).toBeGreaterThan(1_000)
  expect(most).toBeLessThan(45_000)
  expect(leastOf(() => backtracking(best, createBudget()))).toBeLessThan(LONG_MS)
})
