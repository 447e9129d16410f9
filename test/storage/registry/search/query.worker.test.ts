import { describe, expect, it } from 'vitest'
import type { ListQuery } from '../../../../src/core/catalog/catalog.ts'
import type { RegistryObject } from '../../../../src/storage/registry/registry-object.ts'
import { ADMIN, inRegistry, publication, stopClock } from '../set-up.ts'

stopClock()

const QUERY: ListQuery = { versions: 'all', limit: 100 }

/** The ids of everything that a query finds, a page of `limit` after the other. */
async function walk(registry: RegistryObject, query: ListQuery, limit: number): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined, pages = 0; pages < 100; pages += 1) {
    const answer = await registry.query({ ...query, cursor, limit }, ADMIN)
    if (!answer) throw new Error(`'${cursor}' is refused`)
    expect(answer.found.length).toBeLessThanOrEqual(limit)
    ids.push(...answer.found.map(({ record }): string => JSON.parse(record).id))
    if (answer.next === undefined) return ids
    cursor = answer.next
  }
  throw new Error('The pages have no end')
}

const publishMany = async (registry: RegistryObject) => {
  const ids = ['A.B@1.0.0', 'A.B@1.10.0', 'A.B@1.9.0', 'A.C@1.0.0', 'B.A@1.0.0', 'B.A@2.0.0']
  await registry.publish(await Promise.all(ids.map((id) => publication(id, {}, { tags: [id.slice(-5)] }))), ADMIN)
  return ids
}

describe('a listing of all versions', () => {
  it.each([1, 2, 3, 6, 100])('gives each version once, %d per page', (limit) =>
    inRegistry(async ({ registry }) => {
      const ids = await publishMany(registry)
      expect((await walk(registry, QUERY, limit)).toSorted()).toEqual(ids)
      expect(await walk(registry, { ...QUERY, toolkit: 'a' }, limit)).toHaveLength(4)
      expect(await walk(registry, { ...QUERY, tag: '1.0.0' }, limit)).toEqual(['A.B@1.0.0', 'A.C@1.0.0', 'B.A@1.0.0'])
    }),
  )

  it('includes active and deprecated versions', () =>
    inRegistry(async ({ registry }) => {
      await publishMany(registry)
      await registry.change({ toolkit: 'a', tool: 'b' }, '1.0.0', { status: { state: 'deprecated' } }, ADMIN)
      await registry.change({ toolkit: 'a', tool: 'b' }, '1.9.0', { status: { state: 'yanked' } }, ADMIN)
      await registry.change({ toolkit: 'b', tool: 'a' }, '1.0.0', { status: { state: 'disabled' } }, ADMIN)
      expect(await walk(registry, QUERY, 2)).toEqual(['A.B@1.0.0', 'A.B@1.10.0', 'A.C@1.0.0', 'B.A@2.0.0'])
    }))

  it('filters by status, in toolkits that the caller may change', () =>
    inRegistry(async ({ registry }) => {
      await publishMany(registry)
      const disabled = { status: { state: 'disabled' } } as const
      await registry.change({ toolkit: 'a', tool: 'b' }, '1.0.0', { status: { state: 'yanked' } }, ADMIN)
      await registry.change({ toolkit: 'a', tool: 'c' }, '1.0.0', disabled, ADMIN)
      await registry.change({ toolkit: 'b', tool: 'a' }, '1.0.0', disabled, ADMIN)
      const of = (status: ListQuery['status'], limit = 1) => walk(registry, { ...QUERY, status }, limit)
      expect(await of('disabled')).toEqual(['A.C@1.0.0', 'B.A@1.0.0'])
      expect(await of('yanked')).toEqual(['A.B@1.0.0'])
      expect(await of('deprecated')).toEqual([])
      expect(await of('active', 2)).toEqual(['A.B@1.10.0', 'A.B@1.9.0', 'B.A@2.0.0'])
      const publisher = { id: 'key:1', kind: 'key', scopes: ['tools:read', 'tools:publish'], users: [] } as const
      const visibleTo = async (tools: readonly string[], id = 'key:1') => {
        const answer = await registry.query({ ...QUERY, status: 'disabled', limit: 10 }, { ...publisher, id, tools })
        return answer?.found.map(({ cursor }) => cursor)
      }
      expect(await visibleTo(['B.*'])).toEqual(['b.a@1.0.0'])
      // A bare pattern names nothing, and the toolkits are another's
      expect(await visibleTo(['*'])).toEqual([])
      await registry.changeToolkit('A', { to: 'key:1' }, ADMIN)
      expect(await visibleTo(['*'])).toEqual(['a.c@1.0.0'])
      expect(await visibleTo(['*'], 'key:2')).toEqual([])
      await registry.changeToolkit('B', disabled, ADMIN)
      await registry.changeToolkit('B', 'delete', ADMIN)
      expect(await of('disabled')).toEqual(['A.C@1.0.0'])
    }))

  it('continues after its position, whatever changed meanwhile', () =>
    inRegistry(async ({ registry }) => {
      await publishMany(registry)
      const { found, next } = (await registry.query({ ...QUERY, limit: 3 }, ADMIN)) ?? { found: [] }
      expect(found).toHaveLength(3)
      await registry.change({ toolkit: 'a', tool: 'b' }, '1.9.0', { status: { state: 'yanked' } }, ADMIN)
      await registry.publish([await publication('A.A@1.0.0'), await publication('A.Z@1.0.0')], ADMIN)
      const rest = (await registry.query({ ...QUERY, cursor: next }, ADMIN))?.found
      expect(rest?.map(({ cursor }) => cursor)).toEqual(['a.c@1.0.0', 'a.z@1.0.0', 'b.a@1.0.0', 'b.a@2.0.0'])
    }))

  it.each(['7', 'a.c', 'nonsense', 'a.c@', "a'; --@1.0.0"])('refuses the cursor %j', (cursor) =>
    inRegistry(async ({ registry }) => {
      await publishMany(registry)
      expect(await registry.query({ ...QUERY, cursor }, ADMIN)).toBeUndefined()
    }),
  )
})

describe('a ranked search', () => {
  it.each(['newest', 'all'] as const)('gives each result once, at any page size (%s)', (versions) =>
    inRegistry(async ({ registry }) => {
      await publishMany(registry)
      const query = { q: 'does', versions, limit: 100 }
      const all = await walk(registry, query, 100)
      expect(all).toHaveLength(versions === 'all' ? 6 : 3)
      for (const limit of [1, 2]) expect(await walk(registry, query, limit)).toEqual(all)
      expect(await walk(registry, { ...query, toolkit: 'B' }, 1)).toHaveLength(versions === 'all' ? 2 : 1)
    }),
  )

  it.each(['a.c@1.0.0', '-1', '7', '1.', '1.5.2', '12345678.1', '1.1234567890123456', '1.5@', '1.5@a b', ' '])(
    'refuses the cursor %j',
    (cursor) =>
      inRegistry(async ({ registry }) => {
        await publishMany(registry)
        expect(await registry.query({ ...QUERY, q: 'does', cursor }, ADMIN)).toBeUndefined()
      }),
  )

  it('is empty after the last result', () =>
    inRegistry(async ({ registry }) => {
      await publishMany(registry)
      expect(await registry.query({ ...QUERY, q: 'does', cursor: '999.0' }, ADMIN)).toMatchObject({
        found: [],
      })
      const newest = await registry.query({ ...QUERY, versions: 'newest', q: 'does', cursor: '999.0' }, ADMIN)
      expect(newest).toEqual({ found: [], total: 3, relevant: 3, unmatched: [] })
    }))
})

describe('a query', () => {
  it('shows a principal only the tools it may see, and looks at no more than 2,000 tools to find them', () =>
    inRegistry(async ({ registry }) => {
      for (let from = 0; from < 2_001; from += 500) {
        const ids = Array.from({ length: 500 }, (_, n) => `Hidden.T${String(from + n).padStart(5, '0')}@1.0.0`)
        await registry.publish(await Promise.all(ids.map((id) => publication(id))), ADMIN)
      }
      await registry.publish([await publication('Seen.T@1.0.0')], ADMIN)
      const principal = { ...ADMIN, kind: 'key', tools: ['Seen.*'] } as const
      const first = await registry.query(QUERY, principal)
      expect(first).toEqual({ found: [], next: 'hidden.t01999@1.0.0' })
      const second = await registry.query({ ...QUERY, cursor: first?.next }, principal)
      expect(second?.found.map(({ cursor }) => cursor)).toEqual(['seen.t@1.0.0'])
      expect(second?.next).toBeUndefined()
      const search = { ...QUERY, versions: 'newest', q: 'does' } as const
      const best = await registry.query(search, principal)
      expect(best?.found.map(({ name }) => name)).toEqual(['Seen_T'])
      expect(best).toMatchObject({ total: 1 })
      expect(best).not.toHaveProperty('next')
    }))
})
