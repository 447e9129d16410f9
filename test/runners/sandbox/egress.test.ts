import { expect, it, vi } from 'vitest'
import { base64 } from '../../../src/outbound/base64.ts'
import type { GuardedFetch, GuardedRequest } from '../../../src/outbound/guarded-fetch.ts'
import { createMemory, type MemoryBudget } from '../../../src/outbound/memory-budget.ts'
import { handleEgress, egressPolicy, type EgressPolicy } from '../../../src/runners/sandbox/egress.ts'

const POLICY: EgressPolicy = {
  allowedHosts: ['api.example.com', 'other.example.com'],
  allowHttpHosts: [],
  credentials: [
    { hosts: ['api.example.com'], in: 'header', name: 'Authorization', text: 'Bearer token-of-ann' },
    { hosts: ['api.example.com'], in: 'query', name: 'key', text: 'k&y of ann' },
  ],
  sensitive: ['token-of-ann', 'k&y of ann'],
  toolkit: 'Kit',
  caller: 'ann',
  timeoutMs: 1_000,
}

const time = { now: Date.now, sleep: (ms: number) => new Promise<void>((done) => setTimeout(done, ms)) }
const LIMITS = { name: 'answers', size: 64_000_000, share: 16_000_000, idleMs: 15_000 }
const budget = createMemory(time).createBudget(LIMITS)

/** Sends a request through the gateway. Returns the request that reached the guarded fetch, and the response. */
async function send(request: Request, answered: BodyInit | null = 'ok', init: ResponseInit = {}) {
  const reached: GuardedRequest[] = []
  const guardedFetch: GuardedFetch = async (given) => {
    reached.push(given)
    const { status, statusText, headers } = new Response(null, init)
    const body = new Uint8Array(await new Response(answered).arrayBuffer())
    return { ok: true, response: { status, statusText, headers, url: String(given.url), body } }
  }
  const response = await handleEgress(request, POLICY, guardedFetch, budget)
  return { reached, response }
}

it('the gateway gives callers who share an isolate the memory of its toolkit, which others cannot use up', () => {
  const callerOf = (toolkit: string, caller: string) =>
    egressPolicy({ allowed_hosts: ['api.example.com'], timeout_ms: 1_000 }, toolkit, caller, new Set(), [], [])?.caller
  expect([callerOf('Kit', ''), callerOf('Other', ''), callerOf('Kit', 'key:a')]).toEqual(['Kit', 'Other', 'key:a'])
})

it('the gateway sets credentials in place of what the sandbox wrote there', async () => {
  const { reached } = await send(
    new Request('https://api.example.com/a?x=1&key=mine&k%65y=mine', {
      headers: { 'authorization': 'mine', 'x-own': 'yes' },
    }),
  )
  expect(String(reached[0]?.url)).toBe('https://api.example.com/a?x=1&key=k%26y%20of%20ann')
  expect(reached[0]?.headers.get('authorization')).toBe('Bearer token-of-ann')
  expect(reached[0]?.headers.get('x-own')).toBe('yes')
})

it('the gateway requests partial responses only if there is nothing to redact', async () => {
  const { reached } = await send(new Request('https://other.example.com/', { headers: { range: 'bytes=0-3' } }))
  expect(reached[0]?.allowsPartial).toBe(false)
  const all: GuardedRequest[] = []
  const guardedFetch: GuardedFetch = async (given) => {
    all.push(given)
    return { ok: false, kind: 'unreachable', message: 'Not in this test' }
  }
  const without = { ...POLICY, credentials: [], sensitive: [] }
  await handleEgress(new Request('https://other.example.com/'), without, guardedFetch, budget)
  expect(all[0]?.allowsPartial).toBe(true)
})

it('the gateway sets credentials for their own hosts only', async () => {
  const { reached } = await send(
    new Request('https://other.example.com/?key=mine', { headers: { authorization: 'mine' } }),
  )
  expect(String(reached[0]?.url)).toBe('https://other.example.com/?key=mine')
  expect(reached[0]?.headers.get('authorization')).toBe('mine')
})

it('the gateway never follows a redirect: its target is a separate request', async () => {
  const { reached, response } = await send(new Request('https://api.example.com/'), null, {
    status: 302,
    headers: { location: 'https://elsewhere.example/?key=k%26y%20of%20ann' },
  })
  expect(reached[0]?.redirect).toBe('manual')
  expect(response.status).toBe(302)
  expect(response.headers.get('location')).toBe('https://elsewhere.example/?key=[redacted]')
})

it.each([
  ['another host', new Request('https://elsewhere.example/secret-path')],
  ['another port', new Request('https://api.example.com:8443/secret-path')],
  ['a WebSocket', new Request('https://api.example.com/secret-path', { headers: { upgrade: 'websocket' } })],
  [
    'a huge body',
    new Request('https://api.example.com/secret-path', { method: 'POST', body: new Uint8Array(9 * 1024 * 1024) }),
  ],
])('the gateway refuses %s, and says so without the path', async (_, request) => {
  const { reached, response } = await send(request)
  expect(reached).toEqual([])
  expect(response.status).toBe(403)
  expect(response.headers.get('switchboard-refused')).toBe('1')
  expect(await response.text()).toMatch(/^Cannot request "https:\/\/(?!.*secret-path)/)
})

it('the gateway reports why the guard refused', async () => {
  const guardedFetch: GuardedFetch = async () => ({ ok: false, kind: 'refused', message: 'Cannot request it' })
  const response = await handleEgress(new Request('https://api.example.com/'), POLICY, guardedFetch, budget)
  expect([response.headers.has('switchboard-refused'), await response.text()]).toEqual([true, 'Cannot request it'])
})

it('the gateway removes forged refusals from responses', async () => {
  const { response } = await send(new Request('https://api.example.com/'), 'ok', {
    headers: { 'switchboard-refused': '1' },
  })
  expect(response.headers.has('switchboard-refused')).toBe(false)
})

it.each([
  ['as they are', 'Bearer token-of-ann', 'Bearer [redacted]'],
  ['in a query', 'key=k%26y+of+ann', 'key=[redacted]'],
  ['in Base64', `x ${base64('user:token-of-ann')} y`, expect.not.stringContaining(base64('token-of-ann').slice(2, -2))],
])('the gateway redacts credentials that a response repeats %s', async (_, said, expected) => {
  const { response } = await send(new Request('https://api.example.com/'), said, { headers: { 'x-echo': said } })
  expect(response.headers.get('x-echo')).toEqual(expected)
  expect(await response.text()).toEqual(expected)
})

it('the gateway returns other bytes unchanged', async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, index) => (index * 7) % 256)
  const { response } = await send(new Request('https://api.example.com/'), bytes)
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes)
  const { response: text } = await send(new Request('https://api.example.com/'), '\ufeffGrüße ✓')
  expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(await text.arrayBuffer())).toBe('\ufeffGrüße ✓')
})

it('the gateway passes on bodies and methods, but no headers of the connection', async () => {
  const request = new Request('https://other.example.com/', {
    method: 'PUT',
    body: 'Grüße',
    headers: { 'te': 'trailers', 'x-own': 'a' },
  })
  const { reached } = await send(request)
  expect(reached[0]).toMatchObject({ method: 'PUT', body: new TextEncoder().encode('Grüße') })
  expect(reached[0]?.headers.has('te')).toBe(false)
})

it('the gateway responds without a body if there must be none', async () => {
  const { response } = await send(new Request('https://other.example.com/'), null, { status: 204 })
  expect([response.status, response.body]).toEqual([204, null])
})

const createBudget = () => createMemory({ now: Date.now, sleep: async () => undefined }).createBudget(LIMITS)

/** Whether a caller can have all of its share at once. */
async function isFree(memory: MemoryBudget, caller = 'ann'): Promise<boolean> {
  let looks = 0
  const whole = memory.reserve(caller, () => looks++ > 1)
  const isGrown = await whole.grow(16_000_000)
  whole.release()
  return isGrown
}

/** Sends a request through the gateway with its own memory budget. Returns the response and the budget. */
async function leave(
  request: Request,
  answered: { readonly status?: number; readonly body?: Uint8Array<ArrayBuffer> } | 'refused',
) {
  const memory = createBudget()
  let ends = 0
  const guardedFetch: GuardedFetch = async ({ url, onSent, deferRelease }) => {
    onSent?.()
    deferRelease?.(() => void (ends += 1))
    if (answered === 'refused') return { ok: false, kind: 'refused', message: 'No' }
    const { status = 200, body = new Uint8Array() } = answered
    return { ok: true, response: { status, statusText: '', headers: new Headers(), url: String(url), body } }
  }
  const response = await handleEgress(request, { ...POLICY, credentials: [], sensitive: [] }, guardedFetch, memory)
  return { response, ends: () => ends, memory }
}
const URL = 'https://api.example.com/'
const LARGE = new Uint8Array(1_000_000)

it.each([
  ['is too large', () => new Uint8Array(9 * 1024 * 1024)],
  [
    'breaks off',
    () =>
      new ReadableStream({
        start: (controller) => controller.enqueue(LARGE),
        pull: (controller) => controller.error(new Error('gone')),
      }),
  ],
  ['was sent', () => LARGE],
])('the memory of the gateway is released if the body of a request %s', async (_, body) => {
  const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: body(), duplex: 'half' }
  const { memory } = await leave(new Request(URL, init), {})
  expect([await isFree(memory), await isFree(memory, 'unread ann')]).toEqual([true, true])
})

it.each([
  ['was refused', 'refused'],
  ['has no body by its status', { status: 204 }],
  ['is small', { body: new Uint8Array(10) }],
] as const)('the memory of the gateway is released at once if the response %s', async (_, answered) => {
  const { ends } = await leave(new Request(URL), answered)
  expect(ends()).toBe(1)
})

it('the memory of the gateway is released once a large response is read or abandoned', async () => {
  const read = await leave(new Request(URL), { body: LARGE })
  expect(read.ends()).toBe(0)
  expect((await read.response.arrayBuffer()).byteLength).toBe(LARGE.length)
  expect(read.ends()).toBe(1)
  const left = await leave(new Request(URL), { body: LARGE })
  await left.response.body?.cancel()
  expect(left.ends()).toBe(1)
})

it('the memory of the gateway is separate for a response that stays unread for a second, and is then also released', async () => {
  vi.useFakeTimers()
  try {
    const { response, ends, memory } = await leave(new Request(URL), { body: LARGE })
    await vi.advanceTimersByTimeAsync(1_000)
    expect([ends(), await isFree(memory, 'unread ann')]).toEqual([1, false])
    await response.arrayBuffer()
    expect(await isFree(memory, 'unread ann')).toBe(true)
  } finally {
    vi.useRealTimers()
  }
})
