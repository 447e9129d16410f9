import { expect, test } from 'vitest'
import { problemMessage, limitErrors } from '../../../src/core/schema/validation-messages.ts'

test.each<[string, unknown, string]>([
  ['type', 'array', 'Must be an array'],
  ['type', ['boolean'], 'Must be a boolean'],
  ['type', ['integer', 'null'], 'Must be an integer or null'],
  ['type', ['number', 'object', 'string'], 'Must be a number, an object or a string'],
  ['type', 'text', 'Must be text'],
  ['type', [], 'Must be of another type'],
  ['enum', ['a', 1, null, { b: true }], `Must be one of 'a', 1, null, {"b":true}`],
  ['enum', [], 'Must be one of '],
  ['const', 'a', "Must be 'a'"],
  ['const', [1], 'Must be [1]'],
  ['required', undefined, 'Is required'],
  ['dependentRequired', undefined, 'Is required'],
  ['dependencies', undefined, 'Is required'],
  ['additionalProperties', false, 'Is not a known parameter'],
  ['unevaluatedProperties', false, 'Is not a known parameter'],
  ['propertyNames', {}, 'Has a name that is not allowed'],
  ['items', false, 'Has more items than allowed'],
  ['additionalItems', false, 'Has more items than allowed'],
  ['unevaluatedItems', false, 'Has more items than allowed'],
  ['minimum', 1, 'Must be at least 1'],
  ['maximum', 1.5, 'Must be at most 1.5'],
  ['exclusiveMinimum', 0, 'Must be more than 0'],
  ['exclusiveMaximum', -1, 'Must be less than -1'],
  ['multipleOf', 0.1, 'Must be a multiple of 0.1'],
  ['minLength', 1, 'Must be at least 1 character long'],
  ['minLength', 2, 'Must be at least 2 characters long'],
  ['maxLength', 0, 'Must be at most 0 characters long'],
  ['pattern', '^a$', 'Must match the pattern ^a$'],
  ['minItems', 1, 'Must have at least 1 item'],
  ['maxItems', 2, 'Must have at most 2 items'],
  ['minProperties', 1, 'Must have at least 1 property'],
  ['minProperties', 2, 'Must have at least 2 properties'],
  ['maxProperties', 1, 'Must have at most 1 property'],
  ['maxProperties', 0, 'Must have at most 0 properties'],
  ['uniqueItems', true, 'Must not have the same item twice'],
  ['contains', {}, 'Must have the right number of items of the required form'],
  ['minContains', 2, 'Must have the right number of items of the required form'],
  ['maxContains', 2, 'Must have the right number of items of the required form'],
  ['anyOf', [], 'Must match one of the allowed forms'],
  ['oneOf', [], 'Must match exactly one of the allowed forms'],
  ['not', {}, 'Must not have the forbidden form'],
  ['format', 'email', 'Is not allowed'],
  ['toString', undefined, 'Is not allowed'],
])('%s %j has a message', (keyword, wanted, message) => expect(problemMessage(keyword, wanted)).toBe(message))

const text = (length: number) => 'a'.repeat(length)

test.each([
  ['pattern', text(200), `Must match the pattern ${text(200)}`],
  ['pattern', text(201), `Must match the pattern ${text(200)}...`],
  // With its quotes, and a comma and a space after each
  ['enum', [text(196), 'b'], `Must be one of '${text(196)}', ...`],
  ['enum', [text(96), text(96)], `Must be one of '${text(96)}', '${text(96)}'`],
  ['enum', [text(96), text(97)], `Must be one of '${text(96)}', ...`],
  ['enum', [text(300)], `Must be one of '${text(199)}...`],
  ['enum', [text(300), 'b'], `Must be one of '${text(199)}..., ...`],
  ['const', text(300), `Must be '${text(199)}...`],
])('long messages are truncated: %s', (keyword, wanted, message) =>
  expect(problemMessage(keyword, wanted)).toBe(message),
)

test('long messages are truncated: lists end after 200 characters', () => {
  const numbers = Array.from({ length: 100 }, (_, index) => 100 + index)
  expect(problemMessage('enum', numbers)).toBe(`Must be one of ${numbers.slice(0, 40).join(', ')}, ...`)
})

const found = (path: string, keyword: string, message = keyword) => ({ path, keyword, message })

test('reported problems: each once, by path and then by message', () => {
  const all = [found('/b', 'minimum'), found('/a', 'not'), found('/a', 'enum'), found('/b', 'minimum'), found('', 'x')]
  expect(limitErrors(all)).toEqual([
    { path: '', message: 'x' },
    { path: '/a', message: 'enum' },
    { path: '/a', message: 'not' },
    { path: '/b', message: 'minimum' },
  ])
  expect(limitErrors([])).toEqual([])
})

test('reported problems: the same message at two paths is two problems', () => {
  expect(limitErrors([found('/a', 'x'), found('/b', 'x')])).toHaveLength(2)
})

test('reported problems: for a value of the wrong type, nothing else', () => {
  const all = [found('/a', 'enum'), found('/a', 'type'), found('/a', 'type', 'other'), found('/a/b', 'enum')]
  expect(limitErrors(all).map(({ path, message }) => [path, message])).toEqual([
    ['/a', 'other'],
    ['/a', 'type'],
    ['/a/b', 'enum'],
  ])
})

test('reported problems: at most 100', () => {
  const all = Array.from({ length: 101 }, (_, index) => found(`/${100 + index}`, 'x'))
  const problems = limitErrors(all.toReversed())
  expect([problems.length, problems[0]?.path, problems[99]?.path]).toEqual([100, '/100', '/199'])
})
