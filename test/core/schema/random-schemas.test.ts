import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formats } from '../../../src/compose/dialects.ts'
import { checkSchema } from '../../../src/core/schema/publishable.ts'
import { compareDefinitions } from '../../../src/core/schema/change.ts'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import { createBudget, UNITS } from '../../../src/core/tool/budget.ts'
import { isObject, type Json, type JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { recordWith } from '../call/fakes.ts'

/** So many in CI, some ten seconds; `RANDOM_SCHEMAS=20000` takes some minutes, a million some hours. */
const RUNS = Number(process.env['RANDOM_SCHEMAS'] ?? 400)

const NAMES = ['a', 'b', 'c'] as const
const reference = fc.constantFrom(...NAMES.map((name) => ({ $ref: `#/$defs/${name}` })), { $ref: '#' })
const PATTERNS = ['^a+$', '(a|b)*c', '[0-9]{3,}', '\\p{L}+', 'a*b*a*']

/** Schemas of people who mean no good: parts that lead to each other, repeat each other and bound nothing. */
const { schema } = fc.letrec<{ schema: Json; many: Json[] }>((tie) => ({
  many: fc.array(fc.oneof(reference, tie('schema')), { minLength: 1, maxLength: 3 }),
  schema: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom<Json[]>(true, {}, { type: 'string' }, { type: ['integer', 'null'] }),
    reference,
    fc.record({ allOf: tie('many') }),
    fc.record({ anyOf: tie('many') }),
    fc.record({ not: tie('schema'), if: tie('schema') }),
    fc.record({ type: fc.constant('array'), uniqueItems: fc.boolean(), items: tie('schema'), contains: tie('schema') }),
    fc.record({ pattern: fc.constantFrom(...PATTERNS), minLength: fc.nat(), maxLength: fc.nat() }),
    fc.record({
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
      const: fc.jsonValue({ maxDepth: 1 }),
    }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(fc.constantFrom(...NAMES, 'toString', '$ref', ''), fc.oneof(reference, tie('schema'))),
      required: fc.uniqueArray(fc.constantFrom(...NAMES, 'toString'), { maxLength: 3 }),
      additionalProperties: tie('schema'),
    }),
    fc.record({
      unevaluatedProperties: tie('schema'),
      patternProperties: fc.dictionary(fc.constantFrom(...PATTERNS), tie('schema')),
    }),
  ),
}))
const document = fc
  .record({ root: schema, defs: fc.tuple(...NAMES.map(() => schema)) })
  .map(({ root, defs }): JsonObject => {
    const $defs = Object.fromEntries(NAMES.map((name, index) => [name, defs[index] ?? true]))
    return JSON.parse(JSON.stringify({ ...(isObject(root) ? root : {}), type: 'object', $defs }))
  })
const value = fc.oneof(
  fc.dictionary(fc.constantFrom(...NAMES, 'toString', '__proto__'), fc.jsonValue({ maxDepth: 2 }), { maxKeys: 4 }),
  fc.jsonValue({ maxDepth: 2 }),
)

/** What is left to hold: nothing throws, and nothing takes more than its budget and the last step over it. */
it(
  `${RUNS} schemas and values are judged, written, compared and checked within their budgets`,
  { timeout: 86_400_000 },
  () => {
    let publishable = 0
    let previous: ToolRecord | undefined
    const most = { units: 0 }
    fc.assert(
      fc.property(document, value, (input, given) => {
        const problems = checkSchema(input, { references: 'local' })
        if (problems.length > 0) return
        publishable += 1
        const record: ToolRecord = { ...recordWith({}), input, output: input }
        for (const format of formats.values()) {
          const budget = createBudget(UNITS)
          const written = format(record, record.name, budget)
          most.units = Math.max(most.units, budget.spent)
          if (!written.ok) expect(written.problems[0]?.message).toMatch(/^Takes too much work to write as/)
        }
        const checked = interpretSchema(input)(given)
        expect(Array.isArray(checked)).toBe(true)
        if (previous) compareDefinitions(previous, record)
        previous = record
      }),
      { numRuns: RUNS, seed: 11, interruptAfterTimeLimit: 86_000_000 },
    )
    expect(most.units).toBeLessThan(2 * UNITS)
    // Else it would be the refusals alone that are tried
    expect(publishable).toBeGreaterThan(RUNS / 20)
  },
)
