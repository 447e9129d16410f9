import { describe, expect, it } from 'vitest'
import { createGuardedFetch } from '../../src/outbound/guarded-fetch.ts'
import { createRoom } from '../../src/outbound/room.ts'
import { answerEgress, type EgressPolicy } from '../../src/runners/sandbox/egress.ts'

const MB = 1_000_000
const POLICY: EgressPolicy = {
  allowedHosts: ['large.example.com'],
  allowHttpHosts: [],
  credentials: [],
  sensitive: [],
  toolkit: 'Kit',
  caller: 'key:a',
  timeoutMs: 30_000,
}
const sleep = (ms: number) => new Promise<void>((done) => setTimeout(done, ms))
const place = 'https://large.example.com/'

/** What a module asks for at once, of a server whose answers are so large, which it begins after `waits`. */
function startAsking(bytes: number, request: () => Request, waits: Promise<unknown> = Promise.resolve()) {
  const room = createRoom({ now: Date.now, sleep }, 15_000)
  let asked = 0
  const guardedFetch = createGuardedFetch({
    async fetch() {
      asked += 1
      await waits
      return new Response(new Uint8Array(bytes))
    },
    allowHttpHosts: new Set(),
    room,
  })
  const answers: Response[] = []
  const all = Array.from({ length: 20 }, async () => {
    const response = await answerEgress(request(), POLICY, guardedFetch, room)
    answers.push(response)
    return response
  })
  return { answers, all, asked: () => asked }
}

describe('a module that fetches a lot at once', () => {
  it('has no more answers in memory than a caller has room for, whether or not it reads them', async () => {
    const { answers, all } = startAsking(4 * MB, () => new Request(place))
    await sleep(1_000)
    expect(answers.length).toBeLessThanOrEqual(4)
    const lengths = await Promise.all(all.map(async (one) => (await (await one).arrayBuffer()).byteLength))
    expect(lengths).toEqual(Array.from({ length: 20 }, () => 4 * MB))
  })

  it('has no more bodies in memory either, while the server keeps them waiting', async () => {
    const { promise, resolve } = Promise.withResolvers<void>()
    const body = new Uint8Array(4 * MB)
    const { asked, all } = startAsking(0, () => new Request(place, { method: 'POST', body }), promise)
    await sleep(1_000)
    expect(asked()).toBeLessThanOrEqual(4)
    resolve()
    const statuses = await Promise.all(all.map(async (one) => (await one).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })

  it('waits for no room for what is small', async () => {
    const { all } = startAsking(60_000, () => new Request(place, { method: 'POST', body: 'small' }))
    const statuses = await Promise.all(all.map(async (one) => (await one).status))
    expect(new Set(statuses)).toEqual(new Set([200]))
  })
})
