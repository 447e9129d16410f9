import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonSize } from '../../../src/core/tool/json.ts'

const MANY = 10_000_000
const written = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

it.each([
  null,
  true,
  false,
  0,
  -1.5e-7,
  '',
  'plain',
  'a "quote", a \\ and a /',
  '\u0000\b\t\n\u000b\f\r\u001f\u007f',
  'é€😀',
  [],
  [[]],
  [1, 'two', null],
  {},
  { 'a': 1, 'b"': [{}], 'é': '' },
  { absent: undefined, present: 1 },
])('the JSON size of %j is correct', (value) => expect(jsonSize(value, MANY)).toBe(written(value)))

it('the JSON size of any value is correct', () => {
  const anyJson = fc.jsonValue({ stringUnit: 'grapheme' })
  const isCounted = (value: unknown) => {
    expect(jsonSize(value, MANY)).toBe(written(value))
  }
  fc.assert(fc.property(anyJson, isCounted))
})

it('the JSON size of a value is counted only until it exceeds the limit', () => {
  let read = 0
  const text = () => {
    read += 1
    return 'a'.repeat(100)
  }
  const huge = Array.from({ length: 10_000 }, () => Object.defineProperty({}, 'text', { get: text, enumerable: true }))
  const size = jsonSize(huge, 1_000)
  expect(size).toBeGreaterThan(1_000)
  expect(size).toBeLessThan(2_000)
  expect(read).toBeLessThan(20)
  expect(jsonSize({ [`${'k'.repeat(5_000)}`]: huge }, 1_000)).toBeGreaterThan(1_000)
  expect(jsonSize('é'.repeat(900), 1_000)).toBeGreaterThan(1_000)
})
