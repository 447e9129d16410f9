import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { createRequestMemory } from '../../../src/http/request/request-memory.ts'
import { createMemory } from '../../../src/outbound/memory-budget.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

/** Bodies of callers, by a clock that goes only in `passUntil`. */
function createWorld() {
  const background: Promise<unknown>[] = []
  const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
  const memory = createRequestMemory(createMemory({ now: Date.now, sleep }))
  const request = new Request('https://switchboard.test/')
  return {
    background,
    memory,
    open: (id: string, copies = 3) =>
      memory.open({ principal: { ...ADMIN, id }, request, background: (task) => void background.push(task) }, copies),
    async passUntil<T>(waited: Promise<T>): Promise<T> {
      let isOver = false
      const over = waited.finally(() => void (isOver = true))
      for (await Promise.resolve(); !isOver;) await vi.advanceTimersByTimeAsync(25)
      return over
    },
  }
}
const CALL = 4 * 1024 * 1024
const IMPORT = 16 * 1024 * 1024

describe('the body of a request', () => {
  it('waits for others of the same caller, and is refused if that takes too long', async () => {
    const { open, passUntil } = createWorld()
    const [first, second] = [open('a'), open('a')]
    expect(await first.growWholeBody(IMPORT)).toBe(true)
    expect(await passUntil(second.growBody(100_000))).toBe(false)
    expect(Date.now()).toBeGreaterThanOrEqual(15_000)
    first.release()
    expect(await second.growBody(100_000)).toBe(true)
  })

  it('of two callers who announce bytes without sending them delays nobody else', async () => {
    const { open, passUntil } = createWorld()
    const waiting = ['a', 'b', 'a', 'b'].map((caller) => open(caller, 16).growBody(65_537))
    const other = open('c', 16)
    expect(await other.growBody(IMPORT)).toBe(true)
    expect(await other.growWholeBody(IMPORT)).toBe(true)
    expect(await passUntil(Promise.all(waiting))).toEqual([true, true, true, true])
  })

  it('of two callers who send the most they may leaves room for one more such body', async () => {
    const { open, passUntil } = createWorld()
    for (const caller of ['a', 'b', 'c']) expect(await open(caller, 16).growWholeBody(IMPORT)).toBe(true)
    expect(await passUntil(open('d', 16).growWholeBody(IMPORT))).toBe(false)
  })

  it('takes turns with others of the same caller, so that all of them finish', async () => {
    const { open, passUntil } = createWorld()
    const all = Array.from({ length: 20 }, async () => {
      const body = open('a')
      for (let size = 131_072; size <= CALL; size *= 2) if (!(await body.growBody(size))) return false
      const isGrown = await body.growWholeBody(CALL)
      body.release()
      return isGrown
    })
    expect(new Set(await passUntil(Promise.all(all)))).toEqual(new Set([true]))
  })

  it('waits with at most 99 others of the same caller, which delay nobody else', async () => {
    const { open, passUntil } = createWorld()
    await open('a').growWholeBody(IMPORT)
    const waiting = Array.from({ length: 99 }, () => open('a').growBody(100_000))
    expect(await open('a').growBody(100_000)).toBe(false)
    expect(await open('b').growBody(100_000)).toBe(true)
    expect(new Set(await passUntil(Promise.all(waiting)))).toEqual(new Set([false]))
  })

  it('is held until the background work of its response ends, even if the client has disconnected', async () => {
    const { open, background, passUntil } = createWorld()
    const body = open('a')
    await body.growWholeBody(IMPORT)
    expect(background).toHaveLength(1)
    const work = Promise.withResolvers<void>()
    body.background(work.promise)
    body.release()
    const second = open('a')
    expect(await passUntil(second.growBody(100_000))).toBe(false)
    second.release()
    work.resolve()
    await Promise.all(background)
    expect(await open('a').growBody(100_000)).toBe(true)
  })

  it('is released eventually if the platform ended its request', async () => {
    const { open, passUntil } = createWorld()
    await open('a').growWholeBody(IMPORT)
    expect(await passUntil(open('a').growBody(100_000))).toBe(false)
    vi.setSystemTime(330_000)
    expect(await open('a').growBody(100_000)).toBe(true)
  })
})
