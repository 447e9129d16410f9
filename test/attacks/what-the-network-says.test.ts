import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server as Listener } from 'node:http'
import { networkInterfaces, tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { loadConfig } from '../../src/env.ts'
import { networkFor } from '../../src/node/network.ts'
import { type ServerProcess, startProcess } from '../e2e/process.ts'
import type { Server } from '../e2e/server.ts'
import { raw } from '../e2e/raw.ts'
import { ADMIN_KEY, asAdmin } from './set-up.ts'
import { neverSilent, startWatchedServer } from './watch.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'switchboard-doors-'))
const PUBLIC_URL = 'https://tools.acme.test'
const varsOf = (vars: readonly string[]) => vars.flatMap((each) => ['--var', each])
const SERVE = ['npm', 'run', '--silent', 'serve', '--', '--outdir']
const serve = (...vars: string[]) => [...SERVE, join(folder, 'bundle'), ...varsOf(vars)]

let closed: ServerProcess
let named: Server
let open: ServerProcess
beforeAll(async () => {
  closed = await startProcess(serve('ACCESS:keys', `ADMIN_KEY:${ADMIN_KEY}`))
  const built = (...vars: string[]) => startProcess([...serve(...vars), '--built'])
  open = await built('ACCESS:open')
  // Started as by `serve`, whose health check would use another address than PUBLIC_URL
  named = await startWatchedServer({ vars: { ACCESS: 'public', ADMIN_KEY, PUBLIC_URL, SELF_HOSTED: 'true' } })
}, 180_000)
afterAll(async () => {
  await Promise.all([closed, named, open].map((each) => each?.stop()))
  rmSync(folder, { recursive: true, force: true })
})
afterAll(neverSilent)

const others = Object.values(networkInterfaces())
  .flatMap((each) => each ?? [])
  .filter(({ internal, family }) => !internal && family === 'IPv4')
  .map(({ address }) => address)

it.each(['0.0.0.0', '::', '0', ...others.slice(0, 1)])('a server with ACCESS=open does not start at %s', (ip) => {
  const args = ['run', '--silent', 'serve', '--', '--built', '--outdir', join(folder, 'bundle'), '--port', '0']
  const { status, stderr, stdout } = spawnSync('npm', [...args, '--ip', ip, '--var', 'ACCESS:open'], {
    cwd: root,
    timeout: 60_000,
    encoding: 'utf8',
  })
  expect([status, stdout]).toEqual([1, ''])
  expect(stderr).toContain('Cannot serve ACCESS=open on')
  expect(stderr).toContain('ACCESS:keys')
})

it('a server with ACCESS=open refuses requests from pages of other servers on this machine', async () => {
  const { host, port } = new URL(open.url)
  const made = await open.json('POST', '/keys', { name: 'victim', scopes: ['tools:read'] })
  const { id } = made.body
  const origins = [
    'http://localhost:3000',
    `http://localhost:${port}`,
    `https://${host}`,
    `http://[::1]:${port}`,
    `http://127.0.0.1:${Number(port) + 1}`,
    'http://127.0.0.1',
    'null',
  ]
  for (const origin of origins) {
    for (const [method, path] of [
      ['POST', `/keys/${id}/rotate`],
      ['DELETE', `/keys/${id}`],
      ['POST', '/import'],
      ['GET', '/keys'],
    ] as const) {
      const { status } = await raw(open.url, { method, path, headers: { host, origin } })
      expect(status, `${method} ${path} of ${origin}`).toBe(401)
    }
  }
  const own = await raw(open.url, {
    method: 'POST',
    path: `/keys/${id}/rotate`,
    headers: { host, origin: `http://${host}` },
  })
  expect(own.status).toBe(200)
})

it('headers that only Cloudflare may set are ignored if Cloudflare is not in front', async () => {
  const claims = [
    { 'cf-connecting-ip': '203.0.113.66' },
    { 'CF-Connecting-IP': '203.0.113.66', 'MF-CF-Blob': '{"colo":"AMS"}' },
    { 'cf-connecting-ip': '203.0.113.66', 'cf-ray': 'x-AMS', 'cf-ipcountry': 'NL', 'mf-cf-blob': '{}' },
    { 'true-client-ip': '203.0.113.66', 'x-forwarded-for': '203.0.113.66', 'x-real-ip': '203.0.113.66' },
    { 'cf-connecting-ip': '203.0.113.66', 'mf-original-url': 'http://localhost/keys', 'cf-worker': 'x' },
  ]
  for (const headers of claims) {
    const name = `key ${Math.random()}`
    const body = JSON.stringify({ name, scopes: ['tools:read'] })
    const type = { 'content-type': 'application/json' }
    const made = await raw(closed.url, {
      method: 'POST',
      path: '/keys',
      headers: { ...asAdmin, ...type, ...headers },
      body,
    })
    expect(made.status, JSON.stringify(headers) + made.text).toBe(201)
    expect((await raw(closed.url, { path: '/keys', headers })).status).toBe(401)
  }
  // Records are written after the responses
  await vi.waitFor(async () => {
    const { body } = await closed.json('GET', '/audit?act=key.create', undefined, asAdmin)
    expect(body.items).toHaveLength(claims.length)
  }, 10_000)
  expect(JSON.stringify((await closed.json('GET', '/audit', undefined, asAdmin)).body)).not.toContain('203.0.113.66')
})

const PUBLIC_PATHS = [
  '/llms.txt',
  '/openapi.json',
  '/docs',
  '/docs/agents',
  '/docs/agents.md',
  '/docs/agents.json',
  '/docs/reference',
  '/docs/reference/tools',
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
  '/v0.1/servers',
  '/.well-known/oauth-protected-resource/connect/mcp',
  '/.well-known/oauth-authorization-server/connect',
]

it.each(PUBLIC_PATHS)(
  "without PUBLIC_URL, a response that contains the request's host may not be cached by shared caches: %s",
  async (path) => {
    for (const host of ['evil.test', 'localhost:1', 'evil.test:443', 'EVIL.test']) {
      const { headers, status } = await raw(closed.url, { path, headers: { host } })
      expect(status).toBeLessThan(500)
      expect(headers['cache-control'] ?? '').not.toContain('public')
      expect(headers['cache-control']).toMatch(/^(?:private|no-store)/)
    }
  },
)

it.each(PUBLIC_PATHS)('with PUBLIC_URL, a response contains that host only, and may be cached: %s', async (path) => {
  const { headers, status, text } = await raw(named.url, { path, headers: { host: 'tools.acme.test' } })
  expect(status).toBe(200)
  if (headers['content-type']?.includes('html')) expect(headers['cache-control']).toBe('no-store')
  else expect(headers['cache-control']).toBe('public, max-age=300')
  expect(text).not.toContain('http://tools.acme.test')
})

it('with PUBLIC_URL, a request for another host is refused, whatever its forwarding headers claim', async () => {
  const hosts = [
    'evil.test',
    new URL(named.url).host,
    'localhost',
    'tools.acme.test.evil.test',
    'evil.test@tools.acme.test:444',
    'tools.acme.test:80',
    'tools.acme.test.',
    'tools-acme.test',
  ]
  for (const host of hosts) {
    for (const path of [...PUBLIC_PATHS, '/tools', '/health', '/sign-in', '/nowhere']) {
      const claims = { 'x-forwarded-host': 'tools.acme.test', 'forwarded': 'host=tools.acme.test' }
      const answer = await raw(named.url, { path, headers: { host, ...claims } })
      expect(answer.status, `${host} ${path}`).toBe(421)
      expect(answer.headers['cache-control']).toBe('no-store')
      expect(answer.text).toContain(PUBLIC_URL)
      expect(answer.text).not.toContain(host)
    }
  }
})

it.each<[string, object]>([
  ['/tools/call', { message: expect.stringContaining(PUBLIC_URL) }],
  ['/nowhere', { message: expect.stringContaining(PUBLIC_URL) }],
  ['/mcp', { jsonrpc: '2.0', id: null, error: { code: 421, message: expect.stringContaining(PUBLIC_URL) } }],
  ['/worker/tools/invoke', { detail: expect.stringContaining(PUBLIC_URL) }],
  ['/plugin/call', { isError: true, content: [{ text: expect.stringContaining(PUBLIC_URL) }] }],
  ['/machine-context/execute', { error: { code: 'VALIDATION_ERROR', message: expect.stringContaining(PUBLIC_URL) } }],
])('with PUBLIC_URL, a request for another host to %s is refused in the format of its dialect', async (path, body) => {
  const headers = { 'host': 'evil.test', 'content-type': 'application/json' }
  const { status, text } = await raw(named.url, { method: 'POST', path, headers, body: '{}' })
  expect([status, JSON.parse(text)]).toMatchObject([421, body])
})

it('with PUBLIC_URL, URLs in responses have its scheme, because TLS ends before the server', async () => {
  const { text } = await raw(named.url, { path: '/llms.txt', headers: { host: 'tools.acme.test:443' } })
  expect(text).toContain(`${PUBLIC_URL}/mcp`)
  const body = JSON.stringify({ tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
  const type = { 'host': 'tools.acme.test', 'content-type': 'application/json', ...asAdmin }
  const called = await raw(named.url, { method: 'POST', path: '/oxp/tools/call', headers: type, body })
  expect([called.status, JSON.parse(called.text)]).toMatchObject([200, { result: { value: 3 } }])
})

it('a list of toolkits from a server with ACCESS=open may not be cached', async () => {
  const { headers, text } = await raw(open.url, {
    path: '/v0.1/servers',
    headers: { host: new URL(open.url).host },
  })
  expect(text).toContain('Calculator')
  expect(headers['cache-control']).toBe('no-store')
})

describe('a private address', () => {
  let listener: Listener
  let connections = 0
  let port = 0
  beforeAll(async () => {
    listener = createServer((_, answer) => answer.end('ok'))
    listener.on('connection', () => void (connections += 1))
    await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
    port = Number(Object(listener.address()).port)
    // What asks wherever it is told, as a name that resolves to a private address would have the Worker do
    writeFileSync(
      join(folder, 'index.mjs'),
      `import { WorkerEntrypoint } from 'cloudflare:workers'
      // Under serve, the way back of its sandboxes
      export class SandboxEgress extends WorkerEntrypoint {}
      export default { async fetch(request) {
        const url = new URL(request.url).searchParams.get('url')
        if (!url) return new Response('well')
        return fetch(url).then((answer) => answer, (error) => new Response(String(error), { status: 599 }))
      } }`,
    )
    writeFileSync(
      join(folder, 'wrangler.toml'),
      'name = "asks"\nmain = "index.mjs"\ncompatibility_date = "2026-10-15"\ncompatibility_flags = ["global_fetch_strictly_public"]\n',
    )
  })
  afterAll(() => listener?.close())

  const start = (...vars: string[]) =>
    startProcess([
      ...SERVE,
      folder,
      '--built',
      '--config',
      relative(root, join(folder, 'wrangler.toml')),
      ...varsOf(vars),
    ])
  const ask = async (server: ServerProcess, url: string) =>
    (await fetch(`${server.url}/?url=${encodeURIComponent(url)}`)).status

  it('a private address cannot be reached by any request of the Worker', async () => {
    const server = await start('ACCESS:keys')
    try {
      for (const host of ['127.0.0.1', 'localhost', '127.0.0.2', '0x7f000001', '[::ffff:127.0.0.1]', '10.0.0.1']) {
        expect(await ask(server, `http://${host}:${port}/`), host).toBeGreaterThanOrEqual(500)
      }
      expect(connections).toBe(0)
    } finally {
      await server.stop()
    }
  })

  it('a private address can be reached if ALLOW_HTTP_HOSTS names it, and no other address can', async () => {
    const server = await start('ACCESS:keys', `ALLOW_HTTP_HOSTS:127.0.0.1:${port}`)
    try {
      expect(await ask(server, `http://127.0.0.1:${port}/`)).toBe(200)
      expect(connections).toBe(1)
      for (const host of ['127.0.0.2', '10.0.0.1', '[::1]']) {
        expect(await ask(server, `http://${host}:${port}/`), host).toBeGreaterThanOrEqual(500)
      }
      expect(connections).toBe(1)
    } finally {
      await server.stop()
    }
  })

  it('a private address is open to the Worker only if a setting allows it', async () => {
    const allowedBy = async (variables: object) => (await networkFor(loadConfig(variables))).allow
    expect(await allowedBy({})).toEqual(['public'])
    expect(await allowedBy({ ALLOW_HTTP_HOSTS: '10.1.2.3:80, [::1]:9000' })).toEqual([
      'public',
      '10.1.2.3/32',
      '::1/128',
    ])
    expect(await allowedBy({ JWT_JWKS_URL: 'http://127.0.0.1:1/jwks' })).toEqual(['public', '127.0.0.1/32'])
    expect(await allowedBy({ ALLOW_ORIGINS: 'https://10.0.0.1', TOOL_SECRETS: '{}' })).toEqual(['public'])
    // Invalid settings do not open anything
    expect((await networkFor(undefined)).allow).toEqual(['public'])
  })
})
