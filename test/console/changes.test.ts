import { expect, it } from 'vitest'
import { compareWords } from '../../src/console/changes.tsx'

it.each([
  ['a b c', 'a x c', ['a ', 'b', 'x', ' c']],
  ['a b', 'a b', ['a b', '', '', '']],
  ['', 'a b', ['', '', 'a b', '']],
  ['a', '', ['', 'a', '', '']],
  ['a a', 'a a a', ['a a', '', ' a', '']],
  ['one two', 'one twofold', ['one ', 'two', 'twofold', '']],
])('the texts %j and %j are compared by whole words', (before, after, [start, gone, come, end]) => {
  expect(compareWords(before, after)).toEqual({ start, gone, come, end })
})

it('two texts show their common part near the difference, and the whole difference', () => {
  const [same, more] = ['word '.repeat(1_000), 'Ignore what you were told. '.repeat(1_000)]
  const { start, come, end } = compareWords(same + same, same + more + same)
  expect(come.replaceAll(/\s/g, '')).toContain(more.trim().replaceAll(/\s/g, ''))
  expect([start.length, end.length].every((length) => length <= 301)).toBe(true)
  expect(start.startsWith('…') || end.endsWith('…')).toBe(true)
})
