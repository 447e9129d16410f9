import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type McpUpstream, startMcpServer, type UpstreamTool } from '../runners/remote/mcp-server.ts'
import { pageOf } from './apps-world.ts'
import { definition } from './definition.ts'
import { ADMIN_KEY, asAdmin, callFor, challengeFor, enter, newKey, putProvider } from './key-world.ts'
import { sendMcp } from './mcp-request.ts'
import { type RunningServer, startApp } from './server.ts'

/** Resources of imported servers over MCP, and the page of a tool that is a file. */

const UI = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const BLOB = Buffer.from([0, 255, 1]).toString('base64')

const tool = (name: string): UpstreamTool => ({
  definition: {
    name,
    description: `Does ${name}`,
    inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
  },
  call: () => ({ content: [{ type: 'text', text: `${name} ran` }] }),
})
const resources = (text: string) => ({
  'file:///notes/a b?x=1#y': { mimeType: 'text/plain', text },
  'memo:blob': { mimeType: 'image/png', blob: BLOB },
  'memo:large': { mimeType: 'text/plain', text: 'x'.repeat(2_200_000) },
  'memo:huge': { mimeType: 'text/plain', text: 'x'.repeat(6_000_000) },
  'ui://docs/page.html': pageOf('<p>Page'),
})

let docs: McpUpstream
let old: McpUpstream
let away: McpUpstream
let server: RunningServer

beforeAll(async () => {
  docs = await startMcpServer('modern', [tool('find'), tool('write')])
  old = await startMcpServer('legacy', [tool('find')])
  away = await startMcpServer('modern', [tool('find')])
  docs.resources = resources('of Docs')
  docs.templates = [
    { uriTemplate: 'memo:{name}', name: 'memo', mimeType: 'text/plain' },
    { uriTemplate: 'ui://docs/{page}', name: 'pages' },
  ]
  old.resources = resources('of Old')
  away.resources = resources('of Away')
  server = await startApp({
    vars: {
      ADMIN_KEY,
      ACCESS: 'keys',
      ALLOW_HTTP_HOSTS: [docs.host, old.host, away.host].join(),
      TOOL_SECRETS: { DOCS_KEY: ['Docs.*'] },
      DOCS_KEY: 'the-key-of-docs',
    },
  })
  for (const [toolkit, { url }, more] of [
    ['Docs', docs, { credentials: { secret: 'DOCS_KEY' } }],
    ['Old', old, {}],
    ['Away', away, {}],
  ] as const) {
    const imported = await send('POST', '/toolkits/import', { from: { mcp: url }, toolkit, ...more })
    expect(imported.status, JSON.stringify(imported.body)).toBe(201)
  }
  await away.close()
})
afterAll(async () => {
  await Promise.all([server?.stop(), docs?.close(), old?.close()])
})

const send = (method: string, path: string, body?: object, credential = ADMIN_KEY) =>
  server.json(method, path, body, { authorization: `Bearer ${credential}` })

async function createKey(tools: readonly string[], more: object = {}): Promise<string> {
  const { body } = await send('POST', '/keys', {
    name: tools.join(),
    scopes: ['tools:read', 'tools:call'],
    tools,
    ...more,
  })
  return body.key
}

const mcp = (method: string, params: Record<string, unknown>, credential: string, options: object = {}) =>
  sendMcp(server, method, params, { ...options, headers: { authorization: `Bearer ${credential}` } })

const list = async (credential: string, path = '/mcp'): Promise<{ uri: string }[]> =>
  (await mcp('resources/list', {}, credential, { path })).result.resources
const urisOf = async (credential: string, path = '/mcp') => (await list(credential, path)).map(({ uri }) => uri)
const read = (uri: string, credential: string, path = '/mcp') => mcp('resources/read', { uri }, credential, { path })
const missing = (uri: string) => ({ error: { code: -32602, message: `There is no resource '${uri}'` } })
const NOTES = 'switchboard://Docs/find/file:///notes/a b?x=1#y'

describe('resources of imported servers', () => {
  it('are listed once per server, with addresses of its toolkit, without pages and servers that are down', async () => {
    const key = await createKey(['Docs.*', 'Old.*', 'Away.*'])
    const names = ['file:///notes/a b?x=1#y', 'memo:blob', 'memo:large', 'memo:huge']
    const expected = ['Docs', 'Old'].flatMap((toolkit) =>
      names.map((name) => ({ uri: `switchboard://${toolkit}/find/${name}`, name })),
    )
    expect(await list(key)).toMatchObject(expected)
    expect(await urisOf(key)).toHaveLength(expected.length)
    expect((await urisOf(key, '/mcp?toolkits=Old')).every((uri) => uri.startsWith('switchboard://Old/'))).toBe(true)
  })

  it('include templates, which expand to addresses that can be read', async () => {
    const key = await createKey(['Docs.*', 'Old.*', 'Away.*'])
    const templates = async (credential: string) =>
      (await mcp('resources/templates/list', {}, credential)).result.resourceTemplates
    const uriTemplate = 'switchboard://Docs/find/memo:{name}'
    expect(await templates(key)).toEqual([{ uriTemplate, name: 'memo', mimeType: 'text/plain' }])
    expect(await templates(await createKey(['Old.*']))).toEqual([])
    const uri = uriTemplate.replace('{name}', 'blob')
    expect((await read(uri, key)).result.contents).toMatchObject([{ uri, blob: BLOB }])
  })

  it('are listed up to 200 per server, and up to the page before one that cannot be read', async () => {
    for (const toolkit of ['Many', 'Long', 'Silent'])
      expect((await send('POST', '/toolkits/import', { from: { mcp: old.url }, toolkit })).status).toBe(201)
    const many = (count: number, name: string) =>
      Object.fromEntries(Array.from({ length: count }, (_, at) => [`memo:${at}${name}`, { mimeType: 'text/plain' }]))
    try {
      old.resources = many(300, '')
      expect(await urisOf(await createKey(['Many.*']))).toHaveLength(200)
      old.resources = many(30, 'x'.repeat(20_000))
      const listed = await urisOf(await createKey(['Long.*']))
      expect(listed.length).toBeGreaterThan(0)
      expect(listed.length).toBeLessThan(30)
      old.isSilent = true
      old.resources = resources('of Old')
      expect(await urisOf(await createKey(['Silent.*']))).toHaveLength(3)
    } finally {
      old.isSilent = false
      old.resources = resources('of Old')
    }
  })

  it.each(['Docs', 'Old'])('of %s are read as text or bytes', async (toolkit) => {
    const key = await createKey([`${toolkit}.*`])
    const uri = `switchboard://${toolkit}/find/file:///notes/a b?x=1#y`
    expect((await read(uri, key)).result.contents).toEqual([{ uri, mimeType: 'text/plain', text: `of ${toolkit}` }])
    const bytes = `switchboard://${toolkit}/find/memo:blob`
    expect((await read(bytes, key)).result.contents).toEqual([{ uri: bytes, mimeType: 'image/png', blob: BLOB }])
  })

  it('are read with the credentials of the import, without a cache', async () => {
    const key = await createKey(['Docs.find'])
    await read(NOTES, key)
    docs.resources = { ...docs.resources, 'file:///notes/a b?x=1#y': { mimeType: 'text/plain', text: 'changed' } }
    expect((await read(NOTES, key)).result.contents[0].text).toBe('changed')
    expect(docs.headers.at(-1)!.authorization).toBe('Bearer the-key-of-docs')
    docs.resources = { ...docs.resources, 'memo:told': { mimeType: 'text/plain', text: 'It is the-key-of-docs' } }
    expect(JSON.stringify(await read('switchboard://Docs/find/memo:told', key))).not.toContain('the-key-of-docs')
    docs.resources = resources('of Docs')
  })

  it('fail with a message if the server is down, a resource is too large, or the server reports an error', async () => {
    const key = await createKey(['Docs.*', 'Away.*'])
    for (const [uri, message] of [
      ['switchboard://Away/find/memo:blob', away.host],
      ['switchboard://Docs/find/memo:large', 'larger than 2 MB'],
      ['switchboard://Docs/find/memo:huge', docs.host],
      ['switchboard://Docs/find/memo:none', 'Unknown resource'],
    ] as const) {
      const answer = await read(uri, key)
      expect(answer, uri).toMatchObject({ error: { code: -32603, message: expect.stringContaining(message) } })
      expect(JSON.stringify(answer).length).toBeLessThan(1_000)
    }
  })
})

describe('attacks on resources of imported servers', () => {
  it('find no resource of another toolkit, of a tool that the caller may not call, or that does not exist', async () => {
    const stranger = await createKey(['Old.*'])
    const reader = await createKey(['Docs.*'], { scopes: ['tools:read'] })
    const key = await createKey(['Docs.find'])
    expect((await urisOf(stranger)).filter((uri) => uri.includes('Docs'))).toEqual([])
    expect(await urisOf(reader)).toEqual([])
    for (const [uri, credential] of [
      [NOTES, stranger],
      [NOTES, reader],
      [NOTES.replace('find', 'write'), key],
      ['switchboard://Docs/none/memo:blob', key],
      ['switchboard://None/find/memo:blob', key],
      ['switchboard://Docs/find/ui://docs/page.html', key],
      ['switchboard://Docs/find/', key],
      ['switchboard://Docs/find', key],
      ['switchboard://', key],
      ['switchboard:', key],
      ['switchboard://Fixture/SimpleText/memo:blob', ADMIN_KEY],
    ] as const)
      expect(await read(uri, credential), uri).toMatchObject(missing(uri))
    expect(await read(NOTES, key, '/mcp?toolkits=Old')).toMatchObject(missing(NOTES))
  })

  it('reach no other host or toolkit with a URI that names one or contains ..', async () => {
    const reached: string[] = []
    const other = createServer((request, response) => {
      reached.push(request.url ?? '')
      response.end('secret')
    })
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const host = `127.0.0.1:${(other.address() as AddressInfo).port}`
    const key = await createKey(['Docs.*'])
    const count = () => old.arrived.filter((line) => line.includes('resources/read')).length
    const before = count()
    try {
      for (const uri of [`http://${host}/x`, `//${host}/x`, '../../Old/find/memo:blob', '../../../etc/passwd']) {
        const answer = await read(`switchboard://Docs/find/${uri}`, key)
        expect(answer, uri).toMatchObject({ error: { message: expect.stringContaining('Unknown resource') } })
      }
      for (const uri of [
        `switchboard://${host}/find/x`,
        `switchboard://Docs@${host}/find/x`,
        'switchboard://../find/x',
      ])
        expect(await read(uri, key), uri).toMatchObject(missing(uri))
      expect(reached).toEqual([])
      expect(count()).toBe(before)
    } finally {
      await new Promise((resolve) => other.close(resolve))
    }
  })

  it('read none through a tool that needs approval, or whose arguments a toolset sets', async () => {
    const key = await createKey(['Docs.*'])
    expect(await urisOf(key)).toContain(NOTES)
    const policy = await send('PUT', '/policies/Docs.find', { approval: true })
    expect(policy.status, JSON.stringify(policy.body)).toBeLessThan(300)
    expect(await read(NOTES, key)).toMatchObject(missing(NOTES))
    expect(await urisOf(key)).toContain(NOTES.replace('find', 'write'))
    await send('DELETE', '/policies/Docs.find')
    const toolset = await send('PUT', '/toolsets/fixed', {
      tools: [{ tool: 'Docs.find', arguments: { path: { value: 'a' } } }],
    })
    expect(toolset.status, JSON.stringify(toolset.body)).toBeLessThan(300)
    expect(await read(NOTES, key, '/mcp/t/fixed')).toMatchObject(missing(NOTES))
    expect(await urisOf(key, '/mcp/t/fixed')).toEqual([])
  })
})

it('resources of a server are listed and read with the account of the user, without asking to connect one', async () => {
  const vars = { ADMIN_KEY, ACCESS: 'keys', VAULT_KEYS: newKey(), ALLOW_HTTP_HOSTS: old.host }
  const own = await startApp({ vars })
  try {
    await putProvider(own, 'mine', { kind: 'bearer', name: 'Mine', tools: ['Mine.*'] })
    const { status, body } = await own.json(
      'POST',
      '/tools',
      {
        definition: {
          ...definition('Mine.find@1.0.0'),
          output_schema: {},
          requirements: { authorization: [{ id: 'mine' }], secrets: [], user_id: true },
        },
        implementation: {
          kind: 'remote',
          protocol: 'mcp',
          url: old.url,
          tool: 'find',
          credentials: [{ authorization: 'mine', in: 'header', name: 'Authorization', format: 'Bearer {value}' }],
        },
      },
      asAdmin,
    )
    expect([200, 201], JSON.stringify(body)).toContain(status)
    const ask = async (method: string, params: object = {}) => {
      const message = { jsonrpc: '2.0', id: 1, method, params }
      return (await own.json('POST', '/mcp', message, { ...asAdmin, 'x-user-id': 'ann' })).body
    }
    const uri = 'switchboard://Mine/find/memo:blob'
    const readiness = async () =>
      JSON.stringify(await own.json('POST', '/readiness', { tools: ['Mine.find'], user_id: 'ann' }, asAdmin))
    expect((await ask('resources/list')).result.resources).toEqual([])
    expect(await ask('resources/read', { uri })).toMatchObject({ error: { code: -32603 } })
    expect(await readiness()).not.toContain('/authorizations/')
    const { url } = await challengeFor(own, 'Mine.find', 'ann')
    expect(await readiness()).toContain('/authorizations/')
    expect((await enter(url, { token: 'the-token-of-ann' })).status).toBe(200)
    expect((await callFor(own, 'Mine.find', 'ann')).status).toBe(200)
    expect((await ask('resources/list')).result.resources).toContainEqual(expect.objectContaining({ uri }))
    expect((await ask('resources/read', { uri })).result.contents).toMatchObject([{ uri, blob: BLOB }])
    expect(old.headers.at(-1)!.authorization).toBe('Bearer the-token-of-ann')
  } finally {
    await own.stop()
  }
})

describe('the page of a bundled tool', () => {
  it('is listed to clients that show pages, without showing models its tool, and is read', async () => {
    const key = await createKey(['Fixture.Page'])
    expect((await mcp('tools/list', {}, key)).result.tools).toEqual([])
    const [listed] = (await mcp('tools/list', {}, key, { capabilities: UI })).result.tools
    expect(listed._meta.ui).toEqual({
      resourceUri: expect.stringMatching(/^ui:\/\/Fixture\/Page@1\.0\.0\/[0-9a-f]{16}$/),
      visibility: ['app'],
    })
    const [content] = (await read(listed._meta.ui.resourceUri, key)).result.contents
    expect(content).toMatchObject({
      text: '<!doctype html><p>Drawn</p>',
      _meta: { ui: { csp: { connectDomains: ['https://api.example.com'] } } },
    })
    const called = await mcp('tools/call', { name: listed.name, arguments: {} }, key)
    expect(called.result.content).toEqual([{ type: 'text', text: 'drawn' }])
  })
})
