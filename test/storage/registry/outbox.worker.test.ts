import { describe, expect, it } from 'vitest'
import { documentOf, inRegistry, listedIn, publication, publications, stopClock } from './set-up.ts'

stopClock()

describe('the outbox', () => {
  it('publishes 1,000 tools for one document each, a page or two for every 64, and one head, which comes last', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await registry.publish(await publications(0, 1_000))
      await drain()
      expect(kv.keys('tool/').length).toBe(1_000)
      expect(kv.keys('catalogue/page/').length).toBeLessThanOrEqual(40)
      expect(kv.keys('catalogue/head').length).toBe(1)
      expect(kv.keys('record/')).toEqual([])
      expect(kv.log.at(-1)?.key).toBe('catalogue/head')
      expect(listedIn(kv).length).toBe(1_000)

      // One more tool rewrites the two pages it is on
      kv.log.length = 0
      await registry.publish(await publications(1_000, 1_001))
      await drain()
      expect(kv.keys('').length).toBe(4)
      expect(kv.keys('catalogue/page/').length).toBe(2)
      expect(listedIn(kv).length).toBe(1_001)
    }))

  it('lands everything in the end when KV fails again and again, later each time, the head last', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      let tries = 0
      let failures = 0
      kv.refuse = () => {
        tries += 1
        if (failures === 7 || tries % 13 !== 0) return false
        failures += 1
        return true
      }
      await registry.publish(await publications(0, 150))
      await drain()
      expect(failures).toBe(7)
      expect(kv.log.at(-1)?.key).toBe('catalogue/head')
      expect(listedIn(kv).length).toBe(150)
      expect([...kv.values.keys()].filter((key) => key.startsWith('tool/')).length).toBe(150)
    }))

  it('tries again after longer and longer waits, whatever else is published meanwhile', () =>
    inRegistry(async ({ registry, kv, runAlarm, alarm, drain }) => {
      kv.refuse = () => true
      const waits: number[] = []
      for (let n = 0; n < 9; n += 1) {
        await registry.publish(await publications(n, n + 1))
        await runAlarm()
        waits.push(((await alarm()) ?? 0) - Date.now())
      }
      expect(waits).toEqual([...waits].sort((a, b) => a - b))
      expect(new Set(waits).size).toBeGreaterThan(5)
      expect(Math.max(...waits)).toBe(60_000)
      kv.refuse = () => false
      await drain()
      expect(listedIn(kv).length).toBe(9)
    }))

  it('writes a key that changes over and over no more than once a second', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain }) => {
      await registry.publish(await publications(0, 1))
      await drain()
      kv.log.length = 0
      kv.meanwhile = async (key) => {
        // Changes that come while a run writes
        if (kv.log.length < 60) await registry.setStatus('kit0.t0', '1.0.0', { state: 'deprecated', message: key })
      }
      for (let n = 0; n < 100; n += 1) {
        await registry.setStatus('kit0.t0', '1.0.0', { state: 'deprecated', message: String(n) })
        if (n % 10 === 9) await runAlarm()
      }
      await drain()
      for (const key of ['tool/kit0.t0', 'catalogue/head']) {
        const times = kv.log.filter((each) => each.key === key).map(({ at }) => at)
        expect(times.length).toBeGreaterThan(5)
        times.slice(1).forEach((at, index) => expect(at - (times[index] ?? 0)).toBeGreaterThanOrEqual(1_000))
      }
      expect(JSON.parse(kv.values.get('tool/kit0.t0') ?? '')).toEqual(documentOf(registry, 'kit0.t0'))
    }))

  it('never has a head name what has not landed, while publications come in', () =>
    inRegistry(async ({ registry, kv, drain, runAlarm }) => {
      let next = 0
      kv.meanwhile = async () => {
        if (next < 600 && next % 3 === 0) await registry.head()
        if (next < 600) await registry.publish(await publications(next, (next += 1)))
      }
      await registry.publish(await publications(600, 640))
      while (next < 600) {
        await runAlarm()
        if (!kv.values.has('catalogue/head')) continue
        for (const tool of listedIn(kv)) expect(kv.values.has(`tool/${tool}`)).toBe(true)
      }
      expect(kv.keys('catalogue/head').length).toBeGreaterThan(3)
      await drain()
      expect(listedIn(kv).length).toBe(640)
    }))

  it('publishes a head again that was old by the time it landed', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      kv.meanwhile = async (key) => {
        if (key !== 'catalogue/head') return
        kv.meanwhile = async () => undefined
        await registry.publish(await publications(3, 4))
        await registry.head()
      }
      await registry.publish(await publications(0, 3))
      await drain()
      expect(listedIn(kv).length).toBe(4)
      expect(kv.keys('catalogue/head').length).toBe(2)
    }))

  it('publishes at once although the next alarm was for sweeping old pages', () =>
    inRegistry(async ({ registry, kv, drain, alarm }) => {
      await registry.publish(await publications(0, 5))
      await drain()
      await registry.publish(await publications(5, 6))
      await drain()
      expect(((await alarm()) ?? 0) - Date.now()).toBeGreaterThan(60_000)
      await registry.publish(await publications(6, 7))
      expect(((await alarm()) ?? 0) - Date.now()).toBeLessThanOrEqual(1_100)
      await drain()
      expect(listedIn(kv).length).toBe(7)
    }))

  it('deletes pages some minutes after no head names them, and no other', () =>
    inRegistry(async ({ registry, kv, drain, runAlarm }) => {
      for (let n = 0; n < 5; n += 1) {
        await registry.publish(await publications(n, n + 1))
        await drain()
      }
      const pages = () => [...kv.values.keys()].filter((key) => key.startsWith('catalogue/page/')).length
      expect(pages()).toBeGreaterThan(2)
      const start = Date.now()
      while (pages() > 2) await runAlarm()
      expect(Date.now() - start).toBeGreaterThan(5 * 60_000)
      expect(listedIn(kv).length).toBe(5)
    }))

  it('goes on where it was after a crash in the middle', () =>
    inRegistry(async ({ registry, kv, runAlarm, drain, restart }) => {
      kv.refuse = () => kv.log.length >= 30
      await registry.publish(await publications(0, 100))
      await runAlarm()
      expect(kv.values.has('catalogue/head')).toBe(false)
      kv.refuse = () => false
      const again = restart()
      await again.takeIn('', { at: 0 })
      await drain()
      expect(listedIn(kv).length).toBe(100)
    }))

  it('lands a page that was touched and came out the same while it waited', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      await registry.publish(await publications(0, 3))
      let touched = false
      kv.meanwhile = async () => {
        if (touched) return
        touched = true
        await registry.setStatus('kit0.t0', '1.0.0', { state: 'active' })
      }
      await drain()
      expect(listedIn(kv).length).toBe(3)
    }))
})
