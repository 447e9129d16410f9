import fc from 'fast-check'
import { expect, it } from 'vitest'
import { isToolPattern, matchesTool } from '../../../src/core/tool/tool-id.ts'
import { createToolPatterns, listCovers } from '../../../src/core/tool/tool-patterns.ts'
import { effortOf, MOST_EFFORT } from '../../effort.ts'

const covers = (pattern: string, id: string) => {
  const [toolkit = '', tool = ''] = id.split('.')
  return matchesTool(pattern, { toolkit, tool })
}
const LONG = 'x'.repeat(64)

it.each(['*', '*.*', 'Gmail.*', 'Gmail.GetEmails', 'G*l.*et*', '**.a', 'a-b_c.1', `${LONG}.${LONG}`])(
  'a pattern may be %j',
  (text) => expect(isToolPattern(text)).toBe(true),
)

it.each([
  '',
  '**',
  'Gmail',
  'Gmail.',
  '.GetEmails',
  'a.b.c',
  'a b.c',
  'Gmail.*@1',
  `${LONG}x.a`,
  `a.${LONG}x`,
  ' a.b',
  'a.b ',
  'a.b\n',
  'ä.b',
])('a pattern may not be %j', (text) => expect(isToolPattern(text)).toBe(false))

it.each([
  ['*', 'Gmail.GetEmails'],
  ['*', 'a.b'],
  ['*.*', 'Gmail.GetEmails'],
  ['Gmail.*', 'Gmail.GetEmails'],
  ['gmail.GETEMAILS', 'Gmail.GetEmails'],
  ['Gmail.GetEmails', 'gmail.getemails'],
  ['Gmail.Get*', 'Gmail.Get'],
  ['Gmail.Get*', 'Gmail.GetEmails'],
  ['*.GetEmails', 'Gmail.GetEmails'],
  ['G*.*s', 'Gmail.GetEmails'],
  ['*a*a*.b', 'banana.b'],
  ['a*b*c.d', 'aXbYbZc.d'],
  ['**.**', 'a.b'],
  ['a.b*', 'a.b'],
  ['a.b**', 'a.b'],
  ['*b.c', 'aab.c'],
  ['*ab.c', 'aab.c'],
  ['T.delete-*', 'T.delete_all'],
  ['my-kit.*', 'My_Kit.a'],
  ['T.a_b-c', 'T.a-b_c'],
  // A run may hold the dot
  ['G*s', 'Gmail.GetEmails'],
])('pattern coverage: %j covers %j', (pattern, id) => expect(covers(pattern, id)).toBe(true))

it.each([
  ['Gmail.*', 'Gmail2.GetEmails'],
  ['Gmail.*', 'MyGmail.GetEmails'],
  ['Gmail.Get', 'Gmail.GetEmails'],
  ['Gmail.GetEmails', 'Gmail.Get'],
  ['Gmail.GetEmails', 'Gmail.GetEmailz'],
  ['*.Get', 'Gmail.GetEmails'],
  ['*.a', 'b.ba'],
  ['a*c.d', 'ab.d'],
  ['a*b', 'a.bc'],
  ['', 'a.b'],
  ['b*', 'a.b'],
  ['*a*a*a.b', 'aa.b'],
  ['a.b*c', 'a.b'],
  ['T.a-*', 'T.ab'],
])('pattern coverage: %j does not cover %j', (pattern, id) => expect(covers(pattern, id)).toBe(false))

it('pattern coverage: is that of a regular expression with .* for each *', () => {
  const piece = fc.array(fc.constantFrom('a', 'b', '*'), { maxLength: 6 }).map((all) => all.join(''))
  const name = fc.array(fc.constantFrom('a', 'b'), { maxLength: 6 }).map((all) => all.join(''))
  fc.assert(
    fc.property(piece, piece, name, name, (left, right, toolkit, tool) => {
      const pattern = `${left}.${right}`
      const expression = new RegExp(`^${pattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`)
      expect(matchesTool(pattern, { toolkit, tool })).toBe(expression.test(`${toolkit}.${tool}`))
    }),
    { numRuns: 2_000 },
  )
})

it('pattern coverage: is decided quickly, also for a hostile pattern', () => {
  const work = () => expect(covers(`${'*a'.repeat(10_000)}.b`, `${'a'.repeat(20_000)}c.b`)).toBe(false)
  expect(effortOf(work)).toBeLessThan(20 * MOST_EFFORT)
})

it('several patterns cover what one of them covers', () => {
  const piece = fc.array(fc.constantFrom('a', 'B', '_', '-', '*'), { maxLength: 4 }).map((all) => all.join(''))
  const name = fc.array(fc.constantFrom('A', 'b', '_', '-'), { maxLength: 5 }).map((all) => all.join(''))
  const pattern = fc.oneof(
    fc.constant('*'),
    fc.tuple(piece, piece).map((pair) => pair.join('.')),
  )
  fc.assert(
    fc.property(fc.array(pattern, { maxLength: 12 }), name, name, (patterns, toolkit, tool) => {
      const isCovered = patterns.some((each) => matchesTool(each, { toolkit, tool }))
      expect(listCovers(patterns, { toolkit, tool })).toBe(isCovered)
    }),
    { numRuns: 3_000 },
  )
})

it('several patterns are looked up if they are names or end with a star, and compared if a star is elsewhere', () => {
  const numbers = Array.from({ length: 256 }, (_, index) => index)
  const comparedOf = (of: (number: number) => string) => createToolPatterns(numbers.map(of)).compared
  expect(comparedOf((number) => `Kit.tool-${number}`)).toBe(0)
  expect(comparedOf((number) => `Kit${number}.*`)).toBe(0)
  expect(comparedOf((number) => `Kit.*_${number}`)).toBe(256)
})
