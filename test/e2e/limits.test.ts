import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }

let upstream: Upstream
let server: RunningServer
let release: () => void = () => undefined
beforeAll(async () => {
  upstream = await startUpstream(async ({ url }, response) => {
    if (url === '/slow') await new Promise<void>((resolve) => (release = resolve))
    response.writeHead(url === '/broken' ? 400 : 200, { 'content-type': 'application/json' }).end('{"ok":true}')
  })
  const TOOL_LIMITS = '{"Limits.Slow": {"concurrency": 1}, "Limits.Once": {"rate": {"calls": 1, "seconds": 3600}}}'
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host, TOOL_LIMITS } })
  for (const name of ['Slow', 'Once', 'Free', 'Broken']) {
    const body = {
      definition: {
        name,
        description: 'Is called often',
        inputSchema: { type: 'object', properties: { a: { type: 'integer' } } },
      },
      toolkit: 'Limits',
      version: '1.0.0',
      implementation: {
        kind: 'http',
        method: 'POST',
        url: `${upstream.origin}/${name.toLowerCase()}`,
        response: { type: 'json' },
      },
    }
    const published = await server.json('POST', '/tools', body, ADMIN)
    expect(published.status, JSON.stringify(published.body)).toBe(201)
  }
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

async function keyWith(limits: unknown): Promise<Record<string, string>> {
  const { status, body } = await server.json('POST', '/keys', { name: 'k', scopes: ['tools:call'], limits }, ADMIN)
  expect(status, JSON.stringify(body)).toBe(201)
  expect(body.limits).toEqual(limits)
  return { authorization: `Bearer ${body.key}` }
}

const send = async (path: string, body: unknown, headers: Record<string, string>) => {
  const answer = await fetch(new URL(path, server.url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const said: any = await answer.json()
  return { status: answer.status, headers: answer.headers, body: said }
}
const oxp = (tool: string, headers: Record<string, string>, more: object = {}) =>
  send('/tools/call', { tool_id: `Limits.${tool}`, ...more }, headers)

/** A call of a tool of `Limits` in OXP, the RFC, a plugin's words, those of Machine Context, and MCP. */
async function inEachDialect(tool: string, key: Record<string, string>) {
  return [
    await oxp(tool, key),
    await send('/worker/tools/invoke', { tool: { name: tool, toolkit: 'Limits' } }, key),
    await send('/plugin/call', { params: { name: tool } }, key),
    await send(
      '/machine-context/execute',
      {
        header: { messageId: crypto.randomUUID(), messageType: 'request' },
        payload: { tool: { id: 'Limits', capability: tool } },
      },
      key,
    ),
    await send(
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } },
      { ...key, 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    ),
  ]
}

it.each(['Free', 'Broken'])(
  'a key with limits is told in each dialect what remains, when the tool %s succeeds or fails',
  async (tool) => {
    const key = await keyWith({ rate: { calls: 9, seconds: 3_600 }, concurrency: 3 })
    const answers = await inEachDialect(tool, key)
    expect(answers).toHaveLength(5)
    for (const [index, { status, headers, body }] of answers.entries()) {
      expect(status, JSON.stringify(body)).toBe(200)
      expect(headers.get('ratelimit-policy')).toBe(
        '"credential";q=9;w=3600, "credential-at-once";q=3;qu="concurrent-requests"',
      )
      const [, left, seconds] =
        /^"credential";r=(\d+);t=(\d+), "credential-at-once";r=3$/.exec(headers.get('ratelimit') ?? '') ?? []
      expect([left, Number(seconds) > 3_500 && Number(seconds) <= 3_600]).toEqual([String(8 - index), true])
    }
  },
)

it('a call without limits, or one that did not run, gets no RateLimit headers', async () => {
  const unlimited = await oxp('Free', ADMIN)
  const key = await keyWith({ concurrency: 1 })
  const wrong = await oxp('Free', key, { input: { a: 'x' } })
  expect([unlimited.status, wrong.status]).toEqual([200, 422])
  for (const { headers } of [unlimited, wrong]) {
    expect([headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([null, null])
  }
})

it('a key above its rate is refused in each dialect’s format, with when to retry', async () => {
  const key = await keyWith({ rate: { calls: 2, seconds: 3_600 } })
  for (let call = 0; call < 2; call++) expect((await oxp('Free', key)).body.result.success).toBe(true)
  const message = expect.stringContaining('Too many calls with this credential: at most 2 in 3600 seconds')
  const answers = await inEachDialect('Free', key)
  for (const { status, headers } of answers) {
    expect(status).toBe(429)
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(3_500)
    expect(headers.get('ratelimit-policy')).toBe('"credential";q=2;w=3600')
    expect(headers.get('ratelimit')).toBe(`"credential";r=0;t=${headers.get('retry-after')}`)
  }
  const [inOxp, inRfc, inPlugin, inMachineContext, inMcp] = answers.map(({ body }) => body)
  expect(inOxp).toMatchObject({ message })
  expect(inRfc).toMatchObject({ message })
  expect(inPlugin).toMatchObject({ isError: true, content: [{ text: message }] })
  expect(inMachineContext).toMatchObject({ error: { code: 'RESOURCE_ERROR', message } })
  expect(inMcp).toMatchObject({ error: { code: 429, message } })
  expect((await oxp('Free', await keyWith({ rate: { calls: 2, seconds: 3_600 } }))).status).toBe(200)
})

it("a key's rate does not count calls that did not run: invalid ones and repeated ones", async () => {
  const key = await keyWith({ rate: { calls: 1, seconds: 3_600 } })
  expect((await oxp('Free', key, { input: { a: 'x' } })).status).toBe(422)
  const call_id = crypto.randomUUID()
  const first = await oxp('Free', key, { call_id })
  expect(first.status).toBe(200)
  expect((await oxp('Free', key, { call_id })).body).toEqual(first.body)
  const next = crypto.randomUUID()
  expect((await oxp('Free', key, { call_id: next })).status).toBe(429)
  // What was refused was not made, and can be made later
  expect((await oxp('Free', key, { call_id: next })).status).toBe(429)
})

it.each([[{}], [{ rate: { calls: 0, seconds: 1 } }], [{ concurency: 1 }], [5]])(
  'a key cannot have %j as limits',
  async (limits) => {
    const { status, body } = await server.json('POST', '/keys', { name: 'k', scopes: ['tools:call'], limits }, ADMIN)
    expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('/limits')])
  },
)

it('a tool with a rate limit counts the calls of all callers', async () => {
  expect((await oxp('Once', ADMIN)).status).toBe(200)
  const refused = await oxp('Once', await keyWith({ concurrency: 5 }))
  expect([refused.status, refused.headers.get('ratelimit-policy')]).toEqual([429, '"tool";q=1;w=3600'])
  expect((await oxp('Free', ADMIN)).status).toBe(200)
})

it('a tool with a concurrency limit refuses further calls until one ends', async () => {
  const running = oxp('Slow', ADMIN)
  while (!upstream.arrived.some(({ url }) => url === '/slow')) await new Promise((resolve) => setTimeout(resolve, 10))
  const refused = await oxp('Slow', ADMIN)
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1'])
  expect(refused.body.message).toBe('Too many calls of this tool: at most 1 at a time')
  release()
  expect((await running).body.result.success).toBe(true)
  const again = oxp('Slow', ADMIN)
  while (upstream.arrived.filter(({ url }) => url === '/slow').length < 2)
    await new Promise((resolve) => setTimeout(resolve, 10))
  release()
  expect((await again).status).toBe(200)
})

it.each(['[]', '{"Limits.*": {}}', '{"*.*.*": {"concurrency": 1}}', 'x'])(
  'invalid limits are reported before any request: %s',
  async (TOOL_LIMITS) => {
    const wrong = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY, TOOL_LIMITS } })
    try {
      const { status, body } = await wrong.json('GET', '/tools', undefined, ADMIN)
      expect([status, JSON.stringify(body)]).toEqual([503, expect.stringContaining('TOOL_LIMITS')])
    } finally {
      await wrong.stop()
    }
  },
)
