import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { fetch as forward, type Request as Left, Response as Answered } from 'miniflare'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { askToken, authorizeUrl, codeFor, newAgent, register, type TestAgent, type Tokens } from '../e2e/oauth/agent.ts'
import { type ConnectWorld, startConnectWorld } from '../e2e/oauth/connect-world.ts'
import type { HttpPerson } from '../e2e/oauth/http-person.ts'
import { neverSilent, watched } from './watch.ts'

const keys = await generateKeyPair('ES256', { extractable: true })
const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
const ASSERTION = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
/** Clients that describe themselves, as any site may. Ann allows the first, and nobody the second. */
const KNOWN = 'https://agent.example/client'
const UNKNOWN = 'https://victim.example/client'
const documentOf = (id: string) => ({
  client_id: id,
  client_name: 'An agent',
  redirect_uris: ['https://agent.example/callback'],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: `${id}/keys`,
})
const site = new Map<string, object>(
  [KNOWN, UNKNOWN].flatMap((id) => [
    [id, documentOf(id)],
    [`${id}/keys`, { keys: [jwk] }],
  ]),
)

let world: ConnectWorld
let origin: string
let ann: HttpPerson
let agent: TestAgent
let left: string[] = []
beforeAll(async () => {
  world = await startConnectWorld({}, [], (request: Left) => {
    if (new URL(request.url).host === world.provider.host) return forward(request)
    left.push(request.url)
    const found = site.get(request.url)
    return found ? Answered.json(found) : new Answered('no', { status: 404 })
  })
  watched(world.server)
  origin = world.server.url
  ann = await world.findSession('ann')
  agent = { ...(await newAgent(origin)), clientId: KNOWN, redirectUri: 'https://agent.example/callback' }
})
afterAll(() => world?.stop())
afterAll(neverSilent)
afterEach(() => void (left = []))

const assertionOf = (issuer: string, header: object = {}) =>
  new SignJWT({ jti: crypto.randomUUID() })
    .setProtectedHeader({ alg: 'ES256', kid: 'k1', ...header })
    .setIssuer(issuer)
    .setSubject(issuer)
    .setAudience(`${origin}/connect`)
    .setExpirationTime('2m')
    .sign(keys.privateKey)
const signed = async (issuer: string, form: Record<string, string>, header: object = {}) =>
  askToken(origin, {
    ...form,
    client_assertion_type: ASSERTION,
    client_assertion: await assertionOf(issuer, header),
  })

const FORMS: readonly Record<string, string>[] = [
  { grant_type: 'authorization_code', code: 'a:b:c', redirect_uri: 'https://a.test/', code_verifier: 'v' },
  { grant_type: 'refresh_token', refresh_token: 'a:b:c' },
  { grant_type: 'client_credentials' },
  { token: 'a:b:c' },
  {},
]

it.each(FORMS)('a client that no person has allowed causes no fetch with an assertion in the form %j', async (form) => {
  for (const id of [UNKNOWN, 'https://10.0.0.1/x', 'https://victim.example/', 'http://victim.example/client']) {
    for (const header of [{}, { jku: `${UNKNOWN}/keys` }, { x5u: UNKNOWN }, { jwk }]) {
      expect((await signed(id, form, header)).status).toBe(401)
      expect((await signed(id, { ...form, client_id: id }, header)).status).toBe(401)
    }
  }
  expect(left).toEqual([])
})

it('a client that no person has allowed causes no fetch without an assertion', async () => {
  for (const form of FORMS) {
    const { status } = await askToken(origin, { ...form, client_id: UNKNOWN })
    expect(status).toBeGreaterThanOrEqual(400)
  }
  expect(left).toEqual([])
})

it('a client that no person has allowed causes no fetch with the URLs that it registers', async () => {
  const urls = { client_uri: UNKNOWN, logo_uri: UNKNOWN, jwks_uri: UNKNOWN, policy_uri: UNKNOWN, tos_uri: UNKNOWN }
  await register(origin, { ...urls, software_statement: await assertionOf(UNKNOWN), sector_identifier_uri: UNKNOWN })
  expect(left).toEqual([])
})

it('a client that no person has allowed causes no fetch for a person who is not signed in', async () => {
  const url = authorizeUrl({ ...agent, clientId: UNKNOWN })
  const cookies = [{}, { cookie: 'switchboard-session=made-up; __Host-switchboard-session=made-up' }]
  for (const headers of cookies) {
    await fetch(url, { headers, redirect: 'manual' })
    const body = new URLSearchParams({ decision: 'allow', days: '7' })
    await fetch(url, { method: 'POST', headers: { ...headers, origin }, body, redirect: 'manual' })
  }
  expect(left).toEqual([])
})

it('a client that a person allowed has its document fetched, and its keys fetched once', async () => {
  const code = await codeFor(ann, agent, ['Calculator'])
  expect(left).toEqual([KNOWN])
  const form = {
    grant_type: 'authorization_code',
    code,
    client_id: KNOWN,
    redirect_uri: agent.redirectUri,
    code_verifier: agent.verifier,
  }
  const answer = await signed(KNOWN, form)
  expect(answer.status, await answer.clone().text()).toBe(200)
  expect(left).toEqual([KNOWN, `${KNOWN}/keys`])
  const tokens: Tokens = await answer.json()
  const refresh = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token }
  expect((await signed(KNOWN, refresh)).status).toBe(200)
  expect(left).toHaveLength(2)
})

it('a client that a person allowed is not fetched more often because strangers pretend to be that client', async () => {
  await codeFor(ann, agent, ['Calculator'])
  left = []
  const stranger = await generateKeyPair('ES256')
  for (let time = 0; time < 20; time++) {
    const forged = await new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: `k${time}` })
      .setIssuer(KNOWN)
      .setSubject(KNOWN)
      .setAudience(`${origin}/connect`)
      .setExpirationTime('2m')
      .sign(stranger.privateKey)
    const form = { grant_type: 'refresh_token', refresh_token: 'a:b:c' }
    const { status } = await askToken(origin, { ...form, client_assertion_type: ASSERTION, client_assertion: forged })
    expect(status).toBe(401)
  }
  expect(left.length).toBeLessThanOrEqual(2)
})

it('a client id similar to the id of an allowed client causes no fetch', async () => {
  await codeFor(ann, agent, ['Calculator'])
  left = []
  for (const id of [
    `${KNOWN}/`,
    `${KNOWN}?x`,
    `${KNOWN}#x`,
    'https://AGENT.example/client',
    'https://agent.example:443/client',
    'https://agent.example/%63lient',
    'https://agent.example/x/../client',
    'https://agent.example@victim.example/client',
    'https://agent.example.victim.example/client',
  ]) {
    for (const form of FORMS) expect((await signed(id, form)).status, id).toBe(401)
  }
  expect(left).toEqual([])
})

it('no other request that strangers may send causes a fetch', async () => {
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })
  const source = { from: { openapi: UNKNOWN }, toolkit: 'Mine' }
  for (const headers of [{}, { authorization: `Bearer ${await assertionOf(UNKNOWN, { jku: `${UNKNOWN}/keys` })}` }]) {
    for (const from of ['openapi', 'mcp', 'oxp']) {
      await post('/toolkits/import', { ...source, from: { [from]: UNKNOWN } }, headers)
      await post('/toolkits/import?dry_run=1', { ...source, from: { [from]: UNKNOWN } }, headers)
    }
    await post('/tools', { definition: {}, implementation: { kind: 'http', url: UNKNOWN } }, headers)
    await post('/convert?from=oxp&to=mcp', { url: UNKNOWN }, headers)
    await post('/connect/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
    await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/list' }, headers)
    await post('/providers', { issuer: UNKNOWN }, headers)
    await fetch(`${origin}/sign-in?return=${UNKNOWN}&iss=${UNKNOWN}`, { headers, redirect: 'manual' })
    await fetch(`${origin}/oauth/callback?code=x&state=y&iss=${UNKNOWN}`, { headers, redirect: 'manual' })
  }
  expect(left).toEqual([])
})
