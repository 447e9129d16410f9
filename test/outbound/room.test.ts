import { describe, expect, it } from 'vitest'
import { createRoom } from '../../src/outbound/room.ts'

const WHOLE = 16_000_000
const never = () => false

/** By a clock that goes as those who wait look again. */
function createWorld() {
  let time = 0
  const room = createRoom({ now: () => time, sleep: async (ms) => void (time += ms) }, 15_000)
  return { room, now: () => time }
}

describe('an answer that grows', () => {
  it('waits for the others of its caller, and for nobody else’s while there is room', async () => {
    const { room, now } = createWorld()
    const [first, other, second] = ['a', 'b', 'a'].map((caller) => room.growing(caller, never))
    await first?.grow(WHOLE)
    await other?.grow(WHOLE)
    expect(now()).toBe(0)
    setTimeout(() => first?.release())
    await second?.grow(WHOLE)
    expect(now()).toBeGreaterThan(0)
  })

  it('takes nothing while it waits, so that several which grow at once all come to their ends', async () => {
    const { room } = createWorld()
    const all = Array.from({ length: 4 }, () => room.growing('a', never))
    await Promise.all(all.map(({ grow }) => grow(WHOLE / 4)))
    await Promise.all(
      all.map(async ({ grow, release }) => {
        await grow(WHOLE / 2)
        await grow(WHOLE)
        release()
      }),
    )
  })

  it('keeps others waiting for fifteen seconds at most, however slowly it comes', async () => {
    const { room, now } = createWorld()
    await room.growing('a', never).grow(WHOLE)
    await room.growing('b', never).grow(WHOLE)
    await room.growing('c', never).grow(100_000)
    expect(now()).toBe(15_000)
  })

  it('waits no longer once it is released, and takes no place afterwards', async () => {
    const { room, now } = createWorld()
    await room.growing('a', never).grow(WHOLE)
    const second = room.growing('a', never)
    const waiting = second.grow(WHOLE)
    second.release()
    await waiting
    expect(now()).toBeLessThan(15_000)
    const last = room.growing('b', never)
    last.release()
    await last.grow(WHOLE)
    await room.growing('b', never).grow(WHOLE)
    expect(now()).toBeLessThan(15_000)
  })

  it('takes no place once its call is over, and gives back what it has', async () => {
    const { room, now } = createWorld()
    const first = room.growing('a', never)
    await first.grow(WHOLE)
    const gone = room.growing('a', () => now() >= 1_000)
    await gone.grow(WHOLE)
    gone.release()
    expect(now()).toBe(1_000)
    first.release()
    await room.growing('a', never).grow(WHOLE)
    expect(now()).toBe(1_000)
  })

  it('gives back what it has as it grows, and does not wait for itself', async () => {
    const { room, now } = createWorld()
    const growing = room.growing('a', never)
    for (const share of [4, 2, 1]) await growing.grow(WHOLE / share)
    expect(now()).toBe(0)
  })

  it('gives back a place that it gets just as it is released', async () => {
    const { room, now } = createWorld()
    const growing = room.growing('a', () => {
      queueMicrotask(() => growing.release())
      return false
    })
    await growing.grow(WHOLE)
    await room.growing('a', never).grow(WHOLE)
    expect(now()).toBe(0)
  })
})
