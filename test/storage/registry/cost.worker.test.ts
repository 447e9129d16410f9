import { describe, expect, it, vi } from 'vitest'
import { ADMIN, type Harness, inRegistry, publication, publications, rowsOf, stopClock } from './set-up.ts'

stopClock()

/** The cost of publishing one more tool until it is in KV: statements, rows and KV keys. */
async function costOfOneMore({ registry, sql, kv, drain }: Harness, id: string) {
  // The next manifest waits for nothing
  vi.setSystemTime(Date.now() + 60_000)
  kv.log.length = 0
  const more = [await publication(id)]
  const spy = vi.spyOn(sql, 'exec')
  await registry.publish(more, ADMIN)
  await drain()
  const cursors = spy.mock.results.flatMap(({ type, value }) => (type === 'return' ? [value] : []))
  const statements = spy.mock.calls.length
  spy.mockRestore()
  const rows = (of: 'rowsRead' | 'rowsWritten') => cursors.reduce((sum, cursor) => sum + cursor[of], 0)
  const characters = kv.keys('').reduce((sum, key) => sum + (kv.values.get(key)?.length ?? 0), 0)
  return { statements, read: rows('rowsRead'), written: rows('rowsWritten'), keys: kv.log.length, characters }
}

describe('a publication', () => {
  it('takes as many statements, rows and KV writes in a registry of 2,000 tools as in one of 200', () =>
    inRegistry(async (harness) => {
      await harness.registry.publish(await publications(0, 200), ADMIN)
      await harness.drain()
      const few = await costOfOneMore(harness, 'Kit3.T50a@1.0.0')
      await harness.registry.publish(await publications(200, 2_000), ADMIN)
      await harness.drain()
      const many = await costOfOneMore(harness, 'Kit3.T50b@1.0.0')
      expect({ statements: many.statements, keys: many.keys }).toEqual({ statements: few.statements, keys: few.keys })
      expect(many.keys).toBe(3)
      // Raise this only with a reason: each publication pays it
      expect(few.statements).toBeLessThanOrEqual(90)
      expect(many.written).toBeLessThanOrEqual(few.written)
      // A page may have some tools more, and the manifest some pages
      expect(many.read).toBeLessThan(1.3 * few.read)
      expect(many.characters).toBeLessThan(1.3 * few.characters)
    }))

  it('delays the manifest after many writes, so that few pages are replaced before they are deleted', () =>
    inRegistry(async ({ registry, kv, drain }) => {
      const times = () => kv.log.filter(({ key }) => key === 'catalogue/manifest').map(({ at }) => at)
      const large = Array.from({ length: 60 }, (_, n) =>
        publication(`Large.T${n}@1.0.0`, { description: 'x'.repeat(60_000) }),
      )
      for (const some of [large, [publication('Small.A@1.0.0')], [publication('Small.B@1.0.0')]]) {
        await registry.publish(await Promise.all(some), ADMIN)
        await drain()
      }
      const [first = 0, second = 0, third = 0] = times()
      expect(second - first).toBeGreaterThan(10_000)
      expect(second - first).toBeLessThan(20_000)
      expect(third - second).toBeLessThan(2_000)
    }))
})

describe('a run of the outbox', () => {
  it('reads no more rows if 2,000 tools wait than if 500 do', () =>
    inRegistry(async ({ registry, sql, runAlarm }) => {
      const rows: number[] = []
      for (const [from, to] of [
        [0, 500],
        [500, 2_400],
      ] as const) {
        await registry.publish(await publications(from, to), ADMIN)
        rows.push(await rowsOf(sql, runAlarm))
      }
      expect(rows[1]).toBeLessThan(1.3 * (rows[0] ?? 0))
    }))
})
