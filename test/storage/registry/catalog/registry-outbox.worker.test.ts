import { describe, expect, it, vi } from 'vitest'
import type { Principal } from '../../../../src/core/access/principal.ts'
import { applyUpdate, type Manifest } from '../../../../src/storage/registry/catalog/manifest.ts'
import { parsePage } from '../../../../src/storage/registry/catalog/listed-tools.ts'
import { WRITES_BEFORE } from '../../../extent.ts'
import {
  ADMIN,
  documentOf,
  inRegistry,
  listedIn,
  publication,
  publications,
  record,
  stopClock,
  textOf,
} from '../set-up.ts'

stopClock()

/** The owner of everything published here, who is not an administrator. */
const OWNER: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:publish'], tools: ['*'] }

/** Moves the clock by the share of one write, if 25 at once take half a second. */
const takesAWhile = () => void vi.setSystemTime(Date.now() + 20)

/** The keys of the tools on a page. */
const indexOf = (page = '') => parsePage(page).index.map(({ key }) => key)

describe('the outbox', () => {
  it('publishes 1,000 tools with one document each, one page per 48, and one manifest after the pages', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await registry.publish(await publications(0, 1_000), ADMIN)
      await drain()
      expect(kv.keys('tool/').length).toBe(1_000)
      expect(kv.keys('catalogue/page/').length).toBeLessThanOrEqual(Math.ceil(1_000 / 48))
      expect(kv.keys('catalogue/manifest').length).toBe(1)
      expect(kv.keys('record/')).toEqual([])
      expect(kv.keys('catalogue/').at(-1)).toBe('catalogue/manifest')
      expect(listedIn(kv).length).toBe(1_000)

      // One more tool rewrites only one page
      kv.log.length = 0
      await registry.publish(await publications(1_000, 1_001), ADMIN)
      await drain()
      expect(kv.keys('').length).toBe(3)
      expect(kv.keys('catalogue/page/').length).toBe(1)
      expect(listedIn(kv).length).toBe(1_001)
    }))

  it('writes everything in the end if KV fails repeatedly, with increasing delays', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      let tries = 0
      let failures = 0
      kv.refuse = () => {
        tries += 1
        if (failures === 7 || tries % 13 !== 0) return false
        failures += 1
        return true
      }
      await registry.publish(await publications(0, 150), ADMIN)
      await drain()
      expect(failures).toBe(7)
      expect(listedIn(kv).length).toBe(150)
      expect([...kv.values.keys()].filter((key) => key.startsWith('tool/')).length).toBe(150)
    }))

  it('retries after increasing delays of up to ten seconds', () =>
    inRegistry(async ({ registry, kv, runAlarm, alarm, drain }) => {
      kv.refuse = () => true
      await registry.publish(await publications(0, 9), ADMIN)
      const waits: number[] = []
      for (let n = 0; n < 12; n += 1) {
        await runAlarm()
        waits.push(((await alarm()) ?? 0) - Date.now())
      }
      expect(Math.min(...waits)).toBeGreaterThanOrEqual(1_100)
      expect(waits.slice(-6).every((wait) => wait >= 5_000 && wait <= 10_000)).toBe(true)
      // Objects that failed together must not all retry together
      expect(new Set(waits.slice(-6)).size).toBeGreaterThan(1)
      kv.refuse = () => false
      await drain()
      expect(listedIn(kv).length).toBe(9)
    }))

  it('retries soon after a failure when something is published, with one key while KV refuses', () =>
    inRegistry(async ({ registry, kv, runAlarm, alarm, drain }) => {
      let tries = 0
      kv.refuse = (key) => {
        tries += key.startsWith('tool/') ? 1 : 0
        return key.startsWith('tool/')
      }
      await registry.publish(await publications(0, 60), ADMIN)
      for (let n = 0; n < 8; n += 1) await runAlarm()
      expect(((await alarm()) ?? 0) - Date.now()).toBeGreaterThan(4_000)
      tries = 0
      await registry.publish(await publications(60, 61), ADMIN)
      expect(((await alarm()) ?? 0) - Date.now()).toBeLessThanOrEqual(1_100)
      await runAlarm()
      expect(tries).toBe(1)
      kv.refuse = () => false
      await registry.publish(await publications(61, 62), ADMIN)
      expect(((await alarm()) ?? 0) - Date.now()).toBeLessThanOrEqual(1_100)
      await drain()
      expect(listedIn(kv).length).toBe(62)
    }))

  it('continues after its own defect, and after the platform gave up its alarm', () =>
    inRegistry(async ({ registry, sql, kv, runAlarm, alarm, giveUpAlarm, drain, restart }) => {
      await registry.publish(await publications(0, 3), ADMIN)
      const spy = vi.spyOn(sql, 'exec').mockImplementation(() => {
        throw new Error('out of memory')
      })
      await runAlarm()
      spy.mockRestore()
      expect(((await alarm()) ?? 0) - Date.now()).toBeLessThanOrEqual(10_000)
      await drain()
      expect(listedIn(kv).length).toBe(3)

      await registry.publish(await publications(3, 4), ADMIN)
      await giveUpAlarm()
      restart()
      await expect.poll(alarm).not.toBeNull()
      await drain()
      expect(listedIn(kv).length).toBe(4)
    }))

  it('replaces an alarm that failed before it ran anything', () =>
    inRegistry(async ({ registry, alarm, kv, drain }) => {
      await registry.publish(await publications(0, 1), ADMIN)
      const due = (await alarm()) ?? 0
      vi.setSystemTime(due + 2_000)
      await registry.publish(await publications(1, 2), ADMIN)
      expect(await alarm()).toBe(due)
      vi.setSystemTime(due + 20_000)
      await registry.publish(await publications(2, 3), ADMIN)
      expect(await alarm()).toBe(Date.now())
      await drain()
      expect(listedIn(kv).length).toBe(3)
    }))

  it('first writes what an administrator withdraws, and writes changes of status before new versions', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain }) => {
      await registry.publish(await publications(0, 400), ADMIN)
      await drain()
      await registry.publish(await publications(400, 1_900), ADMIN)
      const change = (n: number, who: Principal) =>
        registry.change({ toolkit: `kit${n % 9}`, tool: `t${n}` }, '1.0.0', { status: { state: 'disabled' } }, who)
      // More changes than one run writes
      for (let n = 0; n < 399; n += 1) await change(n, OWNER)
      await change(399, ADMIN)
      kv.log.length = 0
      await runAlarm()
      const order = kv.keys('')
      expect(order.slice(0, 2)).toEqual([expect.stringMatching(/^record\//), `tool/kit${399 % 9}.t399`])
      expect(JSON.parse(kv.values.get(`tool/kit${399 % 9}.t399`) ?? '').versions[0].status).toEqual({
        state: 'disabled',
      })
      // New entries get their share
      expect(order.length).toBeGreaterThan(350)
      await runAlarm()
      await runAlarm()
      expect(JSON.parse(kv.values.get('tool/kit0.t0') ?? '').versions[0].status).toEqual({ state: 'disabled' })
      expect(kv.values.has(`tool/kit${1_899 % 9}.t1899`)).toBe(false)
      await drain()
      expect(listedIn(kv)).toHaveLength(1_500)
    }))

  it('writes the manifest repeatedly while more is published than it can write', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain }) => {
      kv.meanwhile = async () => takesAWhile()
      const seen: number[] = []
      let next = 0
      for (; next < 6_000; next += 500) {
        await registry.publish(await publications(next, next + 500), ADMIN)
        // A publisher who lists the tools causes pages to be rebuilt meanwhile
        await registry.manifest()
        await runAlarm()
        if (kv.values.has('catalogue/manifest')) seen.push(listedIn(kv).length)
      }
      expect(new Set(seen).size).toBeGreaterThanOrEqual(3)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
      await drain()
      expect(listedIn(kv)).toHaveLength(next)
    }))

  it('does not wait between the runs that write one publication', () =>
    inRegistry(async ({ registry, kv, runAlarm, alarm }) => {
      await registry.publish(await publications(0, 1_500), ADMIN)
      const start = Date.now()
      while (kv.keys('tool/').length < 1_500) await runAlarm()
      expect(Date.now() - start).toBe(0)
      expect(listedIn(kv)).toHaveLength(1_500)
      expect(((await alarm()) ?? Infinity) - Date.now()).toBeGreaterThanOrEqual(1_100)
    }))

  it('writes a key that keeps changing at most once per second', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain }) => {
      await registry.publish(await publications(0, 1), ADMIN)
      await drain()
      kv.log.length = 0
      kv.meanwhile = async (key) => {
        // Changes during the writes of a run
        if (kv.log.length < 60)
          await registry.change(
            { toolkit: 'kit0', tool: 't0' },
            '1.0.0',
            { status: { state: 'deprecated', message: key } },
            ADMIN,
          )
      }
      for (let n = 0; n < 100; n += 1) {
        await registry.change(
          { toolkit: 'kit0', tool: 't0' },
          '1.0.0',
          { status: { state: 'deprecated', message: String(n) } },
          ADMIN,
        )
        if (n % 10 === 9) await runAlarm()
      }
      await drain()
      for (const key of ['tool/kit0.t0', 'catalogue/manifest']) {
        const times = kv.log.filter((each) => each.key === key).map(({ at }) => at)
        expect(times.length).toBeGreaterThan(5)
        times.slice(1).forEach((at, index) => expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(1_000))
      }
      expect(JSON.parse(kv.values.get('tool/kit0.t0') ?? '')).toEqual(documentOf(registry, 'kit0.t0'))
    }))

  it('never unlists a tool, and lists each one once, while publications arrive', () =>
    inRegistry(async ({ registry, kv, drain, runAlarm }) => {
      let next = 0
      kv.meanwhile = async () => {
        takesAWhile()
        if (next < 1_200 && next % 3 === 0) await registry.manifest()
        if (next < 1_200) await registry.publish(await publications(next, (next += 1)), ADMIN)
      }
      await registry.publish(await publications(1_200, 1_240), ADMIN)
      let before: string[] = []
      while (next < 1_200) {
        await runAlarm()
        if (!kv.values.has('catalogue/manifest')) continue
        const listed = new Set(listedIn(kv))
        expect(before.filter((tool) => !listed.has(tool))).toEqual([])
        before = [...listed]
      }
      expect(kv.keys('catalogue/manifest').length).toBeGreaterThan(1)
      await drain()
      expect(listedIn(kv).length).toBe(1_240)
    }))

  it.each([0, 4])(
    'lists a tool after about as many writes as waited before it, while %i are published per write',
    (rate) =>
      inRegistry(async ({ registry, kv, runAlarm }) => {
        let next = 0
        let each = 2
        kv.meanwhile = async () => {
          takesAWhile()
          const from = next
          next += each
          if (each > 0) await registry.publish(await publications(from, next), ADMIN)
        }
        await registry.publish(await publications((next = 50) - 50, 50), ADMIN)
        while (kv.log.length < WRITES_BEFORE) await runAlarm()
        const waiting = next - kv.keys('tool/').length
        each = rate
        await registry.publish([await publication('Marked.Tool@1.0.0')], ADMIN)
        const before = kv.log.length
        while (!listedIn(kv).includes('marked.tool') && kv.log.length < 6 * WRITES_BEFORE) await runAlarm()
        expect(waiting).toBeGreaterThan(WRITES_BEFORE)
        expect(kv.log.length - before).toBeLessThan(1.5 * waiting + 200)
      }),
  )

  it('also lists what sorts next to a page that fills as fast as it is written', () =>
    inRegistry(async ({ registry, kv, runAlarm }) => {
      let next = 0
      const following = (count: number) =>
        Promise.all(Array.from({ length: count }, () => publication(`Import.T${100_000 + next++}@1.0.0`)))
      kv.meanwhile = async () => {
        takesAWhile()
        await registry.publish(await following(3), ADMIN)
      }
      await registry.publish([...(await following(200)), await publication('Zone.Last@1.0.0')], ADMIN)
      const seen: number[] = []
      let withLast = 0
      while (kv.log.length < 2_500) {
        await runAlarm()
        if (!kv.values.has('catalogue/manifest')) continue
        const listed = listedIn(kv)
        seen.push(listed.length)
        if (listed.includes('zone.last')) withLast ||= kv.log.length
      }
      expect(new Set(seen).size).toBeGreaterThan(2)
      expect(seen).toEqual(seen.toSorted((a, b) => a - b))
      expect(withLast).toBeGreaterThan(0)
      expect(withLast).toBeLessThan(1_000)
    }))

  it('never unlists a tool when pages are split, and a reader finds every tool with its manifest', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain }) => {
      await registry.publish(await publications(0, 100), ADMIN)
      await drain()
      let next = 100
      let before = listedIn(kv)
      let manifests = kv.keys('catalogue/manifest').length
      kv.meanwhile = async () => {
        takesAWhile()
        if (next % 50 === 0) await registry.manifest()
        if (next < 1_300) await registry.publish([await publication(`Late${next % 9}.T${(next += 1)}@1.0.0`)], ADMIN)
      }
      await registry.publish(await publications(900, 1_500), ADMIN)
      let partial = 0
      while (next < 1_300 || listedIn(kv).length < 1_900) {
        await runAlarm()
        if (kv.keys('catalogue/manifest').length === manifests) continue
        manifests = kv.keys('catalogue/manifest').length
        const listed = new Set(listedIn(kv))
        expect(before.filter((tool) => !listed.has(tool))).toEqual([])
        before = [...listed]
        const published = 600 + next
        if (listed.size < published) partial += 1
        const manifest: Manifest = JSON.parse(kv.values.get('catalogue/manifest') ?? '')
        const now = applyUpdate(manifest, await registry.manifest(manifest.revision))
        expect(now.count).toBe(now.pages.reduce((sum, { count }) => sum + count, 0))
        const keys = now.pages.flatMap(({ hash }) => indexOf(textOf(registry, `catalogue/page/${hash}`)))
        expect(keys).toHaveLength(published)
        expect(new Set(keys).size).toBe(published)
      }
      expect(partial).toBeGreaterThan(0)
    }))

  it('writes a manifest again if it was outdated when KV had it', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      kv.meanwhile = async (key) => {
        if (key !== 'catalogue/manifest') return
        kv.meanwhile = async () => undefined
        await registry.publish(await publications(3, 4), ADMIN)
        await registry.manifest()
      }
      await registry.publish(await publications(0, 3), ADMIN)
      await drain()
      expect(listedIn(kv).length).toBe(4)
      expect(kv.keys('catalogue/manifest').length).toBe(2)
    }))

  it('publishes at once even if the next alarm was set for deleting old pages', () =>
    inRegistry(async ({ registry, kv, drain, alarm }) => {
      await registry.publish(await publications(0, 5), ADMIN)
      await drain()
      await registry.publish(await publications(5, 6), ADMIN)
      await drain()
      expect(((await alarm()) ?? 0) - Date.now()).toBeGreaterThan(60_000)
      await registry.publish(await publications(6, 7), ADMIN)
      expect(((await alarm()) ?? 0) - Date.now()).toBeLessThanOrEqual(1_100)
      await drain()
      expect(listedIn(kv).length).toBe(7)
    }))

  it('deletes only pages that no manifest has named for some minutes', () =>
    inRegistry(async ({ registry, kv, drain, runAlarm }) => {
      for (let n = 0; n < 5; n += 1) {
        await registry.publish(await publications(n, n + 1), ADMIN)
        await drain()
      }
      const pages = () => [...kv.values.keys()].filter((key) => key.startsWith('catalogue/page/')).length
      expect(pages()).toBeGreaterThan(1)
      const start = Date.now()
      while (pages() > 1) await runAlarm()
      expect(Date.now() - start).toBeGreaterThanOrEqual(2 * 60_000)
      expect(listedIn(kv).length).toBe(5)
    }))

  it('continues where it was after a crash', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain, restart }) => {
      kv.refuse = () => kv.log.length >= 30
      await registry.publish(await publications(0, 100), ADMIN)
      await runAlarm()
      expect(kv.values.has('catalogue/manifest')).toBe(false)
      kv.refuse = () => false
      const again = restart()
      await again.installBundle('', 0)
      await drain()
      expect(listedIn(kv).length).toBe(100)
    }))

  it('writes a page that changed and changed back while it waited', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await registry.publish(await publications(0, 3), ADMIN)
      let touched = false
      kv.meanwhile = async () => {
        if (touched) return
        touched = true
        await registry.change({ toolkit: 'kit0', tool: 't0' }, '1.0.0', { status: { state: 'active' } }, ADMIN)
      }
      await drain()
      expect(listedIn(kv).length).toBe(3)
    }))

  it('writes a key that changed a hundred times once, with its last value', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      for (let n = 1; n <= 100; n += 1) await registry.publish([await publication(`Kit.A@1.0.${n}`)], ADMIN)
      await drain()
      expect(kv.keys('tool/')).toEqual(['tool/kit.a'])
      expect(kv.keys('catalogue/')).toHaveLength(2)
      expect(JSON.parse(kv.values.get('tool/kit.a') ?? '')).toMatchObject({ newest: { version: '1.0.100' } })
    }))

  it('never deletes a record, since a reader may hold the document that names it', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      const before = await record('Kit.A@1.0.0', { description: 'before' })
      await registry.installBundle('1', 1, [before, await record('Kit.A@2.0.0')])
      await drain()
      // It is queued again when the bundle replaces it
      const status = { state: 'deprecated' } as const
      await registry.change({ toolkit: 'kit', tool: 'a' }, '1.0.0', { status }, ADMIN)
      await registry.installBundle('2', 2, [await record('Kit.A@1.0.0'), await record('Kit.A@2.0.0')])
      await drain()
      expect(kv.values.has(`record/${before.digest}`)).toBe(true)
    }))

  it('deletes no page that a manifest in KV names, however long the next one takes', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain }) => {
      await registry.publish(await publications(0, 1), ADMIN)
      await drain()
      const old = [...kv.values.keys()].filter((key) => key.startsWith('catalogue/page/'))
      await registry.publish(await publications(1, 2), ADMIN)
      const start = Date.now()
      kv.refuse = (key) => key === 'catalogue/manifest'
      while (Date.now() - start < 15 * 60_000) {
        vi.setSystemTime(Date.now() + 60_000)
        await runAlarm()
      }
      expect(kv.keys('catalogue/manifest')).toHaveLength(1)
      expect(old.filter((key) => kv.values.has(key))).toEqual(old)
      kv.refuse = () => false
      await drain()
      expect(listedIn(kv)).toHaveLength(2)
      await runAlarm()
      expect(old.filter((key) => kv.values.has(key))).toEqual([])
    }))
})
