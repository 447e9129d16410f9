import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { definition } from './definition.ts'
import { eventsOf } from './events.ts'
import { fetchMcp } from './mcp-request.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
/** A change is told within a few seconds, on a busy machine too. */
const SOON = { timeout: 30_000, interval: 200 }

let server: RunningServer
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  await publish('Seen.First', 'Hidden.First')
})
afterAll(() => server?.stop())

async function publish(...ids: string[]) {
  for (const id of ids) {
    const implementation = { kind: 'http', method: 'GET', url: 'https://api.example/' }
    const published = await server.json(
      'POST',
      '/tools',
      { definition: definition(`${id}@1.0.0`), implementation },
      ADMIN,
    )
    expect(published.status, JSON.stringify(published.body)).toBe(201)
  }
}

async function createKey(scopes = ['tools:read', 'tools:call']): Promise<{ id: string; key: string }> {
  const created = await server.json('POST', '/keys', { name: 'a listener', scopes, tools: ['Seen.*'] }, ADMIN)
  expect(created.status).toBe(201)
  return created.body
}

const listen = (key: string, params: Readonly<Record<string, unknown>>, signal?: AbortSignal) =>
  fetchMcp(server, 'subscriptions/listen', params, { signal, headers: { authorization: `Bearer ${key}` } })

it('the official client is notified that the list has changed, and reads the new one', async () => {
  const { key } = await createKey()
  const lists: string[][] = []
  const client = new Client(
    { name: 'a test', version: '1.0.0' },
    {
      versionNegotiation: { mode: { pin: '2026-07-28' } },
      listChanged: { tools: { onChanged: (_error, tools) => void lists.push((tools ?? []).map(({ name }) => name)) } },
    },
  )
  const requestInit = { headers: { authorization: `Bearer ${key}` } }
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url), { requestInit }))
  expect(client.getServerCapabilities()).toMatchObject({ tools: { listChanged: true } })
  await publish('Seen.Second')
  await expect.poll(() => lists.at(-1), SOON).toEqual(expect.arrayContaining(['Seen_First', 'Seen_Second']))
  await client.close()
})

it('a stream reports what it watches, and nothing about a tool that its caller may not see', async () => {
  const { key } = await createKey()
  const close = new AbortController()
  const notifications = { toolsListChanged: true, promptsListChanged: true }
  const response = await listen(key, { notifications }, close.signal)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const events = eventsOf(response)
  const read = async () => (await events.next()).value?.data
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 1 }
  expect(await read()).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true }, _meta },
  })
  await publish('Hidden.Second')
  const next = read()
  const isTold = await Promise.race([next.then(() => true), new Promise((done) => setTimeout(done, 8_000, false))])
  expect(isTold).toBe(false)
  await publish('Seen.Third')
  expect(await next).toEqual({ jsonrpc: '2.0', method: 'notifications/tools/list_changed', params: { _meta } })
  close.abort()
}, 60_000)

it('a stream ends when its key is revoked, and at once if it watches nothing', async () => {
  const { id, key } = await createKey()
  const events = eventsOf(await listen(key, { notifications: { toolsListChanged: true } }))
  await events.next()
  expect((await server.json('DELETE', `/keys/${id}`, undefined, ADMIN)).status).toBeLessThan(300)
  const last = await events.next()
  expect(last.value?.data).toMatchObject({ id: 1, result: { resultType: 'complete' } })
  expect((await events.next()).done).toBe(true)

  const caller = await createKey(['tools:call'])
  const nothing = eventsOf(await listen(caller.key, { notifications: { toolsListChanged: true } }))
  expect((await nothing.next()).value?.data).toMatchObject({ params: { notifications: {} } })
  expect((await nothing.next()).value?.data).toMatchObject({ id: 1, result: {} })
}, 100_000)

it('malformed requests, too many streams, and older revisions are refused', async () => {
  const { key } = await createKey()
  const malformed = await listen(key, {})
  expect(await malformed.json()).toMatchObject({ id: 1, error: { code: -32602 } })
  const close = new AbortController()
  const listening = (signal?: AbortSignal) => listen(key, { notifications: { toolsListChanged: true } }, signal)
  // A response that nobody holds may be collected, which closes its stream
  const open: Response[] = []
  for (let count = 0; count < 10; count++) open.push(await listening(close.signal))
  expect(open.every(({ status }) => status === 200)).toBe(true)
  const refused = await listening()
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '600'])
  close.abort()
  const again = new AbortController()
  await expect.poll(async () => (await listening(again.signal)).status, SOON).toBe(200)
  again.abort()

  const older = await server.json('POST', '/mcp', { jsonrpc: '2.0', id: 1, method: 'subscriptions/listen' }, ADMIN)
  expect(older.body).toMatchObject({ error: { code: -32601 } })
}, 60_000)
