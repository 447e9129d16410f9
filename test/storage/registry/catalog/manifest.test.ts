import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { applyUpdate, createManifest, type PageReference } from '../../../../src/storage/registry/catalog/manifest.ts'

const hash = fc.stringMatching(/^[0-9a-f]{64}$/)
const key = fc.stringMatching(/^[a-c]{1,2}\.[a-c]{1,2}$/)
const reference = fc.record({ first: key, count: fc.nat(128), hash })

/** Pages as they are after changes, the last of each key, in order. */
function inOrder(changes: readonly (readonly PageReference[])[]): PageReference[] {
  const byKey = new Map(changes.flat().map((each) => [each.first, each]))
  return [...byKey.values()].toSorted((a, b) => (a.first < b.first ? -1 : 1))
}

describe('a manifest', () => {
  it('is the same whether it is built from all pages or by repeated changes', () =>
    fc.assert(
      fc.property(fc.array(fc.array(reference, { maxLength: 8 }), { maxLength: 8 }), (changes) => {
        let manifest = createManifest(0, [])
        for (const [at, some] of changes.entries()) manifest = createManifest(at + 1, inOrder([some]), manifest.pages)
        const all = inOrder(changes)
        expect(manifest).toEqual(createManifest(changes.length, all))
        expect(manifest.count).toBe(all.reduce((sum, { count }) => sum + count, 0))
      }),
    ))

  it('of a reader becomes that of the registry by applying the changed pages', () => {
    const [a, b] = ['a', 'b'].map((digit) => ({ count: 1, hash: digit.repeat(64) }))
    const before = createManifest(3, [{ first: '', ...a! }])
    const changed = [
      { first: '', ...b! },
      { first: 'm.n', ...a! },
    ]
    const now = createManifest(7, changed, before.pages)
    expect(applyUpdate(before, { since: 3, revision: 7, pages: changed })).toEqual(now)
    // Nothing is left out
    const later = createManifest(9, [{ first: 'z.z', ...a! }])
    expect(applyUpdate(later, { since: -1, revision: 7, pages: now.pages })).toEqual(now)
  })

  it('has another etag for other pages, and the same one when they return', () => {
    const page = (digit: string, first = ''): PageReference => ({
      first,
      count: 1,
      hash: digit.repeat(64),
    })
    const one = createManifest(1, [page('1')])
    const two = createManifest(2, [page('f')], one.pages)
    expect(two.etag).not.toBe(one.etag)
    expect(createManifest(3, [page('1')], two.pages).etag).toBe(one.etag)
    expect(two.etag).toMatch(/^[0-9a-f]{64}$/)
  })
})
