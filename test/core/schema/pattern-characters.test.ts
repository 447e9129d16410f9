import fc from 'fast-check'
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

/** Every general category, some scripts, and every property of characters that ECMAScript names. */
const PROPERTIES = (
  'L Lu Ll Lt LC Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Co Cn ' +
  'sc=Greek sc=Latin sc=Cyrillic sc=Han sc=Hangul sc=Tangut sc=Yi sc=Common sc=Inherited sc=Hiragana sc=Arabic ' +
  'scx=Greek scx=Latin scx=Han scx=Hangul scx=Common scx=Bopomofo scx=Yi scx=Devanagari scx=Cuneiform ' +
  'Alphabetic ASCII ASCII_Hex_Digit Assigned Bidi_Control Bidi_Mirrored Case_Ignorable Cased Changes_When_Casefolded ' +
  'Changes_When_Casemapped Changes_When_Lowercased Changes_When_NFKC_Casefolded Changes_When_Titlecased ' +
  'Changes_When_Uppercased Dash Default_Ignorable_Code_Point Deprecated Diacritic Emoji Emoji_Component Emoji_Modifier ' +
  'Emoji_Modifier_Base Emoji_Presentation Extended_Pictographic Extender Grapheme_Base Grapheme_Extend Hex_Digit ' +
  'IDS_Binary_Operator IDS_Trinary_Operator ID_Continue ID_Start Ideographic Join_Control Logical_Order_Exception ' +
  'Lowercase Math Noncharacter_Code_Point Pattern_Syntax Pattern_White_Space Quotation_Mark Radical Regional_Indicator ' +
  'Sentence_Terminal Soft_Dotted Terminal_Punctuation Unified_Ideograph Uppercase Variation_Selector White_Space ' +
  'XID_Continue XID_Start'
).split(' ')

/** Every character but the surrogates, and of the planes that hold few kinds where these begin and end. */
const RANGES: readonly (readonly [number, number])[] = [
  [0, 0xd7ff],
  [0xe000, 0x40010],
  [0x4fff0, 0x50010],
  [0xdfff0, 0xe1000],
  [0xefff0, 0xf0010],
  [0xffff0, 0x100010],
  [0x10fff0, 0x10ffff],
]

test('two properties share a character exactly where there is one that has both', () => {
  const characters = RANGES.flatMap(([first, last]) =>
    Array.from({ length: last - first + 1 }, (_, index) => String.fromCodePoint(first + index)),
  ).join('')
  const property = fc
    .tuple(fc.constantFrom('\\p', '\\P'), fc.constantFrom(...PROPERTIES))
    .map(([escape, name]) => `${escape}{${name}}`)
  fc.assert(
    fc.property(property, property, (one, other) => {
      const [a = 0n, b = 0n] = masksOf([one, other], free)
      expect((a & b) !== 0n).toBe(new RegExp(`(?=${one})${other}`, 'u').test(characters))
    }),
    { numRuns: 300, seed: 7 },
  )
})
