import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkStorable } from '../../../src/core/publish/check-definition.ts'
import { canonicalJson } from '../../../src/core/tool/digest.ts'
import { type Json, jsonSize } from '../../../src/core/tool/json.ts'
import {
  anyObject,
  parseValue,
  integer,
  transform,
  array,
  map,
  object,
  optional,
  string,
  addProblem,
} from '../../../src/core/tool/json-reader.ts'
import { MAX_SOURCE_NODES, parseJson } from '../../../src/core/tool/json-text.ts'
import { canonicalText } from '../../../src/storage/sealing/fingerprint.ts'
import { climb, type Cross } from '../../climb.ts'
import { effortOf, MOST_EFFORT } from '../../effort.ts'

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const names = (count: number, prefix = 'k') =>
  Object.fromEntries(many(count, (index) => [`${prefix}${index * 7_919}`, 1]))
const LONG = 'n'.repeat(100_000)

describe('the problems of a document that no reader accepts', () => {
  const part = object({ a: integer(0, 1), b: string({ min: 1 }), c: optional(array(integer(0, 1))) })
  const reader = object({
    parts: optional(map(part)),
    items: optional(array(part)),
    any: optional(transform(anyObject, (_, report) => addProblem(report, 'Must not be', '/any'))),
  })
  /** So many problems, each with a few steps and words. */
  const MOST = 100 * 2_000
  const told = (document: Json) => {
    const read = parseValue(reader, document)
    if (!read.ok) expect(read.problems.length).toBeLessThanOrEqual(100)
    return read.ok ? 0 : JSON.stringify(read.problems).length
  }

  const name = fc.oneof(fc.constantFrom('a', 'b', 'c', 'parts', 'items', 'any', LONG), fc.string({ maxLength: 3 }))
  const value = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3, depthSize: 'small' },
      fc.constantFrom<Json[]>(null, 1, 'x', LONG),
      fc.array(tie('value'), { maxLength: 6 }),
      fc.dictionary(name, tie('value'), { maxKeys: 6 }),
    ),
  })).value
  const document = fc.record({ parts: fc.dictionary(name, value), items: fc.array(value), any: value })
  const grow: Cross<Json> = (best, fresh, number) => {
    if (number() < 0.5) return { ...Object(best), items: [...Object(best).items, ...Object(fresh).items].slice(0, 200) }
    return { ...Object(best), parts: { ...Object(best).parts, ...Object(fresh).parts } }
  }

  it('the problems of a document that no reader accepts are limited for the worst that a climb finds', () => {
    const { best, most } = climb<Json>(document, grow, told, 10)
    expect(most).toBeGreaterThan(1_000)
    expect(most).toBeLessThan(MOST)
    expect(effortOf(() => told(best))).toBeLessThan(MOST_EFFORT)
  })

  it.each<[string, Json]>([
    ['unknown fields', names(100_000)],
    ['items that are none', { items: many(100_000, () => 0) }],
    ['unknown fields below a long name', { parts: { [LONG]: names(50_000) } }],
    ['long names', { parts: Object.fromEntries(many(100, (index) => [`${LONG}${index}`, {}])) }],
    ['lists of what is wrong', { parts: { a: { a: 0, b: 'b', c: many(100_000, () => 'x') } } }],
  ])('the problems of a document that no reader accepts are limited: %s', (_, given) => {
    const most = told(given)
    expect(most).toBeGreaterThan(100)
    expect(most).toBeLessThan(MOST)
    expect(effortOf(() => told(given))).toBeLessThan(MOST_EFFORT)
  })

  it('the problems of a document that no reader accepts stop after a hundred', () => {
    const read = parseValue(array(part), [...many(100, () => 0), { a: 1 }, 'x'])
    expect(read.ok).toBe(false)
    expect(!read.ok && read.problems).toHaveLength(100)
  })
})

describe('the worst text to parse', () => {
  const MB = 1_000_000
  const read = (text: string) => parseJson(text, { maxParts: MAX_SOURCE_NODES })
  it.each([
    ['of nearly too many digits', `{"a": "${`${'9'.repeat(99)}a`.repeat(MB / 100)}"}`],
    ['of digits and exponents', `[${'1e99,'.repeat(MB / 5)}1]`],
    ['of escaped quotes', `{"a": "${'\\"'.repeat(MB / 2)}"}`],
    ['of escaped backslashes', `{"a": "${'\\\\'.repeat(MB / 2)}"}`],
    ['with escapes, which is looked through for a name', `{"a": [${'"\\u0061",'.repeat(MB / 20)}1]}`],
    ['of brackets that end at once', `[${'[],'.repeat(MB / 10)}1]`],
  ])('the worst text to parse %s takes time linear in its length', (_, text) => {
    expect(effortOf(() => expect(read(text).ok).toBe(true))).toBeLessThan(MOST_EFFORT)
  })

  it.each([
    ['of brackets', '['.repeat(4 * MB)],
    ['of a text without an end', `"${'a'.repeat(4 * MB)}`],
    ['of commas', `[${','.repeat(4 * MB)}`],
    ['that ends too early', `[${'1,'.repeat(MB / 10)}`],
  ])('the worst text to parse %s is refused as quickly', (_, text) => {
    expect(effortOf(() => expect(read(text).ok).toBe(false))).toBeLessThan(MOST_EFFORT)
  })
})

// As many parts as an input may have, and as large as a definition is
const wide = names(150_000)
const nested = many(128, () => 0).reduce<Json>(
  (inner) => ({ ...names(15), a: inner, [LONG.slice(0, 1_000)]: inner === null ? 1 : 2 }),
  null,
)
const alike = names(240, LONG.slice(0, 1_000))

it.each<[string, Json]>([
  ['deep', nested],
  ['of names that begin alike', alike],
  ['of short names', names(18_000)],
])('the worst value to sort is sorted for its hash within the time of a definition: %s', (_, value) => {
  expect(checkStorable(value, 'a definition', '')).toEqual([])
  expect(effortOf(() => canonicalJson(value))).toBeLessThan(MOST_EFFORT)
})

it('the worst value to sort is sorted for the idempotency store as quickly as an input may have parts', () => {
  // Others run beside the tests: 100 ms alone
  expect(effortOf(() => canonicalText(wide))).toBeLessThan(2 * MOST_EFFORT)
  expect(canonicalText({ b: [1, { d: null, c: '\ud800' }], a: 'x' })).toBe('{"a":"x","b":[1,{"c":"\\ud800","d":null}]}')
})

it('the worst value to sort is not sorted if it is too large', () => {
  const value = many(4_000_000, () => 1)
  expect(effortOf(() => expect(checkStorable(value, 'a definition', '/definition')).toHaveLength(1))).toBeLessThan(
    MOST_EFFORT,
  )
  expect(effortOf(() => jsonSize(value, 1_000))).toBeLessThan(MOST_EFFORT)
})
