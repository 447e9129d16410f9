import { describe, expect, test } from 'vitest'
import { createBudget } from '../../../src/core/tool/budget.ts'
import { backtracking, MAX_PATTERN_LENGTH } from '../../../src/core/schema/pattern.ts'

const SEMVER =
  '^(0|[1-9]\\d*)\\.(0|[1-9]\\d*)\\.(0|[1-9]\\d*)(?:-((?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*)' +
  '(?:\\.(?:0|[1-9]\\d*|\\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\\+([0-9a-zA-Z-]+(?:\\.[0-9a-zA-Z-]+)*))?$'

const EXPONENTIAL = [
  '^(a+)+$',
  '(a|a)*$',
  '(a|aa)+$',
  '(.*)*$',
  '(x+x+)+y',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  '(\\w*)*',
  '(\\w*)*$',
  // One text in two ways without reading: an empty alternative, an empty first iteration.
  '(?:(?:|)a)*b',
  '(?:(?:a?)+b)*c',
  '^([a-z]+\\s?)+$',
  '^(\\d+,?)+$',
  '^(?:\\p{Lu}\\p{L}+)+$',
  '^(?:a|[^b])*$',
  '^(?=(a+)+$)',
  '(?<=(a+)+)b',
  // No loop at all, and still too many ways.
  '^(?:a?){50}a{50}$',
  '^(a{1,5}){1,50}$',
  'a?'.repeat(40) + 'a{40}',
  '(?:ab|ab)'.repeat(30) + 'c',
  '^((.{0,50}){0,50}){0,50}$',
  // Many ways in one branch, beside one that looks worse for a while.
  `^(?:(?:c|c|c)d|c${'(?:ab|ab)'.repeat(40)})e$`,
  `(?<=c${'(?:a|a)'.repeat(40)})b`,
  // Iterations that read nothing count, where a least number of them is asked for.
  '^(?:(?:[ab]{30})?){30}c$',
  // No exponential, but of a degree so high that even short texts take seconds.
  '\\x62((\\t){2,}){0,40}c$',
  'a*a*a*a*a*a*b',
]

const LINEAR = [
  // An optional iteration never reads nothing.
  '^(?:(?:a?){0,2}b)*$',
  '',
  'a',
  '\\S',
  '\\S+',
  '^\\S+$',
  '[a-z]+',
  '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[a-zA-Z0-9._%+-]+@[a-zA-Z0-9.-]+\\.[a-zA-Z]{2,}$',
  '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  '^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$',
  '^(?=.*[A-Z])(?=.*\\d).{8,}$',
  '^(?!.*\\.\\.)[a-z.]+$',
  '^(?:(?!foo)[^])*$',
  '^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$',
  '^(?:[0-9a-f]{64})(?:,[0-9a-f]{64})*$',
  '^/(?:[^/~]|~[01])*(?:/(?:[^/~]|~[01])*)*$',
  '^[^]{1,10000}$',
  '^\\p{L}+(?: \\p{L}+)*$',
  '^(?:\\p{Lu}\\p{Ll}+)+$',
  '^(?:(?:a?)*b)*$',
  '^(?:ab$|ac)*$',
  '(?=(a+)+)',
  '^[a-z.]+(?<!\\.)$',
  '(?<!\\p{L})x$',
  'x(?:a|[bc]+)?d*',
]

const POLYNOMIAL: readonly (readonly [string, number])[] = [
  ['[a-z]+$', 2],
  ['^\\s+|\\s+$', 2],
  ['^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$', 2],
  ['^a*a*$', 2],
  ['^a*a*a*$', 3],
  ['^.*foo.*bar.*$', 3],
  ['(?!.*b)a$', 2],
  ['^([\'"]).*\\1$', 2],
  ['(?<=a+)b$', 2],
  ['^[a-z]{1,200}[a-z]{1,200}$', 2],
  // Choices that begin with different characters count as if a text could be read by each of them.
  [SEMVER, 2],
  ['^(?:[a-z0-9](?:[-a-z0-9]{0,61}[a-z0-9])?\\.)+[a-z]{2,63}$', 2],
  ['^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$', 3],
  ['^[a-z]{1,200}[a-z]{1,200}[a-z]{1,200}[a-z]{1,200}$', 4],
]

/** As many ways to read one character, in a group, and in groups one after the other. */
const ways = (...counts: number[]) => `^${counts.map((count) => `(?:${'a|'.repeat(count - 1)}a)`).join('')}b$`

describe('how patterns backtrack', () => {
  test.each(EXPONENTIAL)('exponentially: %s', (pattern) => {
    expect(backtracking(pattern)).toEqual({ kind: 'exponential' })
  })

  test.each(LINEAR)('linearly: %s', (pattern) => {
    expect(backtracking(pattern)).toEqual({ kind: 'linear' })
  })

  test.each(POLYNOMIAL)('polynomially: %s', (pattern, degree) => {
    expect(backtracking(pattern)).toEqual({ kind: 'polynomial', degree })
  })

  test.each([
    [79, [79]],
    [80, [80]],
    [3_999, [43, 93]],
    [4_000, [50, 80]],
    [119_970, [93, 30, 43]],
    [120_000, [300, 400]],
    [9_950_000, [250, 200, 199]],
    [10_000_000, [250, 200, 200]],
  ])('by %s ways to read a text', (count, counts) => {
    const degree = count < 80 ? 1 : count < 4_000 ? 2 : count < 120_000 ? 3 : 4
    const expected = count < 10_000_000 ? { kind: 'polynomial', degree } : { kind: 'exponential' }
    expect(backtracking(ways(...counts))).toEqual(degree === 1 ? { kind: 'linear' } : expected)
  })

  test('degrees of loops and of ways add up, and lookbehinds that repeat something count twice', () => {
    const degreeOf = (pattern: string) => backtracking(pattern)
    expect(degreeOf('^a*a*b$')).toEqual({ kind: 'polynomial', degree: 2 })
    expect(degreeOf(`^a*a*${ways(80).slice(1)}`)).toEqual({ kind: 'polynomial', degree: 3 })
    expect(degreeOf('^a*a*b(?<=c)$')).toEqual({ kind: 'polynomial', degree: 2 })
    expect(degreeOf('^a*a*b(?<=c+)$')).toEqual({ kind: 'polynomial', degree: 4 })
    expect(degreeOf('^a*a*a*b(?<=c+)$')).toEqual({ kind: 'polynomial', degree: 6 })
    expect(degreeOf('^a*a*a*a*b(?<=c+)$')).toEqual({ kind: 'exponential' })
    expect(degreeOf('^a*a*a*a*a*a*b$')).toEqual({ kind: 'polynomial', degree: 6 })
    expect(degreeOf('^a*a*a*a*a*a*a*b$')).toEqual({ kind: 'exponential' })
    // Two pairs of loops that share nothing with each other
    expect(degreeOf('^a*a*x*b*b*$')).toEqual({ kind: 'polynomial', degree: 3 })
    expect(degreeOf('^(?:a*a*c|b*b*b*c)d$')).toEqual({ kind: 'polynomial', degree: 3 })
    expect(degreeOf('^(?:ab)*(?:ba)*$')).toEqual({ kind: 'polynomial', degree: 2 })
    expect(degreeOf('^(?:a-)*a*$')).toEqual({ kind: 'linear' })
    // Each way out of a loop may be the one that a text takes in the end
    const loopTo = (letter: string, count: number) => `a+${letter}${ways(count).slice(1, -2)}`
    expect(degreeOf(`^(?:${loopTo('x', 40)}|${loopTo('y', 40)})$`)).toEqual({ kind: 'polynomial', degree: 2 })
    expect(degreeOf(`^(?:${loopTo('x', 39)}|${loopTo('y', 40)})$`)).toEqual({ kind: 'linear' })
  })

  test.each(['(', '[b-a]', 'a**', '\\p{Nothing}', '\\-', 'a'.repeat(MAX_PATTERN_LENGTH + 1)])(
    'not at all: %s',
    (pattern) => {
      expect(backtracking(pattern).kind).toBe('invalid')
    },
  )

  test('what is wrong with a pattern is said', () => {
    const message = 'Must be a regular expression of ECMAScript, valid with the flag "u"'
    expect(backtracking('(')).toEqual({ kind: 'invalid', message })
    expect(backtracking('(?i:a)')).toEqual({ kind: 'invalid', message })
    expect(backtracking('a'.repeat(MAX_PATTERN_LENGTH)).kind).toBe('linear')
    const tooLong = { kind: 'invalid', message: 'Must be at most 4096 characters long' }
    expect(backtracking('a'.repeat(MAX_PATTERN_LENGTH + 1))).toEqual(tooLong)
  })

  test('a pattern that nests deeper than the stack is refused', () => {
    const nested = `${'(a'.repeat(200)}${')'.repeat(200)}`
    const nearTheEnd = (): unknown => {
      try {
        return nearTheEnd()
      } catch (error) {
        const verdict = backtracking(nested)
        // Here even the engine has too little of the stack left
        if (verdict.kind === 'invalid' && verdict.message !== 'Must nest less deep') throw error
        return verdict
      }
    }
    expect(nearTheEnd()).toEqual({ kind: 'invalid', message: 'Must nest less deep' })
  })
})

describe('the classes are what a backtracking matcher does', () => {
  test.each(['^[a-z0-9]+(?:-[a-z0-9]+)*$', SEMVER, '^(?=.*[A-Z])(?=.*\\d).{8,}$'])(
    'a long text against %s',
    (pattern) => {
      // An exponential matcher would never come back from these.
      for (const pump of ['a', '0', '-a', '1.', 'A1'])
        expect(new RegExp(pattern, 'u').test(`${pump.repeat(20_000)}!`)).toBeTypeOf('boolean')
    },
  )

  test('the ways through an exponential pattern double with each character, through others they do not', () => {
    // The ways to cut a text of n letters into one or more non-empty pieces, which is what ^(a+)+! tries.
    const pieces = (n: number): number =>
      n === 0 ? 1 : Array.from({ length: n }, (_, i) => pieces(i)).reduce((a, b) => a + b, 0)
    expect([4, 5, 6, 7].map(pieces)).toEqual([8, 16, 32, 64])
    expect(backtracking('^(a+)+!').kind).toBe('exponential')
    expect(backtracking('^(a+)!').kind).toBe('linear')
  })
})

describe('the work is bounded', () => {
  test('patterns that are too much for the budget are taken for the worst that they can be', () => {
    expect(backtracking('^[a-z]+-[a-z]+$', createBudget(1))).toEqual({ kind: 'polynomial', degree: 3 })
    expect(backtracking('^([a-z]+-)+$', createBudget(1))).toEqual({ kind: 'exponential' })
    expect(backtracking('^[A-Z]{2}$', createBudget(0))).toEqual({ kind: 'polynomial', degree: 2 })
    expect(backtracking('^abc?$', createBudget(0))).toEqual({ kind: 'linear' })
    expect(backtracking('(a|b)*$', createBudget(0))).toEqual({ kind: 'exponential' })
    expect(backtracking('(?:ab|ab)'.repeat(6), createBudget(0))).toEqual({ kind: 'linear' })
    expect(backtracking('(?:ab|ab)'.repeat(7), createBudget(0))).toEqual({ kind: 'polynomial', degree: 2 })
    expect(backtracking('(?:ab|ab)'.repeat(30), createBudget(0))).toEqual({ kind: 'exponential' })
    expect(backtracking('(a)\\1', createBudget(0))).toEqual({ kind: 'polynomial', degree: 2 })
    expect(backtracking('a{1}b{0,1}c{0}', createBudget(0))).toEqual({ kind: 'linear' })
    expect(backtracking('[\\w]a(?:b){1}', createBudget(0))).toEqual({ kind: 'linear' })
    expect(backtracking('(?:a?){2}', createBudget(0))).toEqual({ kind: 'exponential' })
    expect(backtracking(`${'a?'.repeat(6)}b`, createBudget(0))).toEqual({ kind: 'linear' })
    expect(backtracking(`${'a?'.repeat(7)}b`, createBudget(0))).toEqual({ kind: 'polynomial', degree: 2 })
    expect(backtracking('a*b*c*d*e*f', createBudget(0))).toEqual({ kind: 'polynomial', degree: 6 })
    expect(backtracking('a*b*c*d*e*f*', createBudget(0))).toEqual({ kind: 'exponential' })
    expect(backtracking('(', createBudget(0)).kind).toBe('invalid')
    expect(backtracking('(?i:a)', createBudget(0)).kind).toBe('invalid')
  })

  test('no pattern takes more than its share', () => {
    const oneOf = (count: number) => Array.from({ length: count }, (_, index) => `w${index.toString(36)}x`).join('|')
    const budget = createBudget(200_000)
    expect(backtracking(`^(?:${oneOf(400)})*$`, budget).kind).toBe('polynomial')
    expect(budget.spent).toBeLessThan(50_000)
    expect(backtracking(`^(?:${oneOf(800)})*$`, budget).kind).toBe('exponential')
    expect(budget.spent).toBeLessThan(100_000)
  })

  test.each(['(?:^){256}', '(?:^|){2}', '(?:a?){2}', '(?:a?)+', '(?=a|b)'])('parts multiply: %s', (part) => {
    // No assertion on time: each level would double the work, or take it 256 times.
    const nested = (levels: number): string => (levels === 0 ? part : `(?:${nested(levels - 1)}){9}`)
    expect(backtracking(nested(100)).kind).toMatch(/^(linear|exponential|polynomial)$/)
  })

  test('groups nest as deep as they like', () => {
    expect(backtracking(`${'('.repeat(2000)}a${')'.repeat(2000)}`).kind).toMatch(/^(linear|invalid)$/)
  })
})
