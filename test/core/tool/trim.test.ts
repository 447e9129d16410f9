import { expect, it } from 'vitest'
import { trim, trimEnd } from '../../../src/core/tool/trim.ts'

it.each([
  ['__a_b__', 'a_b', '__a_b'],
  ['___', '', ''],
  ['', '', ''],
  ['a', 'a', 'a'],
  ['a_', 'a', 'a'],
])('the text %j is trimmed to %j, and to %j at its end only', (text, whole, end) => {
  expect(trim(text, '_')).toBe(whole)
  expect(trimEnd(text, '_')).toBe(end)
})

it('a trimmed text is read once, even if it is 4 MB of the character', () => {
  const text = `a${'_'.repeat(4 * 1024 * 1024)}b`
  expect(trim(text, '_')).toBe(text)
  expect(trim(text.slice(0, -1), '_')).toBe('a')
})
