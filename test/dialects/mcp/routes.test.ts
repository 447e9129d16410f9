import { toNameRef } from '../../../src/core/tool/tool-ref.ts'
import { describe, expect, it } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { fail, UnreachableError } from '../../../src/core/failure/failure.ts'
import { withinBudget } from '../../../src/core/tool/budget.ts'
import { events, record, type SetUp, setUp, succeed } from './set-up.ts'

const VERSION = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities'
const SERVER = { 'io.modelcontextprotocol/serverInfo': { name: 'switchboard', title: 'Switchboard', version: '1.2.3' } }
const ECHO = { name: 'echo', arguments: { a: 1 } }
const body = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) })

describe('the legacy revisions', () => {
  it.each(['2024-10-07', '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
    'accept a client of %s',
    async (version) => {
      const answer = await setUp().legacy('initialize', { protocolVersion: version, capabilities: {}, clientInfo: {} })
      expect(await body(answer)).toEqual({
        status: 200,
        jsonrpc: '2.0',
        id: 1,
        result: {
          protocolVersion: version,
          capabilities: { tools: {} },
          serverInfo: SERVER['io.modelcontextprotocol/serverInfo'],
          instructions: expect.stringContaining('Switchboard gives you 1 tool of 1 toolkit.'),
        },
      })
      expect(answer.headers.get('mcp-session-id')).toBeNull()
    },
  )

  it.each(['2026-07-28', '1999-01-01', undefined])(
    'offer the newest revision to a client of %s',
    async (protocolVersion) => {
      const answer = await setUp().legacy('initialize', { protocolVersion })
      expect(await body(answer)).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
    },
  )

  it('respond to ping, and report unknown methods', async () => {
    const { legacy } = setUp()
    expect(await body(await legacy('ping'))).toEqual({ status: 200, jsonrpc: '2.0', id: 1, result: {} })
    for (const method of ['server/discover', 'resources/list', 'logging/setLevel']) {
      expect(await body(await legacy(method))).toMatchObject({ status: 200, error: { code: -32601 } })
    }
  })

  it('accept notifications and responses without a response body', async () => {
    const { request } = setUp()
    for (const message of [
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } },
      { jsonrpc: '2.0', id: 7, result: {} },
      { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'no' } },
    ]) {
      const answer = await request(message)
      expect(answer.status).toBe(202)
      expect(await answer.text()).toBe('')
    }
  })

  it('accept calls without initialize, with and without a version header, and refuse an unknown version', async () => {
    const { legacy } = setUp()
    for (const version of [undefined, '2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25']) {
      const answer = await legacy('tools/call', ECHO, { headers: { 'mcp-protocol-version': version } })
      expect(await body(answer)).toMatchObject({ status: 200, result: { structuredContent: { a: 1 } } })
    }
    const unknown = await legacy('tools/call', ECHO, { headers: { 'mcp-protocol-version': '2099-01-01' } })
    expect(await body(unknown)).toMatchObject({
      status: 400,
      error: { code: -32022, data: { requested: '2099-01-01' } },
    })
  })

  it('respond to batches, message by message', async () => {
    const { request } = setUp()
    const call = { jsonrpc: '2.0', id: 'b', method: 'tools/call', params: ECHO }
    const answer = await request([
      { jsonrpc: '2.0', id: 'a', method: 'ping' },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      call,
      { id: 3 },
      { jsonrpc: '2.0', id: 4, method: 'nope' },
    ])
    expect(await answer.json()).toMatchObject([
      { id: 'a', result: {} },
      { id: 'b', result: { structuredContent: { a: 1 } } },
      { id: 3, error: { code: -32600 } },
      { id: 4, error: { code: -32601 } },
    ])
    expect((await request([{ jsonrpc: '2.0', method: 'notifications/initialized' }])).status).toBe(202)
    expect(await body(await request([]))).toMatchObject({ status: 400, error: { code: -32600 } })
    expect((await request(Array.from({ length: 101 }, () => call))).status).toBe(400)
  })

  it('respond to a batch within one work budget, and report each message beyond it', async () => {
    const { request, calls } = setUp({
      run(_, { budget }) {
        withinBudget(() => budget.spend(400_000), '')
        return succeed(1)
      },
    })
    const messages = [1, 2, 3, 4, 5].map((id) => ({ jsonrpc: '2.0', id, method: 'tools/call', params: ECHO }))
    const answers: readonly { id: number; error?: object }[] = await (await request(messages)).json()
    expect(answers.map(({ id, error }) => [id, error === undefined])).toEqual([1, 2, 3, 4, 5].map((id) => [id, id < 4]))
    expect(answers[4]?.error).toEqual({ code: -32600, message: expect.stringContaining('send this message by itself') })
    expect(calls).toHaveLength(3)
  })

  it('do not treat a disconnected client as one that cancels', async () => {
    const { legacy, calls } = setUp()
    await legacy('tools/call', ECHO)
    expect(calls[0]?.caller.signal()).toBeUndefined()
    expect(calls[0]?.call.answers).toBeUndefined()
  })
})

describe('2026-07-28', () => {
  it('responds to server/discover', async () => {
    expect(await body(await setUp().modern('server/discover'))).toEqual({
      status: 200,
      jsonrpc: '2.0',
      id: 1,
      result: {
        resultType: 'complete',
        supportedVersions: ['2026-07-28'],
        capabilities: { tools: { listChanged: true } },
        instructions: expect.stringContaining('Switchboard gives you 1 tool of 1 toolkit.'),
        ttlMs: 5000,
        cacheScope: 'private',
        _meta: SERVER,
      },
    })
  })

  it.each([
    ['no _meta version', { meta: { [VERSION]: undefined } }, -32602],
    ['no capabilities', { meta: { [CAPABILITIES]: undefined } }, -32602],
    ['capabilities that are no object', { meta: { [CAPABILITIES]: 1 } }, -32602],
    ['no version header', { headers: { 'mcp-protocol-version': undefined } }, -32020],
    ['another version header', { headers: { 'mcp-protocol-version': '2025-11-25' } }, -32020],
    ['no method header', { headers: { 'mcp-method': undefined } }, -32020],
    ['another method header', { headers: { 'mcp-method': 'tools/list' } }, -32020],
    ['a method header of another case', { headers: { 'mcp-method': 'TOOLS/CALL' } }, -32020],
    ['no name header', { headers: { 'mcp-name': undefined } }, -32020],
    ['another name header', { headers: { 'mcp-name': 'other' } }, -32020],
    ['a broken name header', { headers: { 'mcp-name': '=?base64?%%%?=' } }, -32020],
    [
      'a version nobody knows',
      { meta: { [VERSION]: '2099-01-01' }, headers: { 'mcp-protocol-version': '2099-01-01' } },
      -32022,
    ],
  ])('refuses a request with %s', async (_, given, code) => {
    const { modern, calls } = setUp()
    const answer = await body(await modern('tools/call', ECHO, given))
    expect(answer).toMatchObject({ status: 400, id: 1, error: { code } })
    if (code === -32022) {
      expect(answer).toMatchObject({ error: { data: { supported: ['2026-07-28'], requested: '2099-01-01' } } })
    }
    expect(calls).toEqual([])
  })

  it('accepts a name in Base64, and needs no clientInfo', async () => {
    const name = `=?base64?${btoa('echo')}?=`
    expect((await setUp().modern('tools/call', ECHO, { headers: { 'mcp-name': name } })).status).toBe(200)
  })

  it.each(['ping', 'initialize', 'logging/setLevel', 'resources/subscribe', 'unknown/method'])(
    'has no method %s',
    async (method) => {
      expect(await body(await setUp().modern(method))).toMatchObject({ status: 404, error: { code: -32601 } })
    },
  )

  it('has no batches, and accepts notifications', async () => {
    const { request } = setUp()
    const headers = { 'mcp-protocol-version': '2026-07-28' }
    expect(await body(await request([], headers))).toMatchObject({ status: 400, error: { code: -32600 } })
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled' }
    expect((await request(cancelled, headers)).status).toBe(202)
    expect((await request(cancelled, { ...headers, 'mcp-method': 'other' })).status).toBe(400)
  })
})

describe('the transport', () => {
  it.each(['GET', 'DELETE', 'PUT', 'OPTIONS'])('refuses %s', async (method) => {
    const { app, execution } = setUp()
    const answer = await app.request('/mcp', { method }, {}, execution)
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  })

  it.each([
    ['no JSON', '{', {}, 400, -32700],
    ['no message', '7', {}, 400, -32600],
    ['another jsonrpc', '{"jsonrpc":"1.0","id":1,"method":"ping"}', {}, 400, -32600],
    ['a null id', '{"jsonrpc":"2.0","id":null,"method":"ping"}', {}, 400, -32600],
    ['params that are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', {}, 400, -32600],
    ['no method', '{"jsonrpc":"2.0","id":1}', {}, 400, -32600],
    ['another content type', '{}', { 'content-type': 'text/plain' }, 415, -32600],
    ['a length past the limit', '{}', { 'content-length': '5000000' }, 413, -32600],
  ])('refuses %s', async (_, text, headers, status, code) => {
    const answer = await setUp().request(text, headers)
    expect(answer.headers.get('content-type')).toBe('application/json')
    expect(await body(answer)).toMatchObject({ status, jsonrpc: '2.0', error: { code } })
  })

  it.each([
    ['https://evil.example', 403],
    ['null', 403],
    ['http://localhost', 200],
    ['http://127.0.0.1:5173', 200],
    ['http://localhost.evil.example', 403],
    ['https://named.example', 200],
    ['https://named.example.evil.example', 403],
  ])('responds to a page of %s with %d', async (origin, status) => {
    expect((await setUp().legacy('ping', {}, { headers: { origin } })).status).toBe(status)
  })

  it('responds with 401 without OAuth metadata, and with a time to retry', async () => {
    const stranger = await setUp({ refused: { type: 'unauthenticated', reason: 'Who are you' } }).legacy('ping')
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer realm="switchboard"')
    expect(await body(stranger)).toEqual({
      status: 401,
      jsonrpc: '2.0',
      id: null,
      error: { code: 401, message: 'Who are you. Or go elsewhere. What to copy for each agent is at /docs/agents' },
    })
    const eager = await setUp({ refused: { type: 'rate-limited', retry_after_ms: 1500 } }).legacy('ping')
    expect([eager.status, eager.headers.get('retry-after')]).toEqual([429, '2'])
  })

  it('serves every MCP path, each with its own challenge', async () => {
    const { request } = setUp({ refused: { type: 'unauthenticated', reason: 'Who?' } })
    const refused = await request({ jsonrpc: '2.0', id: 1, method: 'ping' }, {}, '/connect/mcp')
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer realm="elsewhere"'])
    expect(await body(refused)).toMatchObject({ error: { message: expect.not.stringContaining('elsewhere') } })
    const known = setUp()
    const message = { jsonrpc: '2.0', id: 1, method: 'ping' }
    const answers = ['/mcp', '/connect/mcp'].map(async (path) => body(await known.request(message, {}, path)))
    const [one, other] = await Promise.all(answers)
    expect(one).toEqual(other)
    expect(one).toMatchObject({ status: 200, result: {} })
  })

  it.each([undefined, 'application/json', '*/*'])('tolerates Accept: %s', async (accept) => {
    expect((await setUp().legacy('tools/call', ECHO, { headers: { accept } })).status).toBe(200)
  })
})

describe('tools/list', () => {
  const none: object = { implementation: undefined }
  const records = [
    record('b', { output: { type: 'object' }, title: 'B', annotations: { readOnlyHint: true }, _meta: { x: 1 } }),
    record('a', { output: { type: 'array', items: { $ref: '#/$defs/i' }, $defs: { i: { type: 'string' } } } }),
    record('hidden', { ...none }),
    record('n', { output: null }),
  ]

  it('gives all fields of a tool, in the order of the catalog, with a time to live', async () => {
    const { result } = (await (await setUp({ records }).modern('tools/list')).json()) as { result: object }
    expect(result).toMatchObject({
      resultType: 'complete',
      nextCursor: 'more',
      ttlMs: 5000,
      cacheScope: 'private',
      _meta: SERVER,
    })
    const { tools } = result as { tools: { name: string }[] }
    expect(tools.map(({ name }) => name)).toEqual(['b', 'a', 'n'])
    expect(tools[0]).toEqual({
      name: 'b',
      title: 'B',
      description: 'What b does',
      inputSchema: { type: 'object', properties: {} },
      outputSchema: { type: 'object' },
      annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: true },
      _meta: { 'x': 1, 'dev.switchboard/id': 'Kit.b@1.0.0' },
    })
    expect(tools[1]).toMatchObject({ outputSchema: { type: 'array' } })
    expect(tools[2]).not.toHaveProperty('outputSchema')
  })

  it('wraps non-object outputs for legacy clients, and rewrites references', async () => {
    const { result } = (await (await setUp({ records }).legacy('tools/list')).json()) as { result: { tools: object[] } }
    expect(Object.keys(result)).toEqual(['tools', 'nextCursor'])
    expect(result.tools[1]).toMatchObject({
      outputSchema: {
        type: 'object',
        required: ['result'],
        properties: {
          result: { type: 'array', items: { $ref: '#/properties/result/$defs/i' }, $defs: { i: { type: 'string' } } },
        },
      },
    })
  })

  it('requests a thousand tools, continues at a cursor, and refuses other values', async () => {
    const { legacy, list } = setUp()
    await legacy('tools/list')
    expect(list.mock.calls[0]?.[0]).toMatchObject({ limit: 1000, versions: 'newest' })
    expect(await body(await legacy('tools/list', { cursor: 'more' }))).not.toHaveProperty('result.nextCursor')
    for (const cursor of ['bad', 7, 'x'.repeat(1000)]) {
      expect(await body(await legacy('tools/list', { cursor }))).toMatchObject({ status: 200, error: { code: -32602 } })
    }
  })

  it('needs the scope tools:read', async () => {
    const principal: Principal = { ...ADMIN, scopes: ['tools:call'] }
    expect(await body(await setUp({ principal }).legacy('tools/list'))).toMatchObject({
      status: 403,
      error: { code: 403 },
    })
  })
})

describe('a toolset', () => {
  const records = [record('a'), record('b'), record('c', { toolkit: 'Other' })]
  const names = async (answer: Response) => {
    const { result } = (await answer.json()) as { result: { tools: { name: string }[] } }
    return result.tools.map(({ name }) => name)
  }

  it.each([
    ['toolkits=Kit', ['a', 'b']],
    ['toolkits=Kit,Other', ['a', 'b', 'c']],
    ['tools=Kit.b,Other.c', ['b', 'c']],
    ['tools=Kit.b&tools=c', ['b', 'c']],
    ['tools=Kit.*', ['a', 'b']],
    ['tools=', []],
  ])('?%s lists %j, and calls no other tool', async (query, expected) => {
    const { legacy } = setUp({ records })
    const path = `/mcp?${query}`
    expect(await names(await legacy('tools/list', {}, { path }))).toEqual(expected)
    for (const { name } of records) {
      const answer = await body(await legacy('tools/call', { name, arguments: {} }, { path }))
      if (expected.includes(name)) expect(answer).toHaveProperty('result')
      else expect(answer).toMatchObject({ error: { code: -32602 } })
    }
  })

  it('never shows more than the principal may see', async () => {
    const principal: Principal = { ...ADMIN, kind: 'key', tools: ['Kit.a'] }
    const { legacy, list, calls } = setUp({ records, principal })
    expect(await names(await legacy('tools/list', {}, { path: '/mcp?toolkits=Kit' }))).toEqual(['a'])
    expect(list.mock.calls[0]?.[1].tools).toEqual(['Kit.a'])
    await legacy('tools/call', { name: 'a' }, { path: '/mcp?toolkits=Kit' })
    expect(calls[0]?.caller.principal).toBe(principal)
  })

  it.each([
    ['tools=Kit.a,Kit.x', 'Kit.x', "did you mean 'Kit'?"],
    ['toolkits=Kit&tools=Kit.hidden', 'Kit.hidden', "did you mean 'Kit'?"],
    ['tools=Kit.a,x', 'x', "did you mean 'a', 'b'?"],
    ['tools=hidden', 'hidden', "did you mean 'a', 'b'?"],
    ['mode=search&tools=hidden', 'hidden', "did you mean 'a', 'b'?"],
  ])(
    '?%s is refused with suggestions, since it names a tool that the client cannot see',
    async (query, name, others) => {
      const principal: Principal = { ...ADMIN, kind: 'key', tools: ['Kit.a', 'Kit.b'] }
      const { legacy, list } = setUp({ records: [...records, record('hidden')], principal })
      expect(await body(await legacy('tools/list', {}, { path: `/mcp?${query}` }))).toMatchObject({
        error: { code: -32602, message: `There is no tool '${name}' here: ${others}` },
      })
      expect(list.mock.calls.every(([{ q }]) => q === name)).toBe(true)
    },
  )

  it('without callable tools lists none, and says so in a header', async () => {
    const { legacy, list } = setUp({ records })
    list.mockResolvedValue({ lines: [''] })
    const noteOf = async (params: Record<string, unknown>, path: string) => {
      const answer = await legacy('tools/list', params, { path })
      const note = answer.headers.get('switchboard-note')
      expect(await names(answer)).toEqual([])
      return note
    }
    expect(await noteOf({}, '/mcp?tools=Kit.a')).toMatch(/^No selected tool can be called: /)
    expect(await noteOf({ cursor: 'last' }, '/mcp?tools=Kit.a')).toBeNull()
    expect(await noteOf({}, '/mcp')).toBeNull()
  })

  it.each(['mode=find', 'toolkits=a%20b', 'tools=K*t.*', 'tools=*', 'tools=Kit.a@1'])('refuses ?%s', async (query) => {
    expect((await setUp().legacy('ping', {}, { path: `/mcp?${query}` })).status).toBe(400)
  })

  it.each([
    ['toolkit=Kit', 'toolkits'],
    ['mode=search&tool=Kit.a', 'tools'],
  ])('?%s is refused with a hint at the right parameter, instead of listing everything', async (query, name) => {
    const answer = await body(await setUp().legacy('tools/list', {}, { path: `/mcp?${query}` }))
    expect(answer).toMatchObject({ status: 400, error: { message: expect.stringContaining(`(meant '${name}'?)`) } })
  })

  it('refuses unknown and repeated parameters', async () => {
    for (const query of ['utm_source=x', 'mode=search&mode=search']) {
      expect((await setUp().legacy('tools/list', {}, { path: `/mcp?${query}` })).status).toBe(400)
    }
    const both = { path: '/mcp?toolkits=Kit&toolkits=Other' }
    expect((await setUp().legacy('tools/list', {}, both)).status).toBe(200)
  })
})

describe('a call of an unknown tool', () => {
  const NONE = "Unknown tool: 'ehco': there is none, or you may not use it"
  const unknown = fail({ type: 'tool-unknown', ref: 'ehco', suggestions: [] })
  const called = async (given: Partial<SetUp>, path = '/mcp') =>
    body(await setUp({ run: () => unknown, ...given }).legacy('tools/call', { name: 'ehco', arguments: {} }, { path }))

  it('gets suggestions if the caller may list tools', async () => {
    const message = "Unknown tool: 'ehco': did you mean 'echo'?"
    for (const path of ['/mcp', '/mcp?toolkits=Kit']) {
      expect(await called({}, path)).toMatchObject({ error: { code: -32602, message } })
    }
    expect(await called({ records: [] })).toMatchObject({ error: { message: NONE } })
    const principal: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:call'] }
    expect(await called({ principal })).toMatchObject({ error: { message: NONE } })
  })

  it('gets no suggestions while they cannot be looked up', async () => {
    const { legacy, near } = setUp({ run: () => unknown })
    near.mockRejectedValue(new UnreachableError('Out of reach'))
    const answer = await body(await legacy('tools/call', { name: 'ehco', arguments: {} }))
    expect(answer).toMatchObject({ error: { code: -32602, message: NONE } })
  })

  it('explains the search tools in search mode', async () => {
    expect(await called({}, '/mcp?mode=search')).toMatchObject({
      error: { message: "Unknown tool: 'ehco': search_tools finds tools, and call_tool calls them" },
    })
  })
})

describe('?mode=search', () => {
  const path = '/mcp?mode=search'
  const call = (name: string, args: object) => ({ name, arguments: args })
  /** Parses the only text of a result. */
  const once = (answer: object): unknown => {
    const { result } = answer as { result: { content: [{ text: string }] } }
    expect(Object.keys(result)).toEqual(['content'])
    return JSON.parse(result.content[0].text)
  }

  it('lists three tools, which search, describe and call', async () => {
    const { legacy, calls } = setUp({ records: [record('echo'), record('other')] })
    const listed = (await (await legacy('tools/list', {}, { path })).json()) as {
      result: { tools: { name: string }[] }
    }
    expect(listed.result.tools.map(({ name }) => name)).toEqual(['search_tools', 'describe_tool', 'call_tool'])
    const found = await body(await legacy('tools/call', call('search_tools', { query: 'echo' }), { path }))
    expect(once(found)).toMatchObject({ tools: [{ name: 'echo' }, { name: 'other' }] })
    const described = await body(await legacy('tools/call', call('describe_tool', { name: 'echo' }), { path }))
    expect(once(described)).toMatchObject({ name: 'echo', inputSchema: { type: 'object' } })
    const called = await body(await legacy('tools/call', call('call_tool', ECHO), { path }))
    expect(called).toMatchObject({ result: { structuredContent: { a: 1 } } })
    expect(calls[0]?.call).toMatchObject({ toolRef: toNameRef('echo'), input: { a: 1 } })
  })

  it('describes only tools within the key and the URL', async () => {
    const records = [record('a'), record('b'), record('c', { toolkit: 'Other', securityLevel: 1 })]
    const described = async (principal: Principal, name: string, query = '') => {
      const { legacy } = setUp({ records, principal })
      const answer = await legacy('tools/call', call('describe_tool', { name }), { path: `${path}${query}` })
      const { result } = (await answer.json()) as { result: { isError?: true; content: [{ text: string }] } }
      return result.isError ? result.content[0].text : JSON.parse(result.content[0].text)
    }
    const key: Principal = {
      ...ADMIN,
      id: 'key:1',
      kind: 'key',
      scopes: ['tools:read', 'tools:call'],
      tools: ['Kit.a'],
    }
    const unknown = (name: string, ...near: readonly string[]) =>
      `Unknown tool: '${name}': did you mean ${near.map((each) => `'${each}'`).join(', ')}?`
    expect(await described(key, 'a')).toMatchObject({ name: 'a' })
    expect(await described(key, 'b')).toBe(unknown('b', 'a'))
    expect(await described(key, 'nope')).toBe(unknown('nope', 'a'))
    expect(await described(ADMIN, 'b', '&toolkits=Kit')).toMatchObject({ name: 'b' })
    expect(await described(ADMIN, 'c', '&toolkits=Kit')).toBe(unknown('c', 'a', 'b'))
    expect(await described(ANONYMOUS, 'b')).toMatchObject({ name: 'b' })
    expect(await described(ANONYMOUS, 'c')).toContain("Unknown tool: 'c'")
  })

  it('reports invalid arguments, and calls no other tool', async () => {
    const { legacy } = setUp()
    for (const wrong of [
      call('search_tools', { query: 1 }),
      call('search_tools', { query: 'x', limit: 0 }),
      call('describe_tool', {}),
      call('describe_tool', { name: 'nope' }),
      call('call_tool', {}),
      call('call_tool', { name: 'echo', arguments: 1 }),
    ]) {
      expect(await body(await legacy('tools/call', wrong, { path }))).toMatchObject({ result: { isError: true } })
    }
    expect(await body(await legacy('tools/call', ECHO, { path }))).toMatchObject({ error: { code: -32602 } })
  })
})

describe('tools/call', () => {
  it('passes on the fields in the _meta of a call', async () => {
    const { legacy, calls } = setUp()
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const meta = { 'dev.switchboard/version': '^1.2', 'dev.switchboard/call_id': 'c1', traceparent }
    await legacy('tools/call', ECHO, { meta, headers: { 'x-user-id': 'u1' } })
    expect(calls[0]?.call).toMatchObject({
      toolRef: toNameRef('echo', '^1.2'),
      callId: 'c1',
      context: { userId: 'u1' },
      input: { a: 1 },
    })
    expect(calls[0]?.caller.traceparent).toBe(traceparent)
    await legacy('tools/call', { name: 'echo' }, { headers: { traceparent } })
    expect(calls[1]?.call.input).toEqual({})
    expect(calls[1]?.caller.traceparent).toBe(traceparent)
  })

  it.each([
    [{ arguments: {} }],
    [{ name: 7 }],
    [{ name: 'echo', arguments: [] }],
    [{ name: 'echo', _meta: 1 }],
    [{ name: 'echo', _meta: { progressToken: {} } }],
    [{ name: 'echo', _meta: { 'dev.switchboard/call_id': '' } }],
    [{ name: 'echo', _meta: { 'dev.switchboard/version': 1 } }],
    [{ name: 'echo', inputResponses: null }],
    [{ name: 'echo', inputResponses: { a: 1 } }],
    [{ name: 'echo', requestState: 1 }],
  ])('refuses the params %j', async (params) => {
    expect(await body(await setUp().legacy('tools/call', params))).toMatchObject({
      status: 200,
      error: { code: -32602 },
    })
  })

  const kinds = {
    object: { type: 'object' },
    value: { type: ['array', 'number', 'string', 'null'] },
    any: {},
    none: null,
  } as const
  it.each([
    ['object', { a: 1 }, '{"a":1}', { a: 1 }, { a: 1 }],
    ['value', [1], '[1]', [1], { result: [1] }],
    ['value', 'text', 'text', 'text', { result: 'text' }],
    ['value', null, 'null', null, { result: null }],
    ['any', { a: 1 }, '{"a":1}', { a: 1 }, { a: 1 }],
    ['any', 7, '7', 7, undefined],
    ['any', null, 'null', undefined, undefined],
    ['none', null, 'null', undefined, undefined],
  ] as const)('gives a value of an output of kind %s: %j', async (kind, value, text, modernValue, legacyValue) => {
    const { modern, legacy } = setUp({ records: [record('echo', { output: kinds[kind] })], run: () => succeed(value) })
    const content = [{ type: 'text', text }]
    const structured = (given: unknown) => (given === undefined ? {} : { structuredContent: given })
    expect(await (await modern('tools/call', ECHO)).json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { resultType: 'complete', content, ...structured(modernValue), _meta: SERVER },
    })
    expect(await (await legacy('tools/call', ECHO)).json()).toEqual({
      jsonrpc: '2.0',
      id: 1,
      result: { content, ...structured(legacyValue) },
    })
  })

  it('passes content on, and adds links to artifacts', async () => {
    const content = [{ type: 'image', data: 'AA==', mimeType: 'image/png' } as const]
    const shown = setUp({ run: () => ({ ok: true, value: null, content }) })
    expect(await body(await shown.legacy('tools/call', ECHO))).toMatchObject({ result: { content } })
    expect(await body(await shown.modern('tools/call', ECHO))).not.toHaveProperty('result.structuredContent')
    const artifact = { url: 'https://x.example/a', content_type: 'a/b', size: 1, meta: { description: 'An a' } }
    const large = setUp({ run: () => ({ ok: true, value: null, artifact }) })
    expect(await body(await large.legacy('tools/call', ECHO))).toMatchObject({
      result: { content: [{ type: 'resource_link', uri: 'https://x.example/a', name: 'An a', mimeType: 'a/b' }] },
    })
  })
})

describe('messages while a call runs', () => {
  const reporting = setUp({
    run: async (_, { progress, log }) => {
      log?.('a line')
      for (const step of [0, 50, 100]) progress?.({ progress: step, total: 100, message: `at ${step}` })
      return succeed(1)
    },
  })

  it.each(['legacy', 'modern'] as const)('report progress to %s clients that ask', async (revision) => {
    const answer = await reporting[revision]('tools/call', ECHO, { meta: { progressToken: 'p' } })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    expect(answer.headers.get('x-accel-buffering')).toBe('no')
    const messages = await events(answer)
    expect(messages.slice(0, -1)).toEqual(
      [0, 50, 100].map((progress) => ({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 'p', progress, total: 100, message: `at ${progress}` },
      })),
    )
    expect(messages.at(-1)).toMatchObject({ id: 1, result: { content: [{ text: '1' }] } })
  })

  it('are not sent without a request, or to a client that does not accept streams', async () => {
    const json = async (answer: Promise<Response>) => (await answer).headers.get('content-type')
    expect(await json(reporting.modern('tools/call', ECHO))).toBe('application/json')
    const meta = { progressToken: 1 }
    for (const [accept, type] of [
      ['application/json', 'application/json'],
      ['application/json, text/event-stream;q=0', 'application/json'],
      ['*/*', 'text/event-stream'],
    ] as const) {
      const answer = reporting.legacy('tools/call', ECHO, { meta, headers: { accept } })
      expect(await json(answer)).toBe(type)
    }
    expect(await json(setUp().modern('tools/call', ECHO, { meta }))).toBe('application/json')
  })

  it.each([
    ['debug', true],
    ['info', true],
    ['warning', false],
  ])('send logs at %s: %j', async (level, sent) => {
    const answer = await reporting.modern('tools/call', ECHO, { meta: { 'io.modelcontextprotocol/logLevel': level } })
    const messages = sent ? await events(answer) : [await answer.json()]
    const log = { method: 'notifications/message', params: { level: 'info', logger: 'echo', data: 'a line' } }
    if (sent) expect(messages[0]).toMatchObject(log)
    expect(messages).toHaveLength(sent ? 2 : 1)
  })

  it('end with the failure if the call fails', async () => {
    const failing = setUp({
      run: async (_, { progress }) => {
        progress?.({ progress: 1 })
        return fail({ type: 'tool-unknown', ref: 'x', suggestions: [] })
      },
    })
    const messages = await events(await failing.modern('tools/call', ECHO, { meta: { progressToken: 1 } }))
    expect(messages.at(-1)).toMatchObject({ id: 1, error: { code: -32602 } })
  })

  it('stop the tool when the stream is closed, and not before', async () => {
    const { modern, calls } = setUp({
      run: (_, { progress }) => {
        progress?.({ progress: 1 })
        return new Promise(() => {})
      },
    })
    const answer = await modern('tools/call', ECHO, { meta: { progressToken: 1 } })
    const signal = calls[0]?.caller.signal()
    expect(signal?.aborted).toBe(false)
    await answer.body?.cancel()
    expect(signal?.aborted).toBe(true)
    expect(signal?.reason).toMatchObject({ name: 'AbortError', message: 'The caller went away' })
  })

  it('stop the tool when the request is aborted', async () => {
    const { modern, calls } = setUp()
    const controller = new AbortController()
    await modern('tools/call', ECHO, { init: { signal: controller.signal } })
    const signal = calls[0]?.caller.signal()
    expect(signal?.aborted).toBe(false)
    controller.abort()
    expect(signal?.aborted).toBe(true)
  })
})
