import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, it } from 'vitest'
import { createServersRoutes } from '../../../src/api/servers/routes.ts'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { type FailureResult, fail } from '../../../src/core/failure/failure.ts'
import { HTTP_STATUS } from '../../../src/http/response/failure-status.ts'
import { aiCatalog, serverCard, serverList, serverResponse } from './schemas.ts'

const ORIGIN = 'https://tools.acme.com'
const NAME = 'com.acme.tools%2Fswitchboard'
const DEPLOYED = Date.parse('2026-11-01T12:00:00Z')

function faceWith(more: { limited?: FailureResult; needsKey?: boolean; deployedAt?: number | undefined } = {}) {
  return createServersRoutes({
    deployment: {
      title: 'Switchboard',
      version: '0.1.0',
      protocolVersions: ['2026-07-28', '2025-11-25'],
      deployedAt: 'deployedAt' in more ? more.deployedAt : DEPLOYED,
    },
    needsKey: () => more.needsKey ?? true,
    identify: async (c) => (c.req.header('authorization') === 'Bearer key' ? ADMIN : undefined),
    listToolsets: async () => [
      { toolkit: 'Gmail', tools: 12 },
      { toolkit: 'Maps', tools: 1 },
    ],
    limitAnonymous: () => more.limited,
    caching: 'public, max-age=300',
    respond: (failure) =>
      Response.json(failure, { status: failure.type === 'rate-limited' ? HTTP_STATUS[failure.type] : 500 }),
  })
}

async function get(path: string, router = faceWith(), origin = ORIGIN, headers: Record<string, string> = {}) {
  const response = await router.request(`${origin}${path}`, { headers })
  return { status: response.status, headers: response.headers, body: JSON.parse(await response.text()) }
}

const ajv = new Ajv2020({ allErrors: true })
function expectValid(schema: object, body: unknown) {
  ajv.validate(schema, body)
  expect(ajv.errors ?? []).toEqual([])
}

const FOR_ANY_ORIGIN = 'Authorization, Content-Type'.split(', ')

it("the registry of MCP servers lists the deployment as its only server, in the API's schema", async () => {
  const { status, headers, body } = await get('/v0.1/servers')
  expect(status).toBe(200)
  expect(headers.get('content-type')).toMatch(/^application\/json/)
  expectValid(serverList, body)
  expect(body.servers[0].server).toMatchObject({
    name: 'com.acme.tools/switchboard',
    version: '0.1.0',
    remotes: [
      { type: 'streamable-http', url: 'https://tools.acme.com/connect/mcp' },
      {
        type: 'streamable-http',
        url: 'https://tools.acme.com/mcp',
        headers: [{ name: 'Authorization', isRequired: true, isSecret: true }],
      },
    ],
  })
  expect(body.servers[0]._meta).toEqual({
    'io.modelcontextprotocol.registry/official': {
      status: 'active',
      isLatest: true,
      publishedAt: '2026-11-01T12:00:00.000Z',
      updatedAt: '2026-11-01T12:00:00.000Z',
    },
  })
})

it('the registry of MCP servers lists the versions of a server, the latest and each by its number', async () => {
  const versions = await get(`/v0.1/servers/${NAME}/versions`)
  expectValid(serverList, versions.body)
  for (const version of ['latest', '0.1.0']) {
    const one = await get(`/v0.1/servers/${NAME}/versions/${version}`)
    expectValid(serverResponse, one.body)
    expect(one.body).toEqual(versions.body.servers[0])
  }
})

it.each([
  [`/v0.1/servers/${NAME}/versions/9.9.9`, "Server 'com.acme.tools/switchboard' has no version '9.9.9'"],
  ['/v0.1/servers/com.other%2Fserver/versions', "Server 'com.other/server' was not found"],
  ['/v0.1/servers/com.other%2Fserver/versions/latest', "Server 'com.other/server' was not found"],
])('the registry of MCP servers returns 404 for %s', async (path, error) => {
  expect(await get(path)).toMatchObject({ status: 404, body: { error } })
})

it.each([
  ['search=SWITCH', 1],
  ['search=gmail', 0],
  ['version=latest', 1],
  ['version=0.1.0', 1],
  ['version=0.2.0', 0],
  ['updated_since=2026-11-01T12:00:00Z', 1],
  ['updated_since=2026-11-01T14:00:01%2B02:00', 0],
  ['limit=1&include_deleted=true&cursor=', 1],
  ['anything=else', 1],
])('the registry of MCP servers returns for ?%s %i servers', async (query, count) => {
  const { body } = await get(`/v0.1/servers?${query}`)
  expectValid(serverList, body)
  expect(body.metadata.count).toBe(count)
  expect(body.servers).toHaveLength(count)
})

it.each(['limit=0', 'limit=101', 'limit=ten', 'updated_since=yesterday', 'include_deleted=1'])(
  'the registry of MCP servers refuses ?%s with what is expected',
  async (query) => {
    const { status, body } = await get(`/v0.1/servers?${query}`)
    expect(status).toBe(400)
    expect(body).toEqual({
      error: expect.stringContaining(`Cannot read the query at '${query.split('=')[0]}': Must be`),
    })
  },
)

it('the registry of MCP servers refuses a path that is not UTF-8', async () => {
  expect((await get('/v0.1/servers/%ff/versions')).status).toBe(400)
  expect((await get(`/v0.1/servers/${NAME}/versions/%ff`)).status).toBe(400)
})

it('the registry of MCP servers has no times if the time of the deployment is unknown', async () => {
  const { body } = await get('/v0.1/servers?updated_since=2026-11-02T00:00:00Z', faceWith({ deployedAt: undefined }))
  expectValid(serverList, body)
  expect(body.servers[0]._meta['io.modelcontextprotocol.registry/official']).toEqual({
    status: 'active',
    isLatest: true,
  })
})

const asKey = (path: string) => get(path, faceWith(), ORIGIN, { authorization: 'Bearer key' })
const namesIn = (body: { servers: { server: { name: string } }[] }) => body.servers.map(({ server }) => server.name)

it('a caller who may call some tools sees each toolkit as a server', async () => {
  const { body, headers } = await asKey('/v0.1/servers')
  expectValid(serverList, body)
  expect(namesIn(body)).toEqual([
    'com.acme.tools/switchboard',
    'com.acme.tools/switchboard.Gmail',
    'com.acme.tools/switchboard.Maps',
  ])
  expect(body.servers[1].server).toMatchObject({
    title: 'Gmail',
    description: '12 tools',
    remotes: [
      { url: 'https://tools.acme.com/connect/mcp?toolkits=Gmail' },
      { url: 'https://tools.acme.com/mcp?toolkits=Gmail' },
    ],
  })
  expect([headers.get('cache-control'), headers.get('vary')]).toEqual(['no-store', 'Authorization, OXP-API-Key'])
  const anybody = await get('/v0.1/servers')
  expect(anybody.headers.get('cache-control')).toBe('public, max-age=300')
  expect(anybody.headers.get('vary')).toBe('Authorization, OXP-API-Key')
})

it('a caller who may call some tools gets them in pages, and each by its name', async () => {
  const seen: string[] = []
  let cursor = ''
  do {
    const { body } = await asKey(`/v0.1/servers?limit=1&cursor=${encodeURIComponent(cursor)}`)
    expectValid(serverList, body)
    seen.push(...namesIn(body))
    cursor = body.metadata.nextCursor ?? ''
  } while (cursor !== '')
  expect(seen).toHaveLength(3)
  const one = await asKey(`/v0.1/servers/${NAME}.Maps/versions/latest`)
  expectValid(serverResponse, one.body)
  expect(one.body.server.description).toBe('One tool')
  expect(namesIn((await asKey('/v0.1/servers?search=gmail')).body)).toEqual(['com.acme.tools/switchboard.Gmail'])
})

it('a caller who may call some tools sees toolkits only with a credential', async () => {
  expect((await get(`/v0.1/servers/${NAME}.Maps/versions/latest`)).status).toBe(404)
  const stranger = await get('/v0.1/servers', faceWith(), ORIGIN, { authorization: 'Bearer guessed' })
  expect(namesIn(stranger.body)).toEqual(['com.acme.tools/switchboard'])
  expect(stranger.headers.get('cache-control')).toBe('no-store')
})

it('the catalog and the server card lead from the host to the endpoint', async () => {
  const catalog = await get('/.well-known/ai-catalog.json')
  expectValid(aiCatalog, catalog.body)
  expect(catalog.headers.get('content-type')).toBe('application/ai-catalog+json')
  expect(catalog.body.entries).toEqual([
    {
      identifier: 'urn:air:tools.acme.com:mcp:switchboard',
      type: 'application/mcp-server-card+json',
      url: 'https://tools.acme.com/mcp/server-card',
    },
  ])
  const card = await get(new URL(catalog.body.entries[0].url).pathname)
  expectValid(serverCard, card.body)
  expect(card.headers.get('content-type')).toBe('application/mcp-server-card+json')
  expect(card.body.remotes).toMatchObject([
    { url: 'https://tools.acme.com/connect/mcp', supportedProtocolVersions: ['2026-07-28', '2025-11-25'] },
    { url: 'https://tools.acme.com/mcp', supportedProtocolVersions: ['2026-07-28', '2025-11-25'] },
  ])
})

it.each([
  'http://localhost:8787',
  'http://127.0.0.1:8787',
  'http://[::1]:8787',
  'https://switchboard.acme.workers.dev',
])('the catalog and the server card match their schemas at %s', async (origin) => {
  const router = faceWith({ needsKey: false })
  const card = await get('/mcp/server-card', router, origin)
  expectValid(serverCard, card.body)
  const withKey = { url: `${origin}/mcp`, headers: [{ isRequired: false }] }
  expect(card.body.remotes).toMatchObject([{ url: `${origin}/connect/mcp` }, withKey])
  expectValid(serverList, (await get('/v0.1/servers', router, origin)).body)
  const catalog = await get('/.well-known/ai-catalog.json', router, origin)
  expectValid(aiCatalog, catalog.body)
  expect(catalog.body.entries[0].url).toBe(`${origin}/mcp/server-card`)
})

it('the server card does not offer sign-in over an unencrypted connection', async () => {
  const { body } = await get('/mcp/server-card', faceWith(), 'http://tools.acme.com')
  expect(body.remotes.map(({ url }: { url: string }) => url)).toEqual(['http://tools.acme.com/mcp'])
})

const PATHS = [
  '/v0.1/servers',
  `/v0.1/servers/${NAME}/versions`,
  `/v0.1/servers/${NAME}/versions/latest`,
  '/mcp/server-card',
  '/.well-known/ai-catalog.json',
]

it.each(PATHS)('each document %s can be read by pages of any site, and cached', async (path) => {
  const asked = await faceWith().request(`${ORIGIN}${path}`, { method: 'OPTIONS' })
  expect(asked.status).toBe(204)
  const { headers } = await get(path)
  for (const each of [asked.headers, headers]) {
    expect(each.get('access-control-allow-origin')).toBe('*')
    expect(each.get('access-control-allow-methods')).toContain('GET')
    for (const name of FOR_ANY_ORIGIN) expect(each.get('access-control-allow-headers')).toContain(name)
  }
  expect(headers.get('cache-control')).toBe('public, max-age=300')
})

it.each(PATHS)('each document %s is rate-limited, and the rejection is not cached', async (path) => {
  const { status, headers } = await get(path, faceWith({ limited: fail({ type: 'rate-limited', retry_after_ms: 1 }) }))
  expect(status).toBe(429)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(headers.get('access-control-allow-origin')).toBe('*')
})
