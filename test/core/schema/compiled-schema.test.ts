import { loadPatternEngine } from '../../../src/core/schema/pattern-matcher.ts'
import { expect, test } from 'vitest'
import { createCompiledValidator, isCheckedInLinearTime } from '../../../src/core/schema/validator.ts'
import { interpretSchema } from '../../../src/core/schema/validator.ts'
import { compileSchemas } from '../../../src/node/compile-schemas.ts'
import type { Problem } from '../../../src/core/tool/problem.ts'
import type { JsonSchema } from '../../../src/core/tool/tool.ts'
import { importCompiled } from './import-compiled.ts'

await loadPatternEngine({ pattern: '' })

type Row = readonly [name: string, schema: JsonSchema, value: unknown, problems: readonly (readonly [string, string])[]]

const person: JsonSchema = {
  type: 'object',
  properties: {
    name: { type: 'string', minLength: 2, maxLength: 5 },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    tags: {
      type: 'array',
      items: { type: 'string', pattern: '^[a-z]+$' },
      minItems: 1,
      maxItems: 2,
      uniqueItems: true,
    },
    address: { type: 'object', properties: { zip: { type: ['string', 'null'] } }, required: ['zip', 'city'] },
  },
  required: ['name'],
  additionalProperties: false,
}

const rows: readonly Row[] = [
  ['nothing wrong', person, { name: 'Ada', age: 36 }, []],
  ['a number', { type: 'number' }, '10', [['', 'Must be a number']]],
  ['a string or null', { type: ['string', 'null'] }, 5, [['', 'Must be a string or null']]],
  ['three types', { type: ['array', 'object', 'boolean'] }, 5, [['', 'Must be an array, an object or a boolean']]],
  ['an integer', { type: 'integer' }, 1.5, [['', 'Must be an integer']]],
  ['a type alone is told', { type: 'string', enum: ['a'], minimum: 7 }, 5, [['', 'Must be a string']]],
  ['required', person, {}, [['/name', 'Is required']]],
  [
    'what is undefined, as a tool may give it',
    { properties: { a: { type: 'string' }, b: {}, c: { type: 'string' } }, required: ['a', 'b'] },
    { a: undefined, b: undefined, c: undefined },
    [
      ['/a', 'Is required'],
      ['/b', 'Is required'],
    ],
  ],
  ['an unknown parameter', person, { name: 'Ada', 'a/b~c %#é': 1 }, [['/a~1b~0c %#é', 'Is not a known parameter']]],
  [
    'everything at once, by path',
    person,
    { name: 'A', age: -1, tags: ['a', 5, 'B'], address: { zip: 1 } },
    [
      ['/address/city', 'Is required'],
      ['/address/zip', 'Must be a string or null'],
      ['/age', 'Must be at least 0'],
      ['/name', 'Must be at least 2 characters long'],
      ['/tags', 'Must have at most 2 items'],
      ['/tags/1', 'Must be a string'],
      ['/tags/2', 'Must match the pattern ^[a-z]+$'],
    ],
  ],
  [
    'maximum',
    person,
    { name: 'Adalbert', age: 151, tags: [] },
    [
      ['/age', 'Must be at most 150'],
      ['/name', 'Must be at most 5 characters long'],
      ['/tags', 'Must have at least 1 item'],
    ],
  ],
  ['equal items', person, { name: 'Ada', tags: ['a', 'a'] }, [['/tags', 'Must not have the same item twice']]],
  ['enum', { enum: ['a', 'b', 1, null] }, 'c', [['', "Must be one of 'a', 'b', 1, null"]]],
  ['const', { const: { a: 1 } }, 'c', [['', 'Must be {"a":1}']]],
  [
    'exclusive bounds',
    { exclusiveMinimum: 3, exclusiveMaximum: 3 },
    3,
    [
      ['', 'Must be less than 3'],
      ['', 'Must be more than 3'],
    ],
  ],
  ['multipleOf', { multipleOf: 5 }, 3, [['', 'Must be a multiple of 5']]],
  [
    'counts of properties',
    { properties: { a: { maxProperties: 1 }, b: { minProperties: 2 } } },
    { a: { c: 1, d: 2 }, b: {} },
    [
      ['/a', 'Must have at most 1 property'],
      ['/b', 'Must have at least 2 properties'],
    ],
  ],
  [
    'additional properties with a schema',
    { additionalProperties: { type: 'number' } },
    { a: 'b' },
    [['/a', 'Must be a number']],
  ],
  [
    'pattern properties',
    { patternProperties: { '^x/%': { type: 'number' } } },
    { 'x/%': 'b' },
    [['/x~1%', 'Must be a number']],
  ],
  [
    'property names',
    { propertyNames: { maxLength: 2, pattern: '^a' } },
    { bcd: 1 },
    [['/bcd', 'Has a name that is not allowed']],
  ],
  [
    'a false property',
    { properties: { a: false, not: { type: 'string' } } },
    { a: 1, not: 2 },
    [
      ['/a', 'Is not allowed'],
      ['/not', 'Must be a string'],
    ],
  ],
  ['false', false, 1, [['', 'Is not allowed']]],
  [
    'surplus items',
    { prefixItems: [{ type: 'string' }], items: false },
    ['a', 'b', 'c'],
    [['', 'Has more items than allowed']],
  ],
  [
    'unevaluated properties',
    { properties: { a: true }, unevaluatedProperties: false },
    { a: 1, b: 2 },
    [['/b', 'Is not a known parameter']],
  ],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1 }, [['/b', 'Is required']]],
  ['dependentSchemas', { dependentSchemas: { a: { required: ['b'] } } }, { a: 1 }, [['/b', 'Is required']]],
  [
    'allOf',
    { allOf: [{ minimum: 5 }, { multipleOf: 2 }] },
    3,
    [
      ['', 'Must be a multiple of 2'],
      ['', 'Must be at least 5'],
    ],
  ],
  [
    'anyOf',
    { properties: { a: { anyOf: [{ type: 'string' }, { minimum: 2 }] }, b: { type: 'null' } } },
    { a: 1, b: 1 },
    [
      ['/a', 'Must match one of the allowed forms'],
      ['/b', 'Must be null'],
    ],
  ],
  [
    'anyOf of references',
    { anyOf: [{ $ref: '#/$defs/a' }], $defs: { a: { properties: { b: { type: 'null' }, c: { $ref: '#/$defs/a' } } } } },
    { c: { b: 1 } },
    [['', 'Must match one of the allowed forms']],
  ],
  [
    'references below anyOf beside other problems',
    {
      properties: { z: { type: 'null' }, y: { anyOf: [{ $ref: '#/$defs/a' }] } },
      maxLength: 1,
      $defs: { a: { type: 'string', properties: { c: { $ref: '#/$defs/a' } } } },
    },
    { z: 1, y: 5 },
    [
      ['/y', 'Must match one of the allowed forms'],
      ['/z', 'Must be null'],
    ],
  ],
  [
    'contains beside items',
    { items: { type: 'string' }, contains: { const: 'a' } },
    ['b', 1],
    [
      ['', 'Must have the right number of items of the required form'],
      ['/1', 'Must be a string'],
    ],
  ],
  ['oneOf', { oneOf: [{ minimum: 1 }, { minimum: 2 }] }, 3, [['', 'Must match exactly one of the allowed forms']]],
  ['not', { not: { type: 'number' } }, 3, [['', 'Must not have the forbidden form']]],
  // oxlint-disable-next-line unicorn/no-thenable -- the keyword of that name; nobody awaits a schema
  ['if and then', { if: { minimum: 1 }, then: { multipleOf: 2 }, else: false }, 3, [['', 'Must be a multiple of 2']]],
  [
    'contains',
    { contains: { type: 'string' }, minContains: 2 },
    [1, 'a'],
    [['', 'Must have the right number of items of the required form']],
  ],
  [
    'references',
    { items: { $ref: '#/$defs/a' }, $defs: { a: { type: 'string', maxLength: 1 } } },
    ['a', 'bc', 1],
    [
      ['/1', 'Must be at most 1 character long'],
      ['/2', 'Must be a string'],
    ],
  ],
  [
    'names with quotes and line breaks',
    { required: ['a"b\n".'], dependentRequired: { 'x" but does not have "y': ['z/"~'] }, additionalProperties: true },
    { 'x" but does not have "y': 1 },
    [
      ['/a"b\n".', 'Is required'],
      ['/z~1"~0', 'Is required'],
    ],
  ],
  ['dependencies of names', { dependencies: { a: ['b'], c: ['d'] } }, { a: 1 }, [['/b', 'Is required']]],
  [
    'surplus items that are not evaluated',
    { properties: { a: { prefixItems: [true], unevaluatedItems: false } } },
    { a: [1, 2, 3] },
    [['/a', 'Has more items than allowed']],
  ],
  ['a tuple that allows nothing at a place', { prefixItems: [true, false] }, [1, 2], [['/1', 'Is not allowed']]],
  [
    'schemas of every kind of keyword',
    {
      dependentSchemas: { d: { properties: { e: { $ref: '#/$defs/text' } } } },
      allOf: [true, { properties: { f: { prefixItems: [true, { $ref: '#/$defs/text' }] } } }],
      // oxlint-disable-next-line unicorn/no-thenable -- the keyword of that name; nobody awaits a schema
      then: { properties: { g: { unevaluatedItems: { $ref: '#/$defs/text' } } } },
      else: { properties: { h: { unevaluatedProperties: { $ref: '#/$defs/text' } } } },
      if: { required: ['g'] },
      $defs: { text: { type: 'string' } },
    },
    { d: 1, e: 1, f: ['a', 1], g: [1], h: { i: 1 } },
    [
      ['/e', 'Must be a string'],
      ['/f/1', 'Must be a string'],
      ['/g/0', 'Must be a string'],
    ],
  ],
  [
    'the other branch',
    {
      if: { required: ['g'] },
      else: { properties: { h: { unevaluatedProperties: { $ref: '#/$defs/text' } } } },
      $defs: { text: { type: 'string' } },
    },
    { h: { i: 1 } },
    [['/h/i', 'Must be a string']],
  ],
  [
    'oneOf of references, and what lies deeper',
    {
      properties: { a: { oneOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] }, b: { type: 'null' } },
      $defs: { a: { properties: { c: { type: 'null' } } }, b: { required: ['d'] } },
    },
    { a: { c: 1 }, b: 1 },
    [
      ['/a', 'Must match exactly one of the allowed forms'],
      ['/b', 'Must be null'],
    ],
  ],
  [
    'contains by reference, below and beside other problems',
    {
      properties: { a: { type: 'null' }, b: { contains: { $ref: '#/$defs/a' } } },
      $defs: { a: { properties: { c: { type: 'null' } }, required: ['c'] } },
    },
    { a: 1, b: [{ c: 1 }, 2] },
    [['/a', 'Must be null']],
  ],
  [
    'names of properties that a reference refuses, more than one',
    {
      properties: { p: { propertyNames: { $ref: '#/$defs/a' } } },
      patternProperties: { '^q/': { $ref: '#/$defs/a' } },
      $defs: { a: { maxLength: 1, pattern: '^a' } },
    },
    { 'p': { bc: 1, a: 1, de: 1 }, 'q/r': 'ab' },
    [
      ['/p/bc', 'Has a name that is not allowed'],
      ['/p/de', 'Has a name that is not allowed'],
      ['/q~1r', 'Must be at most 1 character long'],
    ],
  ],
  [
    'names of Object.prototype',
    { properties: { toString: { type: 'string' } }, required: ['constructor'], additionalProperties: false },
    JSON.parse('{"valueOf":1,"__proto__":2}'),
    [
      ['/__proto__', 'Is not a known parameter'],
      ['/constructor', 'Is required'],
      ['/valueOf', 'Is not a known parameter'],
    ],
  ],
]

test.each(rows)('both engines report the same: %s', async (_, schema, value, problems) => {
  const { one } = await importCompiled({ one: schema })
  const expected: Problem[] = problems.map(([path, message]) => ({ path, message }))
  expect(interpretSchema(schema)(value)).toEqual(expected)
  expect(createCompiledValidator(one!, schema)(value)).toEqual(expected)
})

test('a value that nests deeper than compiled code can check is reported, and other errors are thrown', () => {
  const failing = (error: Error) =>
    createCompiledValidator(() => {
      throw error
    }, true)
  expect(failing(new RangeError('stack'))(1)).toEqual([{ path: '', message: 'Must nest less deep to be checked' }])
  expect(() => failing(new TypeError('fault'))(1)).toThrow('fault')
})

test('at most 100 problems are reported', async () => {
  const schema = { items: { type: 'string' } }
  const { one } = await importCompiled({ one: schema })
  const value = Array.from({ length: 500 }, () => 1)
  expect(createCompiledValidator(one!, schema)(value)).toHaveLength(100)
  expect(interpretSchema(schema)(value)).toHaveLength(100)
})

test('a compiled module needs nothing at run time', async () => {
  const text = await compileSchemas({ a: { minLength: 3 }, b: { uniqueItems: true, const: { c: [1] } } })
  expect(text).not.toMatch(/^\s*import\s|\bnew Function\b|\beval\(/m)
  expect(text).not.toContain('ajv/dist/compile')
  expect(Object.keys(await importCompiled({ a: true, b: true }))).toEqual(['a', 'b'])
})

test('a schema that cannot be compiled is refused at build time', async () => {
  await expect(compileSchemas({ 'not-a-name': true })).rejects.toThrow('Cannot export a schema')
  await expect(compileSchemas({ a: { $ref: 'https://example.com/b' } })).rejects.toThrow("can't resolve reference")
  await expect(compileSchemas({ a: { $dynamicRef: '#' } })).rejects.toThrow("Cannot compile '$dynamicRef'")
})

test('schemas with the same $id do not interfere', async () => {
  const same = await importCompiled({ a: { $id: 'x:y', type: 'string' }, b: { $id: 'x:y', type: 'number' } })
  expect([same['a']!('s'), same['b']!('s')]).toEqual([true, false])
})

const $ref = (name: string) => ({ $ref: `#/$defs/${name}` })
/** Definitions that each contain the next eight times. */
const doubling = Object.fromEntries(
  Array.from({ length: 12 }, (_, level) => [
    `d${level}`,
    { anyOf: Array(8).fill(level === 11 ? true : $ref(`d${level + 1}`)) },
  ]),
)

test.each<[string, boolean, JsonSchema]>([
  ['what people write', true, { ...person, properties: { name: { type: 'string', pattern: '^[a-z]+$' } } }],
  ['references that lead on', true, { items: $ref('a'), $defs: { a: { type: 'string' } } }],
  ['names by a pattern', true, { patternProperties: { '^x-': { type: 'string' } } }],
  ['items that may be the same', true, { uniqueItems: false }],
  ['items that differ', false, person],
  ['items that differ, below an alternative', false, { anyOf: [{ not: { uniqueItems: true } }] }],
  ['a pattern that backtracks', false, { properties: { a: { pattern: 'a*b' } } }],
  ['names by such a pattern', false, { patternProperties: { '(a|b)*c': {} } }],
  ['what leads back to itself', false, { anyOf: [{ items: { $ref: '#' } }, { properties: { a: { $ref: '#' } } }] }],
  ['what repeats itself without end', false, { ...$ref('d0'), $defs: doubling }],
])('compiled code checks %s in linear time: %s', (_, expected, schema) => {
  expect(isCheckedInLinearTime(schema)).toBe(expected)
})

test('a value of more parts than the interpreter checks is not checked', async () => {
  const schema = { items: { type: 'string' } }
  const { one } = await importCompiled({ one: schema })
  const validate = createCompiledValidator(one!, schema)
  expect(validate(Array(149_999).fill('a'))).toEqual([])
  expect(validate({ a: Array(150_000).fill(1) })).toEqual([
    { path: '', message: 'Is too costly to check against its schema' },
  ])
})
