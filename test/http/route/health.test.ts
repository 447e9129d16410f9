import { describe, expect, it } from 'vitest'
import { createHealth } from '../../../src/http/route/health.ts'

/** A deployment whose storage answers as `probe` does, at times that are set. */
function healthOf(probe: () => Promise<string | undefined>) {
  const clock = { now: 0, asked: 0 }
  const health = createHealth({
    probe: () => {
      clock.asked++
      return probe()
    },
    now: () => clock.now,
    // As long as it takes to see whether storage answers, however busy the machine is
    sleep: (ms) => new Promise((resolve) => setTimeout(resolve, Math.min(ms, 500))),
  })
  const ask = async () => {
    const answer = await health()
    return { status: answer.status, body: await answer.json(), headers: answer.headers }
  }
  return { clock, ask }
}

describe('the health of a deployment', () => {
  it('is ok while storage responds, which is probed every five seconds', async () => {
    const { clock, ask } = healthOf(async () => undefined)
    for (const at of [0, 1, 4_999]) {
      clock.now = at
      expect(await ask()).toMatchObject({ status: 200, body: { status: 'ok' } })
    }
    expect(clock.asked).toBe(1)
    clock.now = 5_000
    await ask()
    expect(clock.asked).toBe(2)
  })

  it.each([
    [200, 'answers', async () => new Promise<undefined>((resolve) => setTimeout(() => resolve(undefined), 2))],
    [503, 'fails', async () => Promise.reject<undefined>(new Error('away'))],
    [503, 'hangs', () => new Promise<undefined>(() => {})],
  ])('is %d for 500 concurrent requests while storage %s, with few probes', async (status, _, probe) => {
    const { clock, ask } = healthOf(probe)
    const answers = await Promise.all(Array.from({ length: 500 }, ask))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([status]))
    expect(clock.asked).toBeLessThanOrEqual(4)
  })

  it('is probed again by later requests once all concurrent ones are answered', async () => {
    let probe: () => Promise<string | undefined> = async () => Promise.reject<undefined>(new Error('away'))
    const { clock, ask } = healthOf(() => probe())
    const answers = await Promise.all(Array.from({ length: 500 }, ask))
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([503]))
    probe = async () => undefined
    clock.now += 1_000
    const before = clock.asked
    expect((await ask()).status).toBe(200)
    expect(clock.asked).toBe(before + 1)
  })

  it('has the reason why storage cannot be used, if it is known', async () => {
    const { ask } = healthOf(async () => 'The disk is full')
    expect(await ask()).toMatchObject({ status: 503, body: { status: 'unavailable', message: 'The disk is full' } })
  })

  it('is probed by other requests if the first ones are gone', async () => {
    let probe: () => Promise<string | undefined> = () => new Promise(() => {})
    const clock = { now: 0 }
    // The platform ends requests: nothing that those waited for comes back
    let wake = () => new Promise<void>(() => {})
    const health = createHealth({ probe: () => probe(), now: () => clock.now, sleep: () => wake() })
    for (let gone = 0; gone < 4; gone++) void health()
    probe = async () => undefined
    wake = async () => void (clock.now += 100)
    expect((await health()).status).toBe(200)
  })

  it.each([
    ['fails', async () => Promise.reject<undefined>(new Error('away'))],
    ['hangs', () => new Promise<undefined>(() => {})],
  ])('is unavailable while storage %s, and ok again as soon as storage responds', async (_, broken) => {
    let probe: () => Promise<string | undefined> = broken
    const { clock, ask } = healthOf(() => probe())
    const silent = await ask()
    expect(silent).toMatchObject({ status: 503, body: { status: 'unavailable' } })
    expect([silent.headers.get('retry-after'), silent.headers.get('cache-control')]).toEqual(['1', 'no-store'])
    expect(JSON.stringify(silent.body)).not.toContain('away')
    await ask()
    expect(clock.asked).toBe(1)
    probe = async () => undefined
    clock.now += 1_000
    expect((await ask()).status).toBe(200)
  })
})
