import { describe, expect, it, vi } from 'vitest'
import { toListLine as writeLine } from '../../../../src/dialects/oxp/encode.ts'
import type { LineFormat, ListQuery } from '../../../../src/core/catalog/catalog.ts'
import { UnreachableError } from '../../../../src/core/failure/failure.ts'
import { decodeCursor, encodeCursor } from '../../../../src/storage/registry/kv/cursor.ts'
import { createDocumentJoiner } from '../../../../src/storage/registry/kv/kv-texts.ts'
import { createCacheMemory } from '../../../../src/core/cache/swr-cache.ts'
import { createKeyring } from '../../../../src/storage/sealing/keyring.ts'
import { createKvPolicies } from '../../../../src/storage/registry/kv/kv-policies.ts'
import { createBundledTools } from '../../../../src/storage/registry/kv/bundled-tools.ts'
import type { Manifest } from '../../../../src/storage/registry/catalog/manifest.ts'
import { createRegistryCatalog } from '../../../../src/storage/registry/kv/registry-catalog.ts'
import { ADMIN, type Harness, inRegistry, manifestOf, publication, stopClock, stubOf } from '../set-up.ts'

stopClock()

const STORED: LineFormat = { name: 'stored' }
const QUERY: ListQuery = { versions: 'newest', limit: 100 }

/** Creates an isolate that lists tools, and records the registry methods that it calls. */
function isolate({ kv, registry }: Pick<Harness, 'kv' | 'registry'>) {
  const asked: string[] = []
  const stub = stubOf(registry, asked)
  const memory = createCacheMemory(10_000_000)
  const reach = { kv: kv.binding, registry: () => stub, now: () => Date.now(), memory }
  const bundledTools = createBundledTools({ hash: '', records: [], documents: [] }, writeLine)
  const { catalog, require } = createRegistryCatalog({
    ...reach,
    writeLine,
    bundledTools,
    attachDocuments: createDocumentJoiner({ ...reach, findBundledText: bundledTools.text }),
    sealer: createKeyring(['of the tests'], 'cursor'),
    yieldControl: async () => undefined,
    policies: createKvPolicies(reach).policies,
  })
  const list = async (query: Partial<ListQuery> = {}, principal = ADMIN, format = STORED) =>
    catalog.list({ ...QUERY, ...query }, principal, format)
  /** Lists all ids, in pages of `limit`. */
  async function walk(limit: number, query: Partial<ListQuery> = {}): Promise<string[]> {
    const ids: string[] = []
    for (let cursor: string | undefined, pages = 0; pages < 500; pages += 1) {
      const listing = await list({ ...query, limit, cursor })
      if (!listing) throw new Error(`'${cursor}' is refused`)
      expect(listing.lines.length).toBeLessThanOrEqual(limit)
      ids.push(...listing.lines.map((line): string => JSON.parse(line).id))
      if (listing.nextCursor === undefined) return ids
      cursor = listing.nextCursor
    }
    throw new Error('The pages have no end')
  }
  return { ...catalog, listAs: catalog.list, list, walk, require, asked }
}

/** Publishes 300 tools of three toolkits, on several pages, and returns the ids in the order of the list. */
async function publishMany({ registry, drain }: Harness): Promise<string[]> {
  // Writes an empty list of policies to KV, as each deployment does
  await registry.installBundle('hash', 1, [])
  const ids = Array.from({ length: 300 }, (_, n) => `Kit${n % 3}.T${n}@1.0.0`)
  await registry.publish(
    await Promise.all(ids.map((id, n) => publication(id, {}, n % 10 === 0 ? { tags: ['tenth'] } : {}))),
    ADMIN,
  )
  await drain()
  const keyOf = (id: string) => id.toLowerCase().replace(/@.*/, '')
  return ids.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

describe('a listing', () => {
  it('gives every tool once and in order, with any page size, from KV only', () =>
    inRegistry(async (harness) => {
      const ids = await publishMany(harness)
      for (const limit of [1, 7, 64, 100, 1_000]) {
        const { walk, asked } = isolate(harness)
        expect(await walk(limit)).toEqual(ids)
        expect(asked).toEqual([])
      }
    }))

  it('fills its pages with callable tools, and reads no page that the patterns of the caller cannot match', () =>
    inRegistry(async (harness) => {
      await publishMany(harness)
      const implementation = { kind: 'echo' }
      const ids = Array.from({ length: 30 }, (_, n) => `Kit${n % 3}.Run${String(n).padStart(2, '0')}@1.0.0`)
      await harness.registry.publish(await Promise.all(ids.map((id) => publication(id, {}, { implementation }))), ADMIN)
      await harness.drain()
      const { list, walk } = isolate(harness)
      const first = await list({ callable: true, limit: 20 })
      expect(first?.lines).toHaveLength(20)
      expect((await walk(20, { callable: true })).toSorted()).toEqual(ids.toSorted())
      const empty: LineFormat = { name: 'some', write: ({ id }) => (id.includes('.T') ? '' : JSON.stringify({ id })) }
      expect((await list({ limit: 20 }, ADMIN, empty))?.lines).toHaveLength(20)

      const narrow = { ...ADMIN, kind: 'key', tools: ['Kit2.*'] } as const
      const read = async (principal: typeof ADMIN) => {
        const other = isolate(harness)
        harness.kv.reads.length = 0
        expect((await other.list({ limit: 1_000 }, principal))?.lines.length).toBeGreaterThan(100)
        return harness.kv.reads.filter((key) => key.startsWith('catalogue/page/')).length
      }
      expect(await read(narrow)).toBeLessThan(await read(ADMIN))
    }))

  it('filters by toolkit, ignoring case, or by tag', () =>
    inRegistry(async (harness) => {
      await publishMany(harness)
      const { walk } = isolate(harness)
      for (const limit of [3, 1_000]) {
        expect(await walk(limit, { toolkit: 'kIT1' })).toHaveLength(100)
        expect(await walk(limit, { tag: 'tenth' })).toHaveLength(30)
        expect(await walk(limit, { toolkit: 'Kit1', tag: 'tenth' })).toHaveLength(10)
        expect(await walk(limit, { toolkit: 'Kit' })).toEqual([])
      }
    }))

  it('shows a principal only the tools it may see, and mentions further ones only if it may see them', () =>
    inRegistry(async (harness) => {
      await publishMany(harness)
      const { list } = isolate(harness)
      const principal = { ...ADMIN, kind: 'key', tools: ['Kit0.*'] } as const
      const first = await list({ limit: 99 }, principal)
      expect(first?.lines).toHaveLength(99)
      const last = await list({ limit: 99, cursor: first?.nextCursor }, principal)
      expect(last?.lines).toHaveLength(1)
      expect(last).not.toHaveProperty('nextCursor')
    }))

  it('is written in another format from the records, once for what is cached', () =>
    inRegistry(async (harness) => {
      await publishMany(harness)
      const { list } = isolate(harness)
      const write = vi.fn(({ id }: { readonly id: string }, name: string) => `${id} ${name}`)
      for (let n = 0; n < 2; n += 1) {
        const listing = await list({ limit: 1_000 }, ADMIN, { name: 'ids', write })
        expect(listing?.lines[0]).toBe('Kit0.T0@1.0.0 Kit0_T0')
        expect(listing?.lines).toHaveLength(300)
      }
      expect(write).toHaveBeenCalledTimes(300)
    }))

  it('reserves memory for its lines before they are written, and writes none without it', () =>
    inRegistry(async (harness) => {
      await publishMany(harness)
      const { list: listAll } = isolate(harness)
      const stored = ((await listAll({ limit: 1_000 }))?.lines ?? []).join('').length
      const catalog = isolate(harness)
      let written = 0
      const format: LineFormat = { name: 'counted', write: () => `${(written += 1)}` }
      const denied = { reserve: async () => false }
      const refused = await catalog.listAs(QUERY, ADMIN, format, denied)
      expect([refused?.lines, refused?.isOutOfMemory, written]).toEqual([[], true, 0])
      let reserved = 0
      const reserve = async (characters: number) => (reserved += characters) > 0
      const listing = await catalog.listAs({ ...QUERY, limit: 1_000 }, ADMIN, format, { reserve })
      expect([listing?.lines.length, reserved, stored > 10_000]).toEqual([300, stored, true])
      const found = await catalog.listAs({ ...QUERY, versions: 'all' }, ADMIN, STORED, denied)
      expect(found).toEqual({ lines: [], isOutOfMemory: true })
    }))

  it('continues after its position, whatever changed meanwhile', () =>
    inRegistry(async (harness) => {
      await publishMany(harness)
      const { list, require } = isolate(harness)
      const { nextCursor } = (await list({ toolkit: 'Kit0', limit: 1 })) ?? {}
      expect(decodeCursor(nextCursor ?? '')).toBe('kit0.t0')
      await harness.registry.change({ toolkit: 'kit0', tool: 't0' }, '1.0.0', { status: { state: 'yanked' } }, ADMIN)
      const { revision } = await harness.registry.publish([await publication('Kit0.T0a@1.0.0')], ADMIN)
      require(revision)
      const { lines = [] } = (await list({ toolkit: 'Kit0', limit: 1, cursor: nextCursor })) ?? {}
      expect(lines.map((line): string => JSON.parse(line).id)).toEqual(['Kit0.T0a@1.0.0'])
    }))

  it.each(['!', encodeCursor('nonsense'), encodeCursor('kit0.t0@'), encodeCursor('7'), encodeCursor('a b.c')])(
    'refuses the cursor %j',
    (cursor) =>
      inRegistry(async (harness) => {
        await publishMany(harness)
        expect(await isolate(harness).list({ cursor })).toBeUndefined()
      }),
  )

  it.each([{ q: 'does' }, { versions: 'all' }] as const)('of %j asks the registry, and continues there', (query) =>
    inRegistry(async (harness) => {
      await publishMany(harness)
      const { list, walk, asked } = isolate(harness)
      expect(new Set(await walk(150, query)).size).toBe(300)
      expect(new Set(asked)).toEqual(new Set(['query']))
      expect(await list({ ...query, cursor: encodeCursor('nonsense') })).toBeUndefined()
    }),
  )
})

describe('an isolate', () => {
  it('caches what it read for five seconds, then reads KV again', () =>
    inRegistry(async (harness) => {
      const { registry, drain, kv } = harness
      await publishMany(harness)
      const { etag, walk } = isolate(harness)
      const before = await etag()
      await registry.publish([await publication('New.Tool@1.0.0')], ADMIN)
      const now = Date.now()
      await drain()
      vi.setSystemTime(now + 4_999)
      expect(await etag()).toBe(before)
      expect(await walk(1_000)).toHaveLength(300)
      vi.setSystemTime(now + 5_000)
      expect(await etag()).not.toBe(before)
      expect(await walk(1_000)).toHaveLength(301)
      expect(kv.reads.filter((key) => key === 'catalogue/manifest')).toHaveLength(2)
    }))

  it('that changed the registry lists by no older manifest, but asks for a new one', () =>
    inRegistry(async (harness) => {
      const { registry } = harness
      await publishMany(harness)
      const { require, walk, asked } = isolate(harness)
      await walk(1_000)
      const { revision } = await registry.publish([await publication('New.Tool@1.0.0')], ADMIN)
      expect(await walk(1_000)).toHaveLength(300)
      require(revision)
      expect(await walk(1_000)).toContain('New.Tool@1.0.0')
      expect(new Set(asked)).toEqual(new Set(['manifest', 'value']))
    }))

  it('gets the changes since its manifest, and reads no other from KV', () =>
    inRegistry(async (harness) => {
      const { registry, kv } = harness
      await publishMany(harness)
      const { require, walk, etag } = isolate(harness)
      await walk(1_000)
      // Pages were split when they were written to KV
      require((await registry.publish([await publication('Kit1.New@1.0.0')], ADMIN)).revision)
      await etag()
      const reads = kv.reads.length
      const spy = vi.spyOn(registry, 'manifest')
      for (let n = 0; n < 3; n += 1) {
        const { revision } = await registry.publish([await publication(`Kit1.New${n}@1.0.0`)], ADMIN)
        require(revision)
        const before = spy.mock.calls.length
        expect(await etag()).toBe((await manifestOf(registry)).etag)
        const given = await spy.mock.results[before]?.value
        expect(given).toMatchObject({ since: expect.any(Number), pages: [{ first: expect.any(String) }] })
        expect(await walk(1_000)).toHaveLength(302 + n)
      }
      expect(kv.reads.slice(reads).filter((key) => key === 'catalogue/manifest')).toEqual([])
    }))

  it('keeps using its manifest while one request reads another', () =>
    inRegistry(async (harness) => {
      await publishMany(harness)
      const { etag } = isolate(harness)
      const before = await etag()
      vi.setSystemTime(Date.now() + 5_000)
      expect(await Promise.all(Array.from({ length: 50 }, etag))).toEqual(Array.from({ length: 50 }, () => before))
      expect(harness.kv.reads.filter((key) => key === 'catalogue/manifest')).toHaveLength(2)
      vi.setSystemTime(Date.now() + 5_000)
      await etag()
      expect(harness.kv.reads.filter((key) => key === 'catalogue/manifest')).toHaveLength(3)
    }))

  it('whose manifest names deleted pages lists by the current manifest', () =>
    inRegistry(async (harness) => {
      const { registry, kv, drain } = harness
      await publishMany(harness)
      const { etag, walk } = isolate(harness)
      await etag()
      await registry.publish(
        await Promise.all(['Kit0.New@1.0.0', 'Kit2.New@1.0.0'].map((id) => publication(id))),
        ADMIN,
      )
      const now = Date.now()
      await drain()
      vi.setSystemTime(now)
      for (const key of kv.values.keys()) if (key.startsWith('catalogue/page/')) kv.values.delete(key)
      expect(await walk(1_000)).toHaveLength(302)
    }))

  describe('a listing of a registry that changes with every request', () => {
    /** Publishes a tool each time that the registry returns its manifest. */
    async function changeWithEachLook({ registry }: Pick<Harness, 'registry'>): Promise<number> {
      const manifest = registry.manifest.bind(registry)
      let count = 0
      const change = async () => registry.publish([await publication(`Kit0.New${(count += 1)}@1.0.0`)], ADMIN)
      vi.spyOn(registry, 'manifest').mockImplementation(async () => {
        const now = await manifest()
        await change()
        return now
      })
      return (await change()).revision
    }

    it('is the one in KV', () =>
      inRegistry(async (harness) => {
        const ids = await publishMany(harness)
        const { require, walk, list, etag } = isolate(harness)
        const { kv } = harness
        require(await changeWithEachLook(harness))
        const current = await etag()
        expect(await walk(1_000)).toEqual(ids)
        const stored: Manifest = JSON.parse(kv.values.get('catalogue/manifest') ?? '')
        expect((await list())?.etag).toBe(stored.etag)
        expect(current).not.toBe(stored.etag)
      }))

    it('is unavailable if KV has none', () =>
      inRegistry(async (harness) => {
        const { require, walk } = isolate(harness)
        require(await changeWithEachLook(harness))
        await expect(walk(1_000)).rejects.toBeInstanceOf(UnreachableError)
      }))
  })
})
