import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import type { ImportRequest } from '../../src/core/publish/import.ts'
import { APP_TOOLS } from '../e2e/apps-world.ts'
import { type Upstream, startUpstream } from '../upstream.ts'
import { type McpUpstream, startMcpServer, type UpstreamTool } from '../runners/remote/mcp-server.ts'
import { importerOf } from '../runners/remote/set-up.ts'
import { upstreamTools } from '../runners/remote/tools.ts'
import { readAll } from './reading.ts'

const tool = (name: string, more: object = {}): UpstreamTool => ({
  definition: { name, description: 'A tool', inputSchema: { type: 'object' }, ...more },
  call: () => ({ content: [] }),
})

describe.each(['legacy', 'modern'] as const)('a %s MCP server', (era) => {
  let upstream: McpUpstream
  beforeAll(async () => {
    upstream = await startMcpServer(era, upstreamTools().tools)
  })
  afterAll(() => upstream.close())
  const read = (more: Partial<ImportRequest> = {}) =>
    readAll(importerOf('mcp', upstream.host), { source: upstream.url, ...more })

  test(`a ${era} MCP server gives each of its tools, from all pages, and its version`, async () => {
    const { tools, skipped, version } = await read()
    expect(skipped).toEqual([])
    expect(version).toBe('2.1.0')
    const names = tools.map(({ definition, implementation }) => [definition.tool, implementation['tool']])
    expect(names).toEqual([
      ['add', 'add'],
      ['text_greet', 'text.greet'],
      ...['picture', 'fail', 'steps', 'wait', 'headers'].map((name) => [name, name]),
    ])
    expect(tools[0]).toMatchObject({
      definition: {
        toolkit: 'There',
        name: 'add',
        title: 'Addition',
        output: { type: 'object', required: ['sum'] },
        annotations: { readOnlyHint: true },
        requirements: { secrets: [], authorization: [], user_id: false },
      },
      implementation: { kind: 'remote', protocol: 'mcp', url: upstream.url, tool: 'add' },
      dialect: 'mcp',
      document: { name: 'add' },
    })
  })

  test(`a ${era} MCP server gives only the selected tools`, async () => {
    const { tools } = await read({ isSelected: (name) => name === 'text_greet' })
    expect(tools.map(({ definition }) => definition.tool)).toEqual(['text_greet'])
  })

  test(`a ${era} MCP server receives the credentials, and its tools require them`, async () => {
    const asked: string[] = []
    const secret = (id: string) => {
      asked.push(id)
      return { value: 's3cret-value' }
    }
    const credentials = { secret: 'UPSTREAM_KEY' }
    const { tools } = await read({ secret, options: { credentials, timeout_ms: 5_000 } })
    expect(asked).toEqual(['UPSTREAM_KEY'])
    expect(upstream.headers.at(-1)).toMatchObject({ authorization: 'Bearer s3cret-value' })
    expect(tools[0]).toMatchObject({
      definition: { requirements: { secrets: [{ id: 'UPSTREAM_KEY' }] } },
      implementation: {
        credentials: [{ secret: 'UPSTREAM_KEY', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
        timeout_ms: 5_000,
      },
    })
    expect(JSON.stringify(tools)).not.toContain('s3cret')
  })

  test(`a ${era} MCP server is not requested with a secret that is not available`, async () => {
    upstream.arrived.length = 0
    const { problems } = await read({ options: { credentials: [{ secret: 'ADMIN_KEY' }] } })
    expect(problems).toEqual([{ path: '/credentials', message: "No secret 'ADMIN_KEY' in this test" }])
    expect(upstream.arrived).toEqual([])
  })

  test(`a ${era} MCP server receives tokens of users in calls, and is listed without`, async () => {
    const credentials = [{ authorization: 'github', scopes: ['repo'] }]
    const { tools } = await read({ options: { credentials } })
    const authorization = [{ id: 'github', oauth2: { scopes: ['repo'] } }]
    expect(tools[0]?.definition.requirements).toEqual({ authorization, secrets: [], user_id: false })
  })
})

describe('the tools of a server', () => {
  let upstream: McpUpstream
  beforeAll(async () => {
    upstream = await startMcpServer('modern', [])
  })
  afterAll(() => upstream.close())
  const read = (...tools: UpstreamTool[]) => {
    upstream.tools = tools
    return readAll(importerOf('mcp', upstream.host), { source: upstream.url })
  }
  const names = async (...remoteName: string[]) => {
    const { tools } = await read(...remoteName.map((name) => tool(name)))
    return Object.fromEntries(tools.map(({ definition, implementation }) => [implementation['tool'], definition.tool]))
  }

  test('the tools of a server have names with the characters of ids, whatever their own names', async () => {
    expect(await names('a.b', 'c d/e', 'ünïcödé', 'x'.repeat(100))).toEqual({
      'a.b': 'a_b',
      'c d/e': 'c_d_e',
      'ünïcödé': expect.stringMatching(/^[A-Za-z0-9_-]{1,64}$/),
      ['x'.repeat(100)]: expect.stringMatching(/^x{50,}_[0-9a-f]{8}$/),
    })
  })

  test('the tools of a server have distinct names, in any order', async () => {
    const one = await names('a.b', 'a_b', 'a b')
    expect(one['a_b']).toBe('a_b')
    expect(new Set(Object.values(one)).size).toBe(3)
    expect(await names('a b', 'a_b', 'a.b')).toEqual(one)
  })

  test('the tools of a server that are invalid are skipped with the reason, and the others are imported', async () => {
    const broken = [
      tool('no-schema', { inputSchema: 'none' }),
      tool('list', { inputSchema: { type: 'array' } }),
      tool('hints', { annotations: { readOnlyHint: 'yes' } }),
      tool(''),
      tool('fine'),
      tool('fine'),
    ]
    const raw = await startUpstream(({ body }, response) => {
      const { id, method } = JSON.parse(body)
      const found = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
      const result = method === 'tools/list' ? { tools: [...broken.map(({ definition }) => definition), 7] } : found
      response.setHeader('content-type', 'application/json')
      const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...result, ...common } }))
    })
    try {
      const { tools, skipped } = await readAll(importerOf('mcp', raw.host), { source: raw.origin })
      expect(tools.map(({ definition }) => definition.tool)).toEqual(['fine'])
      expect(skipped.map(({ name, reason }) => [name, reason])).toEqual(
        expect.arrayContaining([
          ['no-schema', expect.stringContaining('/inputSchema')],
          ['list', expect.stringContaining("'object'")],
          ['hints', expect.stringContaining('/annotations/readOnlyHint')],
          ['tool 3', expect.stringContaining('name')],
          ['fine', 'The server lists it twice'],
          ['tool 6', expect.stringContaining('object')],
        ]),
      )
    } finally {
      await raw.close()
    }
  })

  test('the tools of a server lose what cannot be stored, with a warning', async () => {
    const inputSchema = { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } }
    const icons = [{ src: 'http://example.com/icon.png' }]
    const _meta = { 'dev.switchboard/id': 'Their.Tool@1.0.0', 'com.example/kept': 1 }
    const { tools } = await read(tool('all', { inputSchema, icons, _meta }))
    expect(tools[0]?.definition).toMatchObject({
      input: { properties: { region: { type: 'string' } } },
      _meta: { 'com.example/kept': 1 },
    })
    expect(JSON.stringify(tools[0]?.definition)).not.toMatch(/x-mcp-header|dev\.switchboard|icon/)
    expect(tools[0]?.warnings).toEqual(['Its icons are left out: they must be https or data URLs'])
    expect(tools[0]?.document).toMatchObject({ inputSchema })
  })
})

describe('a misbehaving server', () => {
  let server: Upstream | undefined
  afterEach(() => server?.close())
  const listing = async (page: (cursor: string | undefined) => object) => {
    server = await startUpstream(({ body }, response) => {
      const { id, method, params } = JSON.parse(body)
      response.setHeader('content-type', 'application/json')
      const found = { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
      const result = method === 'tools/list' ? page(params?.cursor) : found
      const common = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { ...common, ...result } }))
    })
    return readAll(importerOf('mcp', server.host), { source: server.origin })
  }
  const many = (count: number) => Array.from({ length: count }, (_, index) => tool(`t${index}`).definition)

  test.each<[string, (cursor: string | undefined) => object, string]>([
    ['lists 10,000 tools', () => ({ tools: many(10_000) }), 'more than 5000 tools'],
    ['never ends', (cursor) => ({ tools: [], nextCursor: String(Number(cursor ?? 0) + 1) }), 'more than 100 pages'],
    ['goes in a circle', () => ({ tools: [], nextCursor: 'again' }), 'a cursor twice'],
    ['lists 1 MB a tool', (cursor) => ({ tools: [{ name: 'x'.repeat(1e6) }], nextCursor: `${cursor}x` }), 'bytes'],
    ['lists no list', () => ({ tools: 'many' }), 'not MCP'],
  ])('a misbehaving server %s', async (_, page, said) => {
    const { problems } = await listing(page)
    expect(problems).toEqual([{ path: '/from/mcp', message: expect.stringContaining(said) }])
  })

  test('a misbehaving server that is not an MCP server, or does not exist, is reported', async () => {
    server = await startUpstream((_, response) => void response.writeHead(404).end('Not here'))
    const importer = importerOf('mcp', server.host, '127.0.0.1:9')
    const found = await readAll(importer, { source: server.origin })
    expect(found.problems).toEqual([{ path: '/from/mcp', message: expect.stringContaining('404 Not Found') }])
    const gone = await readAll(importer, { source: 'http://127.0.0.1:9/' })
    expect(gone.problems).toEqual([{ path: '/from/mcp', message: 'Cannot reach "http://127.0.0.1:9"' }])
  })
})

test.each<[string, Partial<ImportRequest>, string]>([
  ['a document', { source: { tools: [] } }, '/from/mcp'],
  ['no URL', { source: 'example.com' }, '/from/mcp'],
  ['a private address', { source: 'http://169.254.169.254/mcp' }, '/from/mcp'],
  ['an unknown option', { options: { verify: false } }, '/verify'],
  ['a user to pass on', { options: { pass_user: true } }, '/pass_user'],
  ['a credential of no kind', { options: { credentials: [{ token: 'x' }] } }, '/credentials/0/token'],
  [
    'a credential in the path',
    { options: { credentials: [{ secret: 'A', in: 'path', name: 'a' }] } },
    '/credentials/0/in',
  ],
])('an import refuses %s', async (_, request, path) => {
  const given = { source: 'https://example.com/mcp', secret: () => ({ value: 'v' }), ...request }
  const { problems } = await readAll(importerOf('mcp'), given)
  expect(problems.map((each) => each.path)).toContain(path)
})

test.each(['mcp', 'oxp'] as const)(
  'an import from a host that is not allowed explains how to allow it: %s',
  async (kind) => {
    const { problems } = await readAll(importerOf(kind), { source: 'http://127.0.0.1:9/' })
    expect(problems[0]?.message).toContain('ALLOW_HTTP_HOSTS=127.0.0.1:9')
  },
)

test('the tools of a server that never returns their pages are imported', async () => {
  const server = await startMcpServer('modern', APP_TOOLS)
  const never = new Promise<object>(() => undefined)
  server.resources = { 'ui://clock/page.html': never, 'ui://clock/older.html': never }
  const { timeout } = AbortSignal
  const isLong = (ms: number) => ms === 20_000
  const spied = vi
    .spyOn(AbortSignal, 'timeout')
    .mockImplementation((ms) => timeout.call(AbortSignal, isLong(ms) ? 200 : ms))
  try {
    const { tools } = await readAll(importerOf('mcp', server.host), { source: server.url })
    expect(tools.map(({ implementation }) => implementation['tool'])).toEqual(
      APP_TOOLS.map((each) => each.definition.name),
    )
    expect(spied.mock.calls.flat().filter(isLong)).toHaveLength(1)
    expect(JSON.stringify(tools)).not.toContain('"digest"')
  } finally {
    spied.mockRestore()
    await server.close()
  }
})
