import { Client } from '@modelcontextprotocol/client'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

const ROWS = Array.from({ length: 30_000 }, (_, id) => ({ id, name: `n${id}`, price: id % 100, text: 'x'.repeat(60) }))
const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
/** What a tool is given, which its upstream repeats. */
const SECRET = 'sk-very-secret-value'

let upstream: Upstream
let server: RunningServer
beforeAll(async () => {
  upstream = await startUpstream(({ url, headers }, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    if (url.startsWith('/echo')) response.end(JSON.stringify({ got: headers['x-key'], url }))
    else response.end(JSON.stringify({ rows: ROWS, count: ROWS.length }))
  })
  const vars = {
    INLINE_BYTES: '262144',
    ACCESS: 'keys',
    ADMIN_KEY,
    ALLOW_HTTP_HOSTS: upstream.host,
    TOOL_SECRETS: '{"SELECT_KEY": ["Select.*"]}',
    SELECT_KEY: SECRET,
  }
  server = await startApp({ vars })
  const rows = {
    type: 'object',
    properties: { rows: { type: 'array' }, count: { type: 'integer' } },
    required: ['rows', 'count'],
  }
  await publish('Rows', '/rows', { outputSchema: rows })
  await publish('Own', '/echo', { inputSchema: { type: 'object', properties: { _select: { type: 'string' } } } })
  await publish('Echo', '/echo?a=1')
  await publish('Secret', '/echo', {}, { credentials: [{ secret: 'SELECT_KEY', in: 'header', name: 'x-key' }] })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))
beforeEach(() => void (upstream.arrived.length = 0))

async function publish(name: string, path: string, more: object = {}, implementation: object = {}): Promise<void> {
  const secrets = 'credentials' in implementation ? [{ id: 'SELECT_KEY' }] : []
  const definition = { name, description: `What ${name} does`, inputSchema: { type: 'object' }, ...more }
  const oxp = {
    id: `Select.${name}@1.0.0`,
    name: `Select_${name}`,
    description: 'Repeats what it is sent',
    version: '1.0.0',
    input_schema: { parameters: { type: 'object' } },
    output_schema: {},
    requirements: { secrets },
  }
  const body = {
    ...(secrets.length > 0 ? { definition: oxp } : { definition, toolkit: 'Select', version: '1.0.0' }),
    implementation: {
      kind: 'http',
      method: 'GET',
      url: `${upstream.origin}${path}`,
      response: { type: 'json' },
      ...implementation,
    },
  }
  const published = await server.json('POST', '/tools', body, ADMIN)
  expect(published.status, JSON.stringify(published.body)).toBe(201)
}

const oxp = (tool: string, select: unknown, more: object = {}) =>
  server.json('POST', '/tools/call', { tool_id: `Select.${tool}`, context: { select }, ...more }, ADMIN)
const rfc = (tool: string, select: unknown, more: object = {}) =>
  server.json(
    'POST',
    '/worker/tools/invoke',
    { tool: { name: tool, toolkit: 'Select' }, context: { select }, ...more },
    ADMIN,
  )
const machineContext = (tool: string, select: unknown) =>
  server.json(
    'POST',
    '/machine-context/execute',
    {
      header: { version: '1.0', messageId: crypto.randomUUID(), messageType: 'request' },
      payload: { tool: { id: 'Select', capability: tool }, context: { select } },
    },
    ADMIN,
  )
const plugin = (tool: string, select: unknown) =>
  server.json('POST', '/plugin/call', { params: { name: tool, _meta: { 'dev.switchboard/select': select } } }, ADMIN)
const mcp = async (tool: string, params: object, { query = '', method = 'tools/call' } = {}) =>
  server.json(
    'POST',
    `/mcp${query}`,
    { jsonrpc: '2.0', id: 1, method, params: method === 'tools/call' ? { name: tool, ...params } : params },
    { ...ADMIN, 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
  )
const meta = (select: unknown) => ({ _meta: { 'dev.switchboard/select': select } })

const CHEAP = 'rows[?price > `98`].{n: name} | [:2]'
const CHOSEN = [{ n: 'n99' }, { n: 'n199' }]

it('a small selection of an output of megabytes is in the response itself, in every dialect', async () => {
  const answers = [
    (await oxp('Rows', CHEAP)).body.result.value,
    (await rfc('Rows', CHEAP)).body.output.value,
    (await machineContext('Rows', CHEAP)).body.payload.execution.result,
    JSON.parse((await plugin('Rows', CHEAP)).body.content[0].text),
    JSON.parse((await mcp('Rows', meta(CHEAP))).body.result.content[0].text),
    JSON.parse(
      (await mcp('Rows', { arguments: { _select: CHEAP } }, { query: '?select=1' })).body.result.content[0].text,
    ),
  ]
  expect(answers).toEqual([CHOSEN, CHOSEN, CHOSEN, CHOSEN, CHOSEN, CHOSEN])
})

it('a small selection of an output of megabytes is structured content if it is an object', async () => {
  const { result } = (await mcp('Rows', meta('{count: count, first: rows[0].name}'))).body
  expect(result).toMatchObject({ structuredContent: { count: 30_000, first: 'n0' } })
})

it('a selection that is itself too large is an artifact', async () => {
  const { result } = (await oxp('Rows', 'rows[:20000]')).body
  expect(result).toMatchObject({ success: true, value: { artifact: { content_type: 'application/json' } } })
  const kept = await (await fetch(result.value.artifact.url)).json()
  expect(kept).toEqual(ROWS.slice(0, 20_000))
})

it('a selection contains no secret that the tool received', async () => {
  expect((await oxp('Secret', 'got')).body.result).toMatchObject({ success: true, value: '[redacted]' })
  expect((await oxp('Secret', 'reverse(got)')).body.result.value).toBe('[redacted]'.split('').toReversed().join(''))
  expect(upstream.arrived.map(({ headers }) => headers['x-key'])).toEqual([SECRET, SECRET])
})

it('a selection of content works, too', async () => {
  const call = (tool_id: string, select: string) =>
    server.json('POST', '/tools/call', { tool_id, context: { select } }, ADMIN)
  expect((await call('Fixture.ImageContent', 'content[0].type')).body.result.value).toBe('image')
  expect((await call('Fixture.SimpleText', 'length(@) > `0`')).body.result.value).toBe(true)
})

const WRONG = 'rows[?id == `1`'
const SAID = "'select' is not a JMESPath expression: the expression is incomplete"

it('an invalid selection is refused in the format of each dialect, with its location, before anything runs', async () => {
  const answers = {
    oxp: await oxp('Rows', WRONG),
    rfc: await rfc('Rows', WRONG),
    machineContext: await machineContext('Rows', WRONG),
    plugin: await plugin('Rows', WRONG),
    mcp: await mcp('Rows', meta(WRONG)),
    parameter: await mcp('Rows', { arguments: { _select: WRONG } }, { query: '?select=1' }),
  }
  expect(answers.oxp).toMatchObject({
    status: 400,
    body: { message: SAID, developer_message: expect.stringContaining('At character 16') },
  })
  expect(answers.rfc).toMatchObject({
    status: 200,
    body: { success: false, output: { error: { message: SAID, can_retry: true } } },
  })
  expect(answers.machineContext).toMatchObject({
    status: 200,
    body: {
      payload: { execution: { status: 'failure', error: { code: 'VALIDATION_ERROR', details: { character: 16 } } } },
    },
  })
  expect(answers.plugin).toMatchObject({ status: 200, body: { isError: true } })
  for (const { body } of [answers.mcp, answers.parameter]) {
    expect(body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining('at character 16') }],
    })
  }
  expect(upstream.arrived).toEqual([])
})

it.each([[1], [['a']], [{ a: 1 }], [true]])('an invalid selection such as %j is refused, too', async (select) => {
  expect((await oxp('Rows', select)).status).toBe(400)
  expect((await rfc('Rows', select)).body.success).toBe(false)
  expect((await mcp('Rows', { arguments: { _select: select } }, { query: '?select=1' })).body.result.isError).toBe(true)
  expect((await mcp('Rows', meta(select))).body.error.code).toBe(-32602)
  expect(upstream.arrived).toEqual([])
})

it('a selection of null is ignored', async () => {
  expect((await oxp('Echo', null)).body.result).toMatchObject({ success: true, value: { url: '/echo?a=1' } })
})

it('an invalid selection reveals nothing about a tool that the caller may not call', async () => {
  const { body } = await server.json(
    'POST',
    '/keys',
    { name: 'k', scopes: ['tools:call'], tools: ['Else.*'], users: [] },
    ADMIN,
  )
  const key = { authorization: `Bearer ${body.key}` }
  const call = async (tool: string) =>
    (await server.json('POST', '/tools/call', { tool_id: `Select.${tool}`, context: { select: '!' } }, key)).body
  expect(JSON.stringify(await call('Rows')).replaceAll('Rows', 'Nope')).toBe(JSON.stringify(await call('Nope')))
})

it('a selection that fails on the output is a failure with its reason, and the whole output is stored', async () => {
  const { status, body } = await oxp('Rows', 'sort_by(rows, &missing)')
  expect(status).toBe(200)
  expect(body.result).toMatchObject({
    success: false,
    error: { message: expect.stringContaining("'select' failed"), can_retry: false },
  })
  const kept: unknown = await (await fetch(body.result.error.artifact.url)).json()
  expect(kept).toEqual({ rows: ROWS, count: ROWS.length })
})

it('a selection that is too costly ends within its budget, without blocking other requests', async () => {
  const hostile = [
    `[rows,rows]${'|[@,@]'.repeat(50)}`,
    `[${'rows,'.repeat(300)}rows]|[?@==@]`,
    'rows[].[@,@,@,@,@,@,@,@][].[@,@,@,@,@,@,@,@][].[@,@,@][]',
  ]
  const calls = hostile.map((select) => oxp('Rows', select))
  const health = await server.json('GET', '/health')
  expect(health.status).toBe(200)
  for (const { status, body } of await Promise.all(calls)) {
    expect(status).toBe(200)
    expect(body.result.error.message).toMatch(/too much work|outgrows the output/)
  }
})

const listed = async (query: string, name: string) => {
  const { result } = (await mcp('', {}, { query, method: 'tools/list' })).body
  return result.tools.find((each: { name: string }) => each.name === name)
}

it('the select parameter is listed only with ?select=1, and then without output schemas', async () => {
  expect(await listed('?toolkits=Select', 'Rows')).toMatchObject({
    outputSchema: {},
    inputSchema: { type: 'object' },
  })
  const tool = await listed('?toolkits=Select&select=1', 'Rows')
  expect(tool.inputSchema.properties._select).toMatchObject({ type: 'string' })
  expect(tool.outputSchema).toBeUndefined()
  expect((await listed('?toolkits=Select&select=1', 'Own')).inputSchema.properties._select.description).toBeUndefined()
  const described = await mcp('describe_tool', { arguments: { name: 'Rows' } }, { query: '?mode=search&select=1' })
  expect(JSON.parse(described.body.result.content[0].text).inputSchema.properties).toHaveProperty('_select')
  expect((await mcp('', {}, { query: '?select=2', method: 'tools/list' })).status).toBe(400)
})

it('the select parameter is passed only to a tool that has one itself', async () => {
  const own = await mcp('Own', { arguments: { _select: 'url' } }, { query: '?select=1' })
  expect(own.body.result.structuredContent.url).toBe('/echo?_select=url')
  const echo = await mcp('Echo', { arguments: { b: 2, _select: 'url' } }, { query: '?select=1' })
  expect(echo.body.result.content[0].text).toBe('/echo?a=1&b=2')
  const without = await mcp('Echo', { arguments: { _select: 'url' } })
  expect(without.body.result.structuredContent.url).toBe('/echo?a=1&_select=url')
  const called = await mcp(
    'call_tool',
    { arguments: { name: 'Echo', arguments: { _select: 'url' } } },
    { query: '?mode=search&select=1' },
  )
  expect(called.body.result.content[0].text).toBe('/echo?a=1')
})

it('the select parameter works with the official client', async () => {
  const client = new Client({ name: 'test', version: '1' })
  await client.connect(
    new StreamableHTTPClientTransport(new URL('/mcp?select=1&toolkits=Select', server.url), {
      requestInit: { headers: ADMIN },
    }),
  )
  await client.listTools()
  const result = await client.callTool({ name: 'Rows', arguments: { _select: 'rows[0].name' } })
  expect(result.content).toEqual([{ type: 'text', text: 'n0' }])
  await client.close()
})

it.each([
  ['OXP', (id: string, select: string) => oxp('Echo', select, { call_id: id })],
  ['the RFC', (id: string, select: string) => rfc('Echo', select, { execution_id: id })],
])('a repeated call over %s returns the same selection, and another selection is refused', async (_, call) => {
  const id = crypto.randomUUID()
  const first = (await call(id, 'url')).body
  expect((await call(id, 'url')).body).toEqual(first)
  const other = await call(id, 'got')
  expect(JSON.stringify(other.body)).toContain('was already used with a different')
  expect(upstream.arrived.length).toBe(1)
})
