import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Client as NewClient, StreamableHTTPClientTransport as NewTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

/**
 * Requests of agent hosts, from their documentation, source and recordings, sent with a key: each must get what it needs to
 * list and call, and nothing that would make it drop the key and start OAuth.
 */

const ADMIN_KEY = 'the-administrator-of-this-test'

let server: RunningServer
let key: string
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  const body = { name: 'a host', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*'], users: [] }
  key = (await server.json('POST', '/keys', body, { authorization: `Bearer ${ADMIN_KEY}` })).body.key
})
afterAll(() => server.stop())

/** One request of a host, and the response that it needs. */
interface Sent {
  readonly what: string
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object
  readonly needs: object
}

/** A host: the headers of all its requests, and its requests in order. */
interface Host {
  readonly name: string
  readonly headers: Readonly<Record<string, string>>
  readonly sends: readonly Sent[]
}

const request = (id: number | string, method: string, params: object = {}) => ({ jsonrpc: '2.0', id, method, params })
const CALL = { name: 'Calculator_Add', arguments: { a: 2, b: 3 } }
const ADDED = { status: 200, body: { result: { content: [{ type: 'text', text: '5' }] } } }
const LISTED = {
  status: 200,
  body: { result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'Calculator_Add' })]) } },
}
const ACCEPTED = { status: 202, body: undefined }
const NOT_A_STREAM = { status: 405, body: { error: { message: expect.stringContaining('wanted POST') } } }
/** "If the server does not support a requested capability": hosts treat this as an empty list. */
const NO_RESOURCES = { status: 200, body: { result: { resources: [] } } }
const NO_SUCH_METHOD = { status: 200, body: { error: { code: -32601 } } }

const initialize = (protocolVersion: string, clientInfo: object, capabilities: object = {}): Sent => ({
  what: `initialize, ${protocolVersion}`,
  body: request(0, 'initialize', { protocolVersion, capabilities, clientInfo }),
  needs: { status: 200, body: { result: { protocolVersion, capabilities: { tools: {} } } } },
})
const initialized = (headers: Readonly<Record<string, string>> = {}): Sent => ({
  what: 'notifications/initialized',
  headers,
  body: { jsonrpc: '2.0', method: 'notifications/initialized' },
  needs: ACCEPTED,
})

/** MCP 2026-07-28, "Standard MCP Request Headers": adds the headers of every request of that revision. */
function modern(
  method: string,
  clientInfo: object,
  params: { readonly name?: string } = {},
): Pick<Sent, 'headers' | 'body'> {
  const { name } = params
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method }
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': clientInfo,
    'io.modelcontextprotocol/clientCapabilities': {},
  }
  return {
    headers: name === undefined ? headers : { ...headers, 'mcp-name': name },
    body: request(`${method}-1`, method, { ...params, _meta }),
  }
}
const discover = (clientInfo: object): Sent => ({
  what: 'server/discover, 2026-07-28',
  ...modern('server/discover', clientInfo),
  needs: { status: 200, body: { result: { supportedVersions: expect.arrayContaining(['2026-07-28']) } } },
})
const BOTH = 'application/json, text/event-stream'
const OF_2025 = { 'mcp-protocol-version': '2025-11-25' }
const UI = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }

const CLAUDE_CODE = { name: 'claude-code', version: '2.1.317' }
const OPENAI = { name: 'openai-mcp', version: '1.0.0' }

const HOSTS: readonly Host[] = [
  {
    name: 'Claude Code 2.1.317',
    headers: { 'user-agent': 'claude-code/2.1.317 (cli)', 'accept': BOTH },
    sends: [
      discover(CLAUDE_CODE),
      { what: 'tools/list', ...modern('tools/list', CLAUDE_CODE), needs: LISTED },
      { what: 'tools/call', ...modern('tools/call', CLAUDE_CODE, CALL), needs: ADDED },
    ],
  },
  {
    name: 'Claude Code 2.1.204',
    headers: { 'user-agent': 'claude-code/2.1.204 (cli)', 'accept': BOTH },
    sends: [
      initialize('2025-11-25', { name: 'claude-code', version: '2.1.204' }, { roots: {}, elicitation: {} }),
      initialized(OF_2025),
      { what: 'a stream', method: 'GET', headers: { accept: 'text/event-stream', ...OF_2025 }, needs: NOT_A_STREAM },
      { what: 'tools/list', headers: OF_2025, body: request(1, 'tools/list'), needs: LISTED },
      { what: 'prompts/list', headers: OF_2025, body: request(2, 'prompts/list'), needs: NO_SUCH_METHOD },
      { what: 'resources/list', headers: OF_2025, body: request(3, 'resources/list'), needs: NO_RESOURCES },
      { what: 'tools/call', headers: OF_2025, body: request(4, 'tools/call', CALL), needs: ADDED },
    ],
  },
  {
    name: 'Claude.ai, with a request header',
    headers: { 'user-agent': 'Claude-User' },
    sends: [
      {
        ...initialize('2025-11-25', { name: 'Anthropic', version: '1.0.0' }),
        what: 'a first look, that takes anything',
        headers: { accept: '*/*', ...OF_2025 },
      },
      { ...initialize('2025-11-25', { name: 'Anthropic/ClaudeAI', version: '1.0.0' }, UI), headers: { accept: BOTH } },
      initialized({ accept: BOTH, ...OF_2025 }),
      { what: 'tools/list', headers: { accept: BOTH, ...OF_2025 }, body: request(1, 'tools/list'), needs: LISTED },
      { what: 'tools/call', headers: { accept: BOTH, ...OF_2025 }, body: request(2, 'tools/call', CALL), needs: ADDED },
    ],
  },
  {
    name: 'ChatGPT and the Responses API',
    headers: { 'user-agent': 'openai-mcp/1.0.0 (ChatGPT)', 'accept': BOTH },
    sends: [
      discover(OPENAI),
      initialize('2025-11-25', OPENAI, { experimental: { 'openai/visibility': { enabled: true } }, ...UI }),
      initialized(OF_2025),
      {
        what: 'tools/list, with its trace',
        headers: { ...OF_2025, traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' },
        body: request(1, 'tools/list'),
        needs: LISTED,
      },
      {
        what: 'tools/call, with what it says of its user',
        headers: { ...OF_2025, 'x-openai-session': 'v1/s', 'x-openai-subject': 'v1/u' },
        body: request(0, 'tools/call', {
          ...CALL,
          _meta: {
            'openai/userAgent': 'Mozilla/5.0',
            'openai/locale': 'pt-BR',
            'openai/userLocation': { city: 'Lisbon', country: 'PT' },
            'openai/subject': 'v1/u',
            'io.modelcontextprotocol/clientCapabilities': UI,
          },
        }),
        needs: ADDED,
      },
    ],
  },
  {
    name: 'Cursor',
    headers: { 'user-agent': 'Cursor/3.9.16', 'accept': BOTH },
    sends: [
      initialize(
        '2025-11-25',
        { name: 'cursor-vscode', version: '1.0.0' },
        { tools: true, prompts: true, resources: true, logging: false, elicitation: {}, roots: { listChanged: false } },
      ),
      initialized(OF_2025),
      { what: 'a stream', method: 'GET', headers: { accept: 'text/event-stream', ...OF_2025 }, needs: NOT_A_STREAM },
      { what: 'tools/list', headers: OF_2025, body: request(1, 'tools/list'), needs: LISTED },
      { what: 'resources/list', headers: OF_2025, body: request(2, 'resources/list'), needs: NO_RESOURCES },
      { what: 'ping', headers: OF_2025, body: request(3, 'ping'), needs: { status: 200, body: { result: {} } } },
      { what: 'tools/call', headers: OF_2025, body: request(4, 'tools/call', CALL), needs: ADDED },
    ],
  },
  {
    name: 'VS Code, which names no revision after the first request',
    headers: { 'user-agent': 'node', 'accept': 'text/event-stream, application/json' },
    sends: [
      {
        ...initialize(
          '2025-11-25',
          { name: 'Visual Studio Code', version: '1.130.0' },
          { roots: { listChanged: true }, sampling: {}, elicitation: { form: {}, url: {} }, tasks: {} },
        ),
        what: 'initialize: what is not 200 would make it take this for an old server of SSE',
      },
      initialized(),
      { what: 'a stream', method: 'GET', headers: { accept: 'text/event-stream' }, needs: NOT_A_STREAM },
      { what: 'tools/list', body: request(1, 'tools/list'), needs: LISTED },
      { what: 'tools/call', body: request(2, 'tools/call', { ...CALL, _meta: { progressToken: 'p' } }), needs: ADDED },
      { what: 'the end of its session', method: 'DELETE', needs: { status: 405 } },
    ],
  },
  {
    name: 'Codex 0.165',
    headers: { 'user-agent': 'codex-mcp-client/0.165.0', 'accept': 'text/event-stream, application/json' },
    sends: [
      initialize('2025-06-18', { name: 'codex-mcp-client', version: '0.165.0' }, { elicitation: {} }),
      initialized({ 'mcp-protocol-version': '2025-06-18' }),
      {
        what: 'a stream',
        method: 'GET',
        headers: { 'accept': 'text/event-stream', 'mcp-protocol-version': '2025-06-18' },
        needs: NOT_A_STREAM,
      },
      {
        what: 'tools/list',
        headers: { 'mcp-protocol-version': '2025-06-18' },
        body: request(1, 'tools/list'),
        needs: LISTED,
      },
      {
        what: 'tools/call',
        headers: { 'mcp-protocol-version': '2025-06-18' },
        body: request(2, 'tools/call', CALL),
        needs: ADDED,
      },
    ],
  },
]

it.each(HOSTS)('$name gets what it needs for each of its requests, in order', async ({ headers, sends }) => {
  let session: string | undefined
  for (const { what, method = 'POST', headers: own, body, needs } of sends) {
    const answer = await server.json(method, '/mcp', body, {
      ...headers,
      ...own,
      ...(session === undefined ? {} : { 'mcp-session-id': session }),
      authorization: `Bearer ${key}`,
    })
    expect({ what, ...answer }).toMatchObject({ what, ...needs })
    expect(answer.headers.get('www-authenticate'), what).toBeNull()
    if (answer.status === 405) expect(answer.headers.get('allow')).toBe('POST')
    session ??= answer.headers.get('mcp-session-id') ?? undefined
  }
})

/** Paths at which hosts look for OAuth, with the hosts that do. */
const LOOKS: readonly (readonly [method: string, path: string, who: string])[] = [
  ['GET', '/.well-known/oauth-protected-resource/mcp', 'the official SDKs, Claude, VS Code, ChatGPT'],
  ['GET', '/.well-known/oauth-protected-resource', 'the same, next'],
  ['GET', '/.well-known/oauth-authorization-server/mcp', 'Codex, which asks what a server offers as it lists them'],
  ['GET', '/mcp/.well-known/oauth-authorization-server', 'Codex, next'],
  ['GET', '/.well-known/oauth-authorization-server', 'all, in the end'],
  ['GET', '/.well-known/openid-configuration/mcp', 'the official SDKs'],
  ['GET', '/mcp/.well-known/openid-configuration', 'the official SDKs'],
  ['GET', '/.well-known/openid-configuration', 'the official SDKs'],
  ['POST', '/register', 'whoever takes the first revision at its word'],
  ['GET', '/authorize', 'the same'],
  ['POST', '/token', 'the same'],
]

it.each(LOOKS)(
  'a client that looks for OAuth gets 404 at %s %s, with its key and without: %s',
  async (method, path) => {
    for (const headers of [{}, { authorization: `Bearer ${key}` }, { authorization: 'Bearer wrong' }]) {
      const answer = await server.json(method, path, method === 'POST' ? {} : undefined, {
        'mcp-protocol-version': '2024-11-05',
        ...headers,
      })
      expect(answer.status).toBe(404)
      expect(answer.headers.get('www-authenticate')).toBeNull()
      expect(answer.headers.get('content-type')).toMatch(/^application\/json/)
    }
  },
)

it('a client that looks for OAuth without a key is told by /mcp how to send one', async () => {
  const answer = await server.json('POST', '/mcp', request(0, 'initialize'), { accept: BOTH })
  expect(answer.status).toBe(401)
  expect(answer.headers.get('www-authenticate')).toBe('Bearer realm="switchboard"')
  expect(answer.body.error.message).toMatch(/'Authorization: Bearer <key>'.*\/docs\/agents$/)
})

/** Creates a client that supports OAuth, and records all of its OAuth steps. */
function ready() {
  const asked: string[] = []
  const provider = {
    redirectUrl: 'http://localhost:3334/callback',
    clientMetadata: { redirect_uris: ['http://localhost:3334/callback'], client_name: 'test' },
    clientInformation: () => undefined,
    saveClientInformation: () => void asked.push('registered'),
    tokens: () => undefined,
    saveTokens: () => void asked.push('tokens'),
    redirectToAuthorization: () => void asked.push('a browser'),
    saveCodeVerifier: () => undefined,
    codeVerifier: () => '',
  }
  const paths: string[] = []
  const recorded: typeof fetch = (input, init) => {
    const { url, method } = new Request(input, init)
    paths.push(`${method} ${new URL(url).pathname}`)
    return fetch(input, init)
  }
  return { provider, recorded, asked, paths }
}

const INFO = { name: 'test', version: '1' }
const CLIENTS = [
  [
    '@modelcontextprotocol/sdk 1',
    async ({ provider, recorded }: ReturnType<typeof ready>, headers: Record<string, string>) => {
      const client = new OldClient(INFO)
      const options = { requestInit: { headers }, authProvider: provider, fetch: recorded }
      const transport = new OldTransport(new URL(`${server.url}/mcp`), options)
      await client.connect(transport as Parameters<typeof client.connect>[0])
      return client
    },
  ],
  [
    '@modelcontextprotocol/client 2',
    async ({ provider, recorded }: ReturnType<typeof ready>, headers: Record<string, string>) => {
      const client = new NewClient(INFO)
      const options = { requestInit: { headers }, authProvider: provider, fetch: recorded }
      await client.connect(new NewTransport(new URL(`${server.url}/mcp`), options))
      return client
    },
  ],
] as const

describe.each(CLIENTS)('%s, with OAuth support', (name, connect) => {
  it(`${name}, with OAuth support, always uses the key that it was given`, async () => {
    const world = ready()
    const client = await connect(world, { authorization: `Bearer ${key}` })
    expect((await client.listTools()).tools.map(({ name }) => name)).toContain('Calculator_Add')
    expect(await client.callTool(CALL)).toMatchObject({ content: [{ text: '5' }] })
    await client.close()
    expect(world.asked).toEqual([])
    expect(new Set(world.paths)).toEqual(new Set(['POST /mcp', 'GET /mcp']))
  })

  it(`${name}, with OAuth support but without a key, finds no OAuth and opens no browser`, async () => {
    const world = ready()
    await expect(connect(world, {})).rejects.toThrow()
    expect(world.asked).toEqual([])
    expect(world.paths).toContain('GET /.well-known/oauth-protected-resource/mcp')
  })
})
