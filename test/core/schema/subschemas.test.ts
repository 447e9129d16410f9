import { expect, test } from 'vitest'
import { walkSubschemas, mapSubschemas, subschemas } from '../../../src/core/schema/subschemas.ts'

const MAPS = ['properties', 'patternProperties', '$defs', 'definitions', 'dependentSchemas', 'dependencies']
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems', 'items']
const ONES = [
  'items',
  'contains',
  'additionalProperties',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
  'unevaluatedItems',
  'unevaluatedProperties',
  'additionalItems',
  'contentSchema',
]

const paths = (schema: unknown) => [...subschemas(schema)].map(({ path }) => path)

test('every keyword that contains schemas is known', () => {
  for (const keyword of MAPS)
    expect(paths({ [keyword]: { 'a/b': {}, c: true } })).toEqual([`/${keyword}/a~1b`, `/${keyword}/c`])
  for (const keyword of LISTS) expect(paths({ [keyword]: [{}, true] })).toEqual([`/${keyword}/0`, `/${keyword}/1`])
  for (const keyword of ONES) expect(paths({ [keyword]: {} })).toEqual([`/${keyword}`])
})

test('only keywords contain schemas', () => {
  expect(paths({ const: { not: {} }, enum: [{}], default: {}, examples: [{}], 'x-other': {} })).toEqual([])
  expect(paths({ dependencies: { a: ['b'], c: {} } })).toEqual(['/dependencies/c'])
})

test('keywords of the wrong shape contain none', () => {
  for (const each of [null, 5, 'a', [{}], true]) expect(paths(each)).toEqual([])
  expect(paths({ properties: [{}], allOf: {}, not: [{}] })).toEqual([])
  expect(paths({ not: 5, allOf: ['a'] })).toEqual(['/not', '/allOf/0'])
})

test('keywords that apply to the same value are distinguished', () => {
  const schema = Object.fromEntries([
    ...MAPS.map((each) => [each, { a: {} }]),
    ...LISTS.map((each) => [each, [{}]]),
    ...ONES.map((each) => [each, {}]),
  ])
  const inPlace = [...subschemas(schema)].filter((each) => each.inPlace).map(({ keyword }) => keyword)
  expect(inPlace.toSorted()).toEqual([
    'allOf',
    'anyOf',
    'dependencies',
    'dependentSchemas',
    'else',
    'if',
    'not',
    'oneOf',
    'then',
  ])
})

test('a document is walked in order, parents first, down to a depth', () => {
  const schema = { properties: { a: { items: { not: {} } }, b: true }, allOf: [{}] }
  const all = [...walkSubschemas(schema, 3)].map(({ path, depth }) => [path, depth])
  expect(all).toEqual([
    ['', 1],
    ['/properties/a', 2],
    ['/properties/a/items', 3],
    ['/properties/b', 2],
    ['/allOf/0', 2],
  ])
  expect([...walkSubschemas(schema, Infinity)]).toHaveLength(6)
})

test('a copy has changed subschemas, everything else unchanged, and no prototype', () => {
  const schema = { properties: { a: {} }, items: [{}], not: {}, const: { not: {} }, dependencies: { a: ['b'], c: {} } }
  const copy = mapSubschemas(schema, (_, keyword) => keyword)
  expect({ ...copy }).toEqual({
    properties: { a: 'properties' },
    items: ['items'],
    not: 'not',
    const: { not: {} },
    dependencies: { a: ['b'], c: 'dependencies' },
  })
  expect(Object.getPrototypeOf(copy)).toBeNull()
  expect(Object.getPrototypeOf(copy['properties'])).toBeNull()
  expect(schema.properties.a).toEqual({})
})
