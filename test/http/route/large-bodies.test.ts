import { describe, expect, it } from 'vitest'
import { createLargeBodies } from '../../../src/http/route/large-bodies.ts'

/** Bodies whose readers end when they are told to, by a clock that goes as they look again. */
function createWorld() {
  let time = 0
  const background: Promise<unknown>[] = []
  const letIn = createLargeBodies({ now: () => time, sleep: async (ms) => void (time += ms) })
  const reading = new Map<string, () => void>()
  return {
    pass: (ms: number) => void (time += ms),
    reading: () => [...reading.keys()],
    end: (name: string) => reading.get(name)?.(),
    background,
    read(bytes: number, caller: string, name: string) {
      const work = async () => {
        await new Promise<void>((done) => reading.set(name, done))
        reading.delete(name)
        return name
      }
      return letIn(bytes, caller, work, (task) => void background.push(task))
    },
  }
}
const LARGE = 16 * 1024 * 1024
const FULL = expect.objectContaining({ failure: expect.objectContaining({ type: 'rate-limited' }) })

describe('a large body', () => {
  it('is read once its caller’s others are answered, and is refused where that takes too long', async () => {
    const { read, reading, end } = createWorld()
    const first = read(LARGE, 'a', 'first')
    expect(await read(LARGE, 'a', 'second')).toEqual(FULL)
    const third = read(LARGE, 'a', 'third')
    end('first')
    expect(await first).toBe('first')
    await expect.poll(reading).toEqual(['third'])
    end('third')
    expect(await third).toBe('third')
  })

  it('of one caller keeps no other’s waiting, but two at once are all that an isolate reads', async () => {
    const { read, reading } = createWorld()
    void read(LARGE, 'a', 'a')
    void read(LARGE, 'b', 'b')
    expect(await read(LARGE, 'c', 'c')).toEqual(FULL)
    expect(reading()).toEqual(['a', 'b'])
  })

  it('counts by its bytes, and not at all where it has few', async () => {
    const { read, reading } = createWorld()
    const some = Array.from({ length: 10 }, (_, index) => `${index}`)
    for (const name of some) void read(100_000, 'a', name)
    expect(await read(100_000, 'a', 'one more')).toEqual(FULL)
    for (let index = 0; index < 100; index++) void read(65_536, 'a', `small ${index}`)
    expect(reading()).toHaveLength(110)
  })

  it('is read to its end where its client has gone, so that it is released', async () => {
    const { read, end, background } = createWorld()
    void read(65_536, 'a', 'small')
    void read(LARGE, 'a', 'large')
    await expect.poll(() => background).toHaveLength(1)
    end('large')
    await background[0]
    void read(LARGE, 'a', 'next')
    await expect.poll(() => background).toHaveLength(2)
  })

  it('whose request the platform ended is not counted for ever, and neither is one that failed', async () => {
    const { read, reading, pass } = createWorld()
    void read(LARGE, 'a', 'lost')
    await expect.poll(reading).toEqual(['lost'])
    pass(60_000)
    void read(LARGE, 'a', 'next')
    await expect.poll(reading).toEqual(['lost', 'next'])
    const letIn = createLargeBodies({ now: () => 0, sleep: async () => undefined })
    const ignore = () => undefined
    await expect(letIn(LARGE, 'a', () => Promise.reject(new Error('no')), ignore)).rejects.toThrow('no')
    expect(await letIn(LARGE, 'a', async () => 1, ignore)).toBe(1)
  })
})
