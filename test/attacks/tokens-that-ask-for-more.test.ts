import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rpc } from '../e2e/oauth/agent.ts'
import { definition } from '../e2e/definition.ts'
import type { RunningServer } from '../e2e/server.ts'
import { startUpstream, type Upstream } from '../upstream.ts'
import { ADMIN_KEY, asAdmin } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

type Claims = Readonly<Record<string, unknown>>

let provider: Upstream
let pair: CryptoKeyPair
const servers = new Map<string, RunningServer>()
beforeAll(async () => {
  pair = await generateKeyPair('ES256', { extractable: true })
  const keys = [{ ...(await exportJWK(pair.publicKey)), kid: 'k', alg: 'ES256' }]
  provider = await startUpstream(({ url = '' }, response) => {
    const issuer = provider.origin
    const metadata = { issuer, jwks_uri: `${issuer}/jwks`, token_endpoint: `${issuer}/token` }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(url.includes('.well-known') ? metadata : { keys }))
  })
  const jwks = { ACCESS: 'keys', ADMIN_KEY, JWT_JWKS_URL: `${provider.origin}/jwks` }
  const rules = JSON.stringify([{ domain: 'acme.test', toolkits: ['Calculator'] }])
  const reach = { ALLOW_HTTP_HOSTS: provider.host }
  servers.set('without rules', await startWatched({ vars: jwks }))
  servers.set('with rules', await startWatched({ vars: { ...jwks, SIGN_IN_RULES: rules } }))
  servers.set(
    'beside a secret',
    await startWatched({ vars: { ...jwks, JWT_SECRET: 'a secret of at least 32 bytes, no less' } }),
  )
  servers.set(
    'of the company',
    await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY, CONNECT_ISSUER: provider.origin, ...reach } }),
  )
})
afterAll(async () => {
  await Promise.all([...servers.values()].map((each) => each.stop()))
  await provider?.close()
})
afterAll(neverSilent)

const serverOf = (name: string): RunningServer => {
  const server = servers.get(name)
  if (!server) throw new Error(`There is no server '${name}'`)
  return server
}
const tokenOf = (claims: Claims) =>
  new SignJWT({ sub: 'mallory', ...claims })
    .setProtectedHeader({ alg: 'ES256', kid: 'k' })
    .setExpirationTime('1h')
    .sign(pair.privateKey)

const ASKS: readonly Claims[] = [
  { scope: 'openid admin' },
  { scope: 'admin tools:read tools:call tools:publish records:read users:confirm', users: 'any' },
  { scopes: ['admin'] },
  { scopes: ['tools:publish', 'users:confirm'], users: 'any' },
  { scope: 'admin', tools: ['*'] },
  { scope: 'tools:publish', tools: ['Mine.*'], users: 'any' },
  { scope: 'records:read', tools: ['*'], email: 'mallory@evil.test', email_verified: true },
]

/** Each needs a scope beyond reading and calling. */
const ACTS = [
  ['GET', '/keys', undefined],
  ['POST', '/keys', { name: 'mine', scopes: ['admin'] }],
  ['PUT', '/policies/Calculator.*', { approval: true }],
  ['PUT', '/providers/evil', { name: 'Evil', issuer: 'https://evil.test', client_id: 'x' }],
  ['POST', '/tools', definition('Mine.Tool@1.0.0')],
  ['POST', '/toolkits/import', { from: { openapi: {} }, toolkit: 'Mine' }],
  ['GET', '/export', undefined],
  ['GET', '/audit', undefined],
  ['POST', `/authorizations/${'A'.repeat(64)}/confirm`, { flow: 'x', user_id: 'ann' }],
  ['GET', '/users/ann/grants', undefined],
] as const

describe.each(['without rules', 'with rules', 'beside a secret'])('a token of a provider %s', (name) => {
  it.each(ASKS)(
    `a token of a provider ${name} cannot administer, publish or confirm anything, whatever its client requested: %j`,
    async (claims) => {
      const server = serverOf(name)
      const as = { authorization: `Bearer ${await tokenOf(claims)}` }
      for (const [method, path, body] of ACTS) {
        const answer = await server.json(method, path, body, as)
        expect(answer.status, `${method} ${path}: ${JSON.stringify(answer.body)}`).toBe(403)
      }
      const { body } = await server.json('GET', '/calls', undefined, as)
      expect(body.items ?? []).toEqual([])
    },
  )

  it(`a token of a provider ${name} acts only for its own user`, async () => {
    const as = { authorization: `Bearer ${await tokenOf({ scope: 'admin tools:call', users: 'any', tools: ['*'] })}` }
    const call = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 }, context: { user_id: 'ann' } }
    expect((await serverOf(name).json('POST', '/tools/call', call, as)).status).toBe(403)
  })
})

it("a provider's token can list and call tools, and its scopes narrow that", async () => {
  const server = serverOf('without rules')
  const call = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 } }
  for (const claims of [{}, { scope: 'admin' }, { scope: 'openid tools:read tools:call' }]) {
    const as = { authorization: `Bearer ${await tokenOf(claims)}` }
    expect((await server.json('GET', '/tools', undefined, as)).status).toBe(200)
    expect((await server.json('POST', '/tools/call', call, as)).status).toBe(200)
  }
  const reads = { authorization: `Bearer ${await tokenOf({ scope: 'tools:read' })}` }
  expect((await server.json('POST', '/tools/call', call, reads)).status).toBe(403)
})

it.each(ASKS)("a company's token allows only listing and calling at /connect/mcp: %j", async (claims) => {
  const { url, json } = serverOf('of the company')
  const more = { iss: provider.origin, aud: `${url}/connect/mcp` }
  const token = await tokenOf({ ...claims, ...more })
  // If the scopes are ours but not `admin`, a client that requests neither of the two gets none
  const asksAll = JSON.stringify(claims).includes('admin')
  expect((await rpc(url, token, 'tools/list')).status).toBe(asksAll ? 200 : 403)
  for (const [method, path, body] of ACTS) {
    expect((await json(method, path, body, { authorization: `Bearer ${token}` })).status).toBe(401)
  }
  expect((await json('GET', '/keys', undefined, asAdmin)).body.items).toEqual([])
})

it("a company's token is valid for its audience only: all tools, or one toolset", async () => {
  const { url, json } = serverOf('of the company')
  for (const [name, tool] of Object.entries({ sums: 'Calculator.Add', texts: 'Fixture.SimpleText' }))
    expect((await json('PUT', `/toolsets/${name}`, { tools: [{ tool }] }, asAdmin)).status).toBe(201)
  const tokenFor = (path: string) =>
    tokenOf({ iss: provider.origin, aud: `${url}${path}`, scope: 'tools:read tools:call' })
  const statusAt = async (path: string, token: string) => (await rpc(url, token, 'tools/list', {}, path)).status
  const [all, sums] = [await tokenFor('/connect/mcp'), await tokenFor('/connect/mcp/t/sums')]
  const { body } = await rpc(url, sums, 'tools/list', {}, '/connect/mcp/t/sums')
  expect(body.result.tools.map(({ name }: { name: string }) => name)).toEqual(['Calculator_Add'])
  expect(await statusAt('/connect/mcp/t/sums?toolset=texts', sums)).toBe(400)
  for (const path of ['/connect/mcp', '/connect/mcp/t/texts', '/mcp/t/sums'])
    expect(await statusAt(path, sums)).toBe(401)
  expect(await statusAt('/connect/mcp', all)).toBe(200)
  expect(await statusAt('/connect/mcp/t/sums', all)).toBe(401)
  expect(await statusAt('/connect/mcp/t/none', all)).toBe(404)
})
