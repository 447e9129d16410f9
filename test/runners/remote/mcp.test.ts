import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { MAY_HAVE_RUN } from '../../../src/core/failure/failure-text.ts'
import { startUpstream } from '../../upstream.ts'
import { type McpUpstream, startMcpServer } from './mcp-server.ts'
import { modernPrior } from '../../../src/runners/remote/mcp/known-revisions.ts'
import { callRemote, upstreamDeps } from './set-up.ts'
import { upstreamTools, type Waiter } from './tools.ts'

describe.each(['legacy', 'modern'] as const)('a %s MCP server', (era) => {
  let upstream: McpUpstream
  let waiter: Waiter
  let deps: ReturnType<typeof upstreamDeps>
  beforeAll(async () => {
    const { tools, waiter: made } = upstreamTools()
    waiter = made
    upstream = await startMcpServer(era, tools)
    deps = upstreamDeps(upstream.host)
  })
  afterAll(() => upstream.close())
  const call = (tool: string, given?: Parameters<typeof callRemote>[2]) =>
    callRemote(deps, { url: upstream.url, tool }, given)

  test(`a ${era} MCP server: structured content is the value, and is not repeated as content`, async () => {
    expect(await call('add', { input: { a: 2, b: 3 } })).toEqual({ ok: true, value: { sum: 5 } })
  })

  test(`a ${era} MCP server: content alone is the value, as text`, async () => {
    expect(await call('text.greet', { input: { name: 'Zoë' } })).toMatchObject({ ok: true, value: 'Grüß Gott, Zoë' })
    const picture = await call('picture')
    expect(picture).toMatchObject({ ok: true, value: null })
    expect(picture).toMatchObject({ content: [{ type: 'text' }, { type: 'image' }, { type: 'resource' }] })
  })

  test(`a ${era} MCP server: the failure of a tool is reported in its own words`, async () => {
    const more = { developer_message: 'D', can_retry: true, retry_after_ms: 500 }
    const message = 'The printer is out of paper'
    expect(await call('fail')).toEqual({ ok: false, failure: { message, ...more } })
    expect(await call('nothing')).toMatchObject({ ok: false, failure: { message: expect.stringContaining('nothing') } })
  })

  test(`a ${era} MCP server: progress is passed on if requested`, async () => {
    const reports: unknown[] = []
    const progress = (...report: unknown[]) => void reports.push(report)
    expect(await call('steps', { context: { progress } })).toMatchObject({ ok: true, value: 'Done' })
    expect(reports).toEqual([1, 2, 3].map((step) => [step, 3, `Step ${step}`]))
    expect(await call('steps')).toMatchObject({ ok: true, value: 'Done' })
  })

  test(`a ${era} MCP server: credentials and trace context are sent, and a credential is never shown`, async () => {
    const implementation = {
      credentials: [{ secret: 'KEY', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
    }
    const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'
    const result = await call('headers', { implementation, secrets: { KEY: 's3cret-value' }, context: { traceparent } })
    expect(result).toMatchObject({
      value: { authorization: 'Bearer s3cret-value', traceparent, meta: traceparent },
    })
    const other = await callRemote(
      deps,
      { url: upstream.url, tool: 'headers' },
      {
        implementation: { credentials: [] },
        secrets: { KEY: 's3cret-value' },
      },
    )
    expect(other).toMatchObject({ value: { authorization: null } })
  })

  test(`a ${era} MCP server: its era is requested once`, async () => {
    upstream.arrived.length = 0
    await call('add', { input: { a: 1, b: 1 } })
    const session = ['POST initialize', 'POST notifications/initialized', 'POST tools/call', 'DELETE']
    expect(upstream.arrived).toEqual(era === 'modern' ? ['POST tools/call'] : session)
  })

  test(`a ${era} MCP server: a server that changed its era is asked again`, async () => {
    deps.revisions.set(upstream.url, era === 'modern' ? { kind: 'legacy' } : modernPrior('2026-07-28'))
    expect(await call('add', { input: { a: 1, b: 1 } })).toMatchObject({ ok: true, value: { sum: 2 } })
  })

  test(`a ${era} MCP server: a failed call is not repeated, even if the server may have changed its era`, async () => {
    await call('add', { input: { a: 1, b: 1 } })
    upstream.arrived.length = 0
    expect(await call('unknown')).toMatchObject({ ok: false, failure: { message: expect.stringContaining('Unknown') } })
    expect(upstream.arrived.filter((line) => line === 'POST tools/call')).toHaveLength(1)
  })

  test(`a ${era} MCP server: a canceled call is canceled there too, and its session ends`, async () => {
    const gone = new AbortController()
    const behind: Promise<unknown>[] = []
    const background = (work: Promise<unknown>) => void behind.push(work)
    upstream.arrived.length = 0
    const waiting = call('wait', { context: { deadline: { signal: gone.signal }, background } })
    await waiter.begun
    gone.abort()
    await waiter.cancelled
    expect(await waiting).toMatchObject({ ok: false })
    await Promise.all(behind)
    const told = upstream.arrived.filter((line) => /cancelled|DELETE/.test(line))
    expect(told).toEqual(era === 'modern' ? [] : ['POST notifications/cancelled', 'DELETE'])
  })
})

describe('a server that requests input', () => {
  const asking = {
    definition: { name: 'ask', inputSchema: { type: 'object' } },
    call: (_: unknown, { meta }: { meta: Readonly<Record<string, unknown>> }) => {
      const answers = meta['answers'] as Record<string, { content?: { name: string } }> | undefined
      const name = answers?.['who']?.content?.name
      if (name !== undefined) return { content: [{ type: 'text', text: `${name}, ${String(meta['state'])}` }] }
      const params = { mode: 'form', message: 'Who are you?', requestedSchema: { type: 'object', properties: {} } }
      const url = { mode: 'url', message: 'Sign in', url: 'https://example.com/sign-in' }
      return {
        resultType: 'input_required',
        inputRequests: {
          who: { method: 'elicitation/create', params },
          sign: { method: 'elicitation/create', params: url },
        },
        requestState: 'state-1',
      }
    },
  }
  let upstream: McpUpstream
  beforeAll(async () => {
    upstream = await startMcpServer('modern', [asking])
  })
  afterAll(() => upstream.close())

  test('a server that requests input reaches the caller, and gets the responses', async () => {
    const deps = upstreamDeps(upstream.host)
    const tool = { url: upstream.url, tool: 'ask' }
    const first = await callRemote(deps, tool, { context: { answers: { responses: {} } } })
    expect(first).toMatchObject({
      ok: false,
      asks: {
        requests: { who: { method: 'elicitation/create', params: { message: `${upstream.host} says: Who are you?` } } },
        state: 'state-1',
      },
    })
    const responses = { who: { action: 'accept', content: { name: 'Ann' } }, sign: { action: 'accept' } }
    const second = await callRemote(deps, tool, { context: { answers: { responses, state: 'state-1' } } })
    expect(second).toMatchObject({ ok: true, value: 'Ann, state-1' })
  })

  test('a server that requests input has its requests quoted if the caller cannot be asked', async () => {
    const result = await callRemote(upstreamDeps(upstream.host), { url: upstream.url, tool: 'ask' })
    // The SDK's server refuses by itself to ask a client that cannot be asked
    expect(result).toMatchObject({ ok: false, failure: { message: expect.stringContaining('elicitation') } })
  })
})

test('a legacy server that requests input on its connection is told that nobody responds', async () => {
  const upstream = await startMcpServer('legacy', [
    {
      definition: { name: 'ask', inputSchema: { type: 'object' } },
      call: async (_, { ask }) => ({ content: [{ type: 'text', text: JSON.stringify(await ask?.('Who are you?')) }] }),
    },
  ])
  try {
    const context = { answers: { responses: {} } }
    const result = await callRemote(upstreamDeps(upstream.host), { url: upstream.url, tool: 'ask' }, { context })
    expect(result).toMatchObject({ ok: true, value: '{"action":"cancel"}' })
  } finally {
    await upstream.close()
  }
})

test('arguments that a server requires in headers are also sent in headers', async () => {
  const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
  const upstream = await startMcpServer('modern', [
    {
      definition: { name: 'where', inputSchema },
      call: (_, { headers }) => ({ content: [{ type: 'text', text: String(headers['mcp-param-region']) }] }),
    },
  ])
  try {
    const given = { input: { region: 'eu' }, document: { name: 'where', inputSchema } }
    const result = await callRemote(upstreamDeps(upstream.host), { url: upstream.url, tool: 'where' }, given)
    expect(result).toMatchObject({ ok: true, value: 'eu' })
  } finally {
    await upstream.close()
  }
})

test('logs of a server are passed on request, without credentials', async () => {
  const lines: string[] = []
  const upstream = await startMcpServer('legacy', [
    {
      definition: { name: 'chat', inputSchema: { type: 'object' } },
      async call(_, { log, headers }) {
        await log?.(`Called with ${headers['x-key']}`)
        return { content: [] }
      },
    },
  ])
  try {
    const given = {
      implementation: { credentials: [{ secret: 'KEY', in: 'header', name: 'x-key' }] },
      secrets: { KEY: 's3cret-value' },
      context: { log: (line: string) => void lines.push(line) },
    }
    await callRemote(upstreamDeps(upstream.host), { url: upstream.url, tool: 'chat' }, given)
    expect(lines).toEqual(['Called with [redacted]'])
  } finally {
    await upstream.close()
  }
})

type Answer = Parameters<typeof startUpstream>[0]
/** A server of no era: each test says what it answers. */
async function against(answer: Answer, given: Parameters<typeof callRemote>[2] = {}) {
  const server = await startUpstream(answer)
  const deps = upstreamDeps(server.host)
  try {
    const result = await callRemote(deps, { url: `${server.origin}/mcp`, tool: 'any' }, given)
    return { result, deps, server }
  } finally {
    await server.close()
  }
}
const READ_ONLY = { annotations: { readOnlyHint: true } }
const modern = (body: string, result: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, result: { resultType: 'complete', ...result } })
const DISCOVERED = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} }, ttlMs: 0, cacheScope: 'private' }
/** Says that it is modern, and answers whatever comes after that by `answer`. */
const discovered =
  (answer: Answer): Answer =>
  (request, response) => {
    response.setHeader('content-type', 'application/json')
    if (JSON.parse(request.body).method !== 'server/discover') return answer(request, response)
    response.end(modern(request.body, DISCOVERED))
  }

test('a misbehaving server that is busy is retried, only for tools that may be called twice', async () => {
  const busy: Answer = (_, response) => void response.writeHead(503, { 'retry-after': '1' }).end('busy')
  const once = await against(busy)
  expect(once.result).toMatchObject({
    failure: { can_retry: true, retry_after_ms: 1000, message: expect.stringContaining('503') },
  })
  expect(once.deps.slept).toEqual([])
  const thrice = await against(busy, READ_ONLY)
  expect(thrice.deps.slept).toEqual([1000, 1000])
})

test('a misbehaving server that refuses credentials is reported', async () => {
  const { result } = await against((_, response) => void response.writeHead(401).end('{"secret":"s3cret-value"}'), {
    implementation: { credentials: [{ secret: 'KEY', in: 'header', name: 'x-key' }] },
    secrets: { KEY: 's3cret-value' },
  })
  expect(result).toMatchObject({
    failure: { message: expect.stringContaining('wants other credentials'), can_retry: false },
  })
  expect(JSON.stringify(result)).not.toContain('s3cret')
})

test.each(['http://169.254.169.254/latest/meta-data', 'http://127.0.0.1:9/', 'https://elsewhere.example/mcp'])(
  'a misbehaving server that redirects to %s is not followed',
  async (location) => {
    const { result } = await against((_, response) => void response.writeHead(307, { location }).end(), READ_ONLY)
    expect(result).toMatchObject({
      failure: { message: expect.stringContaining('redirects elsewhere'), can_retry: false },
    })
  },
)

test('a misbehaving server that responds with nonsense is reported', async () => {
  const { result } = await against(
    (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  )
  expect(result).toMatchObject({ ok: false, failure: { message: expect.stringContaining('is not MCP') } })
})

test('a misbehaving server that responds with an invalid result is reported', async () => {
  const { result } = await against(
    discovered(({ body }, response) => void response.end(modern(body, { content: 'none' }))),
  )
  expect(result).toMatchObject({ ok: false, failure: { message: expect.stringContaining('is not MCP') } })
})

test.each(['application/json', 'text/event-stream'])(
  'a misbehaving server that never stops its response is cut off, as %s',
  async (type) => {
    const endless: Answer = (_, response) => {
      response.writeHead(200, { 'content-type': type })
      const more = () => {
        while (!response.destroyed && response.write(`data: ${'x'.repeat(65_536)}\n`));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    }
    const { result } = await against(discovered(endless))
    expect(result).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('bytes'), can_retry: false },
    })
  },
)

test('a misbehaving server that ends its stream without a response is reported', async () => {
  const silent: Answer = (_, response) =>
    void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(': nothing\n\n')
  const { result, deps } = await against(discovered(silent), READ_ONLY)
  expect(result).toMatchObject({ failure: { message: expect.stringContaining('ended its answer'), can_retry: true } })
  expect(deps.slept).toHaveLength(2)
})

test('a misbehaving server that disconnects after the request may have run the tool', async () => {
  const { result, deps } = await against(discovered((_, response) => void response.destroy()))
  expect(result).toMatchObject({ failure: { can_retry: false, additional_prompt_content: MAY_HAVE_RUN } })
  expect(deps.slept).toEqual([])
})

test('a misbehaving server that responds with invalid UTF-8 is reported', async () => {
  const latin: Answer = ({ body }, response) => {
    const text = modern(body, { content: [{ type: 'text', text: 'caf\u00e9' }] })
    response.end(Buffer.from(text, 'latin1'))
  }
  const { result, deps } = await against(discovered(latin), READ_ONLY)
  expect(result).toMatchObject({ failure: { message: expect.stringMatching(/it is not UTF-8$/), can_retry: false } })
  expect(deps.slept).toEqual([])
})

test('a misbehaving server that responds with endless nesting is reported', async () => {
  const deep = `${'{"a":'.repeat(100_000)}{}${'}'.repeat(100_000)}`
  const answer: Answer = ({ body }, response) =>
    void response.end(modern(body, { content: [], structuredContent: 'DEEP' }).replace('"DEEP"', deep))
  const { result } = await against(discovered(answer))
  // Whatever the SDK makes of it is a result, and the executor knows what cannot be said
  expect(result).toHaveProperty('ok')
})

test('a misbehaving server that needs a person first has its link reported', async () => {
  const elicitations = [{ mode: 'url', elicitationId: '1', url: 'https://example.com/grant', message: 'Allow it' }]
  const error = { code: -32042, message: 'Needs', data: { elicitations } }
  const { result } = await against(
    discovered(({ body }, response) => {
      response.end(JSON.stringify({ jsonrpc: '2.0', id: JSON.parse(body).id, error }))
    }),
  )
  expect(result).toMatchObject({
    failure: { message: expect.stringContaining('Allow it https://example.com/grant') },
  })
})

test('a misbehaving server that asks a caller who cannot be asked has its request reported', async () => {
  const params = { mode: 'url', message: 'Sign in at', url: 'https://example.com/sign-in' }
  const asked = { resultType: 'input_required', inputRequests: { sign: { method: 'elicitation/create', params } } }
  const { result } = await against(discovered(({ body }, response) => void response.end(modern(body, asked))))
  const message = expect.stringMatching(/asks for something first: Sign in at https:\/\/example\.com\/sign-in$/)
  expect(result).toMatchObject({ ok: false, failure: { message } })
})

test('a misbehaving server that does not exist is reported', async () => {
  const deps = upstreamDeps('127.0.0.1:9')
  const gone = await callRemote(deps, { url: 'http://127.0.0.1:9/mcp', tool: 'any' }, READ_ONLY)
  expect(gone).toMatchObject({ failure: { message: 'Cannot reach "http://127.0.0.1:9"', can_retry: true } })
  expect(deps.slept).toEqual([125, 250])
  // It was not asked for anything that must not be done twice
  const once = await callRemote(upstreamDeps('127.0.0.1:9'), { url: 'http://127.0.0.1:9/mcp', tool: 'any' })
  expect(once).toMatchObject({ failure: { can_retry: true } })
  const refused = await callRemote(upstreamDeps(), { url: 'http://127.0.0.1:9/mcp', tool: 'any' })
  expect(refused).toMatchObject({ failure: { message: expect.stringContaining('Cannot request'), can_retry: false } })
})

test('a misbehaving server that never responds is canceled with the call', async () => {
  const gone = new AbortController()
  const { result } = await against(() => gone.abort(), { context: { deadline: { signal: gone.signal } } })
  expect(result).toMatchObject({ ok: false })
})
