import { afterAll, beforeAll, expect, it } from 'vitest'
import { raw } from '../e2e/raw.ts'
import type { Server } from '../e2e/server.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { neverSilent, startWatchedServer } from './watch.ts'

/** The response of the tool's server. */
let answer = { text: '', type: 'application/json', status: 200 }
let upstream: Upstream
let server: Server

beforeAll(async () => {
  upstream = await startUpstream((_, response) => {
    response.writeHead(answer.status, { 'content-type': answer.type }).end(answer.text)
  })
  server = await startWatchedServer({ vars: { ALLOW_HTTP_HOSTS: upstream.host } })
  const remote = { kind: 'remote', url: `${upstream.origin}/`, tool: 'x' }
  const http = { kind: 'http', method: 'GET', url: `${upstream.origin}/x` }
  const module = `export default ({ what, n }) =>
    what === 'names' ? Object.fromEntries(Array.from({ length: n }, (_, index) => [index, 0])) : Array(n).fill([])`
  const tools = {
    http,
    stated: { ...http, response: { error: { message: '/error' } } },
    code: { kind: 'code', module },
    oxp: { ...remote, protocol: 'oxp' },
    mcp: { ...remote, protocol: 'mcp' },
  }
  for (const [name, implementation] of Object.entries(tools)) {
    const definition = { name, description: 'd', inputSchema: { type: 'object' } }
    const sent = { definition, implementation, toolkit: 'Large', version: '1.0.0' }
    const { status, body } = await server.json('POST', '/tools?dialect=mcp', sent)
    expect([status, body]).toMatchObject([201, {}])
  }
})
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close()])
})
afterAll(neverSilent)

/** More than any refusal needs. */
const FEW_BYTES = 2_000

const many = (count: number, make: (index: number) => string) => Array.from({ length: count }, (_, at) => make(at))
const names = (count: number) => `{${many(count, (at) => `"${at}":0`).join(',')}}`
const nested = (count: number) => `[${'[[]],'.repeat(count)}0]`

async function sent(path: string, body: string, headers: Readonly<Record<string, string>> = {}) {
  return raw(server.url, { method: 'POST', path, headers: { 'content-type': 'application/json', ...headers }, body })
}

const QUERIES: readonly (readonly [string, string])[] = [
  ['different names', many(12_000, String).join('&')],
  ['one name', 'a=1&'.repeat(15_000)],
  ['no names', '&'.repeat(60_000)],
  ['names behind a second question mark', `a?${many(12_000, String).join('&')}`],
]
const PATHS = ['/llms.txt', '/v0.1/servers', '/artifacts/x', '/sign-in', '/worker/tools', '/mcp', '/keys', '/nothing']

it.each(PATHS.flatMap((path) => QUERIES.map(([what, query]) => [path, what, query] as const)))(
  'a URL of thousands of parts is refused before authentication: %s with parameters of %s',
  async (path, _, query) => {
    const { status, text } = await raw(server.url, { path: `${path}?${query}` })
    expect([status, text]).toEqual([400, expect.stringContaining('more than 64 parts')])
    expect(text.length).toBeLessThan(FEW_BYTES)
  },
)

it.each(['%2f', '/', '/%2F', 'a/'])(
  'a URL of thousands of parts is refused before authentication: a path of only %s',
  async (step) => {
    const { status, text } = await raw(server.url, { path: `/${step.repeat(60_000 / step.length)}` })
    expect([status, text.length < FEW_BYTES]).toEqual([400, true])
  },
)

const wraps: readonly (readonly [string, string, (input: string) => string])[] = [
  ['OXP', '/tools/call', (input) => `{"tool_id":"Calculator.Add","input":${input}}`],
  ['published OXP', '/oxp/tools/call', (input) => `{"request":{"tool_id":"Calculator.Add","input":${input}}}`],
  ['MCP', '/mcp', (input) => `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"arguments":${input}}}`],
  ['a batch of MCP', '/mcp', (input) => `[{"jsonrpc":"2.0","id":1,"method":"ping","params":${input}}]`],
  ['Open Tool Calling', '/worker/tools/invoke', (input) => `{"tool":{"name":"Add"},"inputs":${input}}`],
  ['Machine Context', '/machine-context/execute', (input) => `{"header":{},"payload":${input}}`],
  ['plugins', '/plugin/call', (input) => `{"params":{"name":"Calculator.Add","arguments":${input}}}`],
]
const inputs: readonly (readonly [string, string])[] = [
  ['names', names(300_000)],
  ['lists', `[${'[],'.repeat(1_300_000)}0]`],
  ['lists of lists, which have fewer commas than values', nested(90_000)],
  ['names behind an escape', `{"x":"\\u0061",${names(60_000).slice(1)}`],
]
it.each(wraps.flatMap(([dialect, path, wrap]) => inputs.map(([what, input]) => [dialect, what, path, wrap(input)])))(
  'a body of more than 100,000 parts is refused in the format of its dialect: %s: %s',
  async (_dialect, _what, path = '', body = '') => {
    const { status, text } = await sent(path, body)
    expect([status, text]).toEqual([400, expect.stringContaining('more than 100000 parts')])
    expect(text.length).toBeLessThan(FEW_BYTES)
  },
)

it('a body of more than 100,000 parts is refused for a conversion', async () => {
  const { status, text } = await sent('/convert?from=mcp&to=gemini', `{"name":"x","inputSchema":${nested(90_000)}}`)
  expect([status, text]).toEqual([400, expect.stringContaining('more than 100000 parts')])
})

it('a body of more than 100,000 parts is refused if it is a string inside a message', async () => {
  const params = { name: 'call_tool', arguments: { name: 'Calculator_Add', arguments: nested(90_000) } }
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params })
  const { status, text } = await sent('/mcp?mode=search', body)
  expect([status, text.length < FEW_BYTES]).toEqual([200, true])
  expect(text).toContain('isError')
})

it.each([
  ['/tools', names(600_000)],
  ['/tools?dialect=mcp', `{"definition":{"inputSchema":{"enum":[${'0,'.repeat(2_000_000)}0]}}}`],
  ['/toolkits/import', `{"from":{"openapi":${names(600_000)}}}`],
  ['/tools', nested(600_000)],
])('a publication at %s of more than 500,000 parts is refused', async (path, body) => {
  const { status, text } = await sent(path, body)
  expect([status, text]).toEqual([400, expect.stringContaining('more than 500000 parts')])
  expect(text.length).toBeLessThan(FEW_BYTES)
})

it.each([
  ['a fault', `{"a":[${'0,'.repeat(90_000)}"${'a'.repeat(3_000_000)}\\x"]}`, /unknown escape at line 1, column \d+/],
  ['no end', `{"a":"${'\\"'.repeat(1_900_000)}`, /string without an end/],
  ['a name for the prototype', `{"a":[${'0,'.repeat(90_000)}{"_\\u005fproto__":1}]}`, /'\/a\/90000\/__proto__'/],
  ['a number past doubles', `{"a":[${'1e9,'.repeat(90_000)}1e999]}`, /number at '\/a\/90000': it is too large/],
])('a body of many parts with %s at its end is refused with its location', async (_, body, why) => {
  const { status, text } = await sent('/tools/call', body)
  expect([status, text]).toEqual([400, expect.stringMatching(why)])
  expect(text.length).toBeLessThan(FEW_BYTES)
})

const call = (tool: string, input = {}) => server.json('POST', '/tools/call', { tool_id: `Large.${tool}`, input })
const rpc = (result: string) => `{"jsonrpc":"2.0","id":0,"result":${result}}`
const event = (data: string) => `event: message\ndata: ${data}\n\n`
const failed = async (tool: string, input = {}) => {
  const { status, body } = await call(tool, input)
  const text = JSON.stringify(body)
  expect([status, body.result?.success, text.length < FEW_BYTES]).toEqual([200, false, true])
  return text
}

it.each<[string, string, string, string]>([
  ['names', 'http', names(760_000), 'application/json'],
  ['lists', 'http', `[${'[],'.repeat(2_500_000)}0]`, 'application/json'],
  ['lists of lists', 'http', nested(160_000), 'application/problem+json'],
  ['names behind an escape', 'http', `{"x":"\\u0061",${names(160_000).slice(1)}`, 'application/json; charset=utf-8'],
  ['names', 'oxp', `{"success":true,"value":${names(700_000)}}`, 'application/json'],
  ['lists', 'oxp', `{"result":{"success":true,"value":${nested(160_000)}}}`, 'application/json'],
  ['names', 'mcp', rpc(`{"supportedVersions":[],"x":${names(160_000)}}`), 'application/json'],
  ['lists of lists', 'mcp', event(rpc(nested(160_000))), 'text/event-stream'],
  ['lists behind a quote in a comment', 'mcp', `: "\n${event(rpc(nested(160_000)))}`, 'text/event-stream'],
])(
  'a response of more than 300,000 parts is a failure of the tool, with a short message: %s of a server: %s',
  async (_, tool, text, type) => {
    answer = { text, type, status: 200 }
    expect(await failed(tool)).toContain('more than 300000 parts')
  },
)

it('an error response of more than 300,000 parts is a failure of the tool', async () => {
  answer = { text: `{"error":"no","x":${names(160_000)}}`, type: 'application/json', status: 400 }
  expect(await failed('stated')).not.toContain('"message":"no"')
})

it.each(['names', 'lists'])(
  'a response of more than 300,000 parts is a failure of the tool, with a short message: %s of a module',
  async (what) => {
    expect(await failed('code', { what, n: 350_000 })).toContain('more than 300000 parts')
    const { body } = await call('code', { what, n: 40_000 })
    expect(body.result.success).toBe(true)
  },
)

it.each([
  ['http', '', ''],
  ['oxp', '{"success":true,"value":', '}'],
])(
  'ten responses of megabytes at once are read in turn, without blocking other calls: %s',
  async (tool, begins, ends) => {
    const length = 3_000_000
    answer = { text: `${begins}"${'x'.repeat(length)}"${ends}`, type: 'application/json', status: 200 }
    const ten = Promise.all(Array.from({ length: 10 }, () => call(tool)))
    const other = await server.json('POST', '/tools/call', { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } })
    expect(other.body.result).toMatchObject({ success: true, value: 3 })
    for (const { body } of await ten) expect([body.result.success, body.result.value?.length]).toEqual([true, length])
  },
)

it.each([
  ['openapi', `{"openapi":"3.1.0","x":${names(600_000)}}`],
  ['oxp', `{"items":[${'{},'.repeat(1_100_000)}{}]}`],
  ['mcp', rpc(`{"tools":[${'{},'.repeat(1_100_000)}{}]}`)],
])('a document imported from a URL may have at most 500,000 parts: %s', async (kind, text) => {
  answer = { text, type: 'application/json', status: 200 }
  const asked = { from: { [kind]: `${upstream.origin}/x` }, toolkit: 'Imported' }
  const { status, body } = await server.json('POST', '/toolkits/import?dry_run=1', asked)
  expect([status, JSON.stringify(body)]).toEqual([422, expect.stringContaining('more than 500000 parts')])
  expect(JSON.stringify(body).length).toBeLessThan(FEW_BYTES)
})
