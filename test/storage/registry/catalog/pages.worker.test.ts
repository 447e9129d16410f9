import { describe, expect, it, vi } from 'vitest'
import { toolKey } from '../../../../src/core/tool/tool-id.ts'
import { applyUpdate, createManifest, type Manifest } from '../../../../src/storage/registry/catalog/manifest.ts'
import { loadListedTools, parsePage } from '../../../../src/storage/registry/catalog/listed-tools.ts'
import type { RegistryObject } from '../../../../src/storage/registry/registry-object.ts'
import {
  ADMIN,
  type Harness,
  inRegistry,
  listedIn,
  manifestOf,
  publication,
  publications,
  rowsOf,
  stopClock,
  textOf,
} from '../set-up.ts'

stopClock()

const pageOf = (registry: RegistryObject, hash = '') => textOf(registry, `catalogue/page/${hash}`) ?? ''

/** Returns the keys of the tools on each page, from its lines and its records. */
async function pagesOf(registry: RegistryObject) {
  const { pages, count } = await manifestOf(registry)
  const keys = pages.map((page) => {
    const { index: listed, lines, records } = parsePage(pageOf(registry, page.hash))
    expect(records().map(toolKey)).toEqual(listed.map(({ key }) => key))
    expect(lines.length).toBe(listed.length)
    expect(page.count).toBe(listed.length)
    return listed.map(({ key }) => key)
  })
  expect(count).toBe(keys.flat().length)
  return { pages, keys }
}

/** Creates `count` tools with ids in this order. */
const inOrder = (count: number, given: Readonly<Record<string, unknown>> = {}) =>
  Promise.all(Array.from({ length: count }, (_, n) => publication(`Kit.T${String(n).padStart(4, '0')}@1.0.0`, given)))

describe('pages with lines in an older format', () => {
  it('are written again once by a deployment with a new format', () =>
    inRegistry(async ({ registry, sql, restart, drain, kv }) => {
      await registry.publish(await inOrder(2), ADMIN)
      await drain()
      const { pages, revision } = await registry.manifest()
      const written = () => sql.exec<{ hash: string }>('SELECT hash FROM page').one().hash
      sql.exec("UPDATE page SET hash = 'old'")
      restart()
      expect(written()).toBe('old')
      sql.exec("DELETE FROM meta WHERE name = 'lines'")
      const next = restart()
      await next.manifest()
      await drain()
      expect(written()).toBe(pages[0]?.hash)
      expect(JSON.parse(kv.values.get('catalogue/manifest') ?? '')).toMatchObject({ pages })
      expect((await restart().manifest()).revision).toBeGreaterThan(revision)
    }))
})

describe('a listed tool', () => {
  it('has the description of its toolkit in its record, and not in its line', () =>
    inRegistry(async ({ registry, sql }) => {
      await registry.publish(await inOrder(1), ADMIN)
      for (const description of ['One', 'Two']) {
        await registry.changeToolkit('Kit', { description }, ADMIN)
        const [tool] = loadListedTools(sql, '', '\u{10ffff}', 1, (record) => JSON.stringify(record))
        expect(tool?.line).not.toContain('toolkitDescription')
        expect(JSON.parse(tool?.record ?? '')).toMatchObject({ toolkitDescription: description })
      }
    }))
})

describe('a page of the catalog', () => {
  it('holds up to 64 tools; beyond that it keeps the first 48, and a new page gets the others, in order of ids', () =>
    inRegistry(async ({ registry }) => {
      const all = await inOrder(200)
      await registry.publish(all.slice(0, 64), ADMIN)
      expect((await pagesOf(registry)).keys.map(({ length }) => length)).toEqual([64])
      await registry.publish(all.slice(64, 65), ADMIN)
      expect((await pagesOf(registry)).keys.map(({ length }) => length)).toEqual([48, 17])
      await registry.publish(all.slice(65), ADMIN)
      const { pages, keys } = await pagesOf(registry)
      expect(keys.map(({ length }) => length)).toEqual([48, 48, 48, 56])
      expect(keys.flat()).toEqual(all.flatMap(({ records }) => records.map(toolKey)))
      expect(pages.map(({ first }) => first)).toEqual(['', 'kit.t0048', 'kit.t0096', 'kit.t0144'])
    }))

  it('holds up to a million characters, and a single tool of any length', () =>
    inRegistry(async ({ registry }) => {
      // A record contains a definition twice, and a line contains it again
      await registry.publish(await inOrder(9, { description: 'x'.repeat(60_000) }), ADMIN)
      const { pages, keys } = await pagesOf(registry)
      expect(keys.map(({ length }) => length)).toEqual([2, 2, 5])
      for (const page of pages) expect(pageOf(registry, page.hash).length).toBeLessThanOrEqual(1_000_000)
    }))

  it('takes in a tool that sorts between its own, and other pages stay the same', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(await inOrder(129), ADMIN)
      const before = await pagesOf(registry)
      expect(before.keys.map(({ length }) => length)).toEqual([48, 48, 33])
      await registry.publish([await publication('Kit.T0077a@1.0.0')], ADMIN)
      const after = await pagesOf(registry)
      expect(after.keys.map(({ length }) => length)).toEqual([48, 49, 33])
      expect(after.keys[1]?.slice(29, 31)).toEqual(['kit.t0077', 'kit.t0077a'])
      expect([after.pages[0], after.pages[2]]).toEqual([before.pages[0], before.pages[2]])
      expect(after.pages[1]).not.toEqual(before.pages[1])
    }))

  it('exists even if it is empty', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      expect(await pagesOf(registry)).toMatchObject({ keys: [[]] })
      await registry.installBundle('', 0)
      await drain()
      expect(listedIn(kv)).toEqual([])
    }))
})

describe('the changes of the manifest since a revision', () => {
  /** Changes the list in many places, so that pages are split, change again and lose tools. */
  async function changeMuch({ registry }: Harness, use: () => Promise<void>): Promise<void> {
    for (let round = 0; round < 12; round += 1) {
      await registry.publish(await publications(round * 40, round * 40 + 40), ADMIN)
      if (round % 3 === 1) await use()
      for (const n of [0, round * 40 + 3]) {
        const name = { toolkit: `kit${n % 9}`, tool: `t${n}` }
        const state = n === 0 && round % 2 === 1 ? 'active' : 'disabled'
        await registry.change(name, '1.0.0', { status: { state } }, ADMIN)
      }
      await use()
    }
  }

  it('turn any earlier manifest into the current one, whether it came from the registry or from KV', () =>
    inRegistry(async (harness) => {
      const earlier: Manifest[] = []
      await changeMuch(harness, async () => {
        const { registry, runAlarm, restart, kv } = harness
        const replicated = kv.values.get('catalogue/manifest')
        if (replicated !== undefined) earlier.push(JSON.parse(replicated))
        // KV gets only a part of it before the next changes
        if (earlier.length % 3 !== 0) await runAlarm()
        const manifests = await Promise.all(
          earlier.map(async (known) => applyUpdate(known, await harness.registry.manifest(known.revision))),
        )
        const whole = await manifestOf(restart())
        for (const manifest of manifests) expect(manifest).toEqual(whole)
        expect(createManifest(whole.revision, whole.pages)).toEqual(whole)
        expect(await manifestOf(registry)).toEqual(whole)
        earlier.push(whole)
      })
      expect(new Set(earlier.map(({ pages }) => pages.length)).size).toBeGreaterThan(3)
      await harness.drain()
      const replicated: Manifest = JSON.parse(harness.kv.values.get('catalogue/manifest') ?? '')
      expect(replicated).toEqual(await manifestOf(harness.registry))
    }))

  it('are the page that changed, and read no more rows in a large catalog than in a small one', () =>
    inRegistry(async ({ registry, sql }) => {
      const rows: number[] = []
      for (const count of [150, 900]) {
        await registry.publish(await inOrder(count), ADMIN)
        const changeTo = (state: 'active' | 'disabled') =>
          registry.change({ toolkit: 'kit', tool: 't0001' }, '1.0.0', { status: { state } }, ADMIN)
        await changeTo('disabled')
        const { revision, pages } = await registry.manifest()
        expect(pages.length).toBeGreaterThan(count / 128)
        await changeTo('active')
        rows.push(
          await rowsOf(sql, async () => {
            const since = await registry.manifest(revision)
            expect(since.pages.map(({ first }) => first)).toEqual([''])
            expect(since.since).toBe(revision)
          }),
        )
        expect((await registry.manifest(revision + 1_000)).pages).toHaveLength(pages.length)
      }
      expect(rows[1]).toBeLessThanOrEqual(rows[0] ?? 0)
    }))
})

describe('the etag', () => {
  it('depends on what is listed, and is the same when that returns', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(await publications(0, 2), ADMIN)
      const { etag, revision } = await manifestOf(registry)
      await registry.change({ toolkit: 'kit0', tool: 't0' }, '1.0.0', { status: { state: 'disabled' } }, ADMIN)
      const other = await manifestOf(registry)
      expect(other.etag).not.toBe(etag)
      await registry.change({ toolkit: 'kit0', tool: 't0' }, '1.0.0', { status: { state: 'active' } }, ADMIN)
      const again = await manifestOf(registry)
      expect(again.etag).toBe(etag)
      expect(again.revision).toBeGreaterThan(revision)
    }))
})

describe('a page', () => {
  it('is found by its hash while it is part of the catalog', () =>
    inRegistry(async ({ registry }) => {
      await registry.publish(await publications(0, 1), ADMIN)
      const [page] = (await registry.manifest()).pages
      expect(pageOf(registry, page?.hash ?? '')).toContain('Kit0.T0')
      await registry.publish(await publications(1, 2), ADMIN)
      expect(registry.value(`catalogue/page/${page?.hash}`)).toBeUndefined()
      await registry.manifest()
      expect(registry.value(`catalogue/page/${page?.hash}`)).toBeUndefined()
      expect(registry.value(`catalogue/page/${'0'.repeat(64)}`)).toBeUndefined()
    }))

  /** Lets an hour pass, and runs every alarm in it. */
  async function anHour({ alarm, runAlarm }: Harness): Promise<void> {
    const end = Date.now() + 3_600_000
    for (let at = await alarm(); at !== null && at <= end; at = await alarm()) await runAlarm()
    vi.setSystemTime(end)
  }

  it('that returns while it waits to be deleted stays', () =>
    inRegistry(async (harness) => {
      const { registry, kv, drain } = harness
      await registry.publish(await publications(0, 2), ADMIN)
      await drain()
      for (const state of ['disabled', 'active'] as const) {
        await registry.change({ toolkit: 'kit0', tool: 't0' }, '1.0.0', { status: { state } }, ADMIN)
        await drain()
      }
      await anHour(harness)
      expect(listedIn(kv)).toHaveLength(2)
      expect([...kv.values.keys()].filter((key) => key.startsWith('catalogue/page/'))).toHaveLength(1)
    }))

  it('that returns after it was deleted is written again', () =>
    inRegistry(async (harness) => {
      const { registry, kv, drain } = harness
      await registry.publish(await publications(0, 2), ADMIN)
      await drain()
      for (const state of ['disabled', 'active'] as const) {
        await registry.change({ toolkit: 'kit0', tool: 't0' }, '1.0.0', { status: { state } }, ADMIN)
        await drain()
        await anHour(harness)
      }
      expect(listedIn(kv)).toHaveLength(2)
    }))
})
