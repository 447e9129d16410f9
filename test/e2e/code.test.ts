import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Upstream, startUpstream } from '../upstream.ts'
import { type Server, startServer } from './server.ts'
import { definition } from './definition.ts'

const SECRET = 's3cret/of+the deployment'

let upstream: Upstream
let elsewhere: Upstream
let server: Server

beforeAll(async () => {
  elsewhere = await startUpstream((_, response) => void response.end('elsewhere'))
  upstream = await startUpstream(({ url, headers }, response) => {
    const { pathname } = new URL(url, 'http://upstream')
    if (pathname === '/to-elsewhere') response.writeHead(302, { location: `${elsewhere.origin}/landed` }).end()
    else if (pathname === '/to-metadata') response.writeHead(302, { location: 'http://169.254.169.254/' }).end()
    else if (pathname === '/to-here')
      response.writeHead(302, { location: `/echo${new URL(url, 'http://u').search}` }).end()
    else if (pathname === '/binary') {
      response.end(
        Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(String(headers['x-key'])), Buffer.from([0x80])]),
      )
    } else if (pathname === '/slow') setTimeout(() => response.end('late'), 20_000).unref()
    else response.setHeader('x-echo', String(headers['authorization'])).end(JSON.stringify({ url, headers }))
  })
  server = await startServer({
    vars: {
      ALLOW_HTTP_HOSTS: `${upstream.host},${elsewhere.host}`,
      TOOL_SECRETS: JSON.stringify({ SANDBOX_KEY: ['Code.*'] }),
      SANDBOX_KEY: SECRET,
    },
  })
})
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close(), elsewhere?.close()])
})
beforeEach(() => {
  upstream.arrived.length = 0
  elsewhere.arrived.length = 0
})

let count = 0

interface Tool {
  readonly module: string
  readonly id?: string
  readonly implementation?: object
  readonly requirements?: object
  readonly output?: object | null
}

async function publish({ module, id = `Code.Tool${++count}@1.0.0`, implementation, requirements, output = {} }: Tool) {
  const answer = await server.json('POST', '/tools', {
    definition: definition(id, {
      name: id.replace(/[.@]/g, '_').slice(0, 30),
      output_schema: output,
      ...(requirements ? { requirements } : {}),
    }),
    implementation: { kind: 'code', module, ...implementation },
  })
  return { id, answer }
}

/** Publishes a tool, and gives a function that calls it. */
async function tool(given: Tool) {
  const { id, answer } = await publish(given)
  expect(answer.body, JSON.stringify(answer.body)).toMatchObject({ ids: [id] })
  return async (input: object = {}, context?: object) => {
    const called = await server.json('POST', '/tools/call', { tool_id: id, input, ...(context ? { context } : {}) })
    return called.body.result
  }
}

const run = async (module: string, input: object = {}) => (await tool({ module }))(input)

it("a module is called with the input, and returns the tool's value", async () => {
  const result = await run('export default async ({ a, b }) => ({ sum: a + b, text: "Grüße ✓" })', { a: 1, b: 2 })
  expect(result).toMatchObject({ success: true, value: { sum: 3, text: 'Grüße ✓' } })
})

it('a module receives the user id only if it requires it', async () => {
  const module =
    'export default (_, { userId, callId, tool, log, progress, fetch, signal, ...rest }) => [userId ?? null, typeof callId, Object.keys(rest)]'
  const anonymous = await tool({ module })
  expect(await anonymous({}, { user_id: 'ann' })).toMatchObject({ value: [null, 'string', ['called']] })
  const personal = await tool({ module, requirements: { user_id: true } })
  expect(await personal({}, { user_id: 'ann' })).toMatchObject({ value: ['ann', 'string', ['called']] })
})

it('a module that requires the user id shares no state between users', async () => {
  const call = await tool({ module: 'let n = 0; export default () => ++n', requirements: { user_id: true } })
  const calls = ['ann', 'bob', 'ann'].map((user_id) => () => call({}, { user_id }))
  const values: unknown[] = []
  for (const one of calls) values.push((await one()).value)
  expect(values.slice(0, 2)).toEqual([1, 1])
})

it('a module cannot access the deployment that runs it', async () => {
  const module = `
      import * as workers from 'cloudflare:workers'
      export default async () => ({
        env: Object.keys(workers.env), exports: Object.keys(workers.exports ?? {}),
        variables: Object.keys(globalThis.process?.env ?? {}),
        cache: await caches.default.match('https://example.com/').then(() => 'reached', () => 'refused'),
      })`
  expect(await run(module)).toMatchObject({
    value: { env: [], exports: ['default'], variables: [], cache: 'refused' },
  })
})

it("a module's output is checked against the schema", async () => {
  const call = await tool({ module: 'export default () => "text"', output: { type: 'number' } })
  expect(await call()).toMatchObject({ success: false, error: { message: expect.stringContaining('output schema') } })
})

it('a module that returns nothing returns null', async () => {
  expect(await run('export default () => {}')).toMatchObject({ success: true, value: null })
})

it.each([
  ['a function', '() => () => 1', 'What the tool returned is a function, which JSON does not have'],
  ['a function within', '() => ({ f() {} })', "The 'f' that the tool returned is a function, which JSON does not have"],
  ['a circle', '() => { const a = {}; a.a = a; return a }', 'The tool failed unexpectedly'],
  ['no number', '() => [NaN]', "The '0' that the tool returned is the number NaN, which JSON does not have"],
  ['a map', '() => new Map()', 'What the tool returned is a Map, which JSON does not have'],
])('a module that returns %s fails with that reason', async (_, handler, message) => {
  expect(await run(`export default ${handler}`)).toMatchObject({ success: false, error: { message } })
})

it("a module's error is returned with its message, without a stack", async () => {
  const result = await run('export default () => { throw new Error("The shelf is empty") }')
  expect(result).toMatchObject({ success: false, error: { message: 'The shelf is empty' } })
  expect(JSON.stringify(result)).not.toMatch(/tool\.js|main\.ts|\bat /)
  expect(await run('export default () => { throw "plain text" }')).toMatchObject({ error: { message: 'plain text' } })
  const hostile = 'export default () => { throw { get message() { throw 1 }, toString() { throw 2 } } }'
  expect(await run(hostile)).toMatchObject({ success: false })
})

const PICTURE = { type: 'image', data: 'AA==', mimeType: 'image/png' }
const BLOCKS = [{ type: 'text', text: 'here' }, PICTURE, { type: 'resource', resource: { uri: 'a:b', text: 'B' } }]
const giving = (result: object) => `export default () => (${JSON.stringify(result)})`
async function inAll(toolkit: string, given: object | string, output: object | null = {}) {
  const module = typeof given === 'string' ? given : giving(given)
  const call = await tool({ id: `${toolkit}.Show@1.0.0`, module, output })
  const name = `${toolkit}_Show`
  const engine = { tool: { name: 'Show', toolkit } }
  const execute = { tool: { id: toolkit, capability: 'Show', parameters: {} } }
  const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }
  const accept = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
  return {
    oxp: await call(),
    plugin: (await server.json('POST', '/plugin/call', { params: { name } })).body,
    mcp: (await server.json('POST', `/mcp?toolkits=${toolkit}`, message, accept)).body.result,
    rfc: (await server.json('POST', '/worker/tools/invoke', engine)).body,
    mc: (
      await server.json('POST', '/machine-context/execute', {
        header: { version: '1.0', messageId: toolkit, messageType: 'request' },
        payload: execute,
      })
    ).body,
  }
}

it('a module may return content with a structured value, to callers of each dialect', async () => {
  const { oxp, plugin, mcp, rfc, mc } = await inAll('Showing', { content: BLOCKS, structuredContent: { a: 1 } })
  expect(mcp).toMatchObject({ content: BLOCKS, structuredContent: { a: 1 } })
  expect(plugin).toMatchObject({ content: [BLOCKS[0], PICTURE, { type: 'resource', text: 'B' }] })
  expect(oxp).toMatchObject({ success: true, value: { a: 1 } })
  expect(rfc).toMatchObject({ success: true, output: { value: { a: 1 } } })
  expect(mc).toMatchObject({ payload: { execution: { status: 'success', result: { a: 1 } } } })
})

it('a module that returns isError has failed, for callers of each dialect', async () => {
  const { oxp, plugin, mcp, rfc, mc } = await inAll('Refusing', { content: BLOCKS, isError: true })
  expect(mcp).toMatchObject({ content: BLOCKS, isError: true })
  expect(plugin).toMatchObject({ content: [BLOCKS[0], PICTURE, { type: 'resource', text: 'B' }], isError: true })
  const error = { message: 'here\n[image: image/png]\nB' }
  expect(oxp).toMatchObject({ success: false, error })
  expect(rfc).toMatchObject({ success: false, output: { error } })
  expect(mc).toMatchObject({ payload: { execution: { status: 'failure', error } } })
})

it.each([
  ['a TypeError', 'i => i.a.b.c', "Cannot read properties of undefined (reading 'b')"],
  ['a RangeError', '() => [].length = -1', 'Invalid array length'],
  ['a SyntaxError', '() => JSON.parse("{")', expect.stringContaining('JSON')],
  ['a ReferenceError', 'async () => nothing', 'nothing is not defined'],
  ['a DOMException', '() => atob("%")', expect.stringMatching(/./)],
])("a module's message of %s is only shown to developers, in each dialect", async (kind, handler, words) => {
  const toolkit = `Throwing${kind.slice(2)}`
  const { oxp, plugin, mcp, rfc, mc } = await inAll(toolkit, `export default ${handler}`)
  const error = { message: 'The tool failed unexpectedly', developer_message: words }
  expect(oxp).toMatchObject({ success: false, error })
  expect(rfc).toMatchObject({ success: false, output: { error } })
  const { message, developer_message } = error
  expect(mc).toMatchObject({ payload: { execution: { error: { message, details: { developer_message } } } } })
  expect(plugin).toEqual({ content: [{ type: 'text', text: message }], isError: true })
  expect(mcp).toMatchObject({ content: [{ type: 'text', text: message }], isError: true })
})

it('a module may address its caller with an error of its own class, and with fields of the error', async () => {
  const own = 'class Empty extends TypeError {}; export default () => { throw new Empty("The shelf is empty") }'
  expect(await run(own)).toMatchObject({ error: { message: 'The shelf is empty' } })
  const fields = '{ developer_message: "shelf 5", can_retry: true }'
  const said = `export default () => { throw Object.assign(new Error("The shelf is empty"), ${fields}) }`
  expect(await run(said)).toMatchObject({
    error: { message: 'The shelf is empty', developer_message: 'shelf 5', can_retry: true },
  })
})

it.each<[string, object, object, object | null]>([
  ['text alone', { content: [BLOCKS[0]] }, { success: true, value: 'here' }, {}],
  ['text beside no output', { content: [BLOCKS[0]], isError: false }, { success: true }, null],
  ['a value beside no output', { content: [PICTURE], structuredContent: 1 }, { success: false }, null],
  ['a picture alone', { content: [PICTURE] }, { value: { content: [PICTURE] } }, {}],
  ['nothing but a failure', { content: [], isError: true }, { success: false }, {}],
  ['data that is none', { content: [{ ...PICTURE, data: '%' }] }, { success: false }, {}],
  ['an isError that is no boolean', { content: [PICTURE], isError: 'no' }, { success: false }, {}],
  ['a field beside', { content: [PICTURE], isError: true, a: 1 }, { value: { a: 1, isError: true } }, {}],
  ['blocks of its own', { content: [{ type: 'paragraph' }] }, { value: { content: [{ type: 'paragraph' }] } }, {}],
  [
    'what its schema calls content',
    { content: [BLOCKS[0]] },
    { value: { content: [BLOCKS[0]] } },
    { type: 'object', properties: { content: { type: 'array' } } },
  ],
])('a module may return %s', async (_, given, result, output) => {
  const call = await tool({ module: giving(given), output })
  expect(await call()).toMatchObject(result)
})

it('a module that fails to load says why', async () => {
  expect(await run('throw new Error("at load"); export default 1')).toMatchObject({
    error: { message: "The tool's module cannot run", developer_message: 'Error: at load' },
  })
  expect(await run('export default 1')).toMatchObject({
    error: { message: 'The module must export a function as its default' },
  })
})

it.each([
  ['syntax error here', "SyntaxError: Unexpected identifier 'error' (line 1, column 7)"],
  ['export default async () => {\n  const b = ;\n}', "SyntaxError: Unexpected token ';' (line 2, column 12)"],
  ['export default () => {', 'SyntaxError: Unexpected end of input (line 1, column 22)'],
  ['', 'it must export a function as its default'],
  ['export const handler = () => 1', 'it must export a function as its default'],
  ['import "./elsewhere.js"; export default () => 1', expect.stringMatching(/^No such module .*elsewhere\.js/)],
])('a module %j is refused at publication, with the location of the error', async (module, reason) => {
  const definition = { name: 'Unlinked', description: 'A tool', inputSchema: { type: 'object' } }
  const beside = { toolkit: 'Code', version: '1.0.0' }
  const wrong = { kind: 'code', module: module || '//' }
  const alone = await server.json('POST', '/tools', { definition, ...beside, implementation: wrong })
  expect([alone.status, alone.body.errors]).toEqual([
    422,
    [{ path: '/implementation/module', message: expect.any(String) }],
  ])
  const [{ message }] = alone.body.errors
  expect(message.slice(0, 15)).toBe('Does not load: ')
  expect(message.slice(15)).toEqual(reason)
  // Each tool of a document may have a module of its own
  const right = { kind: 'code', module: 'export default () => 1' }
  const tools = ['Right', 'Wrong'].map((name) => ({ ...definition, name }))
  const both = { definition: { tools }, ...beside, implementations: { Right: right, Wrong: wrong } }
  const { status, body } = await server.json('POST', '/tools', both)
  expect([status, body.errors]).toEqual([422, [{ path: '/implementations/Wrong/module', message }]])
  expect((await server.json('GET', '/tools/Code.Unlinked')).status).toBe(404)
})

it('a module is not run when it is published', async () => {
  for (const module of [`await fetch('${upstream.origin}/at-load')`, 'for (;;);', 'throw new Error()']) {
    expect((await publish({ module: `${module}\nexport default () => 1` })).answer.status).toBe(201)
  }
  expect(upstream.arrived).toEqual([])
})

it('a module that ends its own isolate fails alone', async () => {
  const call = await tool({
    module:
      'import { abortIsolate } from "cloudflare:workers"; export default ({ end }) => end ? abortIsolate("gone") : "here"',
  })
  expect(await call({})).toMatchObject({ value: 'here' })
  expect(await call({ end: true })).toMatchObject({ success: false })
  expect(await run('export default () => "another"')).toMatchObject({ value: 'another' })
})

it('a module that waits without end is stopped at its deadline', async () => {
  const call = await tool({
    module: 'export default () => new Promise((done) => setTimeout(done, 60_000))',
    implementation: { timeout_ms: 300 },
  })
  expect(await call()).toMatchObject({
    success: false,
    error: { message: 'The tool did not answer within 0.3 seconds' },
  })
})

it("a module's log lines belong to its call, and are limited", async () => {
  const module = `export default async ({ who, lines = 1 }, { log }) => {
      for (let n = 0; n < lines; n++) { console.log('line', n, 'of', { who }); await null; log('logged by ' + who + 'x'.repeat(5000)) }
    }`
  const call = await tool({ module })
  await Promise.all([
    call({ who: 'marker-one' }),
    call({ who: 'marker-two' }),
    call({ who: 'marker-many', lines: 500 }),
  ])
  await expect.poll(() => server.printed()).toContain('marker-two')
  const printed = server
    .printed()
    .split('\n')
    .filter((line) => line.includes('"tool-log"'))
  const of = (who: string) =>
    printed.filter((line) => line.includes(who)).map((line): { call_id: string; message: string } => JSON.parse(line))
  expect(of('marker-one').map(({ message }) => message.slice(0, 40))).toEqual([
    'line 0 of {"who":"marker-one"}',
    `logged by marker-one${'x'.repeat(20)}`,
  ])
  expect(new Set(of('marker-one').map(({ call_id }) => call_id)).size).toBe(1)
  expect(of('marker-one')[0]?.call_id).not.toBe(of('marker-two')[0]?.call_id)
  expect(of('marker-many')).toHaveLength(100)
  expect(Math.max(...printed.map((line) => line.length))).toBeLessThan(1_200)
})

it('a module reports progress while it runs, to callers who accept it', async () => {
  const run = await tool({
    id: 'Code.Progress@1.0.0',
    module: `export default async (_, { progress }) => {
        for (const step of [1, 2]) { await progress(step, 2, 'step ' + step); await new Promise((done) => setTimeout(done, 20)) }
        return 'done'
      }`,
  })
  const response = await fetch(`${server.url}/mcp?tools=Code.Progress`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'accept': 'application/json, text/event-stream',
      'mcp-protocol-version': '2025-11-25',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'Code_Progress_1_0_0', arguments: {}, _meta: { progressToken: 'token' } },
    }),
  })
  const events = (await response.text())
    .split('\n')
    .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
  expect(events.map(({ params, result }) => params?.message ?? result.content[0].text)).toEqual([
    'step 1',
    'step 2',
    'done',
  ])
  expect((await run()).value).toBe('done')
})

it('a module runs next to its other versions, each in its own isolate', async () => {
  const source = (name: string) => `let n = 0; export default () => '${name}' + ++n`
  const one = await tool({ id: 'Code.Versions@1.0.0', module: source('a') })
  const two = await tool({ id: 'Code.Versions@1.0.1', module: source('b') })
  expect([(await one()).value, (await one()).value, (await two()).value, (await one()).value]).toEqual([
    'a1',
    'a2',
    'b1',
    'a3',
  ])
})

describe("a module's network access", () => {
  const get =
    'export default async ({ url }, ctx) => { const r = await fetch(url); return { status: r.status, url: r.url, text: await r.text() } }'
  const hosts = () => ({ allowed_hosts: [upstream.host] })

  it('a module has no network access unless hosts are allowed', async () => {
    const call = await tool({ module: get })
    expect(await call({ url: upstream.origin })).toMatchObject({ success: false })
    expect(upstream.arrived).toEqual([])
  })

  it('a module reaches only the allowed hosts, also through redirects', async () => {
    const call = await tool({ module: get, implementation: hosts() })
    expect(await call({ url: `${upstream.origin}/a` })).toMatchObject({
      success: true,
      value: { status: 200, url: `${upstream.origin}/a` },
    })
    expect(await call({ url: `${upstream.origin}/to-here` })).toMatchObject({
      success: true,
      value: { url: `${upstream.origin}/echo` },
    })
    for (const url of [`${elsewhere.origin}/`, `${upstream.origin}/to-elsewhere`]) {
      expect(await call({ url })).toMatchObject({
        success: false,
        error: {
          message: `Cannot request "${elsewhere.origin}": publish the tool with "${elsewhere.host}" in its allowed_hosts`,
        },
      })
    }
    expect(elsewhere.arrived).toEqual([])
    const both = await tool({ module: get, implementation: { allowed_hosts: [upstream.host, elsewhere.host] } })
    expect(await both({ url: `${upstream.origin}/to-elsewhere` })).toMatchObject({ value: { text: 'elsewhere' } })
  })

  it('a module cannot open WebSockets, whether or not hosts are allowed', async () => {
    for (const implementation of [{}, hosts()]) {
      const call = await tool({ module: 'export default ({ url }) => new WebSocket(url)', implementation })
      expect(await call({ url: `ws://${upstream.host}/` })).toMatchObject({
        success: false,
        error: { message: 'A tool cannot open a WebSocket: send requests with fetch' },
      })
    }
    expect(upstream.arrived).toEqual([])
  })

  it('a module that requests a host that is not allowed gets an error that says how to allow it', async () => {
    const call = await tool({ module: get })
    expect(await call({ url: `${elsewhere.origin}/` })).toMatchObject({
      success: false,
      error: {
        message: `Cannot request "${elsewhere.origin}": publish the tool with "${elsewhere.host}" in its allowed_hosts`,
      },
    })
  })

  it('a module is also limited by the deployment: private addresses and plain HTTP are refused', async () => {
    const call = await tool({
      module: get,
      implementation: { allowed_hosts: ['169.254.169.254', '127.0.0.1:1', 'localhost', 'example.com', upstream.host] },
    })
    for (const url of [
      'http://169.254.169.254/',
      'https://169.254.169.254/',
      'http://127.0.0.1:1/',
      'https://localhost/',
      'http://example.com/',
    ]) {
      expect(await call({ url })).toMatchObject({
        success: false,
        error: { message: expect.stringMatching(/^Cannot request/) },
      })
    }
    expect(await call({ url: `${upstream.origin}/to-metadata` })).toMatchObject({ success: false })
  })

  it('a module cannot open sockets, whether or not hosts are allowed', async () => {
    const module = `import { connect } from 'cloudflare:sockets'
      export default async ({ host }) => {
        const socket = connect(host); const writer = socket.writable.getWriter()
        await writer.write(new TextEncoder().encode('GET / HTTP/1.0\\r\\n\\r\\n'))
        return new TextDecoder().decode((await socket.readable.getReader().read()).value)
      }`
    for (const implementation of [{}, hosts()]) {
      const call = await tool({ module, implementation })
      expect(await call({ host: upstream.host })).toMatchObject({ success: false })
    }
    const socket = await tool({
      module:
        'export default ({ url }) => new Promise((done) => { const s = new WebSocket.prototype.constructor(url); s.onopen = () => done("open"); s.onerror = () => done("refused") })',
      implementation: hosts(),
    })
    expect(await socket({ url: `ws://${upstream.host}/` })).toMatchObject({ value: 'refused' })
    expect(upstream.arrived).toEqual([])
  })

  it("a module's requests keep their methods, headers and bodies", async () => {
    const call = await tool({
      module: `export default async ({ url }) => (await fetch(url, { method: 'PUT', headers: { 'x-own': 'yes', 'content-type': 'text/plain' }, body: 'Grüße' })).status`,
      implementation: hosts(),
    })
    expect(await call({ url: `${upstream.origin}/put` })).toMatchObject({ value: 200 })
    expect(upstream.arrived[0]).toMatchObject({
      method: 'PUT',
      url: '/put',
      body: 'Grüße',
      headers: { 'x-own': 'yes' },
    })
  })
})

describe("a module's credentials", () => {
  const get = `export default async ({ url, headers }, ctx) => {
    const r = await fetch(url, { headers })
    return { url: r.url, headers: [...r.headers], text: await r.text(), ctx: JSON.stringify(ctx), global: Object.keys(globalThis) }
  }`
  const key = { secret: 'SANDBOX_KEY', in: 'header', name: 'X-Key' }
  const google = { authorization: 'google', in: 'header', name: 'Authorization' }
  const needsKey = { secrets: [{ id: 'SANDBOX_KEY' }] }
  const needsGoogle = { authorization: [{ id: 'google' }] }
  const as = (user: string) => ({ user_id: user, authorization: [{ id: 'google', token: `token-of-${user}` }] })

  it("a module's credentials are added outside it, replace its own values, and cannot be read back", async () => {
    const call = await tool({
      module: get,
      implementation: {
        allowed_hosts: [upstream.host],
        credentials: [key, { ...key, in: 'query', name: 'api key' }, google],
      },
      requirements: { ...needsKey, ...needsGoogle },
    })
    const url = `${upstream.origin}/echo?a=%20b&api%20key=mine&api+key=mine`
    const result = await call({ url, headers: { 'x-key': 'mine', 'x-other': 'mine' } }, as('ann'))
    expect(upstream.arrived[0]).toMatchObject({
      url: `/echo?a=%20b&api%20key=${encodeURIComponent(SECRET)}`,
      headers: { 'x-key': SECRET, 'x-other': 'mine', 'authorization': 'Bearer token-of-ann' },
    })
    expect(result).toMatchObject({ success: true, value: { url } })
    expect(result.value.headers).toContainEqual(['x-echo', 'Bearer [redacted]'])
    const text = JSON.stringify(result)
    for (const each of [SECRET, encodeURIComponent(SECRET), 'token-of-ann']) expect(text).not.toContain(each)
  })

  it("a module's credentials cannot be measured through a response that repeats them", async () => {
    const module = 'export default async ({ url }) => [...new Uint8Array(await (await fetch(url)).arrayBuffer())]'
    const call = await tool({
      module,
      implementation: { allowed_hosts: [upstream.host], credentials: [key] },
      requirements: needsKey,
    })
    const { value } = await call({ url: `${upstream.origin}/binary` })
    expect(value).toEqual([0xff, 0xfe, ...Buffer.from('[redacted]'), 0x80])
  })

  it("a module's credentials are sent only to their own hosts, also through redirects", async () => {
    const call = await tool({
      module: get,
      implementation: {
        allowed_hosts: [upstream.host, elsewhere.host],
        credentials: [
          { ...key, hosts: [upstream.host] },
          { ...google, hosts: [upstream.host] },
        ],
      },
      requirements: { ...needsKey, ...needsGoogle },
    })
    expect(await call({ url: `${upstream.origin}/to-elsewhere` }, as('ann'))).toMatchObject({ success: true })
    expect(upstream.arrived[0]?.headers).toMatchObject({ 'x-key': SECRET })
    expect(elsewhere.arrived).toHaveLength(1)
    expect(JSON.stringify(elsewhere.arrived)).not.toMatch(/s3cret|token-of/)
  })

  it("a module's credentials of one user are never used for another, whatever the module keeps", async () => {
    // It keeps a way out of every call, and tries them all in each
    const call = await tool({
      module: `
        const kept = []
        export default async ({ url, wait }, ctx) => {
          kept.push(() => ctx.fetch(url))
          if (wait) await new Promise((done) => setTimeout(done, wait))
          const answers = await Promise.allSettled([...kept.map((each) => each()), fetch(url)])
          return { calls: kept.length, reached: answers.filter(({ status }) => status === 'fulfilled').length }
        }`,
      implementation: { allowed_hosts: [upstream.host], credentials: [google] },
      requirements: needsGoogle,
    })
    const users = ['ann', 'bob', 'cleo']
    for (const user of users) {
      const url = `${upstream.origin}/for-${user}`
      expect(await call({ url }, as(user))).toMatchObject({ success: true, value: { calls: 1, reached: 2 } })
    }
    await Promise.all(
      users.flatMap((user) =>
        [0, 50, 100].map((wait) => call({ url: `${upstream.origin}/for-${user}`, wait }, as(user))),
      ),
    )
    expect(upstream.arrived.length).toBeGreaterThan(20)
    for (const { url, headers } of upstream.arrived) {
      expect(headers.authorization).toBe(`Bearer token-of-${url.slice('/for-'.length)}`)
    }
  })

  it('a module gets a new isolate when the credentials of a user change', async () => {
    const call = await tool({
      module: 'let n = 0; export default async ({ url }) => { await fetch(url); return ++n }',
      implementation: { allowed_hosts: [upstream.host], credentials: [google] },
      requirements: needsGoogle,
    })
    const url = `${upstream.origin}/`
    const token = (token: string) => ({ user_id: 'ann', authorization: [{ id: 'google', token }] })
    const values = []
    for (const each of ['old', 'old', 'new']) values.push((await call({ url }, token(each))).value)
    expect(values).toEqual([1, 2, 1])
    expect(upstream.arrived.map(({ headers }) => headers.authorization)).toEqual([
      'Bearer old',
      'Bearer old',
      'Bearer new',
    ])
  })

  it('a module gets an isolate for each user, even if users have the same credential', async () => {
    const call = await tool({
      module: 'let n = 0; export default () => ++n',
      implementation: { allowed_hosts: [upstream.host], credentials: [google] },
      requirements: needsGoogle,
    })
    const context = (user_id: string) => ({ user_id, authorization: [{ id: 'google', token: 'same' }] })
    expect([(await call({}, context('ann'))).value, (await call({}, context('bob'))).value]).toEqual([1, 1])
  })

  it("a module's credentials appear in no log", () => {
    expect(server.printed()).not.toMatch(/s3cret|token-of-/)
  })
})

it('publication reports everything wrong with an implementation', async () => {
  const { answer } = await publish({
    module: '',
    implementation: {
      allowed_hosts: [
        'https://example.com',
        'EXAMPLE.com',
        'example.com:443',
        '*.example.com',
        'api.example.com',
        'a b',
      ],
      credentials: [
        { secret: 'UNDECLARED', in: 'header', name: 'X-Key' },
        { secret: 'S', authorization: 'google', in: 'header', name: 'X-Key' },
        { secret: 'S', in: 'path', name: 'key' },
        { secret: 'S', in: 'header', name: 'Host' },
        { secret: 'S', in: 'header', name: 'X', format: 'nothing' },
        { secret: 'S', in: 'header', name: 'Y', hosts: ['other.example'] },
        { secret: 'S', in: 'header', name: 'Z' },
        { secret: 'S', in: 'header', name: 'z' },
      ],
      timeout_ms: 0,
      more: 1,
    },
    requirements: { secrets: [{ id: 'S' }] },
  })
  expect(answer.status).toBe(422)
  expect(answer.body.errors.map(({ path }: { path: string }) => path.slice('/implementation'.length))).toEqual([
    '/more',
    '/module',
    '/allowed_hosts/0',
    '/allowed_hosts/1',
    '/allowed_hosts/3',
    '/allowed_hosts/5',
    '/credentials/0/secret',
    '/credentials/1',
    '/credentials/2/in',
    '/credentials/3/name',
    '/credentials/4/format',
    '/credentials/5/hosts',
    '/credentials/7/name',
    '/timeout_ms',
  ])
})

it('publication refuses credentials without a host that may receive them', async () => {
  const { answer } = await publish({
    module: 'export default () => 1',
    implementation: { credentials: [{ secret: 'S', in: 'header', name: 'X' }] },
    requirements: { secrets: [{ id: 'S' }] },
  })
  expect(answer.body.errors).toEqual([
    {
      path: '/implementation/credentials/0/hosts',
      message: "Must name at least one of 'allowed_hosts' to send it to",
    },
  ])
})
