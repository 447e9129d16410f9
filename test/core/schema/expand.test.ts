import { expect, it } from 'vitest'
import { expandSchema } from '../../../src/core/schema/expand.ts'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import type { JsonObject } from '../../../src/core/tool/json.ts'

const $ref = (name: string) => ({ $ref: `#/$defs/${name}` })
const BOUNDS = { schemas: 100, depth: 10, nesting: 20, characters: 1_000 }

it('a schema has its definitions inlined where they are referenced, with the keywords next to the reference', () => {
  const schema = {
    type: 'object',
    properties: { a: $ref('A'), list: { items: { ...$ref('A'), description: 'Another.' } } },
    $defs: { A: { type: 'array', items: $ref('B') }, B: { type: 'string' } },
  }
  expect(expandSchema(schema)).toEqual({
    schema: {
      type: 'object',
      properties: {
        a: { type: 'array', items: { type: 'string' } },
        list: { items: { type: 'array', items: { type: 'string' }, description: 'Another.' } },
      },
    },
    cut: [],
  })
})

it.each<[string, JsonObject, unknown]>([
  [
    'an anchor',
    { items: { $ref: '#A' }, $defs: { a: { $anchor: 'A', type: 'string' } } },
    { items: { type: 'string' } },
  ],
  ['a dynamic anchor', { $dynamicRef: '#A', $defs: { a: { $dynamicAnchor: 'A', type: 'null' } } }, { type: 'null' }],
  ['an older definition', { $ref: '#/definitions/a', definitions: { a: { type: 'null' } } }, { type: 'null' }],
  [
    'a property, and by a pointer with escapes',
    { properties: { 'a/b c': { type: 'null' }, d: { $ref: '#/properties/a~1b%20c' } } },
    { properties: { 'a/b c': { type: 'null' }, d: { type: 'null' } } },
  ],
  ['true', { items: $ref('A'), $defs: { A: true } }, { items: {} }],
  ['false', { items: $ref('A'), $defs: { A: false } }, { items: { allOf: [false] } }],
  [
    'the same type',
    { type: 'object', ...$ref('A'), $defs: { A: { type: 'object', minProperties: 1 } } },
    { type: 'object', minProperties: 1 },
  ],
  [
    'what judges beside it',
    { properties: { a: {} }, additionalProperties: false, ...$ref('A'), $defs: { A: { required: ['a'] } } },
    { properties: { a: {} }, additionalProperties: false, allOf: [{ required: ['a'] }] },
  ],
  [
    'further alternatives beside it',
    { allOf: [{ minimum: 1 }], ...$ref('A'), $defs: { A: { maximum: 3 } } },
    { allOf: [{ minimum: 1 }, { maximum: 3 }] },
  ],
  [
    'data that looks like one',
    { const: { $ref: '#' }, items: $ref('A'), $defs: { A: {} } },
    { const: { $ref: '#' }, items: {} },
  ],
])('a schema that refers to %s has that inlined', (_, schema, expected) => {
  expect(expandSchema(schema)).toEqual({ schema: expected, cut: [] })
})

const doubling = Object.fromEntries(
  Array.from({ length: 20 }, (_, index) => [`D${index}`, { anyOf: [$ref(`D${index + 1}`), $ref(`D${index + 1}`)] }]),
)
const deep = Object.fromEntries(
  Array.from({ length: 500 }, (_, index) => [`D${index}`, { items: $ref(`D${index + 1}`) }]),
)
it.each<[string, JsonObject, unknown, unknown]>([
  [
    'back to itself',
    { ...$ref('A'), $defs: { A: { type: 'array', items: $ref('A') } } },
    { type: 'array', items: {} },
    [{ path: '/$defs/A/items/$ref', why: 'recursive' }],
  ],
  [
    'to the whole',
    { type: 'array', items: { $ref: '#', title: 'T' } },
    { type: 'array', items: { title: 'T' } },
    [{ path: '/items/$ref', why: 'recursive' }],
  ],
  [
    'to one that leads to the other',
    { ...$ref('A'), $defs: { A: { items: $ref('B') }, B: { not: { items: $ref('A') } } } },
    { items: { not: { items: {} } } },
    [{ path: '/$defs/B/not/items/$ref', why: 'recursive' }],
  ],
  ['nowhere', { items: $ref('constructor'), $defs: {} }, { items: {} }, [{ path: '/items/$ref', why: 'unresolved' }]],
  ['by no text', { items: { $ref: 5 } }, { items: {} }, [{ path: '/items/$ref', why: 'unresolved' }]],
  ['elsewhere', { items: { $ref: 'https://x.example' } }, { items: {} }, [{ path: '/items/$ref', why: 'unresolved' }]],
  [
    'to what grows without end',
    { type: 'object', properties: { a: { ...$ref('D0'), title: 'T' } }, $defs: { ...doubling, D20: true } },
    { type: 'object', properties: { a: { title: 'T' } } },
    [{ path: '/properties/a/$ref', why: 'too large' }],
  ],
  [
    'too deep',
    { items: $ref('D0'), $defs: { ...deep, D500: {} } },
    { items: {} },
    [{ path: '/items/$ref', why: 'too large' }],
  ],
  [
    'to a text that is too long together',
    { prefixItems: Array.from({ length: 30 }, () => $ref('A')), $defs: { A: { const: 'x'.repeat(100) } } },
    { prefixItems: Array.from({ length: 30 }, () => ({})) },
    Array.from({ length: 30 }, (_, index) => ({ path: `/prefixItems/${index}/$ref`, why: 'too large' })),
  ],
  [
    'to data that nests too deep',
    { items: $ref('A'), $defs: { A: { const: JSON.parse('['.repeat(20) + ']'.repeat(20)) } } },
    { items: {} },
    [{ path: '/items/$ref', why: 'too large' }],
  ],
])('a schema that refers %s accepts anything there, and reports it', (_, schema, expected, cut) => {
  expect(expandSchema(schema, BOUNDS)).toEqual({ schema: expected, cut })
})

it.each<[string, JsonObject | boolean]>([
  ['without references', { type: 'string', properties: { $ref: {} }, default: { $ref: '#' } }],
  ['true', true],
  ['false', false],
])('a schema that is %s is returned itself', (_, schema) => {
  const expanded = expandSchema(schema)
  expect(expanded.schema).toBe(schema)
  expect(expanded.cut).toEqual([])
})

it('an expanded schema accepts the same values as before', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      a: { ...$ref('Named'), required: ['b'] },
      b: { ...$ref('Small'), minimum: 2 },
      c: { type: 'array', items: { ...$ref('Small'), description: 'One' } },
      d: { properties: { x: true }, unevaluatedProperties: false, ...$ref('Named') },
    },
    $defs: {
      Small: { type: 'integer', maximum: 5 },
      Named: { type: 'object', properties: { b: $ref('Small') }, additionalProperties: { type: 'string' } },
    },
  }
  const { schema: expanded, cut } = expandSchema(schema)
  expect(cut).toEqual([])
  expect(JSON.stringify(expanded)).not.toContain('$')
  const values = [1, 3, 9, 'x', null]
  const inner = [...values, ...values.flatMap((value) => [{ b: value }, { x: value, b: 1 }, { y: value }, [value]])]
  for (const name of ['a', 'b', 'c', 'd']) {
    for (const value of inner) {
      const isValid = (each: JsonObject | boolean) => interpretSchema(each)({ [name]: value }).length === 0
      expect(isValid(expanded), `${name}: ${JSON.stringify(value)}`).toBe(isValid(schema))
    }
  }
})
