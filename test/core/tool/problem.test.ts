import fc from 'fast-check'
import { expect, it } from 'vitest'
import { encodePointerStep, parsePointer, groupByParameter } from '../../../src/core/tool/problem.ts'

it.each<[string | number, string]>([
  ['a', '/a'],
  [0, '/0'],
  ['', '/'],
  ['a/b', '/a~1b'],
  ['m~n', '/m~0n'],
  ['~1', '/~01'],
  ['//~~', '/~1~1~0~0'],
])('a JSON Pointer encodes the step %j as %j', (key, step) => expect(encodePointerStep(key)).toBe(step))

it.each<[string, readonly string[]]>([
  ['', []],
  ['/', ['']],
  ['/a', ['a']],
  ['/a/0//b', ['a', '0', '', 'b']],
  ['/a~1b/m~0n', ['a/b', 'm~n']],
  // RFC 6901, section 4: ~1 first, so that ~01 is ~1 and not /
  ['/~01', ['~1']],
  ['/~0~1~0~1', ['~/~/']],
])('a JSON Pointer %j is parsed into its steps', (pointer, steps) => expect(parsePointer(pointer)).toEqual(steps))

it.each(['a', 'a/b', '#/a', '/~', '/a~2', '/~/a', '/a~'])('a JSON Pointer may not be %j', (text) => {
  expect(parsePointer(text)).toBeUndefined()
})

it('a JSON Pointer can be parsed back into the steps from which it was built', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.string(), fc.constantFrom('~', '/', '~1', '~0/'))), (steps) => {
      expect(parsePointer(steps.map(encodePointerStep).join(''))).toEqual(steps)
    }),
  )
})

it('problems by parameter are grouped by the first step of their path, with the location below it', () => {
  expect(
    groupByParameter([
      { path: '/a', message: 'Is required' },
      { path: '/b/0/c~1d', message: 'Must be a string' },
      { path: '/b', message: 'Must be short' },
      { path: '', message: 'Must be an object' },
      { path: '/a~1b/x', message: 'Is odd' },
    ]),
  ).toEqual({
    'a': 'Is required',
    'b': "At '0.c/d': Must be a string; Must be short",
    '': 'Must be an object',
    'a/b': "At 'x': Is odd",
  })
})

it('problems by parameter are about the whole if the path is not a pointer', () => {
  expect(groupByParameter([{ path: 'a', message: 'Is odd' }])).toEqual({ '': 'Is odd' })
})

it('problems by parameter may be empty', () => expect(groupByParameter([])).toEqual({}))

it('problems by parameter may have a parameter named like a property of all objects', () => {
  const problems = groupByParameter([{ path: '/__proto__', message: 'Is odd' }])
  expect(Object.entries(problems)).toEqual([['__proto__', 'Is odd']])
})
