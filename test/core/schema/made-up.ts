import fc from 'fast-check'
import { isObject, type Json, type JsonObject } from '../../../src/core/tool/json.ts'

const NAMES = ['a', 'b', 'c'] as const
/** Two of them nested exceed the limit for a schema's path. */
const LONG_NAME = 'n'.repeat(2_500)
const reference = fc.constantFrom(...NAMES.map((name) => ({ $ref: `#/$defs/${name}` })), { $ref: '#' })

const ATOMS = ['a', 'b', '[ab]', '[^a]', '.', '\\w', '\\p{L}', '(?:a|b)', '(a|ab)', '(?=a)', '(?<=b)', '\\1', '^', '$']
const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2,3}', '{3,}', '*?']
const piece = fc
  .tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...QUANTIFIERS))
  .map(([atom, quantifier]) => atom + quantifier)
const pieces = fc.array(piece, { minLength: 1, maxLength: 4 }).map((each) => each.join(''))

/** Patterns, some of which may not be published. */
export const pattern = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom('^a+$', '(a|b)*c', '[0-9]{3,}', 'a*b', 'a*b*a*') },
  { weight: 1, arbitrary: pieces },
  {
    weight: 1,
    arbitrary: fc
      .tuple(pieces, fc.constantFrom(...QUANTIFIERS))
      .map(([inner, quantifier]) => `(?:${inner})${quantifier}`),
  },
)

/** Hostile schemas: parts that refer to each other, repeat each other and limit nothing. */
const { schema } = fc.letrec<{ schema: Json; many: Json[] }>((tie) => ({
  many: fc.array(fc.oneof(reference, tie('schema')), { minLength: 1, maxLength: 3 }),
  schema: fc.oneof(
    { maxDepth: 2, depthSize: 'small' },
    fc.constantFrom<Json[]>(true, {}, { type: 'string' }, { type: ['integer', 'null'] }),
    reference,
    fc.record({ allOf: tie('many') }),
    fc.record({ anyOf: tie('many') }),
    fc.record({ oneOf: tie('many'), $ref: fc.constant('#/$defs/a') }, { requiredKeys: ['oneOf'] }),
    fc.record({ not: tie('schema'), if: tie('schema') }),
    fc.record({ type: fc.constant('array'), uniqueItems: fc.boolean(), items: tie('schema'), contains: tie('schema') }),
    fc.record({ pattern, minLength: fc.nat(), maxLength: fc.nat() }),
    fc.record({
      enum: fc.array(fc.jsonValue({ maxDepth: 1 }), { maxLength: 4 }),
      const: fc.jsonValue({ maxDepth: 1 }),
    }),
    fc.record({
      type: fc.constant('object'),
      properties: fc.dictionary(
        fc.constantFrom(...NAMES, 'toString', '$ref', '', LONG_NAME),
        fc.oneof(reference, tie('schema')),
      ),
      required: fc.uniqueArray(fc.constantFrom(...NAMES, 'toString'), { maxLength: 3 }),
      additionalProperties: tie('schema'),
    }),
    fc.record({
      unevaluatedProperties: tie('schema'),
      patternProperties: fc.dictionary(pattern, tie('schema'), { maxKeys: 2 }),
    }),
  ),
}))

/** A tool's input: a schema with three definitions, which all parts refer to. */
export const input = fc
  .record({ root: schema, defs: fc.tuple(...NAMES.map(() => schema)) })
  .map(({ root, defs }): JsonObject => {
    const $defs = Object.fromEntries(NAMES.map((name, index) => [name, defs[index] ?? true]))
    return JSON.parse(JSON.stringify({ ...(isObject(root) ? root : {}), type: 'object', $defs }))
  })

const wide = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b', 'ab'), fc.nat(5_000)).map(([text, times]): Json => text.repeat(times)),
  fc.tuple(fc.jsonValue({ maxDepth: 1 }), fc.nat(300)).map(([each, times]) => Array<typeof each>(times).fill(each)),
)

/** A value to validate with such inputs. */
export const value = fc.oneof(
  fc.dictionary(
    fc.constantFrom(...NAMES, 'toString', '__proto__', LONG_NAME),
    fc.oneof({ weight: 4, arbitrary: fc.jsonValue({ maxDepth: 2 }) }, { weight: 1, arbitrary: wide }),
    { maxKeys: 4 },
  ),
  fc.jsonValue({ maxDepth: 2 }),
)
