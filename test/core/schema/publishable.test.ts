import { describe, expect, test } from 'vitest'
import { checkSchema } from '../../../src/core/schema/publishable.ts'

const local = { references: 'local' } as const
const none = { references: 'none' } as const

function paths(schema: unknown, options: typeof local | typeof none = local): string[] {
  return checkSchema(schema, options, '/input').map(({ path }) => path)
}

describe('schemas that are fine', () => {
  test.each<[string, unknown]>([
    ['anything', {}],
    ['true', true],
    ['unknown keywords', { 'x-anything': { type: 'nonsense' }, nullable: true }],
    [
      'keywords as property names',
      { properties: { type: { type: 'string' }, $ref: { type: 'string' }, required: true } },
    ],
    [
      'one of each',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        $id: 'https://example.com/a',
        type: ['string', 'null'],
        enum: ['a'],
        minLength: 0,
        multipleOf: 0.5,
        required: [],
        dependentRequired: { a: ['b'] },
      },
    ],
    [
      'an older draft',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        items: [{}],
        additionalItems: false,
        dependencies: { a: ['b'], c: {} },
      },
    ],
    [
      'recursion that goes into the value',
      {
        properties: { next: { $ref: '#' } },
        items: { $ref: '#list' },
        $defs: { list: { $anchor: 'list', items: { $ref: '#list' } } },
      },
    ],
    ['escaped pointers', { $ref: '#/$defs/a%20~1b', $defs: { 'a /b': true } }],
    ['one schema referred to twice', { allOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }], $defs: { a: {} } }],
  ])('%s', (_, schema) => {
    expect(checkSchema(schema, local)).toEqual([])
  })
})

describe('schemas that are refused', () => {
  test.each<[string, unknown, string[]]>([
    ['no schema', 5, ['']],
    ['no schema below', { properties: { a: 'string' }, items: null }, ['/properties/a', '/items']],
    [
      'types',
      { type: 'text', anyOf: [{ type: [] }, { type: ['string', 'string'] }] },
      ['/type', '/anyOf/0/type', '/anyOf/1/type'],
    ],
    [
      'maps',
      { properties: [], $defs: 5, dependentRequired: { a: 'b' } },
      ['/properties', '/$defs', '/dependentRequired'],
    ],
    ['lists', { allOf: {}, anyOf: [], enum: 'a', required: ['a', 'a'] }, ['/allOf', '/anyOf', '/enum', '/required']],
    [
      'numbers',
      { minimum: '1', exclusiveMaximum: true, minLength: -1, maxItems: 1.5, multipleOf: 0 },
      ['/minimum', '/exclusiveMaximum', '/minLength', '/maxItems', '/multipleOf'],
    ],
    ['lists of items', { items: [{}] }, ['/items']],
    ['dialects', { $schema: 'http://json-schema.org/draft-04/schema#' }, ['/$schema']],
    ['identifiers below', { properties: { a: { $id: 'b' } } }, ['/properties/a/$id']],
    ['old recursion', { $recursiveRef: '#' }, ['/$recursiveRef']],
    [
      'other documents',
      { items: { $ref: 'https://example.com/a.json' }, not: { $ref: 'a' } },
      ['/items/$ref', '/not/$ref'],
    ],
    [
      'nothing there',
      { $ref: '#/$defs/a', items: { $ref: '#b' }, not: { $dynamicRef: '#/properties' }, properties: {} },
      ['/$ref', '/items/$ref', '/not/$dynamicRef'],
    ],
    ['a reference into what is no schema', { $ref: '#/const', const: {} }, ['/$ref']],
    ['an anchor twice', { $anchor: 'a', items: { $anchor: 'a' } }, ['/items/$anchor']],
    ['circles', { $ref: '#' }, ['']],
    [
      'longer circles',
      {
        $defs: {
          a: { allOf: [{ $ref: '#/$defs/b' }] },
          b: { if: { $ref: '#/$defs/c' } },
          c: { dependentSchemas: { x: { $ref: '#/$defs/a' } } },
        },
      },
      ['/$defs/a'],
    ],
    [
      'patterns',
      { pattern: '(', properties: { 'a/b': { pattern: '^(a+)+$' } }, patternProperties: { '(x|x)*$': {} } },
      ['/pattern', '/patternProperties/(x|x)*$', '/properties/a~1b/pattern'],
    ],
    [
      'prototypes',
      { properties: JSON.parse('{"__proto__":{}}'), const: [JSON.parse('{"__proto__":1}')] },
      ['/properties/__proto__', '/const/0/__proto__'],
    ],
  ])('%s', (_, schema, expected) => {
    expect(paths(schema).toSorted()).toEqual(expected.map((path) => `/input${path}`).toSorted())
  })

  test('references where a format has none', () => {
    const schema = {
      $ref: '#/$defs/a',
      $defs: { a: {} },
      definitions: {},
      items: { $dynamicRef: '#' },
      not: { $recursiveRef: '#' },
    }
    const keywords = ['$ref', '$defs', 'definitions', 'items/$dynamicRef', 'not/$recursiveRef']
    expect(paths(schema, none)).toEqual(keywords.map((each) => `/input/${each}`))
    expect(paths({ properties: { $ref: {}, definitions: {} } }, none)).toEqual([])
  })

  test('what is wrong is said', () => {
    expect(checkSchema({ items: { $ref: 'https://example.com/a' } }, local)).toEqual([
      {
        path: '/items/$ref',
        message: 'Must begin with "#", since other documents are never fetched, got "https://example.com/a"',
      },
    ])
    expect(checkSchema({ pattern: 'a'.repeat(5000) }, local)).toEqual([
      { path: '/pattern', message: 'Must be at most 4096 characters long' },
    ])
  })
})

describe('bounds', () => {
  function nested(depth: number, keyword = 'not'): unknown {
    let schema: unknown = {}
    for (let level = 1; level < depth; level++) schema = { [keyword]: schema }
    return schema
  }

  test('32 schemas deep', () => {
    expect(paths(nested(32, 'items'))).toEqual([])
    expect(paths(nested(33, 'items'))).toEqual([`/input${'/items'.repeat(32)}`])
  })

  test('2,000 subschemas', () => {
    const properties = (count: number) => ({
      properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}])),
    })
    expect(paths(properties(1_999))).toEqual([])
    expect(paths(properties(2_000))).toEqual(['/input'])
  })

  test('deep values that are no schemas', () => {
    let value: unknown = 1
    for (let level = 0; level < 200; level++) value = [value]
    expect(paths({ const: value })).toHaveLength(1)
  })

  test('at most 100 problems', () => {
    expect(paths({ required: [1], allOf: Array.from({ length: 1000 }, () => 5) })).toHaveLength(100)
  })

  test.each<[string, () => unknown]>([
    ['deep', () => nested(37_000)],
    ['deep in no schema', () => ({ default: nested(37_000) })],
    ['wide', () => ({ properties: Object.fromEntries(Array.from({ length: 100_000 }, (_, i) => [`${i}`, 5])) })],
    [
      'wide in references',
      () => ({ allOf: Array.from({ length: 1_900 }, (_, i) => ({ $ref: `#/allOf/${(i + 1) % 1_900}` })) }),
    ],
    [
      'many patterns',
      () => ({ allOf: Array.from({ length: 1_900 }, (_, i) => ({ pattern: `^(?:${i}|[a-z]{1,99}){1,9}\\p{L}*$` })) }),
    ],
    [
      'many properties of characters',
      () => ({
        allOf: Array.from({ length: 1_900 }, (_, i) => ({ pattern: `[\\p{L}${i}]\\p{Lu}\\P{N}\\p{Script=Greek}` })),
      }),
    ],
    [
      'many names',
      () => ({ patternProperties: Object.fromEntries(Array.from({ length: 60_000 }, (_, i) => [`${i}+`, {}])) }),
    ],
    ['a long list of names', () => ({ required: Array.from({ length: 60_000 }, (_, i) => `${i}`) })],
  ])('a hostile document is judged: %s', (_, make) => {
    // No assertion on time: what is not bounded here takes minutes, or the stack.
    expect(checkSchema(make(), local).length).toBeLessThanOrEqual(100)
  })
})
