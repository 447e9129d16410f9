import { describe, expect, test } from 'vitest'
import {
  parsePattern,
  type Part,
  repetitionOf,
  searched,
  tokensOf,
  withoutEnd,
} from '../../../src/core/schema/pattern-syntax.ts'

const parse = (pattern: string): Part => parsePattern(tokensOf(pattern))

const character = (source: string): Part => ({ kind: 'character', source, size: 1, isSure: true })
const nothing: Part = { kind: 'sequence', parts: [], size: 0, isSure: true }

describe('tokens', () => {
  test.each<[string, string[]]>([
    ['', []],
    ['ab', ['a', 'b']],
    ['😀é', ['😀', 'é']],
    [
      '(?:a)(?=b)(?!c)(?<=d)(?<!e)(?<name>f)(g)',
      '(?: a ) (?= b ) (?! c ) (?<= d ) (?<! e ) (?<name> f ) ( g )'.split(' '),
    ],
    ['a*b+?c?d{2}e{2,}f{2,3}?', 'a * b +? c ? d {2} e {2,} f {2,3}?'.split(' ')],
    ['[a-z][^\\]\\\\][][^]', ['[a-z]', '[^\\]\\\\]', '[]', '[^]']],
    ['\\d\\p{L}\\P{Lu}\\.\\/', ['\\d', '\\p{L}', '\\P{Lu}', '\\.', '\\/']],
    [
      '\\x41\\u0041\\u{41}\\ud83d\\ude00\\ud83d\\cA',
      ['\\x41', '\\u0041', '\\u{41}', '\\ud83d\\ude00', '\\ud83d', '\\cA'],
    ],
    ['(a)\\1(?<b>c)\\k<b>', ['(', 'a', ')', '\\1', '(?<b>', 'c', ')', '\\k<b>']],
    ['^a|\\bb\\B$', ['^', 'a', '|', '\\b', 'b', '\\B', '$']],
  ])('of %s', (pattern, expected) => expect(tokensOf(pattern)).toEqual(expected))

  test.each(['(', 'a**', '[b-a]', '\\-', '\\1', '{', '(?i:a)', '(?-i:a)'])('of no pattern: %s', (pattern) => {
    expect(() => tokensOf(pattern)).toThrow(SyntaxError)
  })
})

test.each<[string, unknown]>([
  ['*', { min: 0, max: Infinity }],
  ['*?', { min: 0, max: Infinity }],
  ['+', { min: 1, max: Infinity }],
  ['+?', { min: 1, max: Infinity }],
  ['?', { min: 0, max: 1 }],
  ['??', { min: 0, max: 1 }],
  ['{0}', { min: 0, max: 0 }],
  ['{12}', { min: 12, max: 12 }],
  ['{3,}', { min: 3, max: Infinity }],
  ['{3,45}?', { min: 3, max: 45 }],
  ['a', undefined],
  ['(', undefined],
  ['[*]', undefined],
  ['[{2}]', undefined],
])('how often %s repeats', (token, expected) => expect(repetitionOf(token)).toEqual(expected))

describe('what a pattern is made of', () => {
  test('characters, groups and assertions', () => {
    expect(parse('a')).toEqual(character('a'))
    expect(parse('((a))')).toEqual(character('a'))
    expect(parse('')).toEqual(nothing)
    expect(parse('a|b')).toEqual({ kind: 'choice', parts: [character('a'), character('b')], size: 2, isSure: true })
    expect(parse('a|')).toEqual({ kind: 'choice', parts: [character('a'), nothing], size: 1, isSure: true })
    expect(parse('^\\b')).toEqual({
      kind: 'sequence',
      parts: [
        { kind: 'start', size: 0, isSure: false },
        { kind: 'boundary', size: 0, isSure: false },
      ],
      size: 0,
      isSure: false,
    })
    expect([parse('$').kind, parse('\\B').kind]).toEqual(['end', 'boundary'])
  })

  test('lookarounds, the end of a lookahead left out', () => {
    expect(parse('(?=ab*)')).toEqual({ kind: 'lookahead', part: character('a'), size: 2, isSure: false })
    expect(parse('(?!a)').kind).toBe('lookahead')
    expect(parse('(?<=ab)')).toEqual({ kind: 'lookbehind', part: parse('ab'), repeats: false, size: 2, isSure: false })
    expect(parse('(?<!a+)')).toMatchObject({ kind: 'lookbehind', repeats: true })
    expect(parse('(?<!a)b*')).toMatchObject({ parts: [{ repeats: false }, {}] })
    expect(parse('(?<=\\p{L})')).toMatchObject({ repeats: false })
  })

  test('repetitions, as loops and options', () => {
    const a = character('a')
    const loop = (least: number): Part => ({ kind: 'loop', part: a, least, size: 1, isSure: true })
    const option = (part: Part, rest: Part): Part => ({
      kind: 'optional',
      part,
      rest,
      size: part.size + rest.size,
      isSure: true,
    })
    const list = (...parts: Part[]): Part => ({
      kind: 'sequence',
      parts,
      size: parts.reduce((sum, { size }) => sum + size, 0),
      isSure: parts.slice(1).every(({ kind }) => kind === 'optional'),
    })
    expect(parse('a*')).toEqual(option(loop(0), nothing))
    expect(parse('a+')).toEqual(loop(1))
    expect(parse('a{3,}')).toEqual(list(a, a, loop(1)))
    expect(parse('a?')).toEqual(list(option(a, nothing)).kind === 'sequence' ? option(a, nothing) : a)
    expect(parse('a{1,3}')).toMatchObject({ parts: [a, option(a, option(a, nothing))] })
    expect(parse('a{0}b')).toMatchObject({ size: 1 })
    expect(parse('(a)\\1')).toMatchObject({ parts: [a, { kind: 'optional', isSure: false }] })
  })

  test.each([
    ['a{64}', false, 64],
    ['a{65}', true, 64],
    ['a{0,64}', false, 64],
    ['a{0,65}', true, 1],
    ['a{1,65}', false, 65],
    ['a{10,74}', false, 74],
    ['a{10,75}', true, 10],
    ['(?:ab){128}', false, 256],
    ['(?:ab){129}', true, 256],
    ['(?:ab){0,128}', false, 256],
    ['(?:ab){0,129}', true, 2],
    ['(?:^){256}', false, 0],
    ['(?:^){257}', true, 0],
    ['(?:a{64}b{64}c{64}d{64}){1}', false, 256],
    ['(?:a{64}b{64}c{64}d{64}e){2}', true, 257],
  ])('%s becomes a loop: %s', (pattern, loops, size) => {
    const part = parse(pattern)
    expect(JSON.stringify(part).includes('"loop"')).toBe(loops)
    expect(part.size).toBe(size)
  })

  test('the least that a loop is read', () => {
    const least = (pattern: string) => /"least":(\d+)/.exec(JSON.stringify(parse(pattern)))?.[1]
    expect(['a*', 'a+', 'a{5,}', 'a{64,}', 'a{65,}', 'a{100}', '(?:ab){200}'].map(least)).toEqual([
      '0',
      '1',
      '1',
      '1',
      '2',
      '37',
      '73',
    ])
  })
})

describe('where a pattern begins', () => {
  test.each(['^', '^a', '(^)a', '(?:^a|^b)c', '(?:^|^a)'])('at the beginning of the text: %s', (pattern) => {
    const part = parse(pattern)
    expect(searched(part)).toBe(part)
  })

  test.each(['', 'a', '(?:^a|b)', '(?:^a)?', '(?:^a)*', '(?=a)^', '$', '\\b^', 'a|^b'])('anywhere: %s', (pattern) => {
    const part = parse(pattern)
    expect(searched(part)).toMatchObject({
      kind: 'sequence',
      parts: [{ kind: 'optional', part: { kind: 'loop' } }, part],
    })
  })
})

describe('the end of a pattern that may be read or not is left out', () => {
  test.each([
    ['ab*', 'a'],
    ['ab?', 'a'],
    ['ab+', 'ab'],
    ['ab{2,5}', 'a(?:bb)'],
    ['ab{3,}', 'a(?:bbb)'],
    ['a*', ''],
    ['ab*c?d{0,3}', 'a'],
    ['ab+c*', 'ab'],
    ['a(?:b|c)*', 'a'],
    ['a(?:b|c)+', 'a(?:b|c)'],
    ['a|bc*', 'a|b'],
    ['(?:a|bc+)d?', 'a|bc'],
    ['a(?:bc?)?', 'a'],
    ['a(?:b[cd]*e?)*', 'a'],
    ['a(?:b?)*', 'a'],
    ['(?:a+)+', 'a'],
  ])('%s as %s', (pattern, expected) => expect(withoutEnd(parse(pattern))).toEqual(parse(expected)))

  test.each([
    '',
    'a',
    'ab',
    'ab*$',
    'a(?:bc)?',
    'a(?:bc)*',
    'a(?:b|cd)*',
    'a(?:b^)?',
    'ab*(?=c)',
    'ab*(?<!c)',
    'ab*\\b',
    '(a)\\1',
    'a|b$',
    'a(?:b?c)?',
    'a(?:bc?d)*',
  ])('but not of %s', (pattern) => {
    const part = parse(pattern)
    expect(withoutEnd(part)).toBe(part)
  })
})
