import type { ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { FUEL } from '../../src/runners/wasm/plugin-code.ts'
import { describing } from '../plugins/describing.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

let server: RunningServer
let upstream: Upstream
const waiting: ServerResponse[] = []
const requested: string[] = []
beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    if (url === '/waits') waiting.push(response)
    else {
      requested.push(url)
      response.end('x'.repeat(Number(url.slice(1))))
    }
  })
  server = await startApp({ vars: { ALLOW_HTTP_HOSTS: upstream.host } })
})
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close()])
})
beforeEach(() => waiting.splice(0))

let plugins = 0
const ANSWER = JSON.stringify({ content: [{ type: 'text', text: 'done' }] })
const TOOLS = JSON.stringify({ tools: [{ name: 'run', description: 'Runs', inputSchema: { type: 'object' } }] })

const HOST = `
  (import "extism:host/env" "free" (func $free (param i64)))
  (import "extism:host/env" "log_info" (func $log (param i64)))
  (import "extism:host/env" "error_set" (func $error (param i64)))
  (import "extism:host/env" "config_get" (func $config (param i64) (result i64)))
  (import "extism:host/env" "var_set" (func $var (param i64 i64)))
  (import "extism:host/env" "http_request" (func $http (param i64 i64) (result i64)))
  (import "extism:host/env" "http_headers" (func $headers (result i64)))
  (import "extism:host/env" "length" (func $length (param i64) (result i64)))
  (import "wasi_snapshot_preview1" "random_get" (func $random (param i32 i32) (result i32)))`

const LARGE = '(local.set $block (call $alloc (i64.const 16000000)))'

/** Uploads a plugin whose tool does this before it answers; gives the upload, and what calls the tool. */
async function plugin(doing: string, more = '') {
  const toolkit = `Bound${(plugins += 1)}`
  const first = `(func $first (local $block i64) (local $count i32) ${doing}) ${more}`
  const response = await fetch(
    `${server.url}/toolkits/${toolkit}/plugin?version=1.0.0&allowed_hosts=${upstream.host}`,
    {
      method: 'PUT',
      headers: { 'content-type': 'application/wasm' },
      body: describing(TOOLS, ANSWER, { imports: HOST, first }),
    },
  )
  expect(response.status, await response.text()).toBe(201)
  return { toolkit, ...calls(toolkit) }
}

const upload = (toolkit: string, version: string, body: Uint8Array<ArrayBuffer>) =>
  fetch(`${server.url}/toolkits/${toolkit}/plugin?version=${version}&allowed_hosts=${upstream.host}`, {
    method: 'PUT',
    headers: { 'content-type': 'application/wasm' },
    body,
  })

function calls(toolkit: string) {
  return {
    call: async () => {
      const { body } = await server.json('POST', '/tools/call', { tool_id: `${toolkit}.run`, input: {} })
      return body.result
    },
    execute: async () => {
      const { body } = await server.json('POST', '/machine-context/execute', {
        header: { messageId: crypto.randomUUID(), messageType: 'request' },
        payload: { tool: { id: toolkit, capability: 'run', parameters: {} } },
      })
      return body.payload.execution
    },
  }
}

/** The text as a block in `$block`. */
const block = (text: string) =>
  `(local.set $block (call $alloc (i64.const ${text.length})))` +
  [...text]
    .map((char, at) => `(call $store (i64.add (local.get $block) (i64.const ${at})) (i32.const ${char.charCodeAt(0)}))`)
    .join('')

const again = (body: string) => `(loop $again ${body} (br $again))`

it.each([
  ['an output of -1 bytes', '(call $output (local.get $block) (i64.const -1))', /output is larger than/],
  [
    'an output of one byte too many',
    '(call $output (local.get $block) (i64.const 101))',
    /101 bytes of a block of 100/,
  ],
  ['an output of no block', '(call $output (i64.const 0) (i64.const 1))', /1 bytes of a block of 0/],
  ['-1 bytes', '(drop (call $alloc (i64.const -1)))', /shared memory/],
  [
    'a request of no JSON of 70 kB',
    `(local.set $block (call $alloc (i64.const 70000))) ${REQUEST()}`,
    /in more than 65536 bytes/,
  ],
  ['a name of 70 kB', '(drop (call $config (call $alloc (i64.const 70000))))', /a name of more than 65536 bytes/],
  [
    'a variable of 2 MB',
    '(call $var (local.get $block) (call $alloc (i64.const 2000000)))',
    /variables are over 1048576/,
  ],
])('a plugin that names %s is refused', async (_, doing, message) => {
  const { call } = await plugin(`(local.set $block (call $alloc (i64.const 100))) ${doing}`)
  expect(await call()).toMatchObject({ success: false, error: { message: expect.stringMatching(message) } })
})

/** Each of these was nearly free of charge, and cost up to 17 nanoseconds a byte. */
it.each([
  ['outputs', '(call $output (local.get $block) (i64.const 12000000))', 12_000_000 * 10],
  ['log lines', '(call $log (local.get $block))', 12_000 * 6],
  ['errors', '(call $error (local.get $block))', 24_000 * 6],
  ['random bytes', '(drop (call $random (i32.const 65536) (i32.const 65536)))', 65_536],
])('a plugin is charged for %s by the byte', async (_, doing, price) => {
  const once = await (await plugin(`${LARGE} ${doing} (call $error (i64.const 0))`)).execute()
  const twice = await (await plugin(`${LARGE} ${doing} ${doing} (call $error (i64.const 0))`)).execute()
  const more = twice.resource_usage.instructions - once.resource_usage.instructions
  expect(more).toBeGreaterThanOrEqual(price)
  expect(more).toBeLessThan(price + 2_000)
})

it("a plugin's log lines are truncated, and those after the first hundred are dropped", async () => {
  const { call } = await plugin(`${LARGE} (loop $next (call $log (local.get $block))
      (br_if $next (i32.lt_u (local.tee $count (i32.add (local.get $count) (i32.const 1))) (i32.const 150))))`)
  expect(await call()).toMatchObject({ success: true, value: 'done' })
})

it("a plugin's output is read even after the plugin freed its block", async () => {
  const text = JSON.stringify({ content: [{ type: 'text', text: 'freed' }] })
  const { toolkit } = await plugin('')
  const give = `(func (export "call") (result i32) (local $block i64) ${block(text)}
      (call $output (local.get $block) (i64.const ${text.length})) (call $free (local.get $block)) (i32.const 0))`
  const uploaded = await upload(toolkit, '2.0.0', describing(TOOLS, '', { imports: HOST, first: '', call: give }))
  expect(uploaded.status).toBe(201)
  expect(await calls(toolkit).call()).toMatchObject({ success: true, value: 'freed' })
})

const WORDS = `it used up the ${FUEL} instructions of a call`

it('a plugin that uses up its instructions is reported as that in every dialect, and not as a timeout', async () => {
  const { toolkit, call, execute } = await plugin(again(''))
  expect(await call()).toMatchObject({
    success: false,
    error: { message: expect.stringContaining(WORDS), can_retry: false },
  })
  expect(await execute()).toMatchObject({
    status: 'failure',
    error: { code: 'EXECUTION_ERROR', message: expect.stringContaining(WORDS) },
  })
  const tool = { name: 'run', toolkit, version: '1.0.0' }
  const invoked = await server.json('POST', '/worker/tools/invoke', { tool, inputs: {} })
  expect(invoked.body.output.error).toMatchObject({ message: expect.stringContaining(WORDS), can_retry: false })
  const plain = await server.json('POST', `/plugin/call?toolkit=${toolkit}`, { params: { name: 'run' } })
  expect(plain.body).toMatchObject({ isError: true, content: [{ text: expect.stringContaining(WORDS) }] })
  const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'run', arguments: {} } }
  const accept = { 'accept': 'application/json', 'mcp-protocol-version': '2025-11-25' }
  const mcp = await server.json('POST', `/mcp?toolkits=${toolkit}`, rpc, accept)
  expect(mcp.body.result).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(WORDS) }],
    _meta: { 'dev.switchboard/error': { can_retry: false } },
  })
})

it.each([
  ['in a host function', `${LARGE} ${again('(call $output (local.get $block) (i64.const 12000000))')}`],
  ['by table writes', again('(table.set (i32.const 0) (ref.null func))')],
])('a plugin that uses up its instructions is reported as that if it ran out %s', async (_, doing) => {
  const { call } = await plugin(doing, '(table 1 funcref)')
  expect(await call()).toMatchObject({ success: false, error: { message: expect.stringContaining(WORDS) } })
})

function REQUEST(): string {
  return '(drop (call $http (local.get $block) (i64.const 0)))'
}

/** Requests a path of the upstream, with so many pages of memory. */
const requesting = (path: string, pages: number) =>
  `(drop (memory.grow (i32.const ${pages}))) ${block(JSON.stringify({ url: `${upstream.origin}${path}` }))} ${REQUEST()}`

const answerAll = () => {
  for (const response of waiting.splice(0)) response.end('ok')
}
const arrive = (count: number) => expect.poll(() => waiting.length).toBe(count)

it('calls of one plugin that wait for responses share a memory limit: a call beyond it is refused, and may be retried', async () => {
  const { call } = await plugin(requesting('/waits', 800))
  const first = call()
  await arrive(1)
  expect(await call()).toMatchObject({
    success: false,
    error: { message: expect.stringContaining('wait for answers hold more than'), can_retry: true },
  })
  answerAll()
  expect(await first).toMatchObject({ success: true, value: 'done' })
  const next = call()
  await arrive(1)
  answerAll()
  expect(await next).toMatchObject({ success: true })
})

it('calls of one plugin that wait for responses block new ones for a second after one was refused', async () => {
  const { call } = await plugin(`${requesting('/5', 0)} ${requesting('/waits', 800)}`)
  const first = call()
  await arrive(1)
  const started = requested.length
  for (let calls = 0; calls < 5; calls++) {
    expect(await call()).toMatchObject({
      success: false,
      error: { message: expect.stringContaining('wait for answers hold more than'), can_retry: true },
    })
  }
  // The first of the five, and where the machine is slow a few more
  expect(requested.length - started).toBeLessThan(5)
  answerAll()
  expect(await first).toMatchObject({ success: true, value: 'done' })
})

it('calls of one plugin that wait for responses can wait at once if they hold little memory', async () => {
  const { call } = await plugin(requesting('/waits', 4))
  const all = Array.from({ length: 12 }, call)
  await arrive(12)
  answerAll()
  expect((await Promise.all(all)).map(({ success }) => success)).toEqual(Array(12).fill(true))
})

it('calls of one plugin that wait for responses may receive responses up to the shared memory, and no larger ones', async () => {
  const read = await plugin(requesting('/5000000', 1))
  expect(await read.call()).toMatchObject({ success: true })
  const thrice = requesting('/7000000', 1).repeat(3)
  expect(await (await plugin(thrice)).call()).toMatchObject({
    success: false,
    error: { message: 'The answer is larger than the shared memory that is left' },
  })
})
