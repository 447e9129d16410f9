import { expect, test } from 'vitest'
import { measure } from '../../../src/core/schema/instance-size.ts'

const FREE = { degree: 1, maxLength: Infinity }

test.each<[unknown, number]>([
  [null, 0],
  [5, 0],
  ['a'.repeat(160), 10],
  [['a'.repeat(16), 'b'.repeat(32)], 2],
  [{}, 0],
  [{ a: 1, b: 2 }, 2],
  [[{ a: 1 }, { a: 1, b: 2, c: 3 }, { a: 1 }], 3],
  [[1, 2, 3, 4, 5], 0],
  [{ a: { b: { c: 1, d: 'e'.repeat(80) } } }, 5],
  [[[[['a'.repeat(48)]]]], 3],
])('the width of %j is %s', (value, width) =>
  expect(measure(value, FREE)).toMatchObject({ width, longNames: [], nameSteps: 0 }),
)

test('names longer than asked are found wherever they are', () => {
  const value = { 'abc': 1, 'abcd': { 'a/~b': [{ long1: 'x' }, ['long2']] }, 'list': ['long3'] }
  const { longNames } = measure(value, { degree: 1, maxLength: 3 })
  expect(longNames.toSorted()).toEqual(['/abcd', '/abcd/a~1~0b', '/abcd/a~1~0b/0/long1', '/list'])
  expect(measure(value, { degree: 1, maxLength: 5 }).longNames).toEqual([])
  expect(measure(value, { degree: 1, maxLength: 4 }).longNames).toEqual(['/abcd/a~1~0b/0/long1'])
})

test('names take steps by their lengths, as many as the worst object has', () => {
  const steps = (value: unknown, degree: number) => measure(value, { degree, maxLength: 100 }).nameSteps
  expect(steps({ ab: 1, abc: 1 }, 2)).toBe(13)
  expect(steps({ ab: 1, abc: 1 }, 3)).toBe(35)
  expect(steps([{ ab: 1 }, { abc: 1 }, { a: { abcd: 1 } }, ['abcdefghij']], 2)).toBe(16)
  expect(steps('abcdefghij', 2)).toBe(0)
})

test('a value may nest as deep as it likes', () => {
  let deep: unknown = 'a'.repeat(32)
  for (let depth = 0; depth < 50_000; depth++) deep = [deep]
  expect(measure(deep, FREE).width).toBe(2)
})
