import { expect, it } from 'vitest'
import { createGuardedFetch } from '../../../src/outbound/guarded-fetch.ts'
import { createMemory } from '../../../src/outbound/memory-budget.ts'
import { handleEgress, type EgressPolicy } from '../../../src/runners/sandbox/egress.ts'

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

function createBudget() {
  // A request waits for memory until its own call ends, and not until another's reservation expires
  const limits = { name: 'answers', size: 64_000_000, share: 16_000_000, idleMs: 60_000 }
  return createMemory({ now: Date.now, sleep }).createBudget(limits)
}

/** What a module asks for at once, of a server whose answers are so large, which it begins after `waits`. */
function startAsking(bytes: number, request: () => Request, waits: Promise<unknown> = Promise.resolve()) {
  const memory = createBudget()
  let asked = 0
  const guardedFetch = createGuardedFetch({
    async fetch() {
      asked += 1
      await waits
      return new Response(new Uint8Array(bytes))
    },
    allowHttpHosts: new Set(),
    memory,
  })
  const answers: Response[] = []
  const all = Array.from({ length: 20 }, async () => {
    const response = await handleEgress(request(), POLICY, guardedFetch, memory)
    answers.push(response)
    return response
  })
  return { answers, all, asked: () => asked }
}

it('a module that fetches a lot at once has only the responses in memory that its caller has memory for, read or unread', async () => {
  const { answers, all } = startAsking(4 * MB, () => new Request(place))
  await sleep(1_000)
  expect(answers.length).toBeLessThanOrEqual(4)
  const lengths = await Promise.all(all.map(async (one) => (await (await one).arrayBuffer()).byteLength))
  expect(lengths).toEqual(Array.from({ length: 20 }, () => 4 * MB))
})

it('a module that fetches a lot at once has at most twice as many that stay unread for long', async () => {
  const { answers } = startAsking(4 * MB, () => new Request(place))
  await sleep(4_500)
  expect(answers.length).toBeLessThanOrEqual(8)
})

it('a module that fetches a lot at once has no more request bodies in memory either, while the server delays them', async () => {
  const { promise, resolve } = Promise.withResolvers<void>()
  const body = new Uint8Array(4 * MB)
  const { asked, all } = startAsking(0, () => new Request(place, { method: 'POST', body }), promise)
  await sleep(1_000)
  expect(asked()).toBeLessThanOrEqual(4)
  resolve()
  const statuses = await Promise.all(all.map(async (one) => (await one).status))
  expect(new Set(statuses)).toEqual(new Set([200]))
})

it('a module that fetches a lot at once waits for no memory for small responses', async () => {
  const { all } = startAsking(60_000, () => new Request(place, { method: 'POST', body: 'small' }))
  const statuses = await Promise.all(all.map(async (one) => (await one).status))
  expect(new Set(statuses)).toEqual(new Set([200]))
})

/** Node asks for it, and the platform's types do not know it. */
const HALF = { duplex: 'half' }

function asking(bytes: number, sensitive: readonly string[] = []) {
  const memory = createBudget()
  const guardedFetch = createGuardedFetch({
    fetch: () => Promise.resolve(new Response(new Uint8Array(bytes))),
    allowHttpHosts: new Set(),
    memory,
  })
  return (init?: RequestInit) => handleEgress(new Request(place, init), { ...POLICY, sensitive }, guardedFetch, memory)
}

it.each([
  { bytes: 4.3 * MB, sensitive: [] },
  { bytes: 2.2 * MB, sensitive: ['token-of-ann'] },
])(
  'a module that reads its responses later does not wait for its own unread ones: $bytes bytes, several at once',
  async ({ bytes, sensitive }) => {
    const ask = asking(bytes, sensitive)
    const answers = await Promise.all([ask(), ask()])
    const lengths = await Promise.all(answers.map(async (one) => (await one.arrayBuffer()).byteLength))
    expect(lengths).toEqual([bytes, bytes])
  },
)

it('a module that reads its responses later can send one on', async () => {
  const ask = asking(4.3 * MB)
  const { body } = await ask()
  const sent = await ask({ method: 'PUT', body, ...HALF })
  expect(sent.status).toBe(200)
  await sent.body?.cancel()
})
