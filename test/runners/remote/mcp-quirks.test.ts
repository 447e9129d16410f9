import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import { type Arrived, startUpstream } from '../../upstream.ts'
import { readAll } from '../../importers/reading.ts'
import { callRemote, importerOf, upstreamDeps } from './set-up.ts'

type Answer = (request: Arrived, response: ServerResponse) => void

interface Message {
  readonly id: unknown
  readonly method: string
}

const TOOL = { name: 'any', inputSchema: { type: 'object' } }
const INITIALIZED = {
  protocolVersion: '2025-06-18',
  capabilities: { tools: {} },
  serverInfo: { name: 'odd', version: '1' },
}
const CALLED = { content: [{ type: 'text', text: 'It ran' }] }
const json = (response: ServerResponse, body: unknown) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
const stream = (response: ServerResponse, body: unknown) =>
  response
    .writeHead(200, { 'content-type': 'text/event-stream' })
    .end(`event: message\ndata: ${JSON.stringify(body)}\n\n`)

interface Odd {
  readonly discover?: Answer
  readonly initialize?: object | Answer
  readonly list?: object
  readonly call?: object | Answer
  readonly send?: typeof json
}

/** A server of before 2026-07-28, of which some answers are other than they should be. */
const oddServer = ({ discover, initialize = INITIALIZED, list = { tools: [TOOL] }, call = CALLED, send = json }: Odd) =>
  startUpstream((request, response) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    const { id, method }: Message = JSON.parse(request.body)
    const answer = (result: object | Answer) =>
      typeof result === 'function'
        ? result(request, response)
        : void send(response, { jsonrpc: '2.0', id, ...('error' in result ? result : { result }) })
    if (method === 'server/discover' && discover) return discover(request, response)
    if (method === 'server/discover') return void response.writeHead(404).end()
    if (method === 'initialize') return answer(initialize)
    if (method === 'tools/list') return answer(list)
    if (method === 'tools/call') return answer(call)
    return void response.writeHead(202).end()
  })

async function using<T>(odd: Odd, work: (url: string, host: string, arrived: Arrived[]) => Promise<T>): Promise<T> {
  const server = await oddServer(odd)
  try {
    return await work(`${server.origin}/mcp`, server.host, server.arrived)
  } finally {
    await server.close()
  }
}

const imported = (odd: Odd) => using(odd, (source, host) => readAll(importerOf('mcp', host), { source }))
const called = (odd: Odd, given: Parameters<typeof callRemote>[2] = {}) =>
  using(odd, (url, host) => callRemote(upstreamDeps(host), { url, tool: 'any' }, given))
const sends = [
  ['JSON', json],
  ['events', stream],
] as const

const empty =
  (status: number): Answer =>
  (_, response) =>
    void response.writeHead(status).end()
test.each<[string, Answer]>([
  ['never answers it', () => undefined],
  [
    'begins a stream and says nothing',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders(),
  ],
  ...[202, 204, 301, 400, 401, 403, 404, 405, 406, 422, 429, 500, 501, 502, 503, 504].map(
    (status): [string, Answer] => [`answers ${status}`, empty(status)],
  ),
  ['answers 200 with nothing', empty(200)],
  [
    'answers 200 with nothing, as JSON',
    (_, response) => void response.writeHead(200, { 'content-type': 'application/json' }).end(),
  ],
  ['answers a page', (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['closes the connection', (_, response) => void response.destroy()],
  [
    'answers an error with another id',
    (_, response) => void json(response, { jsonrpc: '2.0', id: 'x', error: { code: -1, message: '' } }),
  ],
  [
    'answers an error with id null',
    (_, response) => void json(response, { jsonrpc: '2.0', id: null, error: { code: -1, message: '' } }),
  ],
  ['answers null', (_, response) => void json(response, null)],
  [
    'ends a stream of nothing',
    (_, response) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
  ],
])('a server without server/discover that %s is imported and called by initialize', async (_, discover) => {
  const call = await called({ discover }, { implementation: { timeout_ms: 3_000 } })
  expect(call).toMatchObject({ ok: true, value: 'It ran' })
})

test('a server without server/discover is imported by initialize, and later called by it', async () => {
  await using({ discover: (_, response) => void response.writeHead(500).end() }, async (url, host, arrived) => {
    const { tools } = await readAll(importerOf('mcp', host), { source: url })
    expect(tools).toHaveLength(1)
    const deps = upstreamDeps(host)
    await callRemote(deps, { url, tool: 'any' })
    arrived.length = 0
    await callRemote(deps, { url, tool: 'any' })
    expect(arrived.map(({ body }) => body.match(/server\/discover|tools\/call/)?.[0]).filter(Boolean)).toEqual([
      'tools/call',
    ])
  })
})

test('a server without server/discover that refuses both is reported with its 401, from either request', async () => {
  const refuse: Answer = (_, response) => void response.writeHead(401).end()
  const given = {
    discover: (_: unknown, response: ServerResponse) => void response.writeHead(500).end(),
    initialize: refuse,
  }
  expect(await called(given)).toMatchObject({
    failure: { message: expect.stringMatching(/wants other credentials: it answered 401/) },
  })
  const unknown = {
    discover: refuse,
    initialize: (_: unknown, response: ServerResponse) => void response.writeHead(404).end(),
  }
  expect(await called(unknown)).toMatchObject({ failure: { message: expect.stringMatching(/answered 401/) } })
})

describe.each(sends)('null, empty or PHP’s [] for absent fields, in %s,', (name, send) => {
  test.each<[string, object]>([
    ['a cursor that is null', { tools: [TOOL], nextCursor: null }],
    ['a cursor that is empty', { tools: [TOOL], nextCursor: '' }],
    ['a cursor that is 0', { tools: [TOOL], nextCursor: 0 }],
    ['a cursor that is false', { tools: [TOOL], nextCursor: false }],
    ['metadata that is null', { tools: [TOOL], _meta: null }],
    ['metadata that is []', { tools: [TOOL], _meta: [] }],
    [
      'members of a tool',
      { tools: [{ ...TOOL, title: null, annotations: [], _meta: null, outputSchema: null, icons: null }] },
    ],
    ['properties of a schema', { tools: [{ ...TOOL, inputSchema: { type: 'object', properties: [] } }] }],
  ])(`null, empty or PHP’s [] for absent fields, in ${name}, means absent in a list: %s`, async (_, list) => {
    const { tools, skipped } = await imported({ list, send })
    expect([tools.length, skipped]).toEqual([1, []])
  })

  test(`null, empty or PHP’s [] for absent fields, in ${name}, keeps any meaning it has in a schema`, async () => {
    const a = { enum: [null, 1], default: null }
    const inputSchema = { type: 'object', properties: { a, content: { enum: [null] }, nextCursor: false } }
    const { tools } = await imported({ list: { tools: [{ ...TOOL, inputSchema }], nextCursor: null }, send })
    expect(JSON.stringify(tools)).toContain('"enum":[null,1],"default":null')
    expect(JSON.stringify(tools)).toContain('"content":{"enum":[null]},"nextCursor":false')
  })

  test.each<[string, unknown]>([
    ['null', null],
    ['a text of null', { type: 'text', text: null }],
  ])(`null, empty or PHP’s [] for absent fields, in ${name}, leaves the other content: %s`, async (_, block) => {
    const call = { content: [block, ...CALLED.content, block] }
    expect(await called({ call, send })).toEqual({ ok: true, value: 'It ran' })
    expect(await called({ call: { content: [block] }, send })).toMatchObject({ ok: true, value: null })
    expect(await called({ call: { ...call, structuredContent: { content: [block] } }, send })).toMatchObject({
      value: { content: [block] },
    })
  })

  test.each<[string, object]>([
    ['a title', { serverInfo: { name: 'odd', version: '1', title: null } }],
    ['instructions', { instructions: null }],
    ['a capability', { capabilities: { tools: {}, logging: null } }],
    ['a capability that is []', { capabilities: { tools: [], prompts: [] } }],
    ['all capabilities', { capabilities: [] }],
    ['capabilities that are null', { capabilities: null }],
    ['no version', { serverInfo: { name: 'odd' } }],
    ['no server', { serverInfo: null }],
    ['metadata', { _meta: [] }],
  ])(`null, empty or PHP’s [] for absent fields, in ${name}, means absent in initialize: %s`, async (_, more) => {
    const initialize = { ...INITIALIZED, ...more }
    expect(await called({ initialize, send })).toMatchObject({ value: 'It ran' })
    expect((await imported({ initialize, send })).tools).toHaveLength(1)
  })

  test.each<[string, object]>([
    ['structured content', { structuredContent: null }],
    ['whether it failed', { isError: null }],
    ['metadata', { _meta: null }],
    ['metadata that is []', { _meta: [] }],
    [
      'annotations of content',
      { content: [{ type: 'text', text: 'It ran', annotations: null, _meta: null, mimeType: null }] },
    ],
    ['annotations of content that are []', { content: [{ type: 'text', text: 'It ran', annotations: [], _meta: [] }] }],
    [
      'an unknown type of content beside',
      {
        content: [
          { type: 'chart', data: 1 },
          { type: 'text', text: 'It ran' },
        ],
      },
    ],
  ])(`null, empty or PHP’s [] for absent fields, in ${name}, means absent in a result: %s`, async (_, more) => {
    expect(await called({ call: { ...CALLED, ...more }, send })).toMatchObject({ ok: true, value: 'It ran' })
  })

  test(`null, empty or PHP’s [] for absent fields, in ${name}, means absent next to an error or a result`, async () => {
    const error = { code: -32000, message: 'Out of paper', data: null }
    expect(await called({ call: { result: null, error }, send })).toMatchObject({
      failure: { message: expect.stringContaining('Out of paper') },
    })
  })

  test(`null, empty or PHP’s [] for absent fields, in ${name}, keeps its meaning in structured content`, async () => {
    const structuredContent = { a: null, b: [], annotations: [], _meta: null, nextCursor: '' }
    expect(await called({ call: { content: null, structuredContent }, send })).toMatchObject({
      value: structuredContent,
    })
  })

  test(`null, empty or PHP’s [] for absent fields, in ${name}, leaves big integers unchanged`, async () => {
    const text = `{"jsonrpc":"2.0","id":ID,"result":{"_meta":null,"content":[],"structuredContent":{"n":1234567890123456789,"a":null}}}`
    const call: Answer = ({ body }, response) => {
      const message = text.replace('ID', String(JSON.parse(body).id))
      const isJson = send === json
      response.writeHead(200, { 'content-type': isJson ? 'application/json' : 'text/event-stream' })
      response.end(isJson ? message : `data: ${message}\n\n`)
    }
    const result = await called({ call, send })
    expect(result).toMatchObject({ ok: true, value: { a: null } })
    expect(JSON.stringify(result)).toContain('1234567890123456789')
  })

  test(`null, empty or PHP’s [] for absent fields, in ${name}, leaves lists and numbers as structured content`, async () => {
    for (const structuredContent of [[1, 2], [], 7, 'x']) {
      expect(await called({ call: { ...CALLED, structuredContent }, send })).toMatchObject({
        ok: true,
        value: structuredContent,
      })
    }
  })
})

test('a name with other letters becomes the title of its tool', async () => {
  const { tools } = await imported({
    list: { tools: [{ ...TOOL, name: '名前' }, { ...TOOL, name: 'ünï', title: 'Mine' }, TOOL] },
  })
  expect(tools.map(({ definition }) => definition.title)).toEqual(['名前', 'Mine', undefined])
})

test.each(sends)('an error result has its structured content reported, in %s', async (_, send) => {
  const failing = {
    isError: true,
    content: [{ type: 'text', text: 'Bad line' }],
    structuredContent: { code: 7, line: 3 },
  }
  expect(await called({ call: failing, send })).toMatchObject({
    ok: false,
    failure: {
      message: 'Bad line\n{"code":7,"line":3}',
      content: [{ text: 'Bad line' }, { text: '{"code":7,"line":3}' }],
    },
  })
  const echoed = { isError: true, content: [{ type: 'text', text: '{"code":7}' }], structuredContent: { code: 7 } }
  expect(await called({ call: echoed, send })).toMatchObject({ failure: { message: '{"code":7}' } })
  const bare = { isError: true, content: [], structuredContent: { code: 7 } }
  expect(await called({ call: bare, send })).toMatchObject({ failure: { message: '{"code":7}' } })
})

test.each<[string, Answer]>([
  ['is promised with 202', (_, response) => void response.writeHead(202).end()],
  ['does not come with 204', (_, response) => void response.writeHead(204).end()],
  ['comes for another request', (_, response) => void json(response, { jsonrpc: '2.0', id: 'x', result: CALLED })],
])('a result that %s fails at once', async (_, call) => {
  const failed = await called({ call })
  expect(failed).toMatchObject({
    ok: false,
    failure: { message: expect.stringMatching(/before it was complete|is not MCP/) },
  })
})

test('a result of a tool with an output schema is parsed from its text if there is nothing else', async () => {
  const call = (text: string) => ({ call: { content: [{ type: 'text', text }] } })
  const object = { output: { type: 'object' } }
  expect(await called(call('{ "r": "x" }'), object)).toMatchObject({ ok: true, value: { r: 'x' } })
  expect(await called(call('[1]'), { output: { type: 'array' } })).toMatchObject({ ok: true, value: [1] })
  expect(await called(call('{ "r": "x" }'))).toMatchObject({ value: '{ "r": "x" }' })
  expect(await called(call('none'), { output: { type: ['object', 'string'] } })).toMatchObject({ value: 'none' })
})

test('a result of a tool with an output schema is a failure that quotes the text if that does not match', async () => {
  for (const [text, type] of [
    ['3 files were deleted', 'object'],
    ['[1]', 'object'],
    ['{ "r": "x" }', 'array'],
    ['', 'array'],
  ] as const) {
    const call = { content: [{ type: 'text', text }] }
    expect(await called({ call }, { output: { type } })).toEqual({
      ok: false,
      failure: {
        message: `The tool ran, but its text does not match the output schema: ${text}`,
        can_retry: false,
      },
    })
  }
})

describe.each(['\n', '', '\r\n', '\r'])('a stream whose last event ends with %j and no blank line', (end) => {
  const ending =
    (text: (id: unknown) => string): Answer =>
    ({ body }, response) =>
      void response
        .writeHead(200, { 'content-type': 'text/event-stream' })
        .end(`: ping\n\nevent: message\ndata: ${text(JSON.parse(body).id)}${end}`)
  const answer = (result: object) => ending((id) => JSON.stringify({ jsonrpc: '2.0', id, result }))

  test(`a stream whose last event ends with ${end} and no blank line is read to its end, whatever the method`, async () => {
    expect(await called({ call: answer(CALLED) })).toMatchObject({ ok: true, value: 'It ran' })
    expect(await called({ initialize: answer(INITIALIZED) })).toMatchObject({ ok: true, value: 'It ran' })
    // What nobody has said is left out there too
    expect(await called({ call: answer({ ...CALLED, _meta: null }) })).toMatchObject({ ok: true, value: 'It ran' })
  })

  test(`a stream whose last event ends with ${end} and no blank line has no response if it was cut off`, async () => {
    const call = ending((id) => JSON.stringify({ jsonrpc: '2.0', id, result: CALLED }).slice(0, -1))
    expect(await called({ call })).toMatchObject({
      ok: false,
      failure: { message: expect.stringContaining('ended its answer before it was complete') },
    })
  })
})
