import { describe, expect, test } from 'vitest'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import type { JsonSchema } from '../../../src/core/tool/tool.ts'

const COSTLY = [{ path: '', message: 'Is too costly to check against its schema' }]

describe('hostile schemas and values', () => {
  test('references that fan out are stopped', () => {
    const levels = Array.from({ length: 40 }, (_, index) => `l${index}`)
    const $defs = Object.fromEntries(
      levels.map((name, index) => {
        const next = { $ref: `#/$defs/${levels[index + 1]}` }
        return [name, index + 1 < levels.length ? { allOf: [next, next] } : { type: 'string' }]
      }),
    )
    expect(interpretSchema({ $ref: '#/$defs/l0', $defs })('a')).toEqual(COSTLY)
  })

  test('references in a circle and values that nest too deep are told', () => {
    const [circle] = interpretSchema({ $ref: '#' })(1)
    expect(circle?.message).toMatch(/^Is too (deep or too large|costly) to check/)
    let deep: unknown = 1
    for (let depth = 0; depth < 100_000; depth++) deep = [deep]
    const message = 'Is too deep or too large to check against its schema'
    expect(interpretSchema({ items: { $ref: '#' } })(deep)).toEqual([{ path: '', message }])
  })

  test('each validation has a budget of its own', () => {
    const validate = interpretSchema({ items: { type: 'number' } })
    const many = Array.from({ length: 150_000 }, (_, index) => index)
    expect([validate(many), validate(many), validate([1, 'a'])]).toEqual([
      [],
      [],
      [{ path: '/1', message: 'Must be a number' }],
    ])
    expect(validate([...many, ...many])).toEqual(COSTLY)
  })

  test('an evaluation is one of some 150,000, and more for a schema that is long in itself', () => {
    const many = (count: number) => Array.from({ length: count }, () => 1)
    const withItems = (items: JsonSchema) => interpretSchema({ items })
    expect(withItems({})(many(153_800))).toEqual([])
    expect(withItems({})(many(153_900))).toEqual(COSTLY)
    const names = Array.from({ length: 1_600 }, (_, index) => `n${index}`)
    const long: readonly (readonly [JsonSchema, number])[] = [
      [{ required: names }, 85],
      [{ properties: Object.fromEntries(names.map((name) => [name, true])) }, 765],
      [{ enum: [1, 'a'.repeat(25_580)] }, 383],
      [{ not: { const: 'a'.repeat(25_600) } }, 383],
      [{ multipleOf: 1 }, 17_094],
    ]
    for (const [items, most] of long) {
      expect(withItems(items)(many(Math.floor(most * 0.95)))).toEqual([])
      expect(withItems(items)(many(Math.ceil(most * 1.05)))).toEqual(COSTLY)
    }
  })

  test('wide values may be looked at less often', () => {
    const validate = interpretSchema({ allOf: Array.from({ length: 1500 }, () => ({ minimum: 0 })) })
    expect(validate('a'.repeat(10_000))).toEqual([])
    expect(validate('a'.repeat(4_000_000))).toEqual(COSTLY)
  })

  test('texts are matched against polynomial patterns up to a length', () => {
    const validate = interpretSchema({ properties: { a: { pattern: '^a*a*b$' } } })
    expect(validate({ a: 'aab' })).toEqual([])
    expect(validate({ a: 'aa' })).toEqual([{ path: '/a', message: 'Must match the pattern ^a*a*b$' }])
    expect(validate({ a: `${'a'.repeat(4471)}b` })).toEqual([])
    const message = 'Must be at most 4472 characters to be matched against the pattern'
    expect(validate({ a: 'a'.repeat(4473) })).toEqual([{ path: '/a', message }])
    expect(interpretSchema({ not: { pattern: '^a*a*b$' } })('a'.repeat(4473))).toEqual([{ path: '', message }])
  })

  test('texts are matched against polynomial patterns as often as their lengths allow', () => {
    const validate = interpretSchema({ items: { pattern: '^a*a*b$' } })
    const texts = (count: number, length: number) => Array.from({ length: count }, () => `${'a'.repeat(length - 1)}b`)
    expect(validate(texts(1, 4472))).toEqual([])
    expect(validate(texts(3, 4472))).toEqual(COSTLY)
    expect(validate(texts(30, 1118))).toEqual([])
    expect(validate(texts(34, 1118))).toEqual(COSTLY)
    expect(validate(texts(5_000, 69))).toEqual([])
    expect(validate(texts(7_000, 69))).toEqual(COSTLY)
    const several = Array.from({ length: 41 }, (_, index) => ({ pattern: `^a*a*b{1,${index + 1}}$` }))
    expect(interpretSchema({ allOf: several })(texts(1, 4472)[0])).toEqual(COSTLY)
    expect(interpretSchema({ allOf: several.slice(0, 20) })(texts(1, 1118)[0])).toEqual([])
  })

  test('texts of any length are matched against linear patterns', () => {
    expect(interpretSchema({ pattern: '^[a-z]+$' })('a'.repeat(100_000))).toEqual([])
  })

  test('names are matched against polynomial patterns up to a length', () => {
    const validate = interpretSchema({ patternProperties: { '^a*a*a*b$': { type: 'string' } } })
    expect(validate({ aab: 1 })).toEqual([{ path: '/aab', message: 'Must be a string' }])
    const name = 'a'.repeat(272)
    const message = 'Must have a name of at most 271 characters to be matched against the patterns'
    expect(validate({ [name]: 1 })).toEqual([{ path: `/${name}`, message }])
  })

  test('names are matched against polynomial patterns as often as their lengths allow', () => {
    const named = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`${1000 + at}`.padEnd(271, 'a'), 1]))
    const validate = interpretSchema({ patternProperties: { '^a*a*a*b$': { type: 'string' } } })
    expect(validate(named(2))).toEqual([])
    expect(validate(named(3))).toEqual(COSTLY)
    expect(validate([named(1), named(1), named(1)])).toEqual([])
    expect(interpretSchema({ items: { patternProperties: { '^a*a*a*b$': true } } })([named(1), named(1)])).toEqual([])
    expect(interpretSchema({ items: { patternProperties: { '^a*a*a*b$': true } } })([named(2), named(2)])).toEqual(
      COSTLY,
    )
    expect(interpretSchema({ patternProperties: { '^a*a*a*b$': true, '^a*a*a*c$': true } })(named(2))).toEqual(COSTLY)
    expect(interpretSchema({ patternProperties: { '^a*b$': true } })(named(200))).toEqual([])
    expect(interpretSchema({ patternProperties: { '^a*a*a*b$': true, '^x': true } })(named(2))).toEqual([])
  })

  test('a pattern that publication refuses matches nothing', () => {
    const refusal = [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
    expect(interpretSchema({ pattern: '^(a+)+$' })('a')).toEqual(refusal)
    expect(interpretSchema({ patternProperties: { '^(a+)+$': true } })({})).toEqual(refusal)
  })

  test('equal items are searched among 2,000', () => {
    const validate = interpretSchema({ uniqueItems: true })
    const message = 'Must have at most 2000 items to be searched for equal ones'
    expect(validate(Array.from({ length: 2000 }, (_, index) => index))).toEqual([])
    expect(validate(Array.from({ length: 2001 }, (_, index) => index))).toEqual([{ path: '', message }])
    expect(validate('no array')).toEqual([])
    expect(validate(Array.from({ length: 2001 }, () => 1))).toEqual([{ path: '', message }])
    const numbers = Array.from({ length: 2000 }, (_, index) => index)
    expect(interpretSchema({ items: { uniqueItems: true } })(Array.from({ length: 41 }, () => numbers))).toEqual(COSTLY)
  })

  test('equal items are searched for as long as comparing all that is in them allows', () => {
    const validate = interpretSchema({ uniqueItems: true })
    const lists = (count: number, length: number) =>
      Array.from({ length: count }, (_, index) => [...Array.from({ length }, () => 0), index])
    expect(validate(lists(100, 500))).toEqual([])
    expect(validate(lists(200, 500))).toEqual(COSTLY)
    const objects = (count: number) => Array.from({ length: count }, (_, index) => ({ a: 1, b: 2, c: index }))
    expect(validate(objects(700))).toEqual([])
    expect(validate(objects(900))).toEqual(COSTLY)
    // Small lists cost little beside a large one that may hold what it likes
    const small = interpretSchema({ properties: { a: { items: { uniqueItems: true } } } })
    expect(small({ a: Array.from({ length: 1_000 }, () => [1, 2, 3]), b: lists(2_000, 2) })).toEqual([])
  })

  test('what is found in a wide or deep value is looked through up to a bound', () => {
    const name = 'k'.repeat(100_000)
    const found = interpretSchema({ properties: { [name]: { items: { type: 'string' } } } })({
      [name]: Array.from({ length: 2_000 }, () => 1),
    })
    expect(found.length).toBeGreaterThan(0)
    expect(found.length).toBeLessThanOrEqual(100)
    const all = interpretSchema({ items: { type: 'string' } })(Array.from({ length: 50_000 }, () => 1))
    expect(all).toHaveLength(100)
  })

  test('schemas that cannot be used refuse everything', () => {
    const refusal = [{ path: '', message: 'Cannot be checked, since the schema cannot be used' }]
    expect(interpretSchema({ pattern: '(' })('')).toEqual(refusal)
    expect(interpretSchema({ properties: { a: 5 } })({})).toEqual(refusal)
    expect(interpretSchema({ $ref: '#/$defs/none' })({})).toHaveLength(1)
    expect(interpretSchema({ $ref: 'http://[' })({})).toHaveLength(1)
  })

  test('values that are no JSON are refused', () => {
    expect(interpretSchema({})(undefined)).toEqual([{ path: '', message: 'Cannot be checked against its schema' }])
    expect(interpretSchema({ additionalProperties: false })({ '\ud800': 1 })).toHaveLength(1)
  })
})

describe('what the library would get wrong', () => {
  test('format is an annotation', () => {
    expect(interpretSchema({ format: 'email' })('nobody')).toEqual([])
    expect(interpretSchema({ properties: { format: { type: 'string' } } })({ format: 1 })).toHaveLength(1)
  })

  test('names of Object.prototype are names like others', () => {
    const validate = interpretSchema({ required: ['toString', '__proto__'], unevaluatedProperties: false })
    expect(validate(JSON.parse('{"toString":1,"__proto__":1}')).map(({ message }) => message)).toEqual([
      'Is not a known parameter',
      'Is not a known parameter',
    ])
    expect(validate({}).map(({ path }) => path)).toEqual(['/__proto__', '/toString'])
  })

  test('the schema stays as it was', () => {
    const schema = Object.freeze({
      $id: 'not a URI://',
      properties: Object.freeze({ a: Object.freeze({ $ref: '#' }) }),
    })
    expect(interpretSchema(schema)({ a: {} })).toEqual([])
    expect(Object.getOwnPropertyNames(schema)).toEqual(['$id', 'properties'])
  })

  test('$dynamicRef is a reference', () => {
    const schema = { $dynamicAnchor: 'node', properties: { next: { $dynamicRef: '#node' }, value: { type: 'number' } } }
    expect(interpretSchema(schema)({ next: { value: 'a' } })).toEqual([
      { path: '/next/value', message: 'Must be a number' },
    ])
  })

  test('$dynamicRef beside $ref is one more reference', () => {
    const $defs = { a: { $dynamicAnchor: 'a', minimum: 5 }, b: { $anchor: 'b', maximum: 3 } }
    const validate = interpretSchema({ $ref: '#/$defs/b', $dynamicRef: '#a', $defs })
    expect(validate(4).map(({ message }) => message)).toEqual(['Must be at least 5', 'Must be at most 3'])
    const beside = interpretSchema({ $ref: '#b', $dynamicRef: '#a', allOf: [{ multipleOf: 10 }], $defs })
    expect(beside(4)).toHaveLength(3)
  })

  test('an anchor of its own is kept beside a dynamic one', () => {
    const a = { $anchor: 'a', $dynamicAnchor: 'b', type: 'string' } as const
    expect(interpretSchema({ $ref: '#a', $defs: { a } })(1)).toHaveLength(1)
  })

  test('URIs are understood where references use them', () => {
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
    expect(alone({ not: false, allOf: [true, { $ref: 'root#/$defs/text' }], $defs: text })).toEqual([
      'Must be a string',
    ])
    // Nothing refers to either, so neither needs to be one
    expect(interpretSchema({ $id: 'http://[', items: { $ref: '#/$defs/a' }, $defs: { a: true } })([1])).toEqual([])
  })

  test('older drafts write tuples as lists of items', () => {
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

  test('a keyword without a value is none', () => {
    expect(interpretSchema({ items: undefined, pattern: undefined, minLength: 1 })('')).toHaveLength(1)
  })

  test('patterns and unique items beside allOf are asked for too', () => {
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

  test('the value is never repeated', () => {
    const secret = 'hunter2'
    const schema = { enum: ['a'], const: 'b', pattern: '^c', maxLength: 1, not: { minLength: 3 }, anyOf: [false] }
    expect(JSON.stringify(interpretSchema(schema)(secret))).not.toContain(secret)
  })
})
