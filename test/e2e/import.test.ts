import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Upstream, startUpstream } from '../upstream.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'admin-key-of-this-test-0123456789'
const admin = { authorization: `Bearer ${ADMIN_KEY}` }

let upstream: Upstream
let server: RunningServer
const documents = new Map<string, string>()

beforeAll(async () => {
  upstream = await startUpstream(({ url }, response) => {
    const document = documents.get(url)
    if (url === '/redirect') response.writeHead(302, { location: 'http://169.254.169.254/openapi.json' }).end()
    else if (url === '/endless') response.writeHead(200).write('x'.repeat(17 * 1024 * 1024), () => response.end())
    else if (document !== undefined) response.writeHead(200).end(document)
    else if (url.startsWith('/api/'))
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}')
    else response.writeHead(404).end('no such thing: a secret')
  })
  server = await startApp({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      ALLOW_HTTP_HOSTS: upstream.host,
      TOOL_SECRETS: JSON.stringify({ PET_KEY: ['Pets.*'] }),
      PET_KEY: 'the-pet-key',
    },
  })
})
afterAll(async () => {
  await Promise.all([server?.stop(), upstream?.close()])
})

const PETS = `
openapi: 3.0.0
info: { title: Pets, version: 1.2.0 }
servers: [{ url: /api }]
security: [{ pet_key: [] }]
paths:
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getPet, summary: Gives a pet. }
    delete: { operationId: removePet, parameters: [{ name: x, in: query, required: true, style: tabs, schema: {} }] }
components:
  securitySchemes: { pet_key: { type: apiKey, in: header, name: x-pet-key } }
`
const credentials = { pet_key: { secret: 'PET_KEY' } }

function importing(
  body: object,
  { headers = admin, query = '' }: { headers?: Record<string, string>; query?: string } = {},
) {
  return server.json('POST', `/toolkits/import${query}`, body, headers)
}

async function keyWith(
  tools: readonly string[],
  scopes: readonly string[] = ['tools:publish', 'tools:read', 'tools:call'],
) {
  const { body } = await server.json('POST', '/keys', { name: 'test', scopes, tools, users: 'any' }, admin)
  return { authorization: `Bearer ${body.key}` }
}

it('a description is fetched by its URL and imported: as a dry run, for real, and again', async () => {
  documents.set('/docs/pets.yaml', PETS)
  const from = { openapi: `${upstream.origin}/docs/pets.yaml` }
  const skipped = [
    {
      name: 'removePet',
      method: 'DELETE',
      path: '/pets/{id}',
      reason: expect.stringContaining("'x' cannot be sent"),
    },
  ]
  const dry = await importing({ from, toolkit: 'Pets', credentials }, { query: '?dry_run=1' })
  expect(dry.status).toBe(200)
  expect(dry.body).toEqual({
    tools: [
      {
        id: 'Pets.getPet@1.2.0',
        name: 'Pets_getPet',
        method: 'GET',
        path: '/pets/{id}',
        security_level: 4,
        state: 'new',
        requirements: { secrets: [{ id: 'PET_KEY' }] },
      },
    ],
    skipped,
  })
  expect((await server.json('GET', '/tools/Pets.getPet', undefined, admin)).status).toBe(404)

  const made = await importing({ from, toolkit: 'Pets', credentials })
  expect([made.status, made.body]).toEqual([201, { ids: ['Pets.getPet@1.2.0'], skipped }])
  upstream.arrived.length = 0
  const called = await server.json('POST', '/tools/call', { tool_id: 'Pets.getPet', input: { id: 7 } }, admin)
  expect(called.body.result).toMatchObject({ success: true, value: { done: true } })
  expect(upstream.arrived[0]).toMatchObject({
    method: 'GET',
    url: '/api/pets/7',
    headers: { 'x-pet-key': 'the-pet-key' },
  })

  const again = await importing({ from, toolkit: 'Pets', credentials })
  expect([again.status, again.body]).toEqual([
    200,
    { ids: ['Pets.getPet@1.2.0'], unchanged: ['Pets.getPet@1.2.0'], skipped },
  ])
  documents.set('/docs/pets.yaml', PETS.replace('schema: { type: integer }', 'schema: { type: string }'))
  const changed = await importing({ from, toolkit: 'Pets', credentials })
  expect([changed.status, changed.body.ids]).toEqual([201, ['Pets.getPet@2.0.0']])
  const old = await server.json('GET', '/tools/Pets.getPet@1.2.0', undefined, admin)
  expect(old.body.input_schema.parameters.properties.id.type).toBe('integer')
})

it.each([
  ['a private address', 'http://127.0.0.1:1/openapi.json', /127\.0\.0\.1/],
  ['a link-local address', 'https://169.254.169.254/latest', /not public/],
  ['a name of this machine', 'https://localhost/openapi.json', /not a public name/],
  ['another scheme', 'http://example.com/openapi.json', /wanted \\?"https:/],
])('a description at %s is refused', async (_, openapi, why) => {
  const { status, body } = await importing({ from: { openapi }, toolkit: 'Bad' })
  expect(status).toBe(422)
  expect(JSON.stringify(body)).toMatch(why)
})

it('a description whose URL redirects to a private address, is missing, or never ends is refused', async () => {
  for (const [path, why] of [
    ['/redirect', /169\.254\.169\.254/],
    ['/missing', /answered 404, wanted 200/],
    ['/endless', /over 16777216 bytes/],
  ] as const) {
    const { status, body } = await importing({ from: { openapi: upstream.origin + path }, toolkit: 'Bad' })
    expect(status, path).toBe(422)
    expect(JSON.stringify(body)).toMatch(why)
    expect(JSON.stringify(body)).not.toContain('a secret')
  }
})

describe('importers', () => {
  const from = {
    openapi: {
      openapi: '3.1.0',
      servers: [{ url: 'https://a.example' }],
      paths: { '/a': { get: { operationId: 'a' } } },
    },
  }

  it('importers need a credential whose scopes and patterns cover the toolkit', async () => {
    expect((await importing({ from, toolkit: 'Own' }, { headers: {} as Record<string, string> })).status).toBe(401)
    const reader = await keyWith(['*'], ['tools:read'])
    expect((await importing({ from, toolkit: 'Own' }, { headers: reader })).status).toBe(403)
    for (const tools of [['Other.*'], ['Own.a']]) {
      const { status, body } = await importing({ from, toolkit: 'Own' }, { headers: await keyWith(tools) })
      expect([status, body.message]).toEqual([403, expect.stringContaining("does not cover 'Own.*'")])
    }
    expect((await importing({ from, toolkit: 'Own' }, { headers: await keyWith(['Own.*']) })).status).toBe(201)
  })

  it('importers need a credential that names the toolkit if its tools may have a secret', async () => {
    documents.set('/docs/pets2.yaml', PETS.replaceAll('getPet', 'stealKey'))
    const body = { from: { openapi: `${upstream.origin}/docs/pets2.yaml` }, toolkit: 'Pets', credentials }
    const refused = await importing(body, { headers: await keyWith(['*']) })
    expect(refused.status).toBe(403)
    expect(refused.body.message).toContain("The toolkit 'Pets' is another's")
    expect((await importing(body, { headers: await keyWith(['Pets.*']) })).status).toBe(201)
  })
})

describe('a request to import', () => {
  const openapi = {
    openapi: '3.1.0',
    servers: [{ url: 'https://a.example' }],
    paths: { '/a': { get: { operationId: 'a' } }, '/b': { get: { operationId: 'b' } } },
  }

  it('a request to import may select tools, and lists the selected ones', async () => {
    const { body } = await importing({ from: { openapi }, toolkit: 'Some', tools: ['b*'] })
    expect(body.ids).toEqual(['Some.b@1.0.0'])
    const none = await importing({ from: { openapi }, toolkit: 'Some', tools: ['c'] })
    expect([none.status, none.body.errors]).toEqual([
      422,
      [{ path: '/tools', message: expect.stringContaining('at least one') }],
    ])
  })

  it.each([
    [{}, '/from'],
    [{ from: {}, toolkit: 'A' }, '/from'],
    [{ from: { openapi: 7 }, toolkit: 'A' }, '/from/openapi'],
    [{ from: { openapi: '' }, toolkit: 'A' }, '/from/openapi'],
    [{ from: { openapi: {}, oxp: {} }, toolkit: 'A' }, '/from'],
    [{ from: { soap: 'x' }, toolkit: 'A' }, '/from'],
    [{ from: { openapi }, toolkit: 'a b' }, '/toolkit'],
    [{ from: { openapi }, toolkit: 'A', version: '1' }, '/version'],
    [{ from: { openapi }, toolkit: 'A', tools: ['a.b'] }, '/tools'],
    [{ from: { openapi }, toolkit: 'A', surprise: 1 }, '/surprise'],
    [{ from: { openapi: 'openapi: [' }, toolkit: 'A' }, '/from/openapi'],
  ])('a request to import such as %j is refused with the location of the error', async (body, path) => {
    const { status, body: answer } = await importing(body)
    expect([status, answer.errors?.[0]?.path]).toEqual([422, path])
  })

  it('a request to import is refused if its query, media type or size is invalid', async () => {
    expect((await importing({ from: { openapi }, toolkit: 'A' }, { query: '?dry_run=yes' })).status).toBe(400)
    expect((await importing({ from: { openapi }, toolkit: 'A' }, { query: '?allow=all' })).status).toBe(400)
    const typed = await fetch(`${server.url}/toolkits/import`, {
      method: 'POST',
      body: PETS,
      headers: { ...admin, 'content-type': 'application/yaml' },
    })
    expect(typed.status).toBe(415)
    const large = await importing({ from: { openapi: 'x'.repeat(17 * 1024 * 1024) }, toolkit: 'A' })
    expect([large.status, large.body.message]).toEqual([
      413,
      expect.stringMatching(/^The body has 178\d{5} bytes, and at most 16777216 are taken$/),
    ])
  })
})

const $ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })
const asking = (schema: object, schemas: object) => ({
  openapi: '3.1.0',
  servers: [{ url: 'https://a.example' }],
  paths: { '/a': { get: { parameters: [{ name: 'x', in: 'query', required: true, schema }] } } },
  components: { schemas },
})
const multiplying = Object.fromEntries(
  Array.from({ length: 3_000 }, (_, index) => [
    `S${index}`,
    { type: 'object', properties: { a: $ref(`S${index + 1}`), b: $ref(`S${index + 1}`) } },
  ]),
)
it.each([
  ['multiplying schemas', asking($ref('S0'), multiplying)],
  ['a circle', asking($ref('A'), { A: { allOf: [$ref('A')] } })],
  [
    'a billion laughs',
    `a: &a [lol]\n${'bcdefghi'
      .split('')
      .map((name, index) => `${name}: &${name} [${Array(9).fill(`*${'abcdefgh'[index]}`).join()}]`)
      .join('\n')}`,
  ],
  [
    'a hundred thousand operations',
    {
      openapi: '3.1.0',
      paths: Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`/${index}`, { get: {} }])),
    },
  ],
  ['deep YAML', '- '.repeat(100_000)],
  ['commas', `[${','.repeat(200_000)}`],
  ['no server', { openapi: '3.1.0', paths: { '/a': { get: {} } } }],
  ['a large dense text', `{"a": [${'[],'.repeat(2_000_000)}[]]}`],
])('a hostile description (%s) is refused without blocking others', async (_, openapi) => {
  const [harm, health] = await Promise.all([
    importing({ from: { openapi }, toolkit: 'Bad' }),
    server.json('GET', '/health'),
  ])
  expect(harm.status, JSON.stringify(harm.body).slice(0, 300)).toBe(422)
  expect(health.status).toBe(200)
  expect((await server.json('GET', '/health')).status).toBe(200)
})

it('hostile descriptions leave nothing behind', async () => {
  expect((await server.json('GET', '/tools?toolkit=Bad', undefined, admin)).body.items).toEqual([])
  expect(server.printed()).not.toMatch(/"event":"unexpected"|Error:/)
})
