import { writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { buildCommandLine, type CommandLine } from './command-line.ts'
import { ADMIN_KEY, asAdmin, callFor, challengeFor, enter, putProvider, variablesBeside } from './key-world.ts'
import { type RunningServer, startApp } from './server.ts'

let api: Upstream
let server: RunningServer
let cli: CommandLine
let folder: string
let asPublisher: { authorization: string }

beforeAll(async () => {
  api = await startUpstream(({ url, headers }, response) => {
    const { pathname, searchParams } = new URL(url, 'http://api')
    if (pathname === '/openapi.json')
      return void response.end(JSON.stringify(describeApi({ keyed: [{ key: [] }] }, { key: SCHEMES['Api Key'] })))
    const basic = `Basic ${Buffer.from('ann:pass-of-ann').toString('base64')}`
    const accepted: Record<string, boolean> = {
      '/keyed': headers['x-api-key'] === 'key-of-ann',
      '/queried': searchParams.get('k') === 'key-of-ann',
      '/raw': headers.authorization === 'key-of-ann',
      '/basic': headers.authorization === basic,
      '/bearer': headers.authorization === 'Bearer token-of-ann',
      '/both': headers['x-api-key'] === 'key-of-ann' && headers.authorization === basic,
    }
    const isRight = accepted[pathname] === true
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' }).end(`{"right":${isRight}}`)
  })
  server = await startApp({ vars: variablesBeside(api) })
  const key = {
    name: 'publisher',
    scopes: ['tools:publish', 'tools:call'],
    tools: ['Solo.*', 'Typed.*'],
    users: ['ann'],
  }
  asPublisher = { authorization: `Bearer ${(await server.json('POST', '/keys', key, asAdmin)).body.key}` }
  cli = buildCommandLine({ SWITCHBOARD_URL: server.url, SWITCHBOARD_KEY: ADMIN_KEY, CI: 'true' })
  folder = await mkdtemp(join(tmpdir(), 'switchboard-import-'))
})
afterAll(async () => {
  cli?.remove()
  await Promise.all([server?.stop(), api?.close(), folder && rm(folder, { recursive: true, force: true })])
})

const SCHEMES = {
  'Api Key': { type: 'apiKey', in: 'header', name: 'X-Api-Key', description: 'Under Settings,\nKeys.' },
  'query': { type: 'apiKey', in: 'query', name: 'k' },
  'raw': { type: 'apiKey', in: 'header', name: 'Authorization' },
  'login': { type: 'http', scheme: 'basic' },
  'token': { type: 'http', scheme: 'Bearer' },
  'oauth': {
    type: 'oauth2',
    flows: {
      authorizationCode: {
        authorizationUrl: 'https://acme.example/authorize',
        tokenUrl: 'https://acme.example/token',
        scopes: { read: 'Read' },
      },
    },
  },
  'openid': { type: 'openIdConnect', openIdConnectUrl: 'https://id.acme.example/.well-known/openid-configuration' },
  'unused': { type: 'apiKey', in: 'header', name: 'X-Unused' },
}

type Security = readonly Readonly<Record<string, readonly string[]>>[]

function describeApi(operations: Readonly<Record<string, Security>>, schemes: object = SCHEMES) {
  return {
    openapi: '3.1.0',
    info: { title: 'Acme', version: '1.0.0' },
    externalDocs: { url: 'https://acme.example/docs' },
    servers: [{ url: api.origin }],
    components: { securitySchemes: schemes },
    paths: Object.fromEntries(
      Object.entries(operations).map(([operationId, security]) => [
        `/${operationId}`,
        { get: { operationId, security, responses: { 200: { description: 'Right' } } } },
      ]),
    ),
  }
}

const OPERATIONS = {
  keyed: [{ 'Api Key': [] }],
  queried: [{ query: [] }],
  raw: [{ raw: [] }],
  basic: [{ login: [] }],
  bearer: [{ token: [] }],
  both: [{ 'Api Key': [], 'login': [] }],
  open: [{}],
}

const importAs = (headers: Record<string, string>, body: object, query = '') =>
  server.json('POST', `/toolkits/import${query}`, { credentials: 'per-user', ...body }, headers)

const listProviders = async () => (await server.json('GET', '/providers', undefined, asAdmin)).body.items

it('an import by an administrator adds the providers, and each user calls with their own credential', async () => {
  const body = { from: { openapi: describeApi(OPERATIONS) }, toolkit: 'Acme' }
  const plan = await importAs(asAdmin, body, '?dry_run=1')
  expect(plan.status, JSON.stringify(plan.body)).toBe(200)
  const shared = { state: 'new', body: { tools: ['Acme.*'], help_url: 'https://acme.example/docs' } }
  const expected = [
    {
      ...shared,
      id: 'acme-api-key',
      kind: 'api_key',
      schemes: ['Api Key'],
      body: { ...shared.body, kind: 'api_key', name: 'Acme (Api Key)', help: 'Under Settings, Keys.' },
    },
    { ...shared, id: 'acme-query', kind: 'api_key' },
    { ...shared, id: 'acme-raw', kind: 'api_key' },
    { ...shared, id: 'acme-login', kind: 'basic' },
    { ...shared, id: 'acme-token', kind: 'bearer' },
  ]
  expect(plan.body.providers).toMatchObject(expected)
  expect(plan.body.tools).toHaveLength(7)
  expect(await listProviders()).toEqual([])

  const imported = await importAs(asAdmin, body)
  expect(imported).toMatchObject({ status: 201, body: { providers: expected, skipped: [] } })
  expect((await listProviders()).map(({ id }: { id: string }) => id).toSorted()).toEqual(
    expected.map(({ id }) => id).toSorted(),
  )
  const added = expected.map(({ id }) => id)
  const readAudit = () => server.json('GET', '/audit?act=tools.import', undefined, asAdmin)
  await expect.poll(async () => JSON.stringify((await readAudit()).body)).toContain(JSON.stringify(added))

  const values: Record<string, Readonly<Record<string, string>>> = {
    keyed: { key: 'key-of-ann' },
    queried: { key: 'key-of-ann' },
    raw: { key: 'key-of-ann' },
    basic: { username: 'ann', password: 'pass-of-ann' },
    bearer: { token: 'token-of-ann' },
  }
  for (const [tool, entered] of Object.entries(values)) {
    const { url } = await challengeFor(server, `Acme.${tool}`, 'ann')
    expect((await enter(url, entered)).status, tool).toBe(200)
  }
  for (const tool of [...Object.keys(values), 'both']) {
    const called = await callFor(server, `Acme.${tool}`, 'ann')
    expect(called, tool).toMatchObject({ body: { result: { success: true, value: { right: true } } } })
    const params = { name: `Acme_${tool}`, arguments: {} }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const headers = { ...asAdmin, 'accept': 'application/json, text/event-stream', 'x-user-id': 'ann' }
    expect(JSON.stringify((await server.json('POST', '/mcp', message, headers)).body)).toContain('right')
  }
  expect((await callFor(server, 'Acme.keyed', 'bob')).status).toBe(400)

  const again = await importAs(asAdmin, body)
  expect([again.status, again.body.providers.map(({ state }: { state: string }) => state)]).toEqual([
    200,
    expected.map(() => 'existing'),
  ])
})

it('an import by a publisher adds no provider, and says what an administrator must send', async () => {
  const schemes = { key: SCHEMES['Api Key'] }
  const body = { from: { openapi: describeApi({ keyed: [{ key: [] }] }, schemes) }, toolkit: 'Solo' }
  const imported = await importAs(asPublisher, body)
  expect(imported).toMatchObject({
    status: 201,
    body: {
      ids: ['Solo.keyed@1.0.0'],
      providers: [{ id: 'solo', kind: 'api_key', schemes: ['key'], state: 'missing', body: { name: 'Acme' } }],
    },
  })
  expect((await listProviders()).map(({ id }: { id: string }) => id)).not.toContain('solo')
  const [{ body: provider }] = imported.body.providers
  await putProvider(server, 'solo', provider)
  expect((await importAs(asPublisher, body, '?dry_run=1')).body.providers).toEqual([
    { id: 'solo', kind: 'api_key', schemes: ['key'], state: 'existing' },
  ])
  const { url } = await challengeFor(server, 'Solo.keyed', 'ann')
  await enter(url, { key: 'key-of-ann' })
  expect(await callFor(server, 'Solo.keyed', 'ann')).toMatchObject({ body: { result: { success: true } } })
})

it('a provider that an import added gives no access to tools of another toolkit', async () => {
  const schemes = { key: SCHEMES['Api Key'] }
  const from = { openapi: describeApi({ keyed: [{ key: [] }] }, schemes) }
  const body = { from, toolkit: 'Solo', providers: { key: 'acme-api-key' }, version: '2.0.0' }
  const imported = await importAs(asPublisher, body, '?allow=breaking')
  expect(imported.body).toMatchObject({ ids: ['Solo.keyed@2.0.0'], providers: [{ state: 'existing' }] })
  api.arrived.length = 0
  const called = await callFor(server, 'Solo.keyed', 'ann')
  expect(called.body.result?.success).not.toBe(true)
  expect(JSON.stringify(called.body)).toContain("'acme-api-key'")
  expect(api.arrived).toEqual([])
})

it("a toolkit imported with users' credentials is compared with its source in the same way", async () => {
  const body = { from: { openapi: `${api.origin}/openapi.json` }, toolkit: 'Compared' }
  expect((await importAs(asAdmin, body)).status).toBe(201)
  const compared = await server.json('POST', '/toolkits/Compared/compare', undefined, asAdmin)
  expect(compared).toMatchObject({ status: 200, body: { items: [] } })
})

it('OAuth schemes keep their scopes, and an administrator registers their client', async () => {
  const openapi = describeApi({ a: [{ oauth: ['read'] }], b: [{ openid: ['email'] }] })
  const { body } = await importAs(asAdmin, { from: { openapi }, toolkit: 'Flow' })
  expect(body.providers).toMatchObject([
    {
      id: 'flow-oauth',
      kind: 'oauth2',
      state: 'missing',
      body: { authorization_endpoint: 'https://acme.example/authorize', token_endpoint: 'https://acme.example/token' },
    },
    { id: 'flow-openid', kind: 'oauth2', state: 'missing', body: { issuer: 'https://id.acme.example' } },
  ])
  const tool = await server.json('GET', '/tools/Flow.a', undefined, asAdmin)
  expect(tool.body.requirements.authorization).toEqual([{ id: 'flow-oauth', oauth2: { scopes: ['read'] } }])
})

it('an option can name an existing provider, and one of another kind is refused', async () => {
  const openapi = describeApi({ keyed: [{ 'Api Key': [] }], bearer: [{ token: [] }] })
  const from = { from: { openapi }, toolkit: 'Named' }
  const named = await importAs(asAdmin, { ...from, providers: { 'Api Key': 'acme-raw' } }, '?dry_run=1')
  expect(named.body.providers).toMatchObject([
    { id: 'acme-raw', state: 'existing' },
    { id: 'named-token', state: 'new' },
  ])
  const mixed = await importAs(asAdmin, { ...from, providers: { 'Api Key': 'acme-login' } }, '?dry_run=1')
  expect(mixed.body.skipped).toMatchObject([
    { name: 'keyed', reason: expect.stringMatching(/'acme-login' is 'basic'.*"Api Key"/) },
  ])
  const shared = { 'Api Key': 'shared', 'token': 'shared' }
  expect((await importAs(asAdmin, { ...from, providers: shared }, '?dry_run=1')).body.skipped).toMatchObject([
    { name: 'bearer', reason: expect.stringContaining("is 'api_key'") },
  ])
  const all = await importAs(asAdmin, { ...from, tools: ['keyed'], providers: { 'Api Key': 'acme-login' } })
  expect(all.status).toBe(422)
  expect(all.body.errors[0].message).toContain('name another provider')
})

it.each([
  ['an unknown word', { credentials: 'everybody' }, '/credentials'],
  ['providers of no scheme', { providers: { nothing: 'acme' } }, '/providers/nothing'],
  ['a reserved id', { providers: { token: 'approval' } }, '/providers/token'],
  ['the id of a token that the caller brings', { providers: { token: 'token' } }, '/providers/token'],
  ['providers without users', { credentials: 'deployment', providers: { token: 'acme' } }, '/providers'],
])('an import with %s is refused', async (_, options, path) => {
  const openapi = describeApi({ bearer: [{ token: [] }] })
  const { status, body } = await importAs(asAdmin, { from: { openapi }, toolkit: 'Bad', ...options }, '?dry_run=1')
  expect({ status, errors: body.errors }).toMatchObject({ status: 422, errors: [{ path }] })
})

it('a toolkit whose name is a reserved provider id gets a provider with another id', async () => {
  const openapi = describeApi({ bearer: [{ key: [] }] }, { key: SCHEMES.token })
  const { body } = await importAs(asAdmin, { from: { openapi }, toolkit: 'Token' }, '?dry_run=1')
  expect(body.providers).toMatchObject([{ id: 'token-key' }])
})

it("the command line previews the providers, and imports with users' credentials", async () => {
  const file = join(folder, 'acme.json')
  writeFileSync(file, JSON.stringify(describeApi({ keyed: [{ key: [] }] }, { key: SCHEMES['Api Key'] })))
  const args = ['import', file, '--toolkit', 'Typed', '--credentials', 'per-user']
  const asReader = { SWITCHBOARD_KEY: asPublisher.authorization.slice('Bearer '.length) }
  const preview = await cli.run([...args, '--dry-run'], { env: asReader })
  expect(preview.stderr).toContain('provider typed (api_key): is missing')
  expect(preview.stdout).toContain('"help_url":"https://acme.example/docs"')
  const asked = await cli.run(args)
  expect(asked).toMatchObject({ code: 2, stderr: expect.stringContaining('provider typed (api_key): is added') })
  expect(asked.stdout).toContain('"help_url":"https://acme.example/docs"')
  const imported = await cli.run([...args, '--yes', '--json'])
  expect(imported.json).toMatchObject({ ids: ['Typed.keyed@1.0.0'], providers: [{ id: 'typed', state: 'new' }] })
  expect((await listProviders()).map(({ id }: { id: string }) => id)).toContain('typed')
  const put = await cli.run(['providers', 'set', 'set', '--kind', 'bearer', '--name', 'Set by hand'])
  expect(put.stdout).toContain('\nset\tSet by hand\tbearer\t')
  const tested = await cli.run(['providers', 'test', 'set'])
  expect(tested).toMatchObject({ code: 0, stdout: expect.stringContaining('? It has no check') })
  expect((await cli.run([...args, '--credentials', 'mine'])).code).toBe(2)
})
