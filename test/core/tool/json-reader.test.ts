import { expect, it } from 'vitest'
import {
  anyObject,
  anyJson,
  boolean,
  parseValue,
  integer,
  transform,
  refine,
  array,
  map,
  nullish,
  object,
  enumReader,
  optional,
  custom,
  type Reader,
  readAt,
  string,
  stringMatching,
  unique,
  hideValue,
  addProblem,
} from '../../../src/core/tool/json-reader.ts'
import type { Problem } from '../../../src/core/tool/problem.ts'

const LETTERS = stringMatching('letters', /^[a-z]+$/)

function problemsOf(reader: Reader<unknown>, value: unknown): Record<string, string> {
  const read = parseValue(reader, value)
  return read.ok ? {} : Object.fromEntries(read.problems.map(({ path, message }) => [path, message]))
}
function valueOf<T>(reader: Reader<T>, value: unknown): T {
  const read = parseValue(reader, value)
  if (!read.ok) throw new Error(JSON.stringify(read.problems))
  return read.value
}

it.each<[string, Reader<unknown>, readonly unknown[]]>([
  ['a string', string(), ['', 'a', 'x'.repeat(256 * 1024)]],
  ['a string that is not empty', string({ min: 1 }), [' ']],
  ['a string of some length', string({ min: 1, max: 3 }), ['a', 'abc']],
  ['a string of at most a length', string({ max: 3 }), ['', 'abc']],
  ['a text of a pattern', LETTERS, ['a', 'abc']],
  ['a text of a predicate', stringMatching('an even text', ({ length }) => length % 2 === 0), ['', 'ab']],
  ['an integer', integer(-1, 2), [-1, 0, 1, 2]],
  ['a boolean', boolean, [true, false]],
  ['one of some words', enumReader(['a', 'b']), ['a', 'b']],
  ['any object', anyObject, [{}, { a: [null] }]],
  ['anything', anyJson, [null, undefined, 1, [], {}]],
  ['an array', array(LETTERS), [[], ['a', 'b', 'a']]],
  ['an array of some length', array(LETTERS, { min: 1, max: 2 }), [['a'], ['a', 'b']]],
  ['a map', map(LETTERS, 2), [{}, { a: 'b' }, { '': 'b', 'constructor': 'c' }]],
  ['an object', object({ a: LETTERS, b: optional(integer(0, 9)) }), [{ a: 'x' }, { a: 'x', b: 3 }]],
  ['what may be absent', optional(LETTERS), ['a', undefined]],
  ['what may be null', nullish(LETTERS), ['a', undefined]],
])('a reader returns %s unchanged', (_, reader, values) => {
  for (const value of values) expect(valueOf(reader, value)).toEqual(value)
})

it.each<[string, Reader<unknown>, unknown, string]>([
  ['of another type', string(), 5, 'Must be a string, got 5'],
  ['that is absent', string(), undefined, 'Is required'],
  ['that is null', string(), null, 'Must be a string, got null'],
  [
    'longer than a definition',
    string(),
    'x'.repeat(256 * 1024 + 1),
    'Must be a string, got a string of 262145 characters: the limit is 262144',
  ],
  ['that is empty', string({ min: 1 }), '', "Must be a string that is not empty, got ''"],
  ['too short', string({ min: 1, max: 3 }), '', "Must be a string of 1 to 3 characters, got ''"],
  ['too long', string({ max: 3 }), 'abcd', "Must be a string of at most 3 characters, got 'abcd'"],
  ['of no length at all', string({ min: 1, max: 3 }), 'abcd', "Must be a string of 1 to 3 characters, got 'abcd'"],
  ['of another pattern', LETTERS, 'A', "Must be letters, got 'A'"],
  ['that only prints like a string', LETTERS, ['a'], 'Must be letters, got an array of 1'],
  ['that fails a predicate', stringMatching('even', ({ length }) => length % 2 === 0), 'a', "Must be even, got 'a'"],
  ['below', integer(1, 3), 0, 'Must be an integer from 1 to 3, got 0'],
  ['above', integer(1, 3), 4, 'Must be an integer from 1 to 3, got 4'],
  ['between integers', integer(1, 3), 1.5, 'Must be an integer from 1 to 3, got 1.5'],
  ['like an integer', integer(1, 3), '2', "Must be an integer from 1 to 3, got '2'"],
  ['like a boolean', boolean, 'true', "Must be a boolean, got 'true'"],
  ['of no boolean', boolean, 0, 'Must be a boolean, got 0'],
  ['of another word', enumReader(['a', 'b']), 'c', "Must be one of 'a', 'b', got 'c'"],
  ['of another word than the one', enumReader(['a']), true, "Must be 'a', got true"],
  ['of no object', anyObject, [1, 2], 'Must be an object, got an array of 2'],
  ['of no array', array(LETTERS), { 0: 'a' }, 'Must be an array, got an object'],
  ['of too few items', array(LETTERS, { min: 1 }), [], 'Must be an array that is not empty, got an empty array'],
  [
    'of too many items',
    array(LETTERS, { max: 1 }),
    ['a', 'B'],
    'Must be an array of at most 1 items, got an array of 2',
  ],
  ['of no items', array(LETTERS, { min: 1, max: 9 }), [], 'Must be an array of 1 to 9 items, got an empty array'],
  ['of no map', map(LETTERS), [], 'Must be an object, got an empty array'],
  ['of too many fields', map(LETTERS, 1), { a: 'a', b: 'b' }, 'Must be an object of at most 1 fields, got an object'],
  ['of no fields', object({ a: LETTERS }), 'a', "Must be an object, got 'a'"],
  ['null, which is not absent', optional(LETTERS), null, 'Must be letters, got null'],
  ['wrong, though it might be null', nullish(LETTERS), 1, 'Must be letters, got 1'],
  ['that cannot be parsed', custom('a number', () => undefined), {}, 'Must be a number, got an object'],
  ['with a reason', refine(LETTERS, (letters) => (letters === 'no' ? 'Is refused' : undefined)), 'no', 'Is refused'],
])('a reader reports a value %s', (_, reader, value, message) => {
  expect(problemsOf(reader, value)).toEqual({ '': message })
})

it('a reader repeats only short values, without control characters', () => {
  expect(problemsOf(integer(0, 1), 'x'.repeat(40))).toEqual({
    '': `Must be an integer from 0 to 1, got '${'x'.repeat(40)}'`,
  })
  expect(problemsOf(integer(0, 1), 'x'.repeat(41))).toEqual({
    '': 'Must be an integer from 0 to 1, got a string of 41 characters',
  })
  expect(problemsOf(integer(0, 1), 'a\nb')).toEqual({
    '': 'Must be an integer from 0 to 1, got a string of 3 characters',
  })
})

it('a reader repeats no value that may be a secret, however deep', () => {
  const reader = hideValue(object({ a: array(integer(0, 1)), b: enumReader(['x']), c: anyObject, d: string() }))
  expect(problemsOf(reader, { a: ['hunter2', 12345, true], b: 'hunter2', c: null, d: ['hunter2'] })).toEqual({
    '/a/0': 'Must be an integer from 0 to 1, got a string',
    '/a/1': 'Must be an integer from 0 to 1, got a number',
    '/a/2': 'Must be an integer from 0 to 1, got a boolean',
    '/b': "Must be 'x', got a string",
    '/c': 'Must be an object, got null',
    '/d': 'Must be a string, got an array of 1',
  })
  expect(problemsOf(object({ a: hideValue(LETTERS), b: LETTERS }), { a: '1', b: '2' })).toEqual({
    '/a': 'Must be letters, got a string',
    '/b': "Must be letters, got '2'",
  })
})

it('a list reports each item with its location', () => {
  expect(problemsOf(array(LETTERS), ['A', 'a', 1])).toEqual({
    '/0': "Must be letters, got 'A'",
    '/2': 'Must be letters, got 1',
  })
})

it('a list may contain items that are absent elsewhere', () => {
  expect(valueOf(array(nullish(LETTERS)), ['a', null])).toEqual(['a', undefined])
})

it('a map reports each value with its key, and keys that are not allowed', () => {
  const reader = map(LETTERS, Infinity, (key) => (key === 'no' ? 'Must not be set' : undefined))
  expect(problemsOf(reader, { 'a/b~': 'A', 'b': 'b', 'no': 'A' })).toEqual({
    '/a~1b~0': "Must be letters, got 'A'",
    '/no': 'Must not be set',
  })
  expect(parseValue(reader, { a: 'A', b: 'b' })).toMatchObject({ ok: false })
  expect(parseValue(reader, { no: 'a' })).toMatchObject({ ok: false })
})

it('a map returns a key such as __proto__ as a plain key', () => {
  const read = valueOf(map(anyObject), JSON.parse('{"__proto__": {"admin": true}}'))
  expect(Object.keys(read)).toEqual(['__proto__'])
  expect(read).not.toHaveProperty('admin')
})

const PERSON = object({ name: LETTERS, age: optional(integer(0, 150)), pet: optional(LETTERS, 'cat') })

it('an object leaves out missing fields, and fills in defaults', () => {
  const read = valueOf(PERSON, { name: 'ann' })
  expect(read).toStrictEqual({ name: 'ann', pet: 'cat' })
  expect(valueOf(PERSON, { name: 'ann', age: 3, pet: 'dog' })).toStrictEqual({ name: 'ann', age: 3, pet: 'dog' })
})

it('an object has every problem reported in one pass, unknown fields first', () => {
  const read = parseValue(object({ person: PERSON, list: array(PERSON) }), {
    person: { 'age': 151, 'a/b': 1 },
    list: [{ name: 'bob' }, { name: 'B' }],
    constructor: 1,
  })
  expect(read).toEqual({
    ok: false,
    problems: [
      { path: '/constructor', message: "Unknown field 'constructor': wanted 'person', 'list'" },
      { path: '/person/a~1b', message: "Unknown field 'a/b': wanted 'name', 'age', 'pet'" },
      { path: '/person/name', message: 'Is required' },
      { path: '/person/age', message: 'Must be an integer from 0 to 150, got 151' },
      { path: '/list/1/name', message: "Must be letters, got 'B'" },
    ],
  })
})

it('an object is invalid because of an unknown field alone', () => {
  expect(parseValue(PERSON, { name: 'ann', nick: 1 })).toMatchObject({ ok: false, problems: [{ path: '/nick' }] })
  expect(parseValue(array(PERSON), [{ name: 'ann', nick: 1 }])).toMatchObject({ ok: false })
})

it('an object names only the start of a long field', () => {
  const [message] = Object.values(problemsOf(object({}), { ['x'.repeat(101)]: 1 }))
  expect(message).toBe(`Unknown field '${'x'.repeat(100)}': no fields are taken here`)
})

it('an object suggests the field most similar to an unknown one, ignoring case', () => {
  const reader = object({ name: optional(LETTERS), securityLevel: optional(LETTERS), q: optional(LETTERS) })
  for (const [tried, meant] of [
    ['nmae', 'name'],
    ['Name', 'name'],
    ['security_level', 'securityLevel'],
    ['Q', 'q'],
  ] as const) {
    const wanted = "wanted 'name', 'securityLevel', 'q'"
    expect(problemsOf(reader, { [tried]: 1 })).toEqual({
      [`/${tried}`]: `Unknown field '${tried}' (meant '${meant}'?): ${wanted}`,
    })
  }
  for (const far of ['more', 'x', 'n'.repeat(65), 'constructor']) {
    expect(Object.values(problemsOf(reader, { [far]: 1 }))).toEqual([expect.not.stringContaining('meant')])
  }
})

it('an object may have its own noun for fields, and its own suggestions', () => {
  const reader = object(
    { q: optional(LETTERS) },
    { fieldNoun: 'parameter', misnomers: { search: 'q', page: 'cursor' } },
  )
  expect(problemsOf(reader, { search: 1, page: 1 })).toEqual({
    '/search': "Unknown parameter 'search' (meant 'q'?): wanted 'q'",
    '/page': "Unknown parameter 'page': wanted 'q'",
  })
})

it('an object may ignore unknown fields, with or without a warning', () => {
  const read = { a: LETTERS }
  const warnings: Problem[] = []
  expect(parseValue(object(read, { unknown: 'ignore' }), { a: 'a', b: 1 }, warnings)).toEqual({
    ok: true,
    value: { a: 'a' },
  })
  expect(warnings).toEqual([])
  expect(parseValue(array(object(read, { unknown: 'warn' })), [{ a: 'a', b: 1 }], warnings)).toEqual({
    ok: true,
    value: [{ a: 'a' }],
  })
  expect(warnings).toEqual([{ path: '/0/b', message: "Unknown field 'b', which is ignored: wanted 'a'" }])
})

it('an object may name fields that are read elsewhere', () => {
  expect(problemsOf(object({ a: LETTERS }, { otherFields: ['from'] }), { a: 'a', b: 1 })).toEqual({
    '/b': "Unknown field 'b': wanted 'from', 'a'",
  })
})

it('an object may have a rule for several fields, as far as they were valid', () => {
  const RANGE = object(
    { least: integer(0, 9), most: integer(0, 9), name: optional(LETTERS) },
    {
      rule({ least, most }, report, source) {
        if (least !== undefined && most !== undefined && least > most) {
          addProblem(report, `Must be at least ${least}, got ${String(source.most)}`, '/most')
        }
      },
    },
  )
  expect(valueOf(RANGE, { least: 1, most: 2 })).toEqual({ least: 1, most: 2 })
  expect(problemsOf(object({ range: RANGE }), { range: { least: 3, most: 2, name: 'A' } })).toEqual({
    '/range/most': 'Must be at least 3, got 2',
    '/range/name': "Must be letters, got 'A'",
  })
  expect(parseValue(RANGE, { least: 3, most: 2 })).toMatchObject({ ok: false })
  expect(problemsOf(RANGE, { least: 3, most: 'x' })).toEqual({ '/most': "Must be an integer from 0 to 9, got 'x'" })
})

it('an optional value may have a default', () => {
  expect(valueOf(optional(LETTERS, 'x'), undefined)).toBe('x')
  expect(valueOf(nullish(LETTERS, 'x'), undefined)).toBe('x')
  expect(valueOf(nullish(LETTERS, 'x'), null)).toBe('x')
  expect(valueOf(nullish(LETTERS), null)).toBeUndefined()
  expect(valueOf(optional(LETTERS, 'x'), 'y')).toBe('y')
  expect(valueOf(nullish(LETTERS, 'x'), 'y')).toBe('y')
})

const LENGTH = transform(LETTERS, ({ length }, report) => (length > 3 ? addProblem(report, 'Is long') : length))

it('a transformed value is read first', () => {
  expect(valueOf(LENGTH, 'abc')).toBe(3)
  expect(problemsOf(LENGTH, 'abcd')).toEqual({ '': 'Is long' })
  expect(problemsOf(LENGTH, 'A')).toEqual({ '': "Must be letters, got 'A'" })
})

it('a transformed value is invalid if anything was reported, whatever is returned for it', () => {
  const read = parseValue((value, report) => {
    addProblem(report, 'Is wrong all the same')
    return value
  }, 1)
  expect(read).toEqual({ ok: false, problems: [{ path: '', message: 'Is wrong all the same' }] })
})

it('a refined value is checked, and unchanged', () => {
  expect(
    valueOf(
      refine(LETTERS, () => undefined),
      'a',
    ),
  ).toBe('a')
})

it('a part of a value is reported with its location, after earlier reports', () => {
  const reader: Reader<unknown> = (value, report) => {
    addProblem(report, 'First', '/before')
    report.warnings.push({ path: '/before', message: 'First' })
    return readAt(
      'a/b',
      (part, inner) => {
        inner.warnings.push({ path: '/c', message: 'Second' })
        return addProblem(inner, `Second: ${String(part)}`)
      },
      value,
      report,
    )
  }
  const warnings: Problem[] = []
  expect(parseValue(array(reader), [7], warnings)).toEqual({
    ok: false,
    problems: [
      { path: '/0/before', message: 'First' },
      { path: '/0/a~1b', message: 'Second: 7' },
    ],
  })
  expect(warnings).toEqual([
    { path: '/0/before', message: 'First' },
    { path: '/0/a~1b/c', message: 'Second' },
  ])
})

it('unique strings are unique within one list', () => {
  expect(problemsOf(array(unique(LETTERS)), ['a', 'b', 'a', 'A'])).toEqual({
    '/2': "Must be unique, got 'a' again",
    '/3': "Must be letters, got 'A'",
  })
  expect(valueOf(array(unique(string())), ['a', 'A'])).toEqual(['a', 'A'])
  expect(valueOf(array(LETTERS), ['a', 'a'])).toEqual(['a', 'a'])
})

it('unique strings may have to differ by more than case', () => {
  expect(problemsOf(array(unique(string(), true)), ['a', 'b', 'A'])).toEqual({
    '/2': "Must be unique, ignoring case, got 'A' again",
  })
  expect(problemsOf(hideValue(array(unique(string()))), ['a', 'a'])).toEqual({
    '/1': 'Must be unique, got a string again',
  })
})
