import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'

let server: RunningServer
let key: string
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  const body = { name: 'an agent', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*'], users: [] }
  const made = await server.json('POST', '/keys', body, { authorization: `Bearer ${ADMIN_KEY}` })
  key = made.body.key
})
afterAll(() => server.stop())

interface Remote {
  readonly url: string
  readonly headers: readonly { readonly name: string; readonly description: string; readonly isRequired: boolean }[]
}

const withKey = (remotes: readonly Remote[]): Remote => remotes.find(({ headers }) => headers) ?? expect.unreachable()

/** Calls a tool where a document says that the server is, with the headers that it asks for and a person's key. */
async function callAt({ url, headers }: Remote) {
  const sent = headers
    .filter(({ isRequired }) => isRequired)
    .map(({ name, description }) => [name, /'(Bearer <key>)'/.exec(description)?.[1]?.replace('<key>', key) ?? ''])
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: Object.fromEntries(sent) } }),
  )
  const { tools } = await client.listTools()
  const answer = await client.callTool({ name: 'Calculator_Add', arguments: { a: 2, b: 3 } })
  await client.close()
  return { names: tools.map(({ name }) => name), content: answer.content }
}

/** Returns the response of an address to an anonymous caller. */
async function read(address: string, headers?: Record<string, string>) {
  const { status, body } = await server.json('GET', address, undefined, headers)
  expect(status).toBe(200)
  return body
}

it('a client that knows only the host gets from the catalog to the server card, and from there to the tools', async () => {
  const [entry] = (await read('/.well-known/ai-catalog.json')).entries
  const card = await read(entry.url, { accept: entry.type })
  const { names, content } = await callAt(withKey(card.remotes))
  expect(names).toContain('Calculator_Add')
  expect(content).toEqual([{ type: 'text', text: '5' }])
})

it('a client that knows only the host finds the server in the registry, from the list to the latest version, as Copilot does', async () => {
  const list = await read('/v0.1/servers?limit=30')
  const versions = `/v0.1/servers/${encodeURIComponent(list.servers[0].server.name)}/versions`
  const latest = await read(`${versions}/latest`)
  expect(latest).toEqual(list.servers[0])
  const [{ server: named }] = (await read(versions)).servers
  expect(await read(`${versions}/${named.version}`)).toEqual(latest)
  expect((await callAt(withKey(latest.server.remotes))).content).toEqual([{ type: 'text', text: '5' }])
})

it('a client that knows only the host, without a key, is sent to sign in with the metadata of /connect/mcp', async () => {
  const [{ url, headers }] = (await read('/mcp/server-card')).remotes
  expect(headers).toBeUndefined()
  const answer = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })
  expect(answer.status).toBe(401)
  const metadata = /resource_metadata="([^"]+)"/.exec(answer.headers.get('www-authenticate') ?? '')?.[1] ?? ''
  expect(await read(new URL(metadata).pathname)).toMatchObject({ resource: url })
})

it('a client that knows only the host sees no tools', async () => {
  for (const path of ['/v0.1/servers', '/mcp/server-card', '/.well-known/ai-catalog.json']) {
    expect(await (await fetch(`${server.url}${path}`)).text()).not.toMatch(/calculator/i)
  }
})

it('a client that knows only the host sees, with a key, the toolkits that the key may call, each as a server', async () => {
  const { servers } = await read('/v0.1/servers', { authorization: `Bearer ${key}` })
  expect(servers.map(({ server: { title } }: any) => title).slice(1)).toEqual(['Calculator'])
  const { names } = await callAt(withKey(servers[1].server.remotes))
  expect(new Set(names.map((name) => name.split('_')[0]))).toEqual(new Set(['Calculator']))
  const guessed = await read('/v0.1/servers', { authorization: `Bearer sb_${'x'.repeat(43)}` })
  expect(guessed.servers).toHaveLength(1)
})

it('a client that knows only the host may read the registry from a page of another site', async () => {
  const headers = { 'origin': 'https://github.com', 'access-control-request-method': 'GET' }
  const asked = await fetch(`${server.url}/v0.1/servers`, { method: 'OPTIONS', headers })
  expect(asked.status).toBe(204)
  expect(asked.headers.get('access-control-allow-origin')).toBe('*')
})

it('a client that knows only the host cannot change anything', async () => {
  const answer = await fetch(`${server.url}/v0.1/servers`, { method: 'POST', body: '{}' })
  expect(answer.status).toBe(401)
  const known = await fetch(`${server.url}/v0.1/servers`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
  })
  expect(known.status).toBe(405)
  expect(known.headers.get('allow')).toBe('GET, HEAD, OPTIONS')
})
