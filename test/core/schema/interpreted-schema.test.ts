import { createBudget, DEFAULT_UNITS } from '../../../src/core/tool/budget.ts'
import { loadPatternEngine } from '../../../src/core/schema/pattern-matcher.ts'
import { expect, test } from 'vitest'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import type { JsonSchema } from '../../../src/core/tool/tool.ts'

await loadPatternEngine({ pattern: '' })

const COSTLY = [{ path: '', message: 'Is too costly to check against its schema' }]

test('hostile schemas and values: references that fan out are stopped', () => {
  const levels = Array.from({ length: 40 }, (_, index) => `l${index}`)
  const $defs = Object.fromEntries(
    levels.map((name, index) => {
      const next = { $ref: `#/$defs/${levels[index + 1]}` }
      return [name, index + 1 < levels.length ? { allOf: [next, next] } : { type: 'string' }]
    }),
  )
  expect(interpretSchema({ $ref: '#/$defs/l0', $defs })('a')).toEqual(COSTLY)
})

test('hostile schemas and values: circular references and values that nest too deep are reported', () => {
  const [circle] = interpretSchema({ $ref: '#' })(1)
  expect(circle?.message).toMatch(/^Is too (deep or too large|costly) to check/)
  let deep: unknown = 1
  for (let depth = 0; depth < 100_000; depth++) deep = [deep]
  const message = 'Is too deep or too large to check against its schema'
  expect(interpretSchema({ items: { $ref: '#' } })(deep)).toEqual([{ path: '', message }])
})

test('hostile schemas and values: each validation has its own budget', () => {
  const validate = interpretSchema({ items: { type: 'number' } })
  const many = Array.from({ length: 150_000 }, (_, index) => index)
  expect([validate(many), validate(many), validate([1, 'a'])]).toEqual([
    [],
    [],
    [{ path: '/1', message: 'Must be a number' }],
  ])
  expect(validate([...many, ...many])).toEqual(COSTLY)
})

test('hostile schemas and values: a validation makes some 175,000 evaluations at most', () => {
  const many = (count: number) => Array.from({ length: count }, () => 1)
  const withItems = (items: JsonSchema) => interpretSchema({ items })
  expect(withItems({})(many(177_000))).toEqual([])
  expect(withItems({})(many(178_000))).toEqual(COSTLY)
})

test('hostile schemas and values: operations that take longer than a comparison cost more', () => {
  const names = Array.from({ length: 1_600 }, (_, index) => `n${index}`)
  const object = Object.fromEntries(names.map((name) => [name, 'a'.repeat(64)]))
  const costly: readonly (readonly [JsonSchema, unknown, number])[] = [
    [{ required: names }, object, 985],
    [{ dependentRequired: Object.fromEntries(names.map((name) => [name, []])) }, object, 985],
    [{ additionalProperties: true }, object, 985],
    [{ minProperties: 1 }, object, 985],
    [{ maxLength: 1_000_000 }, 'a'.repeat(100_000), 990],
    [{ multipleOf: 1 }, 1, 17_980],
    [{ enum: [[1]] }, object, 30],
    [{ not: { const: {} } }, object, 30],
    [{ uniqueItems: true }, Object.values(object), 23],
  ]
  for (const [items, item, most] of costly) {
    const validate = interpretSchema({ items })
    const many = (count: number) => Array.from({ length: count }, () => item)
    expect(validate(many(Math.floor(most * 0.9)))).not.toEqual(COSTLY)
    expect(validate(many(Math.ceil(most * 1.1)))).toEqual(COSTLY)
  }
})

test('hostile schemas and values: strings are matched in time linear in their length', () => {
  const ambiguous = interpretSchema({ properties: { a: { pattern: '^(a+)+b$' } } })
  expect(ambiguous({ a: 'aab' })).toEqual([])
  expect(ambiguous({ a: 'a'.repeat(100_000) })).toEqual([{ path: '/a', message: 'Must match the pattern ^(a+)+b$' }])
  expect(interpretSchema({ pattern: '^[a-z]+$' })('a'.repeat(990_000))).toEqual([])
  expect(interpretSchema({ pattern: '^[a-z]+$' })('a'.repeat(1_010_000))).toEqual(COSTLY)
  expect(interpretSchema({ not: { pattern: '^[a-z]+$' } })('a'.repeat(1_010_000))).toEqual(COSTLY)
})

test('hostile schemas and values: strings are matched as often as their lengths and patterns allow', () => {
  const validate = interpretSchema({ items: { pattern: '(?:a?){500}a{500}$' } })
  const texts = (count: number, length: number) => Array.from({ length: count }, () => 'a'.repeat(length))
  expect(validate(texts(1, 980))).toEqual([])
  expect(validate(texts(1, 1_000))).toEqual(COSTLY)
  expect(validate(texts(9, 110)).length).toBe(9)
  expect(validate(texts(10, 110))).toEqual(COSTLY)
  // With a fixed start, a counted character is in only one state
  expect(interpretSchema({ items: { pattern: '^.{1,2048}$' } })(texts(100, 2_048))).toEqual([])
  expect(interpretSchema({ pattern: '^.{1,2048}$' })('a'.repeat(2_049))).toHaveLength(1)
})

test('hostile schemas and values: property names are matched like strings', () => {
  const validate = interpretSchema({ patternProperties: { '^(a+)+b$': { type: 'string' } } })
  expect(validate({ aab: 1, aa: 1 })).toEqual([{ path: '/aab', message: 'Must be a string' }])
  expect(validate({ ['a'.repeat(100_000)]: 1 })).toEqual([])
  const costly = interpretSchema({ items: { patternProperties: { 'a{500}b{500}': true } } })
  expect(costly([{ ['a'.repeat(900)]: 1 }])).toEqual([])
  expect(costly([{ ['a'.repeat(900)]: 1 }, { ['a'.repeat(900)]: 1 }])).toEqual(COSTLY)
})

test('hostile schemas and values: a pattern matches again after RE2 dropped its states', () => {
  const validate = interpretSchema({ pattern: '[ab]*a[ab]{99}c' })
  const long = `${'ab'.repeat(700)}c`
  for (let times = 0; times < 5; times++) expect([validate(long), validate('abc').length]).toEqual([[], 1])
})

test('hostile schemas and values: a pattern that publication refuses matches nothing', () => {
  const refusal = [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  expect(interpretSchema({ pattern: '^(?=a)' })('a')).toEqual(refusal)
  expect(interpretSchema({ patternProperties: { '^(a)\\1$': true } })({})).toEqual(refusal)
})

test('hostile schemas and values: equal items are searched for in as many items as allowed', () => {
  const validate = interpretSchema({ uniqueItems: true })
  const numbers = Array.from({ length: 40_000 }, (_, index) => index)
  expect(validate(numbers)).toEqual([])
  expect(validate([...numbers, 7])).toEqual([{ path: '', message: 'Must not have the same item twice' }])
  expect(validate('no array')).toEqual([])
  expect(
    validate([
      { a: 1, b: [2] },
      { b: [2], a: 1 },
    ]),
  ).toHaveLength(1)
  expect(validate([1, '1', [1], { 1: 1 }, true, 'true', null, 'null', '\ud800', '\udc00'])).toEqual([])
  expect(validate([...numbers, ...numbers.map((each) => -each)])).toEqual(COSTLY)
})

test('hostile schemas and values: errors of a wide or deep value are read up to a limit', () => {
  const name = 'k'.repeat(100_000)
  const found = interpretSchema({ properties: { [name]: { items: { type: 'string' } } } })({
    [name]: Array.from({ length: 2_000 }, () => 1),
  })
  expect(found.length).toBeGreaterThan(0)
  expect(found.length).toBeLessThanOrEqual(100)
  const all = interpretSchema({ items: { type: 'string' } })(Array.from({ length: 50_000 }, () => 1))
  expect(all).toHaveLength(100)
})

test('hostile schemas and values: unusable schemas refuse everything', () => {
  const refusal = [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
  expect(interpretSchema({ pattern: '(' })('')).toEqual(refusal)
  expect(interpretSchema({ properties: { a: 5 } })({})).toEqual(refusal)
  expect(interpretSchema({ $ref: '#/$defs/none' })({})).toHaveLength(1)
  expect(interpretSchema({ $ref: 'http://[' })({})).toHaveLength(1)
})

test('hostile schemas and values: values that are not JSON are refused', () => {
  expect(interpretSchema({})(undefined)).toEqual([{ path: '', message: 'Cannot be checked against its schema' }])
  expect(interpretSchema({ additionalProperties: false })({ '\ud800': 1 })).toHaveLength(1)
})

test('common mistakes: format is an annotation', () => {
  expect(interpretSchema({ format: 'email' })('nobody')).toEqual([])
  expect(interpretSchema({ properties: { format: { type: 'string' } } })({ format: 1 })).toHaveLength(1)
})

test('common mistakes: names of Object.prototype are ordinary names', () => {
  const validate = interpretSchema({ required: ['toString', '__proto__'], unevaluatedProperties: false })
  expect(validate(JSON.parse('{"toString":1,"__proto__":1}')).map(({ message }) => message)).toEqual([
    'Is not a known parameter',
    'Is not a known parameter',
  ])
  expect(validate({}).map(({ path }) => path)).toEqual(['/__proto__', '/toString'])
})

test('common mistakes: the schema is not changed', () => {
  const schema = Object.freeze({
    $id: 'not a URI://',
    properties: Object.freeze({ a: Object.freeze({ $ref: '#' }) }),
  })
  expect(interpretSchema(schema)({ a: {} })).toEqual([])
  expect(Object.getOwnPropertyNames(schema)).toEqual(['$id', 'properties'])
})

test('common mistakes: $dynamicRef is a reference', () => {
  const schema = { $dynamicAnchor: 'node', properties: { next: { $dynamicRef: '#node' }, value: { type: 'number' } } }
  expect(interpretSchema(schema)({ next: { value: 'a' } })).toEqual([
    { path: '/next/value', message: 'Must be a number' },
  ])
})

test('common mistakes: $dynamicRef next to $ref is another reference', () => {
  const $defs = { a: { $dynamicAnchor: 'a', minimum: 5 }, b: { $anchor: 'b', maximum: 3 } }
  const validate = interpretSchema({ $ref: '#/$defs/b', $dynamicRef: '#a', $defs })
  expect(validate(4).map(({ message }) => message)).toEqual(['Must be at least 5', 'Must be at most 3'])
  const beside = interpretSchema({ $ref: '#b', $dynamicRef: '#a', allOf: [{ multipleOf: 10 }], $defs })
  expect(beside(4)).toHaveLength(3)
})

test('common mistakes: an anchor is kept next to a dynamic one', () => {
  const a = { $anchor: 'a', $dynamicAnchor: 'b', type: 'string' } as const
  expect(interpretSchema({ $ref: '#a', $defs: { a } })(1)).toHaveLength(1)
})

test('common mistakes: URIs are resolved where references use them', () => {
  const $id = 'https://example.com/root'
  const $defs = { text: { type: 'string' }, number: { $id: 'number', type: 'number' } } as const
  const told = (schema: object) => interpretSchema({ $id, $defs, ...schema })(true).map(({ message }) => message)
  expect(told({ $ref: '#/$defs/text' })).toEqual(['Must be a string'])
  expect(told({ $ref: 'https://example.com/root#/$defs/text' })).toEqual(['Must be a string'])
  expect(told({ $dynamicRef: 'https://example.com/root#/$defs/text' })).toEqual(['Must be a string'])
  expect(told({ $ref: 'number' })).toEqual(['Must be a number'])
  expect(told({ $ref: 'https://example.com/number' })).toEqual(['Must be a number'])
  const alone = (schema: object) => interpretSchema({ $id, ...schema })(true).map(({ message }) => message)
  const text = { text: { type: 'string' } }
  expect(alone({ $ref: 'https://example.com/root#/$defs/text', $defs: text })).toEqual(['Must be a string'])
  expect(alone({ $dynamicRef: 'root#/$defs/text', $defs: text })).toEqual(['Must be a string'])
  expect(alone({ not: false, allOf: [true, { $ref: 'root#/$defs/text' }], $defs: text })).toEqual(['Must be a string'])
  // Nothing refers to either, so neither needs to be one
  expect(interpretSchema({ $id: 'http://[', items: { $ref: '#/$defs/a' }, $defs: { a: true } })([1])).toEqual([])
})

test('common mistakes: older drafts write tuples as lists of items', () => {
  const schema = {
    items: [{ type: 'string' }, { $ref: '#/$defs/a' }],
    additionalItems: false,
    $defs: { a: { type: 'null' } },
  }
  const validate = interpretSchema(schema)
  expect(validate(['a', null])).toEqual([])
  expect(validate([1, 1, 1])).toEqual([
    { path: '', message: 'Has more items than allowed' },
    { path: '/0', message: 'Must be a string' },
    { path: '/1', message: 'Must be null' },
  ])
})

test('common mistakes: a keyword with the value undefined is absent', () => {
  expect(interpretSchema({ items: undefined, pattern: undefined, minLength: 1 })('')).toHaveLength(1)
})

test('common mistakes: patterns and unique items next to allOf are checked too', () => {
  const schema = { pattern: '^a*a*b$', allOf: [{ minLength: 3 }] }
  expect(interpretSchema(schema)('a').map(({ message }) => message)).toEqual([
    'Must be at least 3 characters long',
    'Must match the pattern ^a*a*b$',
  ])
  expect(interpretSchema({ uniqueItems: true, allOf: [{ minItems: 3 }] })([1, 1])).toEqual([
    { path: '', message: 'Must have at least 3 items' },
    { path: '', message: 'Must not have the same item twice' },
  ])
  expect(interpretSchema({ uniqueItems: false })([1, 1])).toEqual([])
})

test('common mistakes: the value is never repeated', () => {
  const secret = 'hunter2'
  const schema = { enum: ['a'], const: 'b', pattern: '^c', maxLength: 1, not: { minLength: 3 }, anyOf: [false] }
  expect(JSON.stringify(interpretSchema(schema)(secret))).not.toContain(secret)
})

test('all checks of one request share one budget', () => {
  const meter = createBudget(3 * DEFAULT_UNITS)
  const validate = interpretSchema({ items: { not: { enum: Array.from({ length: 100 }, (_, index) => index) } } })
  const value = Array.from({ length: 700 }, () => 'a')
  expect(validate(value, meter)).toEqual(validate(value))
  while (!meter.isExceeded) validate(value, meter)
  expect(validate(value, meter)).toEqual(COSTLY)
})
