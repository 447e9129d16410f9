import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  applyUpdate,
  EMPTY_MANIFEST,
  findPage,
  type PageReference,
  withPages,
} from '../../../../src/storage/registry/catalog/manifest.ts'

const hash = fc.stringMatching(/^[0-9a-f]{64}$/)
const key = fc.stringMatching(/^[a-c]{1,2}\.[a-c]{1,2}$/)
const reference = fc.record({ first: key, count: fc.nat(128), hash })

/** Pages as they are after changes, the last of each key, in order. */
function inOrder(changes: readonly (readonly PageReference[])[]): PageReference[] {
  const byKey = new Map(changes.flat().map((each) => [each.first, each]))
  return [...byKey.values()].toSorted((a, b) => (a.first < b.first ? -1 : 1))
}

describe('a manifest', () => {
  it('is the same whether it is made of all pages, or of those that changed again and again', () =>
    fc.assert(
      fc.property(fc.array(fc.array(reference, { maxLength: 8 }), { maxLength: 8 }), (changes) => {
        let manifest = withPages(EMPTY_MANIFEST, [], 0)
        for (const [at, some] of changes.entries()) manifest = withPages(manifest, inOrder([some]), at + 1)
        const all = inOrder(changes)
        expect(manifest).toEqual(withPages(EMPTY_MANIFEST, all, changes.length))
        expect(manifest.count).toBe(all.reduce((sum, { count }) => sum + count, 0))
      }),
    ))

  it('that a reader has becomes what the registry has, by the pages that changed since', () => {
    const [a, b] = ['a', 'b'].map((digit) => ({ count: 1, hash: digit.repeat(64) }))
    const before = withPages(EMPTY_MANIFEST, [{ first: '', ...a! }], 3)
    const changed = [
      { first: '', ...b! },
      { first: 'm.n', ...a! },
    ]
    const now = withPages(before, changed, 7)
    expect(applyUpdate(before, { ...now, pages: changed, since: 3 })).toEqual(now)
    // Nothing is left out
    expect(applyUpdate(withPages(EMPTY_MANIFEST, [{ first: 'z.z', ...a! }], 9), now)).toEqual(now)
  })

  it('has another etag for other pages, and the same when they come back', () => {
    const page = (digit: string, first = ''): PageReference => ({
      first,
      count: 1,
      hash: digit.repeat(64),
    })
    const one = withPages(EMPTY_MANIFEST, [page('1')], 1)
    const two = withPages(one, [page('f')], 2)
    expect(two.etag).not.toBe(one.etag)
    expect(withPages(two, [page('1')], 3).etag).toBe(one.etag)
    expect(two.etag).toMatch(/^[0-9a-f]{64}$/)
  })
})

it('the page that a key belongs to is the last that begins at or before it', () => {
  const pages = ['', 'a.b', 'a.d'].map((first) => ({ first, count: 0, hash: '' }))
  const places = ['', 'a.a', 'a.b', 'a.c', 'a.d', 'z'].map((each) => findPage(pages, each))
  expect(places).toEqual([0, 0, 1, 1, 2, 2])
  expect(findPage(pages.slice(1), 'a.a')).toBe(-1)
  expect(findPage([], 'a')).toBe(-1)
})
