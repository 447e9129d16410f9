import { expect, test } from 'vitest'
import { startUpstream } from '../../upstream.ts'
import { callRemote, upstreamDeps } from './set-up.ts'
import { readPersonRequest, readPersonUrl, toPersonText } from '../../../src/runners/remote/person-facing.ts'

const UNSHOWN = [
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'vscode://x/y',
  'blob:https://a.example/1',
  'http://a.example/',
  'http://10.0.0.1/',
  'http://127.0.0.1.evil.test/',
  'ftp://a.example/',
  'about:blank',
  '//a.example/',
  'https://bank.example@evil.test/',
  'https://u:p@a.example/',
  'https://a.example‮/',
  'https://a.example/‮gpj',
  'https://a​b.example/',
  'https://a.example/\0',
  'https://a.example/ b',
  'https://a.example/\nb',
  'a',
  '',
  `https://a.example/${'x'.repeat(2048)}`,
  7,
  null,
  undefined,
  {},
  ['https://a.example/'],
]

test.each(UNSHOWN)('the URL of another server for a person is not shown if it is %j', (url) => {
  expect(readPersonUrl(url)).toBeUndefined()
  expect(
    readPersonRequest({ mode: 'url', message: 'x', ...(url === undefined ? {} : { url: url as string }) }, 'a'),
  ).toBeUndefined()
})

test.each([
  ['https://a.example/x?y=z', 'https://a.example/x?y=z'],
  ['HTTPS://A.Example', 'https://a.example/'],
  ['http://localhost:8787/x', 'http://localhost:8787/x'],
  ['http://[::1]/', 'http://[::1]/'],
  ['https://аpple.example/', 'https://xn--pple-43d.example/'],
  ['https://bank。example/', 'https://bank.example/'],
  ['https://a.example/ü', 'https://a.example/%C3%BC'],
  ['https:\\\\a.example\\b', 'https://a.example/b'],
])('the URL of another server for a person %s is shown as %s', (url, shown) => {
  expect(readPersonUrl(url)).toBe(shown)
})

test('the text has no invisible characters, in every field of a form', () => {
  expect(toPersonText('Pay \u202e001\u202c\u200b\u2066x\u0007\ufeff\u3164 now\n')).toBe('Pay 001x now\n')
  const requestedSchema = { properties: { a: { title: 'A\u202eB', enum: ['\u200bx'], default: 7 } } }
  expect(readPersonRequest({ message: 'Who\u202e?', requestedSchema }, 'a.example')).toEqual({
    message: 'a.example says: Who?',
    requestedSchema: { properties: { a: { title: 'AB', enum: ['x'], default: 7 } } },
  })
})

test('the text with endless nesting is truncated', () => {
  let deep: any = {}
  for (let depth = 0; depth < 50_000; depth++) deep = { a: deep }
  expect(JSON.stringify(readPersonRequest(deep, 'a')).length).toBeLessThan(1_000)
})

/** Answers a call with this. */
async function asked(answer: object, canAsk = true) {
  const server = await startUpstream(({ body }, response) => {
    const { id, method }: { id: unknown; method: string } = JSON.parse(body)
    const discovered = {
      supportedVersions: ['2026-07-28'],
      capabilities: { tools: {} },
      ttlMs: 0,
      cacheScope: 'private',
    }
    const said = method === 'server/discover' ? { result: { resultType: 'complete', ...discovered } } : answer
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ jsonrpc: '2.0', id, ...said }))
  })
  try {
    const tool = { url: `${server.origin}/mcp`, tool: 'any' }
    const context = canAsk ? { answers: { responses: {} } } : {}
    return { host: server.host, result: await callRemote(upstreamDeps(server.host), tool, { context }) }
  } finally {
    await server.close()
  }
}
const requiring = (url: unknown) => ({
  result: {
    resultType: 'input_required',
    inputRequests: { sign: { method: 'elicitation/create', params: { mode: 'url', message: 'Sign in\u202e', url } } },
  },
})
const failing = (url: unknown) => ({
  error: {
    code: -32042,
    message: 'Needs',
    data: { elicitations: [{ mode: 'url', message: 'Sign in', url, elicitationId: '1' }] },
  },
})

test('a third-party MCP server asks a person under its own name, at a readable URL', async () => {
  const { host, result } = await asked(requiring('https://аpple.example/'))
  expect(result).toEqual({
    ok: false,
    asks: {
      requests: {
        sign: {
          method: 'elicitation/create',
          params: { mode: 'url', message: `${host} says: Sign in`, url: 'https://xn--pple-43d.example/' },
        },
      },
    },
  })
})

test.each(UNSHOWN.filter((url) => typeof url === 'string' && url.length > 1))(
  'a third-party MCP server shows nobody %j',
  async (url) => {
    for (const [answer, canAsk] of [
      [requiring(url), true],
      [requiring(url), false],
      [failing(url), true],
    ] as const) {
      const { result } = await asked(answer, canAsk)
      expect(result).toMatchObject({ ok: false, failure: { message: expect.any(String) } })
      expect(JSON.stringify(result)).not.toContain(JSON.stringify(url).slice(1, -1))
    }
  },
)
