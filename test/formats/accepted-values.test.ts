import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkInput } from '../../src/core/call/input.ts'
import { interpretSchema } from '../../src/core/schema/validator.ts'
import { createBudget } from '../../src/core/tool/budget.ts'
import type { Loss } from '../../src/core/tool/codec.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject } from '../../src/core/tool/json.ts'
import { parsePointer, getAtPointer } from '../../src/core/tool/problem.ts'
import { anthropic } from '../../src/formats/anthropic.ts'
import { gemini } from '../../src/formats/gemini.ts'
import { openai, openaiStrict } from '../../src/formats/openai.ts'
import { openapi } from '../../src/formats/openapi.ts'
import { parametersOf, recordOf } from './records.ts'

/** The input alone, with references that lead within it. */
function inputOf(document: unknown): JsonObject {
  const { Input } = Object(document).components.schemas
  return JSON.parse(JSON.stringify(Input).replaceAll('#/components/schemas/Input', '#'))
}

const inputSchemaOf = (document: unknown): JsonObject => JSON.parse(JSON.stringify(parametersOf(document)))

const FORMS: readonly [string, typeof openai, (document: unknown) => JsonObject][] = [
  ['openai', openai, inputSchemaOf],
  ['openai-strict', openaiStrict, inputSchemaOf],
  ['anthropic', anthropic, inputSchemaOf],
  ['gemini', gemini, inputSchemaOf],
  ['openapi', openapi, inputOf],
]

/** Of losses after which a form takes nothing that the schema does not, but nulls. */
const NARROWER = [
  /^Is optional, and becomes required and nullable$/,
  /^Strict mode allows no other properties$/,
  /^Becomes 'nullable'$/,
  /^Becomes 'anyOf'/,
  /^Becomes 'enum'$/,
  /^A branch that is null becomes 'nullable'$/,
  /^Has one branch, which takes its place$/,
  /^Is merged into the schema around it$/,
  /^Is put in place$/,
  /^Is added/,
  /^Becomes '#/,
]

const NAMES = ['a', 'b', 'c.d', 'toString'] as const
const { schema } = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    fc.constantFrom<JsonObject[]>(
      { type: 'string' },
      { type: 'integer', minimum: 3 },
      { type: 'number' },
      { type: 'boolean' },
      { type: ['string', 'null'] },
      { type: ['integer', 'boolean'] },
      { type: 'string', enum: ['x', 'y'] },
      { const: 'x' },
      { $ref: '#/$defs/a' },
      { $ref: '#/$defs/b' },
    ),
    { weight: 3, arbitrary: fc.record({ type: fc.constant('array'), items: tie('schema') }) },
    { weight: 3, arbitrary: fc.record({ anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }) }) },
    fc.record({ allOf: fc.tuple(tie('schema')) }),
    { weight: 1, arbitrary: fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }) },
    fc
      .record({
        type: fc.constantFrom<Json[]>('object', ['object', 'null']),
        properties: fc.dictionary(fc.constantFrom(...NAMES), tie('schema'), { maxKeys: 4 }),
        required: fc.subarray([...NAMES]),
        closed: fc.constantFrom<JsonObject[]>({}, {}, {}, {}, { additionalProperties: false }),
      })
      .map(({ required, closed, ...given }) => ({
        ...given,
        ...closed,
        required: required.filter((name) => Object.hasOwn(given.properties, name)),
      })),
  ),
}))
const input = fc
  .record({ properties: fc.dictionary(fc.constantFrom(...NAMES), schema, { minKeys: 1 }), a: schema, b: schema })
  .map(({ properties, a, b }): JsonObject => ({ type: 'object', properties, $defs: { a, b } }))

const isNarrower = ({ path, reason }: Loss) =>
  !path.startsWith('/input') || path === '/input/$defs' || NARROWER.some((each) => each.test(reason))

/** A value of a schema as the providers write them; null where no short one could be found, which may not fit. */
function valueArbitrary(schema: Json, root: JsonObject, left = 12): fc.Arbitrary<Json> {
  if (!isJsonObject(schema) || left === 0) return fc.constantFrom<Json[]>(null, 'x', 5)
  const below = (each: Json) => valueArbitrary(each, root, left - 1)
  const { $ref, anyOf, allOf, nullable, type, properties, items, additionalProperties } = schema
  if (typeof $ref === 'string') {
    const target = getAtPointer(root, parsePointer(decodeURIComponent($ref.slice(1))) ?? [])
    return below(isJsonObject(target) ? target : {})
  }
  if (isJsonArray(allOf)) return below(allOf[0] ?? {})
  if (isJsonArray(anyOf)) return fc.constantFrom(...anyOf).chain(below)
  if (nullable === true) {
    const { nullable: _, ...rest } = schema
    return fc.oneof(fc.constant(null), below(rest))
  }
  if (isJsonArray(schema['enum'])) return fc.constantFrom(...schema['enum'])
  if ('const' in schema) return fc.constant(schema['const'] ?? null)
  if (isJsonArray(type)) return fc.constantFrom(...type).chain((each) => below({ ...schema, type: each }))
  switch (type) {
    case 'string':
      return fc.constantFrom('x', '')
    case 'integer':
    case 'number':
      return fc.nat(9)
    case 'boolean':
      return fc.boolean()
    case 'array':
      return fc.array(below(items ?? {}), { maxLength: 2 })
    case 'object': {
      const fields = Object.entries(isJsonObject(properties) ? properties : {})
      const required = isJsonArray(schema['required']) ? schema['required'].map(String) : []
      const others = isJsonObject(additionalProperties)
        ? fc.dictionary(fc.constant('z'), below(additionalProperties))
        : fc.constant({})
      const own = fc.record(Object.fromEntries(fields.map(([name, each]) => [name, below(each ?? {})])), {
        requiredKeys: required,
      })
      return fc.tuple(own, others).map(([one, other]): Json => ({ ...other, ...one }))
    }
    default:
      return fc.constant(null)
  }
}

/** As JSON Schema has it. */
function withoutNullable(schema: Json): Json {
  if (isJsonArray(schema)) return schema.map(withoutNullable)
  if (!isJsonObject(schema)) return schema
  const { nullable, ...rest } = Object.fromEntries(
    Object.entries(schema).map(([name, each]) => [name, each === undefined ? each : withoutNullable(each)]),
  )
  return nullable === true ? { anyOf: [rest, { type: 'null' }] } : rest
}

describe.each(FORMS)('the values that the form %s accepts', (name, write, schemaOf) => {
  it(`the values that the form ${name} accepts are accepted by a call, and reach the tool as its schema requires`, () => {
    let tried = 0
    fc.assert(
      fc.property(
        input.chain((made) => {
          const { document, losses } = write(recordOf(made), 'x', createBudget())
          const form = schemaOf(document)
          return fc.record({
            made: fc.constant(made),
            form: fc.constant(form),
            value: valueArbitrary(form, form),
            isNarrower: fc.constant(losses.every(isNarrower)),
          })
        }),
        ({ made, form, value, isNarrower }) => {
          const schema = withoutNullable(form)
          if (!isNarrower || !isJsonObject(schema) || !isJsonObject(value)) return
          if (interpretSchema(schema)(value).length > 0) return
          tried += 1
          const checked = checkInput(interpretSchema(made), value, createBudget(Infinity))
          expect(checked).toMatchObject({ ok: true })
          if (checked.ok) expect(interpretSchema(made)(checked.value)).toEqual([])
        },
      ),
      { numRuns: 400, seed: 18 },
    )
    expect(tried).toBeGreaterThan(20)
  })
})
