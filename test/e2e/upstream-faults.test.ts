import { connect } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FaultyUpstream, startFaultyUpstream } from './faulty-upstream.ts'
import { type Server, startServer } from './server.ts'

/** Nothing listens there. */
const NOBODY = '127.0.0.1:9'

let upstream: FaultyUpstream
let server: Server

beforeAll(async () => {
  upstream = await startFaultyUpstream()
  server = await startServer({ vars: { ALLOW_HTTP_HOSTS: `${upstream.host},${NOBODY}` } })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

let toolkits = 0

/** Publishes a tool in a toolkit of its own, since what a host does to one toolkit is held against no other. */
async function publish(path: string, { origin = upstream.origin, annotations = {}, ...more }: PublishOptions = {}) {
  const toolkit = `Fault${++toolkits}`
  const published = await server.json('POST', '/tools', {
    definition: {
      name: 'Ask',
      description: 'Asks the server',
      inputSchema: { type: 'object' },
      annotations,
    },
    toolkit,
    version: '1.0.0',
    implementation: { kind: 'http', method: 'GET', url: `${origin}${path}`, timeout_ms: 10_000, ...more },
  })
  expect(published.status, JSON.stringify(published.body)).toBe(201)
  return toolkit
}

interface PublishOptions {
  readonly origin?: string
  readonly annotations?: object
  readonly [field: string]: unknown
}

const call = async (toolkit: string) => {
  const { status, body } = await server.json('POST', '/tools/call', { tool_id: `${toolkit}.Ask`, input: {} })
  expect(status, JSON.stringify(body)).toBe(200)
  return body.result
}

/** A call of a tool in each dialect, and the failure as that dialect has it. */
const FACES: Readonly<Record<string, (toolkit: string) => Promise<unknown>>> = {
  'OXP': async (toolkit) => (await call(toolkit)).error,
  'the Open Tool Calling RFC': async (toolkit) => {
    const { body } = await server.json('POST', '/worker/tools/invoke', { tool: { name: 'Ask', toolkit } })
    return body.output.error
  },
  'the Machine Context Protocol': async (toolkit) => {
    const { body } = await server.json('POST', '/machine-context/execute', {
      header: { version: '1.0', messageId: crypto.randomUUID(), messageType: 'request' },
      payload: { tool: { id: toolkit, capability: 'Ask' } },
    })
    return body.payload.execution
  },
  'a plugin': async (toolkit) => {
    const { body } = await server.json('POST', '/plugin/call', { params: { name: `${toolkit}_Ask` } })
    return body
  },
  'MCP': async (toolkit) => {
    const { body } = await server.json(
      'POST',
      '/mcp',
      { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: `${toolkit}_Ask` } },
      { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' },
    )
    return body.result
  },
}

it.each<[what: string, path: string, asked: number, message: RegExp, canRetry: boolean]>([
  ['resets the connection', '/reset', 3, /^Cannot reach/, true],
  ['closes it without an answer', '/closed', 3, /^Cannot reach/, true],
  ['speaks no HTTP', '/no-http', 3, /^Cannot reach/, true],
  ['says two lengths', '/two-lengths', 3, /^Cannot reach/, true],
  ['says it sends more than it does', '/too-short', 3, /^Lost .* while it answered$/, true],
  ['sends no chunks where it says so', '/no-chunk', 3, /^Lost .* while it answered$/, true],
  ['is lost while it answers', '/lost', 3, /^Lost .* while it answered$/, true],
  ['says that what is plain is gzip', '/no-gzip', 1, /: it is not in its content encoding$/, false],
  ['sends half of what it compressed with gzip', '/cut-gzip', 1, /: it is not in its content encoding$/, false],
  ['sends half of what it compressed with brotli', '/cut-brotli', 1, /: it is not in its content encoding$/, false],
  ['encodes in a way that nobody asked for', '/deflate', 1, /: its content encoding is 'deflate'$/, false],
  ['answers JSON that is not UTF-8', '/json-latin1', 1, /answered what is not UTF-8$/, false],
  ['answers a text that is not UTF-8', '/text-latin1', 1, /answered what is not UTF-8$/, false],
  ['floods', '/flood', 1, /: it is over 8388608 bytes$/, false],
  ['asks for a wait past the deadline', '/503-in-an-hour', 1, /answered 503 Service Unavailable$/, true],
])(
  'a server that %s causes a clear error, and is retried only if that may help',
  async (_, path, asked, message, canRetry) => {
    const { success, error } = await call(await publish(path))
    expect({ success, error }).toMatchObject({
      success: false,
      error: { message: expect.stringMatching(message), can_retry: canRetry },
    })
    expect(upstream.asked(path)).toBe(asked)
    if (path.startsWith('/503')) expect(error.retry_after_ms).toBe(3_600_000)
  },
)

it.each(['/hang', '/head-only', '/drip'])(
  'a server that does %s fails at the deadline, and its connection is closed',
  async (path) => {
    const { success, error } = await call(await publish(path, { timeout_ms: 2_000 }))
    expect({ success, error }).toMatchObject({
      success: false,
      error: { message: 'The tool did not answer within 2 seconds' },
    })
    expect(upstream.asked(path)).toBe(1)
    await expect.poll(() => upstream.open(path)).toBe(0)
  },
)

it('a server that returns another charset, or bytes, is read correctly', async () => {
  const declared = await publish('/text-latin1-declared', { response: { type: 'text' } })
  expect(await call(declared)).toMatchObject({ success: true, value: '"café"' })
  const bytes = await publish('/bytes', { response: { type: 'binary' } })
  expect(await call(bytes)).toMatchObject({ success: true, value: { data: 'ImNhZuki' } })
})

const POST = { method: 'POST', response: { type: 'json' } }
const warning = 'It may have taken effect: check before you retry'
const inWords = expect.stringMatching(/: it may have taken effect: check before you retry/)

it.each<[router: string, failure: unknown]>([
  ['OXP', { can_retry: false, additional_prompt_content: warning }],
  ['the Open Tool Calling RFC', { can_retry: false, additional_prompt_content: warning }],
  [
    'the Machine Context Protocol',
    { status: 'timeout', error: { code: 'TIMEOUT_ERROR', message: inWords, details: { can_retry: false } } },
  ],
  ['a plugin', { isError: true, content: [{ text: inWords }] }],
  ['MCP', { isError: true, content: [{ text: inWords }], _meta: { 'dev.switchboard/error': { can_retry: false } } }],
])('a call that must not be repeated is reported as possibly done after a timeout: %s', async (router, failure) => {
  expect(await FACES[router]!(await publish('/hang', { ...POST, timeout_ms: 200 }))).toMatchObject(Object(failure))
  const annotations = { idempotentHint: true }
  const again = await FACES[router]!(await publish('/hang', { ...POST, timeout_ms: 200, annotations }))
  expect(JSON.stringify(again)).not.toMatch(/may have taken effect/)
})

it.each([
  ['/reset', /^Cannot reach/],
  ['/lost', /^Lost/],
  ['/500', /answered 500/],
  ['/502', /answered 502/],
  ['/no-gzip', /content encoding$/],
])('a call that must not be repeated is reported as possibly done if the server breaks: %s', async (path, message) => {
  const asked = upstream.asked(path)
  const { error } = await call(await publish(path, POST))
  expect(error.message).toMatch(message)
  expect(error).toMatchObject({ can_retry: false, additional_prompt_content: warning })
  expect(upstream.asked(path)).toBe(asked + 1)
})

it('a call that must not be repeated returns the same failure when repeated with its id, and is not sent again', async () => {
  const path = '/hang?again'
  const toolkit = await publish(path, { ...POST, timeout_ms: 2_000 })
  const request = { tool_id: `${toolkit}.Ask`, call_id: crypto.randomUUID(), input: {} }
  const first = await server.json('POST', '/tools/call', request)
  await expect.poll(() => upstream.asked(path)).toBe(1)
  const again = await server.json('POST', '/tools/call', request)
  expect(again.body).toEqual(first.body)
  expect(upstream.asked(path)).toBe(1)
})

it('a call that must not be repeated is not reported as possibly done if nothing was sent', async () => {
  const toolkit = await publish('/', { ...POST, origin: `http://${NOBODY}` })
  for (let count = 0; count < 5; count++) expect((await call(toolkit)).error.can_retry).toBe(false)
  expect((await call(toolkit)).error).toMatchObject({
    message: expect.stringMatching(/did not answer 5 requests/),
    can_retry: true,
    retry_after_ms: expect.any(Number),
  })
})

const code = (module: string, more: object = {}) =>
  publish('', { kind: 'code', method: undefined, url: undefined, module, ...more })
const there = () => ({ allowed_hosts: [upstream.host] })

it('a module whose promise never settles ends at its deadline', async () => {
  const started = Date.now()
  const { success, error } = await call(await code('export default () => new Promise(() => {})', { timeout_ms: 400 }))
  expect({ success, error }).toMatchObject({
    success: false,
    // It had no network to change anything by
    error: { message: 'The tool did not answer within 0.4 seconds', can_retry: true },
  })
  expect(Date.now() - started).toBeGreaterThanOrEqual(400)
})

it('a module gets an abort signal for its deadline, and its requests end with it', async () => {
  const told = await call(
    await code('export default (_, { signal }) => [signal instanceof AbortSignal, signal.aborted]'),
  )
  expect(told).toMatchObject({ success: true, value: [true, false] })
  const late = `export default async () => {
      await new Promise((done) => setTimeout(done, 300))
      return (await fetch('${upstream.origin}/hang')).text()
    }`
  const { error } = await call(await code(late, { timeout_ms: 500, ...there() }))
  expect(error).toMatchObject({ message: 'The tool did not answer within 0.5 seconds', can_retry: false })
  await expect.poll(() => upstream.open('/hang')).toBe(0)
})

it('a module cannot send requests to a host that stopped responding either', async () => {
  const asks = `export default async () => (await fetch('${upstream.origin}/reset')).text()`
  const toolkit = await code(asks, there())
  for (let count = 0; count < 5; count++) expect((await call(toolkit)).error.message).toMatch(/^Cannot reach/)
  const asked = upstream.asked('/reset')
  expect((await call(toolkit)).error.message).toMatch(/did not answer 5 requests in a row/)
  expect(upstream.asked('/reset')).toBe(asked)
})

/** What is said of it once it has come to nothing five times. */
const said =
  /^Cannot request "http:\/\/127\.0\.0\.1:9" now: it did not answer 5 requests in a row, and is asked again in \d s/
const words = expect.stringMatching(said)
const when = expect.any(Number)

it.each<[router: string, failure: unknown]>([
  ['OXP', { message: words, can_retry: true, retry_after_ms: when }],
  ['the Open Tool Calling RFC', { message: words, can_retry: true, retry_after_ms: when }],
  [
    'the Machine Context Protocol',
    {
      status: 'failure',
      error: { code: 'EXECUTION_ERROR', message: words, details: { can_retry: true, retry_after_ms: when } },
    },
  ],
  [
    'a plugin',
    { isError: true, content: [{ text: expect.stringMatching(/in a row[^]*\nTry again in [\d.]+ seconds?$/) }] },
  ],
  [
    'MCP',
    {
      isError: true,
      content: [{ text: expect.stringMatching(/in a row[^]*\nTry again in [\d.]+ seconds?$/) }],
      _meta: { 'dev.switchboard/error': { can_retry: true, retry_after_ms: when } },
    },
  ],
])(
  'an unreachable server is not called again after a few failures, and the error says when to retry: %s',
  async (router, failure) => {
    const ask = FACES[router]!
    const toolkit = await publish('/', { origin: `http://${NOBODY}` })
    // The first call asks three times; the second finds out that there is no use in it
    await ask(toolkit)
    await ask(toolkit)
    expect(await ask(toolkit)).toMatchObject(Object(failure))
  },
)

it.each(['mcp', 'oxp'])(
  'an unreachable remote server is not called again after a few failures: %s',
  async (protocol) => {
    const remote = { kind: 'remote', method: undefined, protocol, url: `http://${NOBODY}/`, tool: 'Math.Add@1.0.0' }
    const toolkit = await publish('', { ...remote, annotations: { readOnlyHint: true } })
    await call(toolkit)
    await call(toolkit)
    expect((await call(toolkit)).error).toMatchObject({ message: words, can_retry: true, retry_after_ms: when })
  },
)

it('an unreachable server is tracked for each toolkit, and logged', async () => {
  const toolkit = await publish('/', { origin: `http://${NOBODY}` })
  await call(toolkit)
  await call(toolkit)
  expect((await call(toolkit)).error.message).toMatch(said)
  expect((await call(await publish('/', { origin: `http://${NOBODY}` }))).error.message).toMatch(/^Cannot reach/)
  const line = server
    .printed()
    .split('\n')
    .find((each) => each.includes('"event":"host"') && each.includes(`"${toolkit}"`))
  expect(JSON.parse(line ?? '{}')).toMatchObject({ host: NOBODY, toolkit, state: 'open', failures: 5 })
})

it('a gateway error counts as no response, and a server error as a response', async () => {
  const [down, failing] = [await publish('/502'), await publish('/500')]
  for (let count = 0; count < 5; count++) {
    expect((await call(down)).error.message).toMatch(/answered 502/)
    expect((await call(failing)).error.message).toMatch(/answered 500/)
  }
  expect((await call(down)).error.message).toMatch(/did not answer 5 requests in a row/)
  expect((await call(failing)).error.message).toMatch(/answered 500/)
})

it('a server that hangs on 500 calls does not block other servers: 64 calls stay open, and the others are told to retry', async () => {
  const toolkit = await publish('/hang?500', { timeout_ms: 300_000, retry: { attempts: 0 } })
  const good = await publish('/good')
  const ended: { readonly error: object }[] = []
  const calling = async () => {
    const result = await call(toolkit)
    ended.push(result)
    return result
  }
  const hanging = Array.from({ length: 500 }, calling)
  await expect.poll(() => upstream.open('/hang?500')).toBe(64)
  const results: unknown[] = []
  for (let count = 0; count < 200; count++) {
    const add = { tool_id: 'Calculator.Add', input: { a: count, b: 1 } }
    results.push((await server.json('POST', '/tools/call', add)).body.result.value)
  }
  expect(results).toEqual(Array.from({ length: 200 }, (_, count) => count + 1))
  // Another toolkit's tool of the very same host
  expect(await call(good)).toMatchObject({ success: true, value: 'good' })
  expect(upstream.open('/hang?500')).toBe(64)
  // Those that are not in flight have all been told to come again
  await expect.poll(() => ended.length).toBe(500 - 64)
  for (const { error } of ended) {
    expect(error).toMatchObject({
      message: expect.stringMatching(
        /: 64 requests of this caller, or 256 of this toolkit, are waiting for its answers already$/,
      ),
      can_retry: true,
      retry_after_ms: 1_000,
    })
  }
  upstream.release()
  const lost = (await Promise.all(hanging)).filter(({ error }) => error.message.startsWith('Cannot reach'))
  expect(lost).toHaveLength(64)
  expect(upstream.asked('/hang?500')).toBe(64)
})

it.each([
  ['http', (origin: string) => ({ url: `${origin}/hang?http`, retry: { attempts: 0 } })],
  [
    'code',
    (origin: string) => ({
      method: undefined,
      url: undefined,
      module: `export default async () => (await fetch('${origin}/hang?code')).text()`,
      allowed_hosts: [new URL(origin).host],
    }),
  ],
])('a server that hangs frees its connections when callers disconnect: %s', async (kind, implementation) => {
  const path = `/hang?${kind}`
  const toolkit = await publish('', { kind, ...implementation(upstream.origin), timeout_ms: 60_000 })
  const { hostname, port } = new URL(server.url)
  const body = JSON.stringify({ tool_id: `${toolkit}.Ask`, input: {} })
  const head = `POST /tools/call HTTP/1.1\r\nhost: ${hostname}\r\ncontent-type: application/json\r\n`
  const clients = Array.from({ length: 64 }, () => connect(Number(port), hostname))
  for (const client of clients) client.write(`${head}content-length: ${body.length}\r\n\r\n${body}`)
  await expect.poll(() => upstream.open(path)).toBe(64)
  // With a reset: an end alone could be that of a client that still reads
  for (const client of clients) client.resetAndDestroy()
  await expect.poll(() => upstream.open(path)).toBe(0)
  const asked = upstream.asked(path)
  void call(toolkit).catch(() => undefined)
  await expect.poll(() => upstream.asked(path)).toBe(asked + 1)
  upstream.release()
})
