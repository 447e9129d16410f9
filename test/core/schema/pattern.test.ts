import fc from 'fast-check'
import { RE2JS } from 're2js'
import { expect, it, test } from 'vitest'
import { createBudget } from '../../../src/core/tool/budget.ts'
import {
  isSimplePattern,
  compileLinearPattern,
  MAX_PATTERN_LENGTH,
  MAX_WRITTEN_OUT,
} from '../../../src/core/schema/pattern.ts'
import { effortOf, MOST_EFFORT } from '../../effort.ts'

function compiled(pattern: string): RE2JS {
  const linear = compileLinearPattern(pattern)
  if (!linear.ok) throw new Error(JSON.stringify(linear.problems))
  return RE2JS.compile(linear.value.source)
}

const refusal = (pattern: string) => {
  const linear = compileLinearPattern(pattern)
  return linear.ok ? undefined : linear.problems
}

const stepsOf = (pattern: string) => {
  const linear = compileLinearPattern(pattern)
  return linear.ok ? linear.value.stepsPerCharacter : undefined
}

/** Patterns that RE2 and ECMAScript treat differently: texts that must match, and texts that must not. */
const DIFFERENT: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ['^\\s$', [' ', '\v', '\ufeff', '\u00a0', '\u2003', '\u2029', '\u3000'], ['\u0085', '\u180e', '\u200b', 'a']],
  ['^\\S$', ['\u0085', '\u180e', 'a', '😀'], [' ', '\v', '\ufeff', '\u2028']],
  ['^[^\\s]$', ['\u0085', 'a'], ['\v', '\ufeff']],
  ['^[\\S-]$', ['\u0085', '-'], ['\v', '\ufeff']],
  ['^.$', ['a', '😀', '\u0085', '\v', '\ud83d'], ['\n', '\r', '\u2028', '\u2029', 'ab']],
  ['a$', ['a', 'ba'], ['a\n', 'a\nb']],
  ['^a', ['ab'], ['\na', 'b\na']],
  ['^[^]$', ['\n', '😀', '\u2028'], ['', 'ab']],
  ['[]', [], ['', 'a', ']']],
  ['^[[:alpha:]$', [':', '[', 'p'], ['b', 'alpha']],
  ['^[a&&b]+$', ['a&b'], ['c']],
  ['^\\cA[\\cB-\\cD\\b]$', ['\x01\x03', '\x01\b'], ['cA', '\x01\x05']],
  ['^\\u0061\\x62\\u{1F600}\\ud83d\\ude00\\0$', ['ab😀😀\0'], ['ab']],
  ['^[\\ud83d\\ude00]$', ['😀'], ['\ud83d', '\ude00']],
  ['^\\ud83d$', ['\ud83d'], ['😀']],
  ['^[\\u{1F600}-\\u{1F64F}]+$', ['😀😎'], ['\ud83d', '🚀']],
  ['^\\p{Script=Greek}\\p{sc=Han}$', ['Ω中'], ['中Ω']],
  ['^\\p{Letter}\\p{gc=Nd}\\P{Lu}[^\\p{L}]$', ['a1b-', 'é٣.!'], ['a1B-', 'a1bb']],
  ['^(?<year>\\d{4})$', ['2026'], ['２０２６', '26']],
  ['^.{1,2048}$', ['a', 'a'.repeat(1_000), 'a'.repeat(2_048)], ['', 'a'.repeat(2_049), 'a\n']],
  ['^a{1500,}$', ['a'.repeat(1_500), 'a'.repeat(5_000)], ['a'.repeat(1_499)]],
  ['^(?:ab){1200,2400}$', ['ab'.repeat(1_200), 'ab'.repeat(2_400)], ['ab'.repeat(1_199), 'ab'.repeat(2_401)]],
  ['^a{2000}$', ['a'.repeat(2_000)], ['a'.repeat(1_999), 'a'.repeat(2_001)]],
]

test.each(DIFFERENT)('%s matches the same as in ECMAScript', (pattern, matching, others) => {
  const [linear, own] = [compiled(pattern), new RegExp(pattern, 'u')]
  for (const text of matching) expect([text, linear.test(text), own.test(text)]).toEqual([text, true, true])
  for (const text of others) expect([text, linear.test(text), own.test(text)]).toEqual([text, false, false])
})

const ATOMS =
  String.raw`a b 😀 [ab] [^a] . \w \W \d \D \s \S [^\s] [\s-] [a-] [-a] [] [^] \p{L} \P{L} [^\p{Lu}a] \x61 \ud83d
[\b] [[] \] \/ \v [\-.] (?:a|b) (a|ab) (?<n>a?) (|a)`.split(/\s/)
const QUANTIFIERS = ['', '', '', '*', '+', '?', '{2}', '{2,3}', '{0}', '{1,}', '*?', '{2,}?']
const piece = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.tuple(fc.constantFrom(...ATOMS), fc.constantFrom(...QUANTIFIERS)).map((two) => two.join('')),
  },
  { weight: 1, arbitrary: fc.constantFrom('^', '$', '\\b', '|') },
)
const pieces = fc.array(piece, { minLength: 1, maxLength: 5 }).map((all) => all.join(''))
const made = fc.oneof(
  pieces,
  fc.tuple(pieces, fc.constantFrom(...QUANTIFIERS), pieces).map(([one, often, other]) => `(?:${one})${often}${other}`),
)
const character = fc.constantFrom(...'abAé1_ \n\r\u2028\u00a0\ufeff\b\v./-[]', '😀', '\ud83d', '\ude00')

it('a random pattern matches the same strings as in ECMAScript', () => {
  fc.assert(
    fc.property(made, fc.array(character, { maxLength: 6 }), (pattern, characters) => {
      try {
        new RegExp(pattern, 'u')
      } catch {
        fc.pre(false)
      }
      const text = characters.join('')
      expect(compiled(pattern).test(text)).toBe(new RegExp(pattern, 'u').test(text))
    }),
    { numRuns: 2_000, seed: 1 },
  )
})

test.each<[string, string?]>([
  ...['(?=a)', '(?!a)', '(?<=a)', '(?<!a)'].map((each): [string, string] => [
    each,
    `Must not look around with '${each.slice(0, -2)}'`,
  ]),
  ['(a)\\1', "Must not refer back with '\\1'"],
  ['(?<n>a)\\k<n>', "Must not refer back with '\\k<n>'"],
  ['(?i:a)', 'Must not change flags within a pattern'],
  ['(?:a{100}b){11}', 'Must not repeat more than 1000 times by repetitions within each other'],
  ['(?:(?:a{2,}){26}){20}', 'Must not repeat more than 1000 times by repetitions within each other'],
  ['\\p{Script_Extensions=Greek}', "Must not use the property '\\p{Script_Extensions=Greek}'"],
  ['[\\P{sc=Grek}]', "Must not use the property '\\P{sc=Grek}'"],
  ['\\p{ID_Start}', "Must not use the property '\\p{ID_Start}'"],
  ['('.repeat(101) + ')'.repeat(101), 'Must not nest more than 100 groups'],
  ['a{5001}', `Must be at most ${MAX_WRITTEN_OUT} characters long with its repetitions written out`],
  ['(?:\\b\\b\\b\\b\\b\\b){1000}', `Must be at most ${MAX_WRITTEN_OUT} characters long`],
  ['(?:||||){100}'],
  ['a{99999999999}', `Must be at most ${MAX_WRITTEN_OUT} characters long`],
  ['a'.repeat(MAX_PATTERN_LENGTH + 1), 'Must be at most 4096 characters long'],
  ...['(', '[b-a]', 'a**', '\\p{Nothing}', '\\-'].map((each): [string, string] => [
    each,
    'Must be a regular expression of ECMAScript',
  ]),
])('refused patterns: %s', (pattern, message) => {
  expect(refusal(pattern)?.[0]?.message.slice(0, message?.length)).toBe(message)
})

test('refused patterns: all that RE2 refuses, and accepted ones are compiled within their units', () => {
  const long = [
    `${'a?'.repeat(2_048)}`,
    '(?:a?b){500}',
    `(?:${'\\p{L}'.repeat(30)}){9}`,
    '.{1,5000}',
    '|'.repeat(4_000),
  ]
  for (const pattern of [...long, '(?:a{2,}){500}', '(?:a{31}){32}', 'a{0,5000}', '(?:(?:(?:a|)|)|){1000}']) {
    expect(refusal(pattern)).toBeUndefined()
    expect(effortOf(() => compiled(pattern))).toBeLessThan(MOST_EFFORT)
  }
})

test('refused patterns: a spent budget is reported to its owner', () => {
  expect(compileLinearPattern('a{1000}', createBudget(2_100)).ok).toBe(true)
  expect(() => compileLinearPattern('a{1000}', createBudget(2_000))).toThrow('There is no budget left')
  expect(() => compileLinearPattern('\\p{L}', createBudget(100))).toThrow('There is no budget left')
})

const CATEGORIES =
  'L Lu Ll Lt LC Lm Lo M Mn Mc Me N Nd Nl No P Pc Pd Ps Pe Pi Pf Po S Sm Sc Sk So Z Zs Zl Zp C Cc Cf Cs Co Cn Any Emoji'
const SCRIPTS = 'Arabic Cham Cyrillic Devanagari Greek Han Hebrew Hiragana Kawi Latin Lisu Modi Nko Thai Toto Vai Yi'

test('categories and scripts contain the same characters as in ECMAScript', () => {
  const all = [...CATEGORIES.split(' '), ...SCRIPTS.split(' ').map((name) => `Script=${name}`)]
  const characters = [
    ...'aAǅʰª中\u0301\u0903\u20dd1٣Ⅷ²_-(){}«»!+$^©  \u2028\u2029\n\u200d\ue000\u0378αדกक',
    '\ud800',
    '😀',
  ]
  for (const name of all) {
    const [linear, own] = [compiled(`^\\p{${name}}$`), new RegExp(`^\\p{${name}}$`, 'u')]
    for (const each of characters) expect([name, each, linear.test(each)]).toEqual([name, each, own.test(each)])
  }
})

test.each([
  ['^[a-z]+$', 2],
  ['^.{1,2048}$', 2],
  ['.{1,2048}', 2_048],
  ['^(?:a{1,64}|b{1,64})$', 3],
  ['^a{1,64}b{1,64}$', 66],
  ['^(?:a{1,64}b){2}$', 131],
  ['^\\d{4}-\\d{2}-\\d{2}$', 5],
  ['', 1],
])('a character may be in this many states of %s: %s', (pattern, steps) => expect(stepsOf(pattern)).toBe(steps))

test.each([
  ['^[a-z]+$', true],
  ['^x-', true],
  ['abc', true],
  ['^[A-Z]{2}[0-9]{3,9}$', true],
  ['a*b', false],
  ['^a*a*$', false],
  ['^(?:a+)+$', false],
  ['^a|b', false],
  ['^(?=a)', false],
  ['(', false],
])('compiled code matches %s in linear time: %s', (pattern, expected) =>
  expect(isSimplePattern(pattern)).toBe(expected),
)
