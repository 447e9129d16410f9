import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Upstream, startUpstream } from '../upstream.ts'
import { type McpUpstream, startMcpServer, type UpstreamTool } from '../runners/remote/mcp-server.ts'
import { upstreamTools, type Waiter } from '../runners/remote/tools.ts'
import type { Answer } from './json.ts'
import { type RunningServer, startApp } from './server.ts'
import { definition } from './definition.ts'

const UPSTREAM_KEY = 'a-key-of-another-switchboard-0123456789'

let legacy: McpUpstream
let modern: McpUpstream
let waiters: Readonly<Record<'legacy' | 'modern', Waiter>>
let mortal: McpUpstream
let hostile: Upstream
let other: RunningServer
let server: RunningServer

beforeAll(async () => {
  const tools = { legacy: upstreamTools(), modern: upstreamTools() }
  waiters = { legacy: tools.legacy.waiter, modern: tools.modern.waiter }
  legacy = await startMcpServer('legacy', tools.legacy.tools)
  modern = await startMcpServer('modern', tools.modern.tools)
  mortal = await startMcpServer('modern', [versioned(1)])
  hostile = await startUpstream(misbehave)
  other = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY: UPSTREAM_KEY } })
  const hosts = [legacy.host, modern.host, mortal.host, hostile.host, new URL(other.url).host]
  server = await startApp({
    vars: {
      ALLOW_HTTP_HOSTS: hosts.join(','),
      UPSTREAM_KEY,
      TOOL_SECRETS: JSON.stringify({ UPSTREAM_KEY: ['Other.*', 'Copy.*', 'Spare.*'] }),
    },
  })
})
afterAll(async () => {
  await Promise.all([server?.stop(), other?.stop(), ...[legacy, modern, mortal, hostile].map((each) => each?.close())])
})

const load = (from: object, toolkit: string, more: object = {}, query = ''): Promise<Answer> =>
  server.json('POST', `/toolkits/import${query}`, { from, toolkit, ...more })
const call = async (tool_id: string, input: object = {}) => {
  const { status, body } = await server.json('POST', '/tools/call', { tool_id, input })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.result
}
async function connected(): Promise<Client> {
  const client = new Client({ name: 'a test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', server.url)))
  return client
}

describe.each(['legacy', 'modern'] as const)('a %s MCP server', (era) => {
  const toolkit = era === 'legacy' ? 'Legacy' : 'Modern'
  const upstream = () => (era === 'legacy' ? legacy : modern)
  /** Two servers with the same tools: the second one's names get a suffix. */
  const exposed = async (tool: string) => {
    const { tools } = await (await connected()).listTools()
    const id = `${toolkit}.${tool}@2.1.0`
    const found = tools.find(({ _meta }) => _meta?.['dev.switchboard/id'] === id)
    if (!found) throw new Error(`'${id}' is not listed`)
    return found.name
  }

  it(`a ${era} MCP server is imported as a toolkit with one request, once`, async () => {
    const { status, body } = await load({ mcp: upstream().url }, toolkit)
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body).toMatchObject({ skipped: [] })
    const names = ['add', 'text_greet', 'picture', 'fail', 'steps', 'wait', 'headers']
    expect(body.ids.toSorted()).toEqual(names.map((name) => `${toolkit}.${name}@2.1.0`).toSorted())
    expect((await load({ mcp: upstream().url }, toolkit)).status).toBe(200)
  })

  it(`a ${era} MCP server is listed without requests to it, and called through OXP`, async () => {
    upstream().arrived.length = 0
    const { body } = await server.json('GET', `/tools?toolkit=${toolkit}`)
    expect(body.items).toHaveLength(7)
    expect(upstream().arrived).toEqual([])
    expect(await call(`${toolkit}.add`, { a: 2, b: 3 })).toMatchObject({ success: true, value: { sum: 5 } })
    expect(await call(`${toolkit}.text_greet`, { name: 'Zoë' })).toMatchObject({ value: 'Grüß Gott, Zoë' })
    const error = { message: 'The printer is out of paper', can_retry: true, retry_after_ms: 500 }
    expect(await call(`${toolkit}.fail`)).toMatchObject({ success: false, error })
    const wrong = await server.json('POST', '/tools/call', { tool_id: `${toolkit}.add`, input: { a: 'two' } })
    expect(wrong.status).toBe(422)
  })

  it(`a ${era} MCP server is called through /mcp, with its content and progress`, async () => {
    const client = await connected()
    const picture = await client.callTool({ name: await exposed('picture') })
    expect(picture.content).toMatchObject([{ type: 'text' }, { type: 'image' }, { type: 'resource' }])
    const reports: unknown[] = []
    const onprogress = ({ progress, message }: { progress: number; message?: string | undefined }) =>
      void reports.push([progress, message])
    const done = await client.callTool({ name: await exposed('steps') }, { onprogress })
    expect(done.content).toEqual([{ type: 'text', text: 'Done' }])
    expect(reports).toEqual([1, 2, 3].map((step) => [step, `Step ${step}`]))
    await client.close()
  })

  it(`a ${era} MCP server is told that a call was canceled`, async () => {
    const client = await connected()
    const gone = new AbortController()
    const onprogress = () => gone.abort()
    const waiting = client.callTool({ name: await exposed('wait') }, { onprogress, signal: gone.signal })
    await expect(waiting).rejects.toThrow()
    await waiters[era].cancelled
    await client.close()
  })
})

it.each(['legacy', 'modern'] as const)('a call past its deadline is canceled on the server (%s)', async (era) => {
  const { tools, waiter } = upstreamTools()
  const upstream = era === 'legacy' ? legacy : modern
  upstream.tools = tools
  const toolkit = `Hasty_${era}`
  await load({ mcp: upstream.url }, toolkit, { timeout_ms: 3_000, tools: ['wait'] })
  expect(await call(`${toolkit}.wait`)).toMatchObject({
    success: false,
    error: { message: 'The tool did not answer within 3 seconds' },
  })
  await waiter.cancelled
})

describe('another Switchboard', () => {
  const from = () => ({ oxp: other.url })
  const credentials = [{ secret: 'UPSTREAM_KEY' }]

  it('another Switchboard is imported as a toolkit whose tools are called with its key', async () => {
    const refused = await load(from(), 'Other')
    expect(refused.body.errors).toMatchObject([{ path: '/from/oxp', message: expect.stringContaining('401') }])
    const { status, body } = await load(from(), 'Other', { credentials })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(body.ids).toContain('Other.Calculator_Add@1.0.0')
    expect(await call('Other.Calculator_Add', { a: 20, b: 22 })).toMatchObject({ success: true, value: 42 })
    const wrong = await call('Other.SMS_Send', { to: '+1', body: 'x' }).catch((error: unknown) => error)
    expect(JSON.stringify(wrong)).not.toContain(UPSTREAM_KEY)
    expect(server.printed()).not.toContain(UPSTREAM_KEY)
  })

  it('another Switchboard reports what a tool lacks there', async () => {
    const { body } = await server.json('GET', '/tools/Other.Gmail_GetEmails')
    expect(body).toMatchObject({ requirements: { secrets: [{ id: 'UPSTREAM_KEY' }] } })
    const { error } = await call('Other.Gmail_GetEmails', {})
    expect(error.message).toContain("a person's consent at 'google'")
  })

  it('another Switchboard can also be imported as an MCP server', async () => {
    const mcp = { mcp: new URL('/mcp', other.url).href }
    const { status, body } = await load(mcp, 'Copy', { credentials, tools: ['Calculator_*'] })
    expect(status, JSON.stringify(body)).toBe(201)
    expect(await call('Copy.Calculator_Add', { a: 1, b: 2 })).toMatchObject({ success: true, value: 3 })
  })

  it('another Switchboard gets no request with a secret from a publisher who may not use the secret', async () => {
    const key = await server.json('POST', '/keys', {
      name: 'publisher',
      scopes: ['tools:publish'],
      tools: ['*'],
      users: [],
    })
    const headers = { authorization: `Bearer ${key.body.key}` }
    const loading = (toolkit: string) =>
      server.json('POST', '/toolkits/import', { from: { oxp: hostile.origin }, toolkit, credentials }, headers)
    hostile.arrived.length = 0
    const taken = await loading('Other')
    expect([taken.status, taken.body.message]).toEqual([403, expect.stringContaining("'Other' is another's")])
    const free = await loading('Spare')
    expect(free.status, JSON.stringify(free.body)).toBe(422)
    expect(free.body.errors).toMatchObject([{ path: '/credentials' }])
    const ungranted = await load({ oxp: hostile.origin }, 'Mine', { credentials })
    expect(ungranted.body.errors).toMatchObject([
      { path: '/credentials', message: expect.stringContaining('TOOL_SECRETS') },
    ])
    expect(hostile.arrived).toEqual([])
  })
})

/** A tool that says its revision; a later one wants more. */
function versioned(revision: number): UpstreamTool {
  const properties = { a: { type: 'string' }, ...(revision === 2 ? { b: { type: 'string' } } : {}) }
  const inputSchema = { type: 'object', properties, required: Object.keys(properties) }
  return {
    definition: { name: 'speak', description: 'Speaks', inputSchema, annotations: { readOnlyHint: true } },
    call: () => ({ content: [{ type: 'text', text: `Revision ${revision}` }] }),
  }
}

it('a server whose tools change gets new versions when it is imported again, and keeps the old ones', async () => {
  const from = { mcp: mortal.url }
  expect((await load(from, 'Mortal', { version: '1.0.0' })).body.ids).toEqual(['Mortal.speak@1.0.0'])
  mortal.tools = [versioned(2)]
  const dry = await load(from, 'Mortal', {}, '?dry_run=1')
  expect(JSON.stringify(dry.body)).toContain('Mortal.speak@2.0.0')
  expect((await load(from, 'Mortal')).body.ids).toEqual(['Mortal.speak@2.0.0'])
  expect(await call('Mortal.speak', { a: '', b: '' })).toMatchObject({ value: 'Revision 2' })
  expect(await call('Mortal.speak@1.0.0', { a: '' })).toMatchObject({ success: true })
  const first = await server.json('GET', '/tools/Mortal.speak@1.0.0?format=mcp')
  expect(first.body.inputSchema.required).toEqual(['a'])
})

it('a server that is gone fails only its own calls, with a clear message', async () => {
  await mortal.close()
  const { success, error } = await call('Mortal.speak', { a: '', b: '' })
  expect(success).toBe(false)
  expect(error).toMatchObject({ message: `Cannot reach "http://${mortal.host}"`, can_retry: true })
  expect((await server.json('GET', '/tools?toolkit=Mortal')).body.items).toHaveLength(1)
  expect(await call('Modern.add', { a: 1, b: 1 })).toMatchObject({ value: { sum: 2 } })
  expect((await load({ mcp: mortal.url }, 'Mortal')).body.errors).toMatchObject([
    { path: '/from/mcp', message: expect.stringContaining('Cannot reach') },
  ])
})

/** Answers by path: each a way to harm whoever asks. */
function misbehave({ url, body }: { url: string; body: string }, response: import('node:http').ServerResponse): void {
  const [, how = ''] = url.split('/')
  const json = (result: object) => {
    response.setHeader('content-type', 'application/json')
    const { id } = JSON.parse(body)
    const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...common, ...result } }))
  }
  const method = body === '' ? '' : JSON.parse(body).method
  if (how === 'metadata') return void response.writeHead(307, { location: 'http://169.254.169.254/latest' }).end()
  if (how === 'loopback') return void response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end()
  if (how === 'silent') return
  if (how === 'gigabyte') {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(1024 ** 3) })
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536)));
      if (!response.destroyed) response.once('drain', more)
    }
    return more()
  }
  if (method === 'server/discover') return json({ supportedVersions: ['2026-07-28'], capabilities: { tools: {} } })
  const tool = { name: 'a', inputSchema: { type: 'object' } }
  if (how === 'crowd') return json({ tools: Array.from({ length: 10_000 }, (_, at) => ({ ...tool, name: `t${at}` })) })
  if (how === 'endless') return json({ tools: [], nextCursor: crypto.randomUUID() })
  if (how === 'deep') {
    // Written as text: no writer of JSON goes so deep
    const schema = `${'{"properties":{"a":'.repeat(100_000)}{}${'}}'.repeat(100_000)}`
    const result = `{"resultType":"complete","ttlMs":0,"cacheScope":"private","tools":[{"name":"a","inputSchema":${schema}}]}`
    response.setHeader('content-type', 'application/json')
    return void response.end(`{"jsonrpc":"2.0","id":${JSON.parse(body).id},"result":${result}}`)
  }
  if (how === 'slow-pattern') {
    const inputSchema = { type: 'object', properties: { a: { type: 'string', pattern: '^(a)\\1$' } } }
    return json({ tools: [{ ...tool, inputSchema }] })
  }
  return void response.writeHead(500).end('<script>')
}

it.each([
  ['metadata', /redirects elsewhere/],
  ['loopback', /redirects elsewhere/],
  ['gigabyte', /is over \d+ bytes/],
  ['crowd', /more than 5000 tools/],
  ['endless', /more than 100 pages/],
  ['deep', /deeper than 136 levels/],
  ['slow-pattern', /pattern/],
  ['broken', /500 Internal Server Error/],
])('a hostile server is refused with the reason: %s', async (how, why) => {
  const { status, body } = await load({ mcp: `${hostile.origin}/${how}` }, 'Hostile')
  expect(status, JSON.stringify(body)).toBe(422)
  expect(JSON.stringify(body)).toMatch(why)
  expect((await fetch(`${server.url}/health`)).status).toBe(200)
})

it.each(['mcp', 'oxp'])('a hostile server that never responds delays only its own calls (%s)', async (protocol) => {
  const implementation = { kind: 'remote', protocol, url: `${hostile.origin}/silent`, tool: 'a', timeout_ms: 500 }
  const published = await server.json('POST', '/tools', {
    definition: definition(`Silent.${protocol}@1.0.0`, { name: `silent_${protocol}` }),
    implementation,
  })
  expect(published.status, JSON.stringify(published.body)).toBe(201)
  const { success, error } = await call(`Silent.${protocol}`)
  expect(success).toBe(false)
  expect(error.message).toContain('0.5 seconds')
  expect(await call('Calculator.Add', { a: 1, b: 1 })).toMatchObject({ value: 2 })
})
