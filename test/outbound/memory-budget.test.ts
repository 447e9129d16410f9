import { expect, it } from 'vitest'
import { createMemory } from '../../src/outbound/memory-budget.ts'

const WHOLE = 16_000_000
const LIMITS = { name: 'answers', size: 32_000_000, share: WHOLE, idleMs: 15_000 }

/** By a clock that goes as those who wait look again. */
function createWorld(limits: { readonly waitMs?: number; readonly idleMs?: number } = {}) {
  let time = 0
  const memory = createMemory({ now: () => time, sleep: async (ms) => void (time += ms) })
  const budget = memory.createBudget({ ...LIMITS, ...limits })
  /** Whether a caller can get this many more bytes immediately, in addition to an older small lease. */
  async function isFree(caller: string, bytes: number): Promise<boolean> {
    let looks = 0
    const probe = budget.reserve(caller, () => looks++ > 1)
    const isGrown = await probe.grow(bytes)
    probe.release()
    return isGrown
  }
  return { memory, budget, isFree, now: () => time, setTime: (to: number) => void (time = to) }
}

it('growing memory waits for others of its caller, but not for other callers while there is room', async () => {
  const { budget, now } = createWorld()
  const [first, other, second] = ['a', 'b', 'a'].map((caller) => budget.reserve(caller))
  await first?.grow(WHOLE)
  await other?.grow(WHOLE)
  expect(now()).toBe(0)
  setTimeout(() => first?.release())
  await second?.grow(WHOLE)
  expect(now()).toBeGreaterThan(0)
})

it('growing memory finishes if several reservations of one caller grow at once, each waiting for the others', async () => {
  const { budget, now } = createWorld()
  const all = Array.from({ length: 4 }, () => budget.reserve('a'))
  for (const { grow } of all) expect(await grow(WHOLE / 4)).toBe(true)
  const grown = all.map(async ({ grow, release }) => {
    const isGrown = (await grow(WHOLE / 2)) && (await grow(WHOLE))
    release()
    return isGrown
  })
  expect(await Promise.all(grown)).toEqual([true, true, true, true])
  // None waited for the end of another's time
  expect(now()).toBeLessThan(15_000)
})

it('growing memory finishes if the callers hold the whole budget, and each needs more', async () => {
  const { budget, now } = createWorld()
  const all = ['a', 'b', 'c', 'd'].map((caller) => budget.reserve(caller))
  for (const { grow } of all) expect(await grow(WHOLE / 2)).toBe(true)
  const grown = all.map(async ({ grow, release }) => {
    const isGrown = await grow(WHOLE)
    release()
    return isGrown
  })
  expect(await Promise.all(grown)).toEqual([true, true, true, true])
  expect(now()).toBeLessThan(15_000)
})

it('growing memory exceeds the share of a caller by at most another share', async () => {
  const { budget, isFree } = createWorld()
  const oldest = budget.reserve('a')
  await oldest.grow(1)
  await budget.reserve('a').grow(WHOLE - 1)
  expect(await oldest.grow(10 * WHOLE)).toBe(true)
  expect(oldest.getBytes()).toBe(WHOLE)
  expect(await isFree('a', 1)).toBe(false)
  // Nobody else's budget grows by it: both have all of it
  expect(await isFree('b', 2)).toBe(false)
})

it('growing memory delays others for at most fifteen seconds, however slowly it grows', async () => {
  const { budget, now } = createWorld()
  await budget.reserve('a').grow(WHOLE)
  await budget.reserve('b').grow(WHOLE)
  await budget.reserve('c').grow(100_000)
  expect(now()).toBe(15_000)
})

it('growing memory takes no more once its call has ended, and keeps what it has until it is released', async () => {
  const { budget, isFree, now } = createWorld()
  const first = budget.reserve('a')
  await first.grow(WHOLE)
  const gone = budget.reserve('a', () => now() >= 1_000)
  expect(await gone.grow(WHOLE)).toBe(false)
  expect([now(), gone.getBytes()]).toEqual([1_000, 0])
  expect(await gone.grow(1)).toBe(false)
  first.release()
  expect(await isFree('a', WHOLE)).toBe(true)
})

it('growing memory does not wait for itself', async () => {
  const { budget, now } = createWorld()
  const growing = budget.reserve('a')
  for (const share of [4, 2, 1]) await growing.grow(WHOLE / share)
  expect([now(), growing.getBytes()]).toEqual([0, WHOLE])
})

it('growing memory counts once if two requests grow it at the same time', async () => {
  const { budget, isFree } = createWorld()
  await budget.reserve('a').grow(1)
  const session = budget.reserve('a')
  await Promise.all([session.grow(4_000_000), session.grow(8_000_000)])
  expect(session.getBytes()).toBe(8_000_000)
  expect([await isFree('a', 8_000_001), await isFree('a', 7_999_999)]).toEqual([false, true])
})

it('a released reservation gives its memory back once, however often it is released', async () => {
  const { budget, isFree } = createWorld()
  await budget.reserve('a').grow(1)
  const [first, second] = [budget.reserve('a'), budget.reserve('a')]
  await first.grow(6_000_000)
  await second.grow(6_000_000)
  for (let count = 0; count < 3; count += 1) first.release()
  expect([await isFree('a', 10_000_000), await isFree('a', 9_999_999)]).toEqual([false, true])
})

it('a released reservation stops waiting, and takes no memory afterwards', async () => {
  const { budget, isFree, now } = createWorld()
  const first = budget.reserve('a')
  await first.grow(WHOLE)
  const second = budget.reserve('a')
  const waiting = second.grow(WHOLE)
  second.release()
  expect(await waiting).toBe(false)
  expect(now()).toBeLessThan(15_000)
  expect(await second.grow(1)).toBe(false)
  second.count(WHOLE)
  expect(second.getBytes()).toBe(0)
  first.release()
  expect(await isFree('a', WHOLE)).toBe(true)
})

it('a reservation released after its time gives back nothing of later ones', async () => {
  const { budget, isFree, setTime } = createWorld()
  const late = budget.reserve('a')
  await late.grow(WHOLE)
  setTime(15_000)
  const next = budget.reserve('a')
  await next.grow(WHOLE)
  late.release()
  expect(late.getBytes()).toBe(0)
  expect(await isFree('a', 1)).toBe(false)
  next.release()
  expect(await isFree('a', WHOLE)).toBe(true)
})

it('a reservation that continues after its time counts in full again', async () => {
  const { budget, isFree, setTime } = createWorld()
  const slow = budget.reserve('a')
  await slow.grow(8_000_000)
  setTime(15_000)
  expect(await isFree('a', WHOLE)).toBe(true)
  await slow.grow(12_000_000)
  expect([await isFree('a', 4_000_001), await isFree('a', 4_000_000)]).toEqual([false, true])
})

it('invalid sizes and times take nothing if they are negative, and a whole share if they are not numbers', async () => {
  const { budget, isFree } = createWorld()
  const lease = budget.reserve('a')
  await lease.grow(1_000_000)
  for (const bytes of [-1, -Infinity, 0]) expect(await lease.grow(bytes)).toBe(true)
  lease.count(Number.NaN)
  lease.count(-5)
  expect(lease.getBytes()).toBe(1_000_000)
  expect(await lease.grow(Number.NaN)).toBe(true)
  expect(lease.getBytes()).toBe(WHOLE)
  lease.release()
  expect(await isFree('a', WHOLE)).toBe(true)
})

it('invalid sizes and times do not delay others longer if the clock is set back', async () => {
  const { budget, isFree, setTime } = createWorld()
  setTime(3_600_000)
  await budget.reserve('a').grow(WHOLE)
  setTime(0)
  expect(await isFree('a', 1)).toBe(false)
  setTime(15_100)
  expect(await isFree('a', WHOLE)).toBe(true)
})

it('invalid sizes and times do not prolong a limited wait, even if the clock stops', async () => {
  const memory = createMemory({ now: () => 0, sleep: async () => undefined })
  const budget = memory.createBudget({ ...LIMITS, waitMs: 15_000 })
  await budget.reserve('a').grow(WHOLE)
  expect(await budget.reserve('a').grow(1)).toBe(false)
})

it('the memory of an isolate is given back in full after thousands of callers, and nothing remains of any', async () => {
  const { budget, isFree } = createWorld()
  const kept = budget.reserve('first')
  await kept.grow(WHOLE)
  for (let count = 0; count < 5_000; count += 1) {
    const lease = budget.reserve(`caller ${count}`)
    expect(await lease.grow(WHOLE)).toBe(true)
    lease.release()
  }
  // Its share is not forgotten over the others
  expect(await isFree('first', 1)).toBe(false)
  kept.release()
  expect(await isFree('first', WHOLE)).toBe(true)
})

it('the memory of an isolate is shared by all budgets, and one caller has a share of it', async () => {
  const { memory } = createWorld()
  const limits = { size: 90_000_000, share: 30_000_000, idleMs: 60_000, waitMs: 100 }
  const [bodies, files] = ['bodies', 'files'].map((name) => memory.createBudget({ ...limits, name }))
  expect(await bodies?.reserve('a').grow(30_000_000)).toBe(true)
  expect(await files?.reserve('a').grow(10_000_001)).toBe(false)
  expect(await files?.reserve('a').grow(10_000_000)).toBe(true)
  for (const caller of ['b', 'c']) expect(await files?.reserve(caller).grow(28_000_000)).toBe(true)
  expect(await files?.reserve('d').grow(1)).toBe(false)
})

it('the memory of an isolate lets a call at the share of its caller continue with nested work', async () => {
  const { memory } = createWorld()
  const files = memory.createBudget({ name: 'files', size: 56_000_000, share: 40_000_000, idleMs: 330_000 })
  const answers = memory.createBudget({ ...LIMITS, isNested: true, waitMs: 100 })
  expect(await files.reserve('a').grow(40_000_000)).toBe(true)
  expect(await answers.reserve('a').grow(WHOLE)).toBe(true)
})

it('the memory of an isolate regains what expired in another budget', async () => {
  const { memory, setTime } = createWorld()
  const limits = { size: 96_000_000, share: 40_000_000, idleMs: 15_000, waitMs: 100 }
  const lost = memory.createBudget({ ...limits, name: 'lost' })
  for (const caller of ['a', 'b']) await lost.reserve(caller).grow(40_000_000)
  await lost.reserve('c').grow(16_000_000)
  const other = memory.createBudget({ ...limits, name: 'other' })
  expect(await other.reserve('d').grow(1)).toBe(false)
  setTime(15_000)
  expect(await other.reserve('d').grow(40_000_000)).toBe(true)
})
