import { expect, it } from 'vitest'
import { clean, formatJsonText, formatStyledLine, toSingleLine } from '../../src/cli/terminal-text.ts'

const HOSTILE = 'a\x1b[31mb\x9b2Jc\x07\x7f\rd\u202ee\u2066f\u200e\u2028g'
const ACTED_ON = /(?![\n\t])\p{Cc}|[\u200e\u200f\u2028-\u202e\u2066-\u2069]/u

it('a text of others cannot control a terminal', () => {
  for (const text of [
    clean(HOSTILE),
    toSingleLine(HOSTILE, 200),
    formatStyledLine([['red', HOSTILE], HOSTILE], false),
  ]) {
    expect(text).not.toMatch(ACTED_ON)
  }
  expect(formatStyledLine([['red', '\x1b[0m']], true)).toBe('\x1b[31m\ufffd[0m\x1b[39m')
})

it('a text of others keeps its lines and printable characters', () => {
  expect(clean('Ünï\t👩‍💻\r\n日本')).toBe('Ünï\t👩‍💻\n日本')
})

it('a text of others cannot look like one of our lines', () => {
  const forged = 'x\n✓ 12 made\r\n\nError: open https://evil.test'
  expect(formatStyledLine([['red', '- '], forged], false)).toBe(
    '- x\n      ✓ 12 made\n\n      Error: open https://evil.test',
  )
  expect(formatStyledLine([['red', 'a\nb']], true)).toBe('\x1b[31ma\n      b\x1b[39m')
})

it('a text of others is unchanged as JSON', () => {
  expect(formatJsonText({ HOSTILE })).not.toMatch(ACTED_ON)
  expect(JSON.parse(formatJsonText({ HOSTILE }))).toEqual({ HOSTILE })
  expect(formatJsonText(undefined)).toBe('null')
})

it.each([
  ['a\n  b\tc', 10, 'a b c'],
  ['abcdef', 4, 'abc…'],
  ['abcdef', 0, '…'],
])('a text of others %j in %i characters is %j', (text, room, line) => expect(toSingleLine(text, room)).toBe(line))
