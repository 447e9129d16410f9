import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { assemble, compilePlugin } from '../plugins/compile.ts'
import { describing } from '../plugins/describing.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { raw } from './raw.ts'
import { type Server, startServer } from './server.ts'

const SECRET = 'a-secret-of-the-deployment'

let toolbox: Uint8Array<ArrayBuffer>
let upstream: Upstream
let elsewhere: Upstream
let server: Server

beforeAll(async () => {
  toolbox = await compilePlugin('toolbox')
  elsewhere = await startUpstream((_, response) => void response.end('elsewhere'))
  upstream = await startUpstream(({ url }, response) => {
    if (url === '/to-elsewhere') response.writeHead(302, { location: `${elsewhere.origin}/landed` }).end()
    else response.end('Grüße ✓')
  })
  server = await startServer({
    vars: {
      ALLOW_HTTP_HOSTS: `${upstream.host},${elsewhere.host}`,
      TOOL_SECRETS: JSON.stringify({ PLUGIN_KEY: ['Box.*'] }),
      PLUGIN_KEY: SECRET,
    },
  })
  const query = `version=1.0.0&allowed_hosts=${upstream.host}&config=key:PLUGIN_KEY&security_level=0`
  const uploaded = await upload('Box', toolbox, query)
  expect(uploaded, JSON.stringify(uploaded)).toMatchObject({ status: 201 })
  expect(uploaded.body.ids).toContain('Box.add@1.0.0')
}, 180_000)
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close(), elsewhere?.close()])
})
beforeEach(() => {
  upstream.arrived.length = 0
  elsewhere.arrived.length = 0
})

async function upload(
  toolkit: string,
  bytes: Uint8Array<ArrayBuffer>,
  query = 'version=1.0.0',
  type = 'application/wasm',
) {
  const { status, text } = await raw(server.url, {
    method: 'PUT',
    path: `/toolkits/${toolkit}/plugin?${query}`,
    headers: { 'content-type': type },
    body: bytes,
  })
  return { status, body: JSON.parse(text) }
}

/** Calls a tool of the toolbox. */
async function call(name: string, input: object = {}, context?: object) {
  const answer = await server.json('POST', '/tools/call', {
    tool_id: `Box.${name}`,
    input,
    ...(context ? { context } : {}),
  })
  return answer.body.result
}

it("a plugin's tools can be called by id", async () => {
  expect(await call('add', { a: 2, b: 3.5 })).toMatchObject({ success: true, value: '5.5' })
  expect(await call('echo', { text: 'Grüße ✓ 👋' })).toMatchObject({ value: 'Grüße ✓ 👋' })
  expect(await call('add', { a: 'two' })).toBeUndefined()
})

it("a plugin's tools can be called by the name of their function", async () => {
  const tools = ['wétter', 'my.ns/tool x'].map((name) => ({ ...fine, name }))
  expect((await upload('Weather', describing(JSON.stringify({ tools }), JSON.stringify({ content: [] })))).status).toBe(
    201,
  )
  for (const name of ['wétter', 'my.ns/tool x', 'wetter', 'my_ns_tool_x']) {
    const answer = await server.json('POST', '/plugin/call', { params: { name, arguments: {} } })
    expect(answer, name).toMatchObject({ status: 200, body: { content: [] } })
  }
})

it("a plugin's output bytes are artifacts in the bucket over the Open Tool Calling RFC", async () => {
  const tool = { name: 'image', toolkit: 'Box' }
  const { output } = (await server.json('POST', '/worker/tools/invoke', { tool })).body
  expect(output.artifact).toMatchObject({ url: expect.stringMatching(/^http/), content_type: 'image/png', size: 5 })
  expect(await (await fetch(output.artifact.url)).text()).toBe('image')
})

it('a plugin can be called over MCP', async () => {
  const mcp = async (name: string, input: object) =>
    (
      await server.json(
        'POST',
        '/mcp?toolkits=Box',
        { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: input } },
        { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
      )
    ).body.result
  expect(await mcp('echo', { text: 'Grüße ✓' })).toMatchObject({ content: [{ type: 'text', text: 'Grüße ✓' }] })
  expect(await mcp('image', {})).toMatchObject({
    content: [{ type: 'image', mimeType: 'image/png', data: 'aW1hZ2U=' }],
  })
  expect(await mcp('complain', { about: 'it' })).toMatchObject({
    isError: true,
    _meta: { 'dev.switchboard/error': { developer_message: 'D', can_retry: true, retry_after_ms: 500 } },
  })
})

it("a plugin's resource usage is in the response over the Machine Context Protocol", async () => {
  const execute = async (capability: string, parameters: object) =>
    (
      await server.json('POST', '/machine-context/execute', {
        header: { messageId: crypto.randomUUID(), messageType: 'request' },
        payload: { tool: { id: 'Box', capability, parameters } },
      })
    ).body.payload.execution
  const small = await execute('primes', { n: 100 })
  const large = await execute('primes', { n: 20_000 })
  expect(small).toMatchObject({
    status: 'success',
    result: '25',
    resource_usage: { memory_bytes: expect.any(Number) },
  })
  expect(large.result).toBe('2262')
  expect(small.resource_usage.instructions).toBeGreaterThan(1_000)
  expect(large.resource_usage.instructions).toBeGreaterThan(20 * small.resource_usage.instructions)
  const again = await execute('primes', { n: 20_000 })
  expect(again.resource_usage).toEqual(large.resource_usage)
})

it('a plugin reads only the configuration of its upload', async () => {
  expect(await call('config', { key: 'key' })).toMatchObject({ success: true, value: '[redacted]' })
  expect(await call('config', { key: 'key' }, { secrets: [{ id: 'PLUGIN_KEY', value: 'its-caller' }] })).toMatchObject({
    value: '[redacted]',
  })
  for (const key of ['toString', '__proto__', 'PLUGIN_KEY', '']) {
    expect(await call('config', { key })).toMatchObject({ success: false, error: { message: 'not configured' } })
  }
})

it('a plugin keeps no state between calls', async () => {
  expect(await call('count')).toMatchObject({ value: '1 1' })
  const counts = await Promise.all([1, 2, 3].map(() => call('count')))
  expect(counts.map(({ value }) => value)).toEqual(['1 1', '1 1', '1 1'])
})

it('a plugin reaches only the allowed hosts, also through redirects', async () => {
  expect(await call('get', { url: `${upstream.origin}/a` })).toMatchObject({ value: '200 Grüße ✓' })
  expect(upstream.arrived[0]).toMatchObject({ method: 'GET', url: '/a', headers: { 'x-plugin': 'toolbox' } })
  for (const url of [`${elsewhere.origin}/`, `${upstream.origin}/to-elsewhere`]) {
    expect(await call('get', { url })).toMatchObject({
      success: false,
      error: {
        message: `Cannot request "${elsewhere.origin}": publish the tool with "${elsewhere.host}" in its allowed_hosts`,
      },
    })
  }
  expect(await call('get', { url: 'no url' })).toMatchObject({ success: false })
  expect(elsewhere.arrived).toEqual([])
  const parallel = await Promise.all([1, 2, 3, 4].map((n) => call('get', { url: `${upstream.origin}/${n}` })))
  expect(parallel.map(({ value }) => value)).toEqual(Array(4).fill('200 Grüße ✓'))
})

it('a plugin fails with its own message', async () => {
  expect(await call('fail')).toMatchObject({ success: false, error: { message: 'A deliberate failure' } })
  expect(await call('crash')).toMatchObject({
    success: false,
    error: { message: expect.stringContaining('The roof fell in') },
  })
  expect(await call('trap')).toMatchObject({
    success: false,
    error: { message: 'The tool failed unexpectedly', developer_message: 'unreachable' },
  })
  expect(await call('garble')).toMatchObject({
    success: false,
    error: { message: expect.stringContaining('CallToolResult') },
  })
})

it('a plugin writes to the log of its call', async () => {
  const { call_id } = await call('note', { text: `Grüße ${SECRET}` })
  await expect
    .poll(() => server.printed())
    .toContain(JSON.stringify({ event: 'tool-log', call_id, message: 'Grüße [redacted]' }))
})

it.each([
  ['spins', 'spin', /^The tool was stopped: it used up/],
  ['recurses', 'recurse', /failed unexpectedly|did not answer/],
  ['hoards shared memory', 'hoard', /shared memory|did not answer|no fuel/],
])(
  'a runaway plugin that %s is stopped within 10 s',
  async (_, name, message) => {
    const [result] = await Promise.all([
      call(name),
      // Others are served meanwhile, or at least right after
      expect(call('add', { a: 1, b: 1 })).resolves.toMatchObject({ value: '2' }),
    ])
    expect(result).toMatchObject({ success: false, error: { message: expect.stringMatching(message) } })
    expect(await call('add', { a: 1, b: 1 })).toMatchObject({ value: '2' })
  },
  10_000,
)

it('a runaway plugin that grows gets at most its memory limit', async () => {
  const { value } = await call('grow')
  expect(Number(/after (\d+)/.exec(value)?.[1])).toBeLessThanOrEqual(1_024)
})

const listing = (tools: unknown) => describing(JSON.stringify({ tools }))
const fine = { name: 'fine', description: 'A tool', inputSchema: { type: 'object' } }
const plugin = (body: string, more = '') =>
  assemble(`(module ${more} (memory (export "memory") 1)
      (func $f (export "describe") (result i32) ${body}) (func (export "call") (result i32) (i32.const 0)))`)

it.each([
  ['nothing', () => new Uint8Array(), /not a WebAssembly module/],
  ['text', () => new TextEncoder().encode('hello there'), /not a WebAssembly module/],
  ['a component', () => new Uint8Array([0, 0x61, 0x73, 0x6d, 0x0d, 0, 1, 0]), /not a core module/],
  ['a truncated file', () => toolbox.slice(0, toolbox.length / 2), /not a valid WebAssembly module/],
  ['a file with something behind it', () => new Uint8Array([...toolbox, 1, 2, 3]), /not a valid WebAssembly module/],
  [
    'a module without the exports',
    () => assemble('(module (func (export "describe") (result i32) (i32.const 0)))'),
    /'call'/,
  ],
  ['a module without functions', () => assemble('(module)'), /no functions/],
  [
    'an unknown import',
    () => plugin('(call $x) (i32.const 0)', '(import "extism:host/user" "evil" (func $x))'),
    /'extism:host\/user.evil'/,
  ],
  [
    'an unknown name of a known module',
    () => plugin('(call $x) (i32.const 0)', '(import "extism:host/env" "evil" (func $x))'),
    /'extism:host\/env.evil'/,
  ],
  [
    'an imported memory',
    () => assemble('(module (import "env" "memory" (memory 1)) (func (export "describe")) (func (export "call")))'),
    /'env.memory'/,
  ],
  [
    'a huge memory',
    () => assemble('(module (memory 65536) (func (export "describe")) (func (export "call")))'),
    /starts with 65536/,
  ],
  [
    'an export of its own fuel',
    () => plugin('(i32.const 0)', '(global (export "__fuel") (mut i64) (i64.const 0))'),
    /'__fuel'/,
  ],
  [
    'an instruction of threads',
    () =>
      assemble(
        '(module (memory 1 1 shared) (func (export "describe") (result i32) (i32.atomic.load (i32.const 0))) (func (export "call")))',
      ),
    /not supported/,
  ],
  ['a describe that spins', () => plugin('(loop $l (br $l)) (i32.const 0)'), /did not end within/],
  [
    'a start function that spins',
    () => plugin('(i32.const 0)', '(func $s (loop $l (br $l))) (start $s)'),
    /did not end within/,
  ],
  ['a describe that recurses', () => plugin('(call $f)'), /stack|did not end/],
  ['a describe that traps', () => plugin('unreachable'), /unreachable/],
  ['a describe that says nothing', () => plugin('(i32.const 0)'), /did not give a JSON object/],
  [
    'a describe that fills memory over and over',
    () => plugin('(loop $l (memory.fill (i32.const 0) (i32.const 1) (i32.const 65536)) (br $l)) (i32.const 0)'),
    /did not end within/,
  ],
  [
    'a describe that grows memory over and over',
    () => plugin('(loop $l (drop (memory.grow (i32.const 1))) (br $l)) (i32.const 0)'),
    /did not end within/,
  ],
  [
    'a describe that asks for a page',
    () =>
      plugin(
        '(drop (call $http (i64.const 0) (i64.const 0))) (i32.const 0)',
        '(import "extism:host/env" "http_request" (func $http (param i64 i64) (result i64)))',
      ),
    /describe/,
  ],
  ['no JSON', () => describing('{"tools": ['), /did not give a JSON object/],
  ['JSON that nests deeply', () => describing('['.repeat(100_000)), /did not give a JSON object/],
  [
    '10,000 tools',
    () => listing(Array.from({ length: 10_000 }, (_, n) => ({ ...fine, name: `t${n}` }))),
    /at most 256 tools/,
  ],
  ['two tools of one name', () => listing([fine, { ...fine, name: 'FINE' }]), /unique/],
  ['a name that is none', () => listing([{ ...fine, name: '' }]), /characters that can be seen/],
  [
    'a schema that is none',
    () => listing([fine, { ...fine, name: 'b', inputSchema: { type: 'object', properties: 5 } }]),
    /properties/,
  ],
  ['a schema of no object', () => listing([{ ...fine, inputSchema: { type: 'array' } }]), /'object'/],
  [
    'a catastrophic pattern',
    () =>
      listing([
        { ...fine, inputSchema: { type: 'object', properties: { a: { type: 'string', pattern: '^(a)\\1$' } } } },
      ]),
    /pattern/i,
  ],
  ['a huge text', () => listing([{ ...fine, description: 'x'.repeat(800_000) }]), /larger than|the limit is/],
])(
  'an upload of %s is refused with the reason',
  async (_, make, reason) => {
    const { status, body } = await upload('Bad', make())
    expect({ status, said: JSON.stringify(body) }).toEqual({ status: 422, said: expect.stringMatching(reason) })
    expect(JSON.stringify(body)).not.toMatch(/\n\s*at |wasm-function|main\.ts/)
  },
  10_000,
)

it('an upload may require a person’s approval, and the version keeps that', async () => {
  expect(await upload('Held', toolbox, 'version=1.0.0&approval=1&allowed_hosts=')).toMatchObject({ status: 201 })
  expect(await upload('Held', toolbox, 'version=1.0.0&approval=1')).toMatchObject({ status: 200 })
  expect(await upload('Held', toolbox, 'version=1.0.0')).toMatchObject({ status: 200 })
  const { body } = await server.json('GET', '/tools/Held.add/readiness')
  expect(body).toMatchObject({ security_level: 1, approval: true })
  expect(await upload('Held', toolbox, 'version=1.0.1')).toMatchObject({ status: 422 })
  expect(await upload('Box', toolbox, 'version=1.0.0&approval=1')).toMatchObject({ status: 409 })
})

it('an upload with invalid options is refused', async () => {
  const bytes = listing([fine])
  for (const query of [
    '',
    'version=1',
    'version=1.0.0&security_level=11',
    'version=1.0.0&config=novalue',
    'version=1.0.0&config=a:B,a:C',
    'version=1.0.0&allow=all',
  ]) {
    expect({ query, status: (await upload('Bad', bytes, query)).status }).toEqual({ query, status: 400 })
  }
  expect((await upload('Bad', bytes, 'version=1.0.0', 'text/plain')).status).toBe(415)
  expect((await upload('Bad', new Uint8Array(6 * 1024 * 1024))).status).toBe(413)
  expect((await upload('B.ad', bytes)).status).toBe(400)
  const host = await upload('Bad', bytes, 'version=1.0.0&allowed_hosts=https://example.com')
  expect(host).toMatchObject({ status: 422 })
})

it('an upload must follow semantic versioning, and cannot change a version', async () => {
  const one = listing([fine])
  const same = await upload('Semver', one, 'version=1.0.0')
  expect(same.status).toBe(201)
  expect((await upload('Semver', one, 'version=1.0.0')).status).toBe(200)
  const required = {
    ...fine,
    inputSchema: { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] },
  }
  const breaking = listing([required])
  expect((await upload('Semver', breaking, 'version=1.0.0')).status).toBe(409)
  expect((await upload('Semver', breaking, 'version=1.1.0')).status).toBe(422)
  expect((await upload('Semver', breaking, 'version=1.1.0&allow=breaking')).status).toBe(201)
  expect((await upload('Semver', breaking, 'version=2.0.0')).status).toBe(201)
})

it("an upload's secrets and security level apply to each of its tools", async () => {
  const { status } = await upload('Levels', listing([fine]), 'version=1.0.0&config=a:KEY_A,b:KEY_B&config=c:KEY_A')
  expect(status).toBe(201)
  const { body } = await server.json('GET', '/tools/Levels.fine?format=oxp')
  expect(body.requirements.secrets).toEqual([{ id: 'KEY_A' }, { id: 'KEY_B' }])
  const missing = await server.json('POST', '/tools/call', { tool_id: 'Levels.fine', input: {} })
  expect(missing).toMatchObject({
    status: 400,
    body: { missing_requirements: { secrets: [{ id: 'KEY_A' }, { id: 'KEY_B' }] } },
  })
})
