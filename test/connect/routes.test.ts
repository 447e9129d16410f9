import { expect, it } from 'vitest'
import { wwwAuthenticate } from '../../src/connect/metadata.ts'
import { fail, UnreachableError } from '../../src/core/failure/failure.ts'
import { faceWith, ORIGIN } from './face.ts'

const limited = { limitAnonymous: () => fail({ type: 'rate-limited', retry_after_ms: 9_000 }) }
const HTTP = 'http://sb.example'
const METADATA = { redirect_uris: ['https://a.example/back'], client_name: 'An agent', logo_uri: 'https://a.example' }

async function seen(answer: Response | Promise<Response>) {
  const { status, headers } = await answer
  const { error, error_description }: Record<string, string> = JSON.parse(await (await answer).text())
  return [status, error, error_description, headers.get('cache-control'), headers.get('retry-after')]
}
const TOO_MANY = [429, 'temporarily_unavailable', 'Too many requests: wait a moment', 'no-store', '1']
const WANTED_HTTPS = [400, 'invalid_request', 'Wanted https', 'no-store', null]

const RESOURCE = '/.well-known/oauth-protected-resource/connect/mcp'
const SERVER = [
  '/.well-known/oauth-authorization-server/connect',
  '/.well-known/openid-configuration/connect',
  '/connect/.well-known/openid-configuration',
]

it('metadata has the origin of the request with https, and the cache time of the deployment', async () => {
  const { get } = faceWith()
  const resource = await get(RESOURCE)
  expect(resource.headers.get('cache-control')).toBe('private, max-age=300')
  expect(await resource.json()).toEqual({
    resource: `${ORIGIN}/connect/mcp`,
    authorization_servers: [`${ORIGIN}/connect`],
    scopes_supported: ['tools:read', 'tools:call'],
    bearer_methods_supported: ['header'],
    resource_name: 'Switchboard',
  })
  for (const path of SERVER) {
    expect(await (await get(path)).json()).toMatchObject({
      issuer: `${ORIGIN}/connect`,
      authorization_endpoint: `${ORIGIN}/connect/authorize`,
      token_endpoint: `${ORIGIN}/connect/token`,
      registration_endpoint: `${ORIGIN}/connect/register`,
      revocation_endpoint: `${ORIGIN}/connect/token`,
      protected_resources: [`${ORIGIN}/connect/mcp`],
      code_challenge_methods_supported: ['S256'],
      response_types_supported: ['code'],
      response_modes_supported: ['query'],
      grant_types_supported: ['authorization_code', 'refresh_token'],
      authorization_response_iss_parameter_supported: true,
    })
  }
  const there = [404, 'invalid_request', 'Agents connect over https', 'no-store', null]
  for (const path of [RESOURCE, ...SERVER]) expect(await seen(get(HTTP + path))).toEqual(there)
})

it('metadata is linked in the refusal of a request without a valid token', () => {
  const asked = (headers: Record<string, string>) => wwwAuthenticate(new Request(`${ORIGIN}/connect/mcp`, { headers }))
  const told = `Bearer realm="switchboard", resource_metadata="${ORIGIN}${RESOURCE}", scope="tools:read tools:call"`
  expect(asked({})).toBe(told)
  expect(asked({ authorization: 'Bearer x' })).toBe(`${told}, error="invalid_token"`)
})

it('metadata names the resource with the toolkits in its address', async () => {
  const narrowed = `${ORIGIN}/connect/mcp?toolkits=Gmail,SMS&mode=search`
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(wwwAuthenticate(new Request(narrowed))) ?? []
  expect(metadata).toBe(`${ORIGIN}${RESOURCE}?toolkits=Gmail,SMS&mode=search`)
  expect(await (await faceWith().get(metadata.slice(ORIGIN.length))).json()).toMatchObject({ resource: narrowed })
  const remoteName = faceWith({ issuer: 'https://id.example' })
  for (const answer of [remoteName.get(`${RESOURCE}?toolkits=A`), faceWith().get(`${RESOURCE}?mode=search`)]) {
    expect(await (await answer).json()).toMatchObject({ resource: `${ORIGIN}/connect/mcp` })
  }
})

it('metadata of a toolset names it as the resource, and an unknown one has none', async () => {
  const url = `${ORIGIN}/connect/mcp/t/sales?toolkits=Mail`
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(wwwAuthenticate(new Request(url))) ?? []
  expect(metadata).toBe(`${ORIGIN}${RESOURCE}/t/sales?toolkits=Mail`)
  expect(await (await faceWith().get(metadata)).json()).toMatchObject({ resource: url })
  const byCompany = await faceWith({ issuer: 'https://id.example' }).get(`${RESOURCE}/t/sales?toolkits=Mail`)
  expect(await byCompany.json()).toMatchObject({ resource: `${ORIGIN}/connect/mcp/t/sales` })
  const unknown = [404, 'invalid_request', "There is no toolset 'none' here", 'no-store', null]
  expect(await seen(faceWith().get(`${RESOURCE}/t/none`))).toEqual(unknown)
  expect(await seen(faceWith(limited).get(`${RESOURCE}/t/sales`))).toEqual(TOO_MANY)
  expect((await faceWith(limited).get(RESOURCE)).status).toBe(200)
})

it('metadata of a toolset is unavailable while the toolset cannot be looked up', async () => {
  const findToolset = () => Promise.reject(new UnreachableError('Not now'))
  expect(await seen(faceWith({ findToolset }).get(`${RESOURCE}/t/sales`))).toEqual([
    503,
    'temporarily_unavailable',
    'Not now',
    'no-store',
    '1',
  ])
})

it("metadata names the company's own authorization server instead of ours, which then does not exist", async () => {
  const { get, redeem, register, ask } = faceWith({ issuer: 'https://id.example' })
  expect(await (await get(RESOURCE)).json()).toMatchObject({ authorization_servers: ['https://id.example'] })
  for (const path of SERVER) expect((await get(path)).status).toBe(404)
  for (const answer of [await redeem(), await register(METADATA), await ask()]) expect(answer.status).toBe(404)
})

it('a token request is passed on unchanged', async () => {
  const { post, sent, ended } = faceWith()
  const fields = { grant_type: 'authorization_code', code: 'a:b:c', more: '1' }
  expect((await post('/connect/token?x=y', fields, { authorization: 'Basic eDp5' })).status).toBe(200)
  expect(sent).toEqual([[ORIGIN, 'Basic eDp5', new URLSearchParams(fields).toString(), undefined]])
  expect(ended).toEqual([])
})

it('a token that is revoked, or a failed request for one, clears the cached agent', async () => {
  const refusing = { token: async () => ({ status: 400, headers: { 'x-of': 'library' }, body: '{"error":"x"}' }) }
  const { redeem, ended } = faceWith({}, refusing)
  const answer = await redeem()
  expect([answer.status, answer.headers.get('x-of'), await answer.text()]).toEqual([400, 'library', '{"error":"x"}'])
  await redeem({ grant_type: 'refresh_token', refresh_token: 'd:e:f' })
  expect(ended).toEqual(['a', 'd'])
  const revoking = faceWith()
  await revoking.post('/connect/token', { token: 'g:h:i' })
  expect(revoking.ended).toEqual(['g'])
})

it.each<[string, Parameters<typeof faceWith>[0], [string, Record<string, string>], unknown[]]>([
  ['too often', limited, ['/connect/token', {}], TOO_MANY],
  ['over plain http', {}, [`${HTTP}/connect/token`, {}], WANTED_HTTPS],
  [
    'in too long a form',
    {},
    ['/connect/token', { code: 'x'.repeat(65_536) }],
    [400, 'invalid_request', 'Wanted a form of at most 65536 bytes', 'no-store', null],
  ],
  [
    'with an assertion of nobody',
    {},
    ['/connect/token', { client_assertion: 'x' }],
    [401, 'invalid_client', 'The client could not be authenticated', 'no-store', null],
  ],
  [
    'with the type of an assertion alone',
    {},
    ['/connect/token', { client_assertion_type: 'x' }],
    [401, 'invalid_client', 'The client could not be authenticated', 'no-store', null],
  ],
])('a token is not issued %s', async (_, change, [path, fields], answer) => {
  const { post, sent, ended } = faceWith(change)
  expect(await seen(post(path, fields))).toEqual(answer)
  expect([sent, ended]).toEqual([[], []])
})

it('a token request that fails because of a defect responds with 500', async () => {
  const token = () => Promise.reject(new Error('A defect'))
  expect((await faceWith({}, { token }).redeem()).status).toBe(500)
})

it('a registration reaches the library as a whole, and only if its metadata matches the declaration', async () => {
  const { register, sent } = faceWith()
  expect((await register(METADATA, '/connect/register?x=y')).status).toBe(201)
  for (const wrong of [
    {},
    { redirect_uris: [] },
    ...['client_name', 'client_uri', 'token_endpoint_auth_method', 'scope'].map((name) => ({
      ...METADATA,
      [name]: 1,
    })),
    ...['redirect_uris', 'grant_types', 'response_types'].map((name) => ({ ...METADATA, [name]: [1] })),
  ]) {
    const [status, error, description] = await seen(register(wrong))
    expect([status, error, description]).toEqual([
      400,
      'invalid_client_metadata',
      expect.stringMatching(/redirect_uris|\w+/),
    ])
  }
  expect(sent).toEqual([[ORIGIN, JSON.stringify(METADATA), null]])
})

it('a registration may name unsupported grants next to the authorization code', async () => {
  const { register, sent } = faceWith()
  const device = 'urn:ietf:params:oauth:grant-type:device_code'
  for (const grant_types of [['authorization_code', device, 'refresh_token'], [device]]) {
    expect((await register({ ...METADATA, grant_types })).status).toBe(201)
  }
  const grants = sent.map(([, metadata]): unknown => JSON.parse(String(metadata)).grant_types)
  expect(grants).toEqual([['authorization_code', 'refresh_token'], [device]])
})

it.each<[string, Parameters<typeof faceWith>[0], string, object, unknown[]]>([
  ['too often', limited, '/connect/register', METADATA, TOO_MANY],
  ['over plain http', {}, `${HTTP}/connect/register`, METADATA, WANTED_HTTPS],
  [
    'in too many bytes',
    {},
    '/connect/register',
    { client_name: 'x'.repeat(40_000) },
    [400, 'invalid_client_metadata', "Wanted 'application/json' of at most 32768 bytes", 'no-store', null],
  ],
])('a registration is refused %s', async (_, change, path, metadata, answer) => {
  const { register, sent } = faceWith(change)
  expect(await seen(register(metadata, path))).toEqual(answer)
  expect(sent).toEqual([])
})
