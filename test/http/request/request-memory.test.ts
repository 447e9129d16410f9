import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { createRequestMemory } from '../../../src/http/request/request-memory.ts'

beforeEach(() => void vi.useFakeTimers({ now: 0 }))
afterEach(() => void vi.useRealTimers())

/** Bodies of callers, by a clock that goes only in `passUntil`. */
function createWorld() {
  const background: Promise<unknown>[] = []
  const memory = createRequestMemory({ now: Date.now, sleep: (ms) => new Promise((done) => setTimeout(done, ms)) })
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
  it('waits for the others of its caller, and is refused where that takes too long', async () => {
    const { open, passUntil } = createWorld()
    const [first, second] = [open('a'), open('a')]
    expect(await first.draw(100_000, IMPORT)).toBe(true)
    expect(await passUntil(second.draw(100_000, IMPORT))).toBe(false)
    expect(Date.now()).toBeGreaterThanOrEqual(15_000)
    first.release()
    expect(await second.draw(100_000, IMPORT)).toBe(true)
  })

  it('of two callers who announce and do not send keeps nobody else waiting', async () => {
    const { open, passUntil } = createWorld()
    const waiting = ['a', 'b', 'a', 'b'].map((caller) => open(caller, 16).draw(65_537, IMPORT))
    const other = open('c', 16)
    expect(await other.draw(IMPORT, IMPORT)).toBe(true)
    expect(await other.drawWhole(IMPORT, IMPORT)).toBe(true)
    expect(await passUntil(Promise.all(waiting))).toEqual([true, true, false, false])
  })

  it('of two callers who send all they may leaves others as much as one may have', async () => {
    const { open, passUntil } = createWorld()
    for (const caller of ['a', 'b', 'c']) expect(await open(caller, 16).drawWhole(IMPORT, IMPORT)).toBe(true)
    expect(await passUntil(open('d', 16).drawWhole(IMPORT, IMPORT))).toBe(false)
  })

  it('comes in turn with the others of its caller, so that all of them come to an end', async () => {
    const { open, passUntil } = createWorld()
    const all = Array.from({ length: 20 }, async () => {
      const body = open('a')
      for (let size = 131_072; size <= CALL; size *= 2) if (!(await body.draw(size, CALL))) return false
      const isDrawn = await body.drawWhole(CALL, CALL)
      body.release()
      return isDrawn
    })
    expect(new Set(await passUntil(Promise.all(all)))).toEqual(new Set([true]))
  })

  it('waits with 99 others of its caller at most, who keep nobody else waiting', async () => {
    const { open, passUntil } = createWorld()
    await open('a').drawWhole(IMPORT, IMPORT)
    const waiting = Array.from({ length: 100 }, () => open('a').draw(100_000, CALL))
    expect(await open('a').draw(100_000, CALL)).toBe(false)
    expect(await open('b').draw(100_000, CALL)).toBe(true)
    expect(new Set(await passUntil(Promise.all(waiting)))).toEqual(new Set([false]))
  })

  it('is held while what is done behind its answer lasts, also where its client has gone', async () => {
    const { open, background, passUntil } = createWorld()
    const body = open('a')
    await body.drawWhole(IMPORT, IMPORT)
    expect(background).toHaveLength(1)
    const work = Promise.withResolvers<void>()
    body.background(work.promise)
    body.release()
    expect(await passUntil(open('a').draw(100_000, IMPORT))).toBe(false)
    work.resolve()
    await Promise.all(background)
    expect(await open('a').draw(100_000, IMPORT)).toBe(true)
  })

  it('is not counted for ever where the platform ended its request', async () => {
    const { open, passUntil } = createWorld()
    await open('a').drawWhole(IMPORT, IMPORT)
    expect(await passUntil(open('a').draw(100_000, IMPORT))).toBe(false)
    vi.setSystemTime(330_000)
    expect(await open('a').draw(100_000, IMPORT)).toBe(true)
  })
})
