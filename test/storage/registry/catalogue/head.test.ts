import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { headNow, headOf, type Leaf, leafAt, withLeaves } from '../../../../src/storage/registry/catalogue/head.ts'

const hash = fc.stringMatching(/^[0-9a-f]{64}$/)
const key = fc.stringMatching(/^[a-c]{1,2}\.[a-c]{1,2}$/)
const leaf = fc.record({ first: key, count: fc.nat(128), page: hash })

/** Leaves as they are after changes, the last of each key, in order. */
function inOrder(changes: readonly (readonly Leaf[])[]): Leaf[] {
  const byKey = new Map(changes.flat().map((each) => [each.first, each]))
  return [...byKey.values()].toSorted((a, b) => (a.first < b.first ? -1 : 1))
}

describe('a head', () => {
  it('is the same whether it is made of all leaves, or of those that changed again and again', () =>
    fc.assert(
      fc.property(fc.array(fc.array(leaf, { maxLength: 8 }), { maxLength: 8 }), (changes) => {
        let head = headOf([], 0)
        for (const [at, some] of changes.entries()) head = withLeaves(head, inOrder([some]), at + 1)
        const all = inOrder(changes)
        expect(head).toEqual(headOf(all, changes.length))
        expect(head.count).toBe(all.reduce((sum, { count }) => sum + count, 0))
      }),
    ))

  it('that a reader has becomes what the registry has, by the leaves that changed since', () => {
    const [a, b] = ['a', 'b'].map((digit) => ({ count: 1, page: digit.repeat(64) }))
    const before = headOf([{ first: '', ...a! }], 3)
    const changed = [
      { first: '', ...b! },
      { first: 'm.n', ...a! },
    ]
    const now = withLeaves(before, changed, 7)
    expect(headNow(before, { ...now, leaves: changed, since: 3 })).toEqual(now)
    // Nothing is left out
    expect(headNow(headOf([{ first: 'z.z', ...a! }], 9), now)).toEqual(now)
  })

  it('has another etag for other pages, and the same when they come back', () => {
    const page = (digit: string, first = ''): Leaf => ({
      first,
      count: 1,
      page: digit.repeat(64),
    })
    const one = headOf([page('1')], 1)
    const two = withLeaves(one, [page('f')], 2)
    expect(two.etag).not.toBe(one.etag)
    expect(withLeaves(two, [page('1')], 3).etag).toBe(one.etag)
    expect(two.etag).toMatch(/^[0-9a-f]{64}$/)
  })
})

it('the leaf that a key belongs to is the last that begins at or before it', () => {
  const leaves = ['', 'a.b', 'a.d'].map((first) => ({ first, count: 0, page: '' }))
  const places = ['', 'a.a', 'a.b', 'a.c', 'a.d', 'z'].map((each) => leafAt(leaves, each))
  expect(places).toEqual([0, 0, 1, 1, 2, 2])
  expect(leafAt(leaves.slice(1), 'a.a')).toBe(-1)
  expect(leafAt([], 'a')).toBe(-1)
})
