import { createServer, type Server as HttpServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  createMCPClient,
  experimental_createMCPEventWebhook as createMCPEventWebhook,
  type Experimental_MCPEvent as MCPEvent,
  type Experimental_MCPEventStore as MCPEventStore,
  type Experimental_MCPEventSubscription as MCPEventSubscription,
} from '@ai-sdk/mcp'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Arrived, startUpstream, type Upstream } from '../upstream.ts'
import {
  admin,
  ADMIN_KEY,
  deliver,
  eventually,
  newKey,
  putSource,
  rpc,
  SECRETS,
  SENDERS,
  webhook,
} from './event-senders.ts'
import { type Server, startServer } from './server.ts'

let server: Server
let receiver: Upstream
/** What the receiver answers, in place of the challenge or an empty 204. */
let answer: ((request: Arrived) => { status: number; body?: string } | undefined) | undefined
let aiReceiver: { readonly origin: string; readonly server: HttpServer }
let handleAiEvent: ((request: Request) => Promise<Response>) | undefined
let caller: Awaited<ReturnType<typeof newKey>>

/** Nothing listens there. */
const NOBODY = '127.0.0.1:9'
const SECRET = `whsec_${Buffer.alloc(32, 9).toString('base64')}`
const events = () => receiver.arrived.filter(({ body }) => 'eventId' in JSON.parse(body))
const challenges = () => receiver.arrived.filter(({ body }) => JSON.parse(body).type === 'verification')

beforeAll(async () => {
  receiver = await startUpstream((request, response) => {
    const own = answer?.(request)
    if (own) return void response.writeHead(own.status).end(own.body)
    const { type, challenge } = JSON.parse(request.body)
    const json = { 'content-type': 'application/json' }
    if (type === 'verification') return void response.writeHead(200, json).end(JSON.stringify({ challenge }))
    response.writeHead(204).end()
  })
  aiReceiver = await serveWebRequests((request) => handleAiEvent?.(request) ?? Promise.resolve(new Response()))
  const hosts = `${NOBODY},${receiver.host},${new URL(aiReceiver.origin).host}`
  server = await startServer({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: hosts, ...SECRETS } })
  await putSource(server, 'GitHub.Push', webhook('github', { description: 'Somebody pushed' }))
  await putSource(server, 'Other.Hidden', webhook('github'))
  caller = await newKey(server, { tools: ['GitHub.*'] })
})
afterAll(async () => {
  await Promise.all([server?.stop(), receiver?.close(), new Promise((done) => aiReceiver?.server.close(done))])
})
beforeEach(() => {
  receiver.arrived.length = 0
  answer = undefined
})

const call = (method: string, params: object, { authorization } = caller) => rpc(server, authorization, method, params)
const subscription = (path: string, others: object = {}) => ({
  name: 'GitHub.Push',
  arguments: {},
  delivery: { mode: 'webhook', url: `${receiver.origin}${path}`, secret: SECRET },
  cursor: null,
  ...others,
})
let pushes = 0
const push = async (fields: object = {}) => {
  const body = JSON.stringify({ ref: 'refs/heads/main', n: ++pushes, ...fields })
  const response = await deliver(server, 'GitHub.Push', body, SENDERS.github(body))
  expect(response.status).toBe(202)
  return Object(await response.json()).id
}

describe('events over MCP, as in the scenarios of its conformance suite', () => {
  it('are listed with their delivery and schemas, and the extension is declared', async () => {
    const { result } = await call('server/discover', {})
    expect(result.capabilities).toMatchObject({ events: {}, extensions: { 'io.modelcontextprotocol/events': {} } })
    const listed = await call('events/list', {})
    expect(listed.result.events).toEqual([
      {
        name: 'GitHub.Push',
        description: 'Somebody pushed',
        delivery: ['webhook', 'poll'],
        inputSchema: expect.objectContaining({ type: 'object' }),
        payloadSchema: { type: 'object' },
      },
    ])
  })

  it('are delivered signed, with id and cursor, after the callback repeats a challenge', async () => {
    const { result } = await call('events/subscribe', subscription('/first'))
    expect(result).toMatchObject({ id: expect.any(String), cursor: expect.any(String), truncated: false })
    expect(Date.parse(result.refreshBefore)).toBeGreaterThan(Date.now() + 25 * 60_000)
    const id = await push()
    const [event] = await eventually(events, ({ length }) => length === 1)
    for (const { headers, body } of [challenges()[0]!, event!]) {
      expect(new Webhook(SECRET).verify(body, Object(headers))).toBeTruthy()
      expect(headers['x-mcp-subscription-id']).toBe(result.id)
    }
    expect(event!.headers['webhook-id']).toBe(id)
    expect(JSON.parse(event!.body)).toEqual({
      eventId: id,
      name: 'GitHub.Push',
      timestamp: expect.stringMatching(/^\d{4}-.*Z$/),
      data: { event: 'push', ref: 'refs/heads/main', n: pushes },
      cursor: expect.any(String),
    })
    await call('events/unsubscribe', subscription('/first'))
  })

  it('refresh a subscription with the same key, and create another for another key', async () => {
    const first = await call('events/subscribe', subscription('/again', { ttlMs: 600_000 }))
    const again = await call('events/subscribe', subscription('/again', { ttlMs: 1_200_000 }))
    expect(again.result.id).toBe(first.result.id)
    expect(Date.parse(again.result.refreshBefore)).toBeGreaterThan(Date.parse(first.result.refreshBefore))
    const filtered = await call('events/subscribe', subscription('/again', { arguments: { filter: 'n' } }))
    expect(filtered.result.id).not.toBe(first.result.id)
    const longest = await call('events/subscribe', subscription('/again', { ttlMs: 999_999_999_999 }))
    expect(Date.parse(longest.result.refreshBefore)).toBeLessThan(Date.now() + 3_700_000)
    const endless = await call('events/subscribe', subscription('/again', { ttlMs: null }))
    expect(endless.result.refreshBefore).toBeNull()
    await call('events/unsubscribe', subscription('/again'))
    await call('events/unsubscribe', subscription('/again', { arguments: { filter: 'n' } }))
  })

  it('are not delivered after unsubscribing, which works only once', async () => {
    await call('events/subscribe', subscription('/gone'))
    const { secret: _, ...delivery } = subscription('/gone').delivery
    expect((await call('events/unsubscribe', subscription('/gone', { delivery }))).result).toBeDefined()
    await push()
    expect((await call('events/unsubscribe', subscription('/gone', { delivery }))).error.code).toBe(-32011)
    await new Promise((done) => setTimeout(done, 300))
    expect(events()).toEqual([])
  })

  it('are in the audit log as over HTTP, but not a refresh that changes only the expiry', async () => {
    const own = await newKey(server, { tools: ['GitHub.*'] })
    const { url } = subscription('/audited').delivery
    const secret = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
    const delivery = { mode: 'webhook', url, secret }
    const { result } = await call('events/subscribe', subscription('/audited', { ttlMs: 600_000 }), own)
    await call('events/subscribe', subscription('/audited'), own)
    await call('events/subscribe', subscription('/audited', { delivery }), own)
    await call('events/subscribe', subscription('/audited', { name: 'GitHub.None' }), own)
    await call('events/unsubscribe', subscription('/audited'), own)
    await call('events/unsubscribe', subscription('/audited'), own)
    const put = (fields: object) =>
      server.json('PUT', '/subscriptions', { name: 'GitHub.Push', url, secret: SECRET, ...fields }, own)
    const remove = () => server.json('DELETE', `/subscriptions/${result.id}`, undefined, own)
    await put({ ttl_seconds: 600 })
    await put({})
    await put({ secret })
    await put({ name: 'GitHub.None' })
    await remove()
    await remove()
    const query = `/audit?principal=key:${own.id}`
    const read = async (): Promise<any[]> => Object((await server.json('GET', query, undefined, admin)).body).items
    const events = (await eventually(read, ({ length }) => length >= 10)).reverse()
    const about = { source: 'GitHub.Push', subscription: result.id }
    const expected = [
      ['subscription.put', 'success', about],
      ['subscription.put', 'success', about],
      ['subscription.put', 'not-found', { source: 'GitHub.None' }],
      ['subscription.remove', 'success', { subscription: result.id }],
      ['subscription.remove', 'not-found', { subscription: result.id }],
    ]
    const written = events.map(({ act, outcome, about: details }) => [act, outcome, details])
    expect(written).toEqual([...expected, ...expected])
    expect(events[0]).toMatchObject({ method: 'POST', path: '/mcp', principal: `key:${own.id}` })
    expect(JSON.stringify(events)).not.toContain('whsec_')
  })

  it('refuse the 101st subscription with -32013, but still refresh an existing one', async () => {
    const full = await newKey(server, { tools: ['GitHub.*'] })
    const subscribe = (at: number) =>
      call('events/subscribe', subscription('/full', { arguments: { filter: `n == \`${at}\`` } }), full)
    for (let at = 0; at < 100; at += 1) expect((await subscribe(at)).error).toBeUndefined()
    expect((await subscribe(100)).error).toMatchObject({ code: -32013 })
    expect((await subscribe(99)).error).toBeUndefined()
  })

  it('can be polled in pages and after a cursor', async () => {
    const { result: start } = await call('events/poll', { name: 'GitHub.Push', cursor: null })
    expect(start).toMatchObject({ events: [], truncated: false, hasMore: false, nextPollMs: expect.any(Number) })
    const ids = [await push(), await push({ ref: 'x' }), await push()]
    const delivery = { mode: 'poll' }
    const { result } = await call('events/poll', { name: 'GitHub.Push', cursor: start.cursor, delivery })
    expect(result.events.map(({ eventId }: any) => eventId)).toEqual(ids)
    expect(result.events[0]).not.toHaveProperty('id')
    const filter = { arguments: { filter: "ref == 'x'" }, cursor: start.cursor }
    const filtered = await call('events/poll', { name: 'GitHub.Push', ...filter })
    expect(filtered.result.events.map(({ eventId }: any) => eventId)).toEqual([ids[1]])
    const { result: rest } = await call('events/poll', { name: 'GitHub.Push', cursor: result.cursor })
    expect(rest.events).toEqual([])
  })

  it.each([
    ['an unknown event', { name: 'GitHub.None' }, -32011],
    ["another's event", { name: 'Other.Hidden' }, -32012],
    [
      'a secret that is too short',
      { delivery: { mode: 'webhook', url: 'https://a.example/', secret: 'whsec_YQ==' } },
      -32602,
    ],
    [
      'a secret of another form',
      { delivery: { mode: 'webhook', url: 'https://a.example/', secret: 'secret' } },
      -32602,
    ],
    ['an inner address', { delivery: { mode: 'webhook', url: 'https://10.0.0.1/', secret: SECRET } }, -32602],
    ['another delivery', { delivery: { mode: 'push', url: 'https://a.example/', secret: SECRET } }, -32014],
    ['another delivery, which has fields of its own', { delivery: { mode: 'push' } }, -32014],
    ['a delivery without a URL', { delivery: { mode: 'webhook', secret: SECRET } }, -32602],
    ['a delivery without a secret', { delivery: { mode: 'webhook', url: 'https://a.example/' } }, -32602],
    ['arguments that do not fit', { arguments: { nonsense: 1 } }, -32602],
    ['a filter that is none', { arguments: { filter: 'a[' } }, -32602],
    ['a cursor that is none', { cursor: 'nonsense' }, -32602],
    ['no name', { name: undefined }, -32602],
    ['a lifetime that is none', { ttlMs: -1 }, -32602],
  ])('refuses %s', async (_, others, code) => {
    const { error } = await call('events/subscribe', subscription('/refused', others))
    expect(error).toMatchObject({ code })
    expect(JSON.stringify(error)).not.toContain(SECRET)
  })

  it.each([
    ['challenge_failed', () => ({ status: 200, body: '{"challenge":"another"}' })],
    ['challenge_failed', () => ({ status: 200, body: 'not JSON' })],
    ['challenge_failed', () => ({ status: 500 })],
    ['challenge_failed', () => ({ status: 302 })],
  ])('says %s of a callback that does not echo the challenge', async (reason, own) => {
    answer = own
    const { error } = await call('events/subscribe', subscription('/wrong'))
    expect(error).toMatchObject({ code: -32015, data: { reason } })
  })

  it('report connection_refused if no server listens', async () => {
    const delivery = { mode: 'webhook', url: `http://${NOBODY}`, secret: SECRET }
    const { error } = await call('events/subscribe', subscription('', { delivery }))
    expect(error).toMatchObject({ code: -32015, data: { reason: 'connection_refused' } })
  })
})

describe('the event client of the AI SDK, with its webhook receiver', () => {
  function createStore(): MCPEventStore {
    const stored = new Map<string, MCPEventSubscription>()
    return {
      get: async (key) => stored.get(key),
      getById: async (id) => [...stored.values()].find((each) => each.id === id),
      set: async (each) => void stored.set(each.key, each),
      async update(key, patch) {
        const before = stored.get(key)
        if (before) stored.set(key, { ...before, ...patch })
      },
      delete: async (key) => void stored.delete(key),
    }
  }

  it.each([true, false])(
    'lists, subscribes, receives, refreshes and unsubscribes (discovery: %s)',
    async (discovery) => {
      const store = createStore()
      const received: MCPEvent[] = []
      const ended: unknown[] = []
      handleAiEvent = createMCPEventWebhook({
        store,
        onEvent: async ({ event }) => void received.push(event),
        onTerminated: async ({ termination }) => void ended.push(termination.error),
      })
      const own = await newKey(server, { tools: ['GitHub.*'] })
      const client = await createMCPClient({
        transport: { type: 'http', url: `${server.url}/mcp`, headers: { authorization: own.authorization } },
        experimental_events: { store },
        protocolVersionDiscovery: discovery,
      })
      const { experimental_events: ai } = client
      expect((await ai.list()).events.map(({ name }) => name)).toEqual(['GitHub.Push'])
      const delivery = { mode: 'webhook', url: `${aiReceiver.origin}/hook`, allowInsecureLocalhost: true } as const
      const granted = await ai.subscribe({ name: 'GitHub.Push', delivery, arguments: { filter: "ref == 'wanted'" } })
      await push({ ref: 'unwanted' })
      const id = await push({ ref: 'wanted' })
      await eventually(
        () => received.map(({ eventId }) => eventId),
        (ids) => ids.length === 1 && ids[0] === id,
      )
      expect((await ai.refresh({ id: granted.id })).id).toBe(granted.id)
      const later = await push({ ref: 'wanted' })
      await eventually(
        () => received.map(({ eventId }) => eventId),
        (ids) => ids.length === 2 && ids[1] === later,
      )
      await ai.unsubscribe({ id: granted.id })
      expect(await store.getById(granted.id)).toBeUndefined()

      // A subscription ends with the key that made it, and says so once there would be an event
      await ai.subscribe({ name: 'GitHub.Push', delivery })
      expect((await server.json('DELETE', `/keys/${own.id}`, undefined, admin)).status).toBe(204)
      await push()
      await eventually(
        () => ended,
        ({ length }) => length === 1,
        70_000,
      )
      expect(received).toHaveLength(2)
      await client.close()
    },
    90_000,
  )
})

/** Serves a handler of web requests over HTTP. */
async function serveWebRequests(handle: (request: Request) => Promise<Response>) {
  const http = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const url = `http://${request.headers.host}${request.url}`
    const headers = new Headers(Object.entries(request.headers).map(([name, value]) => [name, String(value)]))
    const answered = await handle(new Request(url, { method: 'POST', headers, body: Buffer.concat(chunks) }))
    response.writeHead(answered.status, Object.fromEntries(answered.headers)).end(await answered.text())
  })
  await new Promise<void>((done) => http.listen(0, '127.0.0.1', done))
  const { port } = http.address() as AddressInfo
  return { origin: `http://127.0.0.1:${port}`, server: http }
}
