import { expect, it } from 'vitest'
import { formatToolId, isNamePart, isVersion, parseToolId, toolKey } from '../../../src/core/tool/tool-id.ts'

const LONG = 'x'.repeat(64)
const PARTS = ['a', 'Z', '0', '_', '-', 'Gmail', 'get-emails_2', LONG]
const NO_PARTS = ['', `${LONG}x`, 'a.b', 'a b', 'a@b', 'ä', 'a/b', 'a\n', '\na', 'a*', 'a:b']

it.each(PARTS)('a part of a name may be %j', (part) => expect(isNamePart(part)).toBe(true))
it.each(NO_PARTS)('a part of a name may not be %j', (part) => expect(isNamePart(part)).toBe(false))

/** The largest number that may be in one. */
const M = '9'.repeat(15)
it.each(['0.0.0', '1.2.3', '10.20.30', `${M}.${M}.${M}`, '1.0.10'])('a version may be %j', (version) => {
  expect(isVersion(version)).toBe(true)
})

it.each([
  '',
  '1',
  '1.2',
  '1.2.3.4',
  '01.2.3',
  '1.02.3',
  '1.2.03',
  '00.0.0',
  `1${M}.0.0`,
  `0.1${M}.0`,
  `0.0.1${M}`,
  '1.2.3-',
  '1.2.3-a..b',
  '1.2.3-01',
  '1.2.3+',
  '1.2.3+a+b',
  `1.2.3-${'a'.repeat(59)}`,
  'v1.2.3',
  ' 1.2.3',
  '1.2.3\n',
  '1.2.x',
  '-1.2.3',
  '1,2,3',
])('a version may not be %j', (version) => {
  expect(isVersion(version)).toBe(false)
})

it('an id has a toolkit and a tool, and may have a version range', () => {
  expect(parseToolId('Gmail.GetEmails')).toEqual({ toolkit: 'Gmail', tool: 'GetEmails' })
  expect(parseToolId('Gmail.GetEmails')).not.toHaveProperty('selector')
  expect(parseToolId('Gmail.GetEmails@1.2.3')).toEqual({ toolkit: 'Gmail', tool: 'GetEmails', range: '1.2.3' })
  expect(parseToolId('G.E@>=1 <2 || ^3 @x')).toEqual({ toolkit: 'G', tool: 'E', range: '>=1 <2 || ^3 @x' })
})

it.each(PARTS)('an id may have parts such as %j', (part) => {
  expect(parseToolId(`${part}.T`)).toEqual({ toolkit: part, tool: 'T' })
  expect(parseToolId(`K.${part}@1`)).toEqual({ toolkit: 'K', tool: part, range: '1' })
})

it.each(NO_PARTS.filter((part) => part !== 'a@b'))('an id may not have parts such as %j', (part) => {
  expect(parseToolId(`${part}.T`)).toBeUndefined()
  expect(parseToolId(`K.${part}`)).toBeUndefined()
  expect(parseToolId(`K.${part}@1.0.0`)).toBeUndefined()
})

it('an id has a version range of 1 to 128 printable ASCII characters', () => {
  expect(parseToolId(`K.T@${'1'.repeat(128)}`)).toMatchObject({ range: '1'.repeat(128) })
  expect(parseToolId('K.T@ ~')).toMatchObject({ range: ' ~' })
  for (const selector of ['', '1'.repeat(129), '\u001f', '\u007f', '1\n', 'ä']) {
    expect(parseToolId(`K.T@${selector}`), JSON.stringify(selector)).toBeUndefined()
  }
})

it.each(['', 'K', '.', 'K.', '.T', 'K.T.', 'K..T', 'A.B.C', '@1', 'K@1', ' K.T', 'K.T ', 'K.T\n'])(
  'an id may not be %j',
  (text) => expect(parseToolId(text)).toBeUndefined(),
)

it('an id keeps its case when it is formatted, and loses it in a key', () => {
  expect(formatToolId({ toolkit: 'Gmail', tool: 'GetEmails' })).toBe('Gmail.GetEmails')
  expect(formatToolId({ toolkit: 'Gmail', tool: 'GetEmails' }, '1.2.3')).toBe('Gmail.GetEmails@1.2.3')
  expect(formatToolId({ toolkit: 'K', tool: 'T' }, '')).toBe('K.T@')
  expect(toolKey({ toolkit: 'Gmail', tool: 'GetEmails' })).toBe('gmail.getemails')
})
