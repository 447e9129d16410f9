import { describe, expect, test } from 'vitest'
import { masksOf } from '../../../src/core/schema/pattern-characters.ts'

const free = () => {}

const SHARING: readonly (readonly [string, string])[] = [
  ['a', '[a-z]'],
  ['[a-m]', '[m-z]'],
  ['[^b]', '[a-c]'],
  ['.', '[^\\n]'],
  ['\\w', '[_]'],
  ['\\W', '\\s'],
  ['\\D', '[9:]'],
  ['\\u{1F600}', '[\\u{1F5FF}-\\u{1F601}]'],
  ['\\ud83d\\ude00', '\\u{1F600}'],
  ['[\\ud800-\\udbff]', '\\ud801'],
  ['[\\x41-\\x43]', '[\\u0043-\\u0045]'],
  ['[\\u{10}-\\u{20}]', '[\\x1f-\\x2f]'],
  ['[\\u{10fff0}-\\u{10ffff}]', '\\u{10ffff}'],
  ['[\\u{50000}-\\u{50010}]', '[\\u{5000f}-\\u{5001f}]'],
  ['\\p{Lu}', '\\p{L}'],
  ['\\p{Lu}', '\\p{Script=Cherokee}'],
  ['[^\\p{L}]', '\\p{N}'],
  ['\\P{L}', '\\p{Nd}'],
  ['[\\p{Lu}\\p{Nd}]', '\\p{Nl}'.replace('Nl', 'N')],
  ['\\p{Script=Han}', '\\p{Lo}'],
  ['\\p{Cs}', '[\\ud800-\\udfff]'],
  ['\\p{Co}', '[\\u{100000}-\\u{100010}]'],
  ['\\cA', '[\\0-\\t]'],
]

const APART: readonly (readonly [string, string])[] = [
  ['a', 'b'],
  ['[a-m]', '[n-z]'],
  ['[]', '[^]'],
  ['.', '[\\n\\r\\u2028\\u2029]'],
  ['\\d', '\\D'],
  ['\\w', '\\s'],
  ['\\S', '[\\t\\u3000\\ufeff]'],
  ['[\\x41-\\x43]', '[\\u0044-\\u0045]'],
  ['\\u{1F600}', '[\\ud83d\\u{1F601}]'],
  ['\\p{Lu}', '\\p{Ll}'],
  ['\\p{Lu}', '\\P{Lu}'],
  ['\\p{Script=Greek}', '\\p{Script=Cyrillic}'],
  ['\\p{Script=Han}', '\\p{Lu}'],
  ['[^\\p{L}]', '\\p{Lo}'],
  ['\\p{Cs}', '[^\\ud800-\\udfff]'],
  ['\\p{Co}', '\\p{Cn}'],
]

describe('two classes', () => {
  const share = (sources: readonly [string, string]): boolean => {
    const [a = 0n, b = 0n] = masksOf(sources, free)
    return (a & b) !== 0n
  }

  test.each(SHARING)('share a character: %s and %s', (...sources) => expect(share(sources)).toBe(true))

  test.each(APART)('share none: %s and %s', (...sources) => expect(share(sources)).toBe(false))
})

test('each class has a mask of its own, and every character is read by what reads all', () => {
  const [all = 0n, ...others] = masksOf(['[^]', 'a', '[ab]', '\\p{L}', '[]'], free)
  expect(others.every((mask) => (mask & all) === mask)).toBe(true)
  const [a = 0n, ab = 0n, letters = 0n, none = 0n] = others
  expect([a & ab, ab & letters, none]).toEqual([a, ab, 0n])
  expect(new Set([all, ...others]).size).toBe(5)
})

test('asking takes steps: for each class and character, and more for a property', () => {
  const taken = (...sources: string[]): number => {
    let steps = 0
    masksOf(sources, (more) => (steps += more))
    return steps
  }
  const one = taken('a')
  expect(one).toBeGreaterThan(60)
  // The character after each is asked about too
  expect(taken('a', 'b')).toBe(2 * (one + 1))
  expect(taken('a', 'c')).toBe(2 * (one + 2))
  expect(taken('\\p{Lu}')).toBeGreaterThan(30_000 + one)
  expect(taken('[\\p{Lu}\\P{N}]')).toBeGreaterThan(60_000)
})
