import { expect, test } from 'vitest'
import { checkSchema } from '../../../src/core/schema/publishable.ts'
import { MAX_POINTER } from '../../../src/core/schema/subschemas.ts'

const local = { references: 'local' } as const
const none = { references: 'none' } as const

function paths(schema: unknown, options: typeof local | typeof none = local): string[] {
  return checkSchema(schema, options, '/input').map(({ path }) => path)
}

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
])('valid schemas: %s', (_, schema) => {
  expect(checkSchema(schema, local)).toEqual([])
})

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
    { pattern: '(', properties: { 'a/b': { pattern: '^(a)\\1$' } }, patternProperties: { '(?!x)': {} } },
    ['/pattern', '/patternProperties/(?!x)', '/properties/a~1b/pattern'],
  ],
  [
    'prototypes',
    { properties: JSON.parse('{"__proto__":{}}'), const: [JSON.parse('{"__proto__":1}')] },
    ['/properties/__proto__', '/const/0/__proto__'],
  ],
])('refused schemas: %s', (_, schema, expected) => {
  expect(paths(schema).toSorted()).toEqual(expected.map((path) => `/input${path}`).toSorted())
})

test('refused schemas: references in a format without references', () => {
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

test.each<[unknown, string, string]>([
  [5, '', 'Must be a schema: an object, true or false'],
  [{ items: null }, '/items', 'Must be a schema: an object, true or false'],
  [{ title: 5 }, '/title', 'Must be a string'],
  [{ deprecated: 'yes' }, '/deprecated', 'Must be true or false'],
  [{ minimum: NaN }, '/minimum', 'Must be a number'],
  [{ multipleOf: 0 }, '/multipleOf', 'Must be a number above 0'],
  [{ minLength: 1.5 }, '/minLength', 'Must be a whole number, 0 or more'],
  [{ enum: {} }, '/enum', 'Must be an array'],
  [{ properties: [] }, '/properties', 'Must be an object of schemas'],
  [{ allOf: [] }, '/allOf', 'Must be a non-empty array of schemas'],
  [{ required: ['a', 'a'] }, '/required', 'Must be an array of different strings'],
  [{ required: [5] }, '/required', 'Must be an array of different strings'],
  [{ required: 'a' }, '/required', 'Must be an array of different strings'],
  [{ dependentRequired: { a: [5] } }, '/dependentRequired', 'Must be an object of arrays of different strings'],
  [{ dependentRequired: [['a']] }, '/dependentRequired', 'Must be an object of arrays of different strings'],
  [{ dependencies: [] }, '/dependencies', 'Must be an object of schemas'],
  [{ dependencies: { a: ['b', 'b'], c: {} } }, '/dependencies', 'Must be an object of arrays of different strings'],
  [{ $anchor: '1' }, '/$anchor', 'Must begin with a letter or "_" and go on with letters, digits, "-", "_" and "."'],
  [
    { type: ['string', 'string'] },
    '/type',
    "Must be a type or an array of different types, out of 'array', 'boolean', 'integer', 'null', 'number', 'object', 'string'",
  ],
  [{ $recursiveRef: '#' }, '/$recursiveRef', "Must be written '$ref' in JSON Schema 2020-12"],
  [{ not: { $id: 'a' } }, '/not/$id', 'Must not be used below the root: references are read from the root'],
  [{ $schema: 'a' }, '/$schema', 'Must be "https://json-schema.org/draft/2020-12/schema" (or draft 2019-09 or 07)'],
  [{ items: [true] }, '/items', "Must be a schema: a list of schemas is 'prefixItems' in JSON Schema 2020-12"],
  [{ $ref: '#a' }, '/$ref', 'Must point to a schema of this document, got "#a"'],
  [{ $ref: '#/~2' }, '/$ref', 'Must point to a schema of this document, got "#/~2"'],
  [{ $ref: '#%' }, '/$ref', 'Must point to a schema of this document, got "#%"'],
  [{ $ref: 'a#' }, '/$ref', 'Must begin with "#", since other documents are never fetched, got "a#"'],
  [{ $ref: `#${'a'.repeat(79)}` }, '/$ref', `Must point to a schema of this document, got "#${'a'.repeat(79)}"`],
  [{ $ref: `#${'a'.repeat(80)}` }, '/$ref', `Must point to a schema of this document, got "#${'a'.repeat(79)}..."`],
  [{ $anchor: 'a', not: { $dynamicAnchor: 'a' } }, '/not/$dynamicAnchor', "Must be the only anchor 'a'"],
  [{ not: { $ref: '#/not' } }, '/not', 'Must not refer back to itself without going into the value'],
  [{ pattern: '(' }, '/pattern', 'Must be a regular expression of ECMAScript, valid with the flag "u"'],
  [
    { patternProperties: { '^(?=a)': true } },
    '/patternProperties/^(?=a)',
    "Must not look around with '(?=': patterns are matched in linear time",
  ],
  [JSON.parse('{"const":{"__proto__":1}}'), '/const/__proto__', "Must not be named '__proto__'"],
  [{ required: ['a', '__proto__'] }, '/required', "Must not name '__proto__', which nothing that is sent may hold"],
])('refused schemas: the problem is described: %j', (schema, path, message) => {
  expect(checkSchema(schema, local)).toEqual([{ path, message }])
})

test('refused schemas: the problem is described for a format without references', () => {
  const message = "Must not be used here: schemas of this format stand alone, without '$ref'"
  expect(checkSchema({ $ref: '#' }, none)).toEqual([{ path: '/$ref', message }])
  expect(checkSchema({ not: { $ref: '#/a' } }, none).map(({ path }) => path)).toEqual(['/not/$ref'])
})

test('refused schemas: the draft of a document is known by its URI, with or without an empty fragment', () => {
  const drafts = ['http://json-schema.org/draft-07/schema', 'https://json-schema.org/draft/2019-09/schema']
  for (const draft of drafts) {
    expect(paths({ $schema: draft, items: [true] })).toEqual([])
    expect(paths({ $schema: `${draft}#`, items: [true] })).toEqual([])
    expect(paths({ $schema: `${draft}#a` })).toEqual(['/input/$schema'])
    expect(paths({ $schema: `#${draft}` })).toEqual(['/input/$schema'])
  }
  const current = 'https://json-schema.org/draft/2020-12/schema'
  expect(paths({ $schema: current, items: [true] })).toEqual(['/input/items'])
})

test('refused schemas: references are resolved by pointer and by anchor, percent-encoded or not', () => {
  const $defs = { 'a b': { $anchor: 'b' }, 'ä/~': true }
  for (const $ref of ['#', '#/$defs/a b', '#/$defs/a%20b', '#b', '#%62', '#/$defs/ä~1~0', '#/$defs/%C3%A4~1~0']) {
    expect(checkSchema({ items: { $ref }, $defs }, local)).toEqual([])
  }
})

test('refused schemas: each circle is reported once, whatever leads into it', () => {
  const circle = (name: string) => ({ allOf: [{ $ref: `#/$defs/${name}` }] })
  const $defs = {
    a: circle('b'),
    b: circle('a'),
    c: circle('a'),
    d: { $ref: '#/$defs/d' },
    e: { items: circle('e') },
  }
  expect(paths({ $defs })).toEqual(['/input/$defs/a', '/input/$defs/d'])
  expect(paths({ allOf: [circle('a'), circle('c')], $defs })).toEqual(['/input/$defs/a', '/input/$defs/d'])
})

test('refused schemas: external references and other problems are described', () => {
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

function nested(depth: number, keyword = 'not'): unknown {
  let schema: unknown = {}
  for (let level = 1; level < depth; level++) schema = { [keyword]: schema }
  return schema
}

test('limits: 32 schemas deep', () => {
  expect(paths(nested(32, 'items'))).toEqual([])
  expect(paths(nested(33, 'items'))).toEqual([`/input${'/items'.repeat(32)}`])
  const path = '/items'.repeat(32)
  expect(checkSchema(nested(33, 'items'), local)).toEqual([{ path, message: 'Must not be more than 32 schemas deep' }])
})

test('limits: 2,000 subschemas', () => {
  const properties = (count: number) => ({
    properties: Object.fromEntries(Array.from({ length: count }, (_, i) => [`p${i}`, {}])),
  })
  expect(paths(properties(1_999))).toEqual([])
  expect(paths(properties(2_000))).toEqual(['/input'])
  expect(checkSchema(properties(2_000), local)).toEqual([{ path: '', message: 'Must have at most 2000 subschemas' }])
})

test('limits: patterns that take 100,000 units to prepare', () => {
  const anyOf = (count: number) => Array.from({ length: count }, (_, index) => ({ pattern: `^.{1,1000}a${index}$` }))
  expect(checkSchema({ anyOf: anyOf(45) }, local)).toEqual([])
  const message = 'Must be simpler: its patterns take too long to prepare'
  expect(checkSchema({ anyOf: anyOf(60) }, local)).toContainEqual({ path: '/anyOf/59/pattern', message })
  expect(checkSchema({ anyOf: Array(1_000).fill({ pattern: '^.{1,2048}$' }) }, local)).toEqual([])
})

test('limits: names of 4,000 characters above a schema', () => {
  const below = (name: string) => ({ properties: { [name]: { items: {} } } })
  const longest = 'n'.repeat(MAX_POINTER - '/properties//items'.length)
  expect(checkSchema(below(longest), local)).toEqual([])
  const path = `/properties/${longest}n/items`
  expect(checkSchema(below(`${longest}n`), local)).toEqual([
    { path: path.slice(0, MAX_POINTER), message: 'Must not lie below names of more than 4000 characters together' },
  ])
})

test('limits: deep values that are not schemas', () => {
  let value: unknown = 1
  for (let level = 0; level < 200; level++) value = [value]
  expect(paths({ const: value })).toHaveLength(1)
  const nestedLists = (depth: number): unknown => (depth === 0 ? null : [nestedLists(depth - 1)])
  expect(checkSchema({ const: nestedLists(127) }, local)).toEqual([])
  const path = `/const${'/0'.repeat(127)}`
  expect(checkSchema({ const: nestedLists(128) }, local)).toEqual([
    { path, message: 'Must not nest more than 128 arrays and objects' },
  ])
})

test('limits: at most 100 problems', () => {
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
  [
    'below a long name',
    () => {
      const below = Array.from({ length: 1_900 }, (_, i) => [`p${i}`, { $ref: '#/$defs/a' }])
      return { properties: { ['n'.repeat(200_000)]: { properties: Object.fromEntries(below) } }, $defs: { a: {} } }
    },
  ],
  ['a long list of names', () => ({ required: Array.from({ length: 60_000 }, (_, i) => `${i}`) })],
])('limits: a hostile document is checked: %s', (_, make) => {
  // No assertion on time: without the limits, this takes minutes or overflows the stack.
  expect(checkSchema(make(), local).length).toBeLessThanOrEqual(100)
})
