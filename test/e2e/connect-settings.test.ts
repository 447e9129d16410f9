import { createServer, type Server as HttpServer } from 'node:http'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { authorizeUrl, codeFor, connected, decide, newAgent, redeem, rpc } from './oauth/agent.ts'
import { asAdmin, type ConnectWorld, startConnectWorld } from './oauth/connect-world.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { close, listen } from './oauth/provider.ts'
import { type RunningServer, startApp } from './server.ts'

const PAGE = 'https://inspector.example'

describe('clients that an administrator creates', () => {
  let world: ConnectWorld
  let ann: HttpPerson
  beforeAll(async () => {
    world = await startConnectWorld({ ALLOW_ORIGINS: `${PAGE}, http://localhost:6274` })
    ann = await world.findSession('ann')
  })
  afterAll(() => world?.stop())

  it('clients that an administrator creates connect with their secret, are listed without it, and are removed with their agents', async () => {
    const { server } = world
    const redirectUri = 'https://agent.example/callback'
    const given = await server.json(
      'POST',
      '/clients',
      { name: 'Given', redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_post' },
      asAdmin,
    )
    expect(given).toMatchObject({
      status: 201,
      body: { name: 'Given', redirect_uris: [redirectUri], client_secret: expect.stringMatching(/^.{20,}$/) },
    })
    const { client_id: clientId, client_secret } = given.body
    const listed = await server.json('GET', '/clients', undefined, asAdmin)
    expect(listed.body.items).toEqual([
      {
        client_id: clientId,
        name: 'Given',
        redirect_uris: [redirectUri],
        token_endpoint_auth_method: 'client_secret_post',
        created_at: expect.stringMatching(/^20\d\d-/),
      },
    ])
    const agent = { ...(await newAgent(server.url)), clientId, redirectUri }
    // A secret is no reason to do without PKCE
    const without = await ann.open(authorizeUrl(agent, { code_challenge: undefined, code_challenge_method: undefined }))
    expect([without.status, without.text]).toEqual([400, expect.stringContaining('PKCE')])
    const code = await codeFor(ann, agent, ['Calculator'])
    expect((await redeem(agent, code)).status).toBe(401)
    const tokens: { access_token: string } = await (await redeem(agent, code, { client_secret })).json()
    expect((await rpc(server.url, tokens.access_token, 'tools/list')).status).toBe(200)

    const asKey = { authorization: 'Bearer nobody' }
    expect((await server.json('GET', '/clients', undefined, asKey)).status).toBe(401)
    expect((await server.json('DELETE', `/clients/${clientId}`, undefined, asAdmin)).status).toBe(204)
    expect((await server.json('DELETE', `/clients/${clientId}`, undefined, asAdmin)).status).toBe(404)
    expect((await rpc(server.url, tokens.access_token, 'tools/list')).status).toBe(401)
    expect((await ann.open(authorizeUrl(agent))).text).toContain('Invalid client_id')
    // Who registered themselves are none of these
    const self = await newAgent(server.url)
    expect((await server.json('DELETE', `/clients/${self.clientId}`, undefined, asAdmin)).status).toBe(404)
  })

  it.each([
    [{ redirect_uris: ['https://a.example/'] }, '/name'],
    [{ name: 'x', redirect_uris: [] }, '/redirect_uris'],
    [{ name: 'x', redirect_uris: ['http://a.example/'] }, '/redirect_uris/0'],
    [{ name: 'x', redirect_uris: ['https://a.example/#x'] }, '/redirect_uris/0'],
    [{ name: 'x', redirect_uris: ['https://u:p@a.example/'] }, '/redirect_uris/0'],
    [{ name: 'x', redirect_uris: ['javascript:alert(1)'] }, '/redirect_uris/0'],
    [{ name: 'x', redirect_uris: ['cursor://a/b', 'https://exa[mple/'] }, '/redirect_uris/1'],
    [{ name: 'x', redirect_uris: ['intent://scan/x'] }, '/redirect_uris/0'],
    [
      { name: 'x', redirect_uris: ['https://a.example/'], token_endpoint_auth_method: 'tls' },
      '/token_endpoint_auth_method',
    ],
  ])('clients that an administrator creates are refused if they are invalid (%#)', async (body, path) => {
    const answer = await world.server.json('POST', '/clients', body, asAdmin)
    expect(answer.status).toBe(422)
    expect(answer.body.errors.map((each: { path: string }) => each.path)).toContain(path)
  })

  it("clients that an administrator creates may redirect to an app's own scheme", async () => {
    const redirectUri = 'cursor://anysphere.cursor-mcp/oauth/callback'
    const { status, body } = await world.server.json(
      'POST',
      '/clients',
      { name: 'x', redirect_uris: [redirectUri] },
      asAdmin,
    )
    expect(status).toBe(201)
    const agent = { ...(await newAgent(world.server.url)), clientId: body.client_id, redirectUri }
    expect(
      (await ann.open(authorizeUrl(agent, { code_challenge: undefined, code_challenge_method: undefined }))).text,
    ).toMatch(/must use PKCE.*Go back to cursor:\/\/anysphere\.cursor-mcp/s)
    expect((await redeem(agent, await codeFor(ann, agent, ['Calculator']))).status).toBe(200)
  })

  it('pages of origins in ALLOW_ORIGINS may use /mcp, /connect/mcp and the token endpoint', async () => {
    const { url } = world.server
    const ask = {
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,content-type',
    }
    for (const path of [
      '/mcp',
      '/mcp/t/a',
      '/connect/mcp',
      '/connect/mcp/t/a',
      '/connect/token',
      '/connect/register',
    ]) {
      const before = await fetch(`${url}${path}`, { method: 'OPTIONS', headers: { origin: PAGE, ...ask } })
      expect(before.status).toBe(204)
      expect(before.headers.get('access-control-allow-origin')).toBe(PAGE)
      expect(before.headers.get('access-control-allow-headers')).toBe('authorization,content-type')
      expect(before.headers.has('access-control-allow-credentials')).toBe(false)
      for (const origin of ['https://evil.example', 'null', 'https://inspector.example.evil.example']) {
        const other = await fetch(`${url}${path}`, { method: 'OPTIONS', headers: { origin, ...ask } })
        expect(other.headers.has('access-control-allow-origin')).toBe(false)
        expect(other.status).not.toBe(204)
      }
    }
    const { tokens } = await connected(ann, url, ['Calculator'])
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const send = (origin: string) =>
      fetch(`${url}/connect/mcp`, {
        method: 'POST',
        headers: { origin, 'authorization': `Bearer ${tokens.access_token}`, 'content-type': 'application/json' },
        body,
      })
    const listed = await send(PAGE)
    expect([listed.status, listed.headers.get('access-control-allow-origin')]).toEqual([200, PAGE])
    expect(listed.headers.get('vary')).toContain('Origin')
    const evil = await send('https://evil.example')
    expect([evil.status, evil.headers.has('access-control-allow-origin')]).toEqual([403, false])
    const refused = await fetch(`${url}/connect/mcp`, { method: 'POST', headers: { origin: PAGE } })
    expect(refused.headers.get('access-control-expose-headers')).toContain('WWW-Authenticate')
    const metadata = `${url}/.well-known/oauth-protected-resource/connect/mcp`
    expect((await fetch(metadata, { headers: { origin: PAGE } })).headers.get('access-control-allow-origin')).toBe(PAGE)
  })
})

describe('without a sign-in provider', () => {
  let server: RunningServer
  beforeAll(async () => {
    server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY: 'an-administrators-key-1' } })
  })
  afterAll(() => server?.stop())

  it('without a sign-in provider, an agent acts as the key that signed in, and ends with it', async () => {
    const made = await server.json(
      'POST',
      '/keys',
      { name: 'Ann', scopes: ['tools:read', 'tools:call'], tools: ['Calculator.*'], users: ['ann'] },
      asAdmin,
    )
    const ann = new HttpPerson()
    const origin = server.url
    await ann.post(`${origin}/sign-in/key`, { key: made.body.key }, { origin })
    const { tokens } = await connected(ann, origin, ['Calculator'])
    const { body } = await rpc(origin, tokens.access_token, 'tools/list')
    expect(body.result.tools.length).toBeGreaterThan(0)
    const { items } = (await server.json('GET', '/users/ann/agents', undefined, asAdmin)).body
    expect(items).toMatchObject([{ principal: `key:${made.body.id}`, toolkits: ['Calculator'] }])
    expect((await server.json('DELETE', `/keys/${made.body.id}`, undefined, asAdmin)).status).toBe(204)
    expect((await rpc(origin, tokens.access_token, 'tools/list')).status).toBe(401)
  })
})

describe("a company's own authorization server", async () => {
  const keys = await generateKeyPair('ES256', { extractable: true })
  let http: HttpServer
  let issuer: string
  let server: RunningServer
  beforeAll(async () => {
    const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256' }
    http = createServer((request, response) => {
      const isKeys = request.url === '/keys'
      const metadata = { issuer, token_endpoint: `${issuer}/token`, jwks_uri: `${issuer}/keys` }
      response.writeHead(200, { 'content-type': 'application/json' })
      response.end(JSON.stringify(isKeys ? { keys: [jwk] } : metadata))
    })
    issuer = `http://localhost:${await listen(http, 0)}`
    server = await startApp({
      vars: {
        ACCESS: 'keys',
        ADMIN_KEY: 'an-administrators-key-1',
        ALLOW_HTTP_HOSTS: new URL(issuer).host,
        CONNECT_ISSUER: issuer,
        SIGN_IN_RULES: JSON.stringify([{ domain: 'acme.test', toolkits: ['Calculator'] }]),
      },
    })
  })
  afterAll(() => Promise.all([server?.stop(), http && close(http)]))

  const token = (more: Record<string, unknown> = {}) =>
    new SignJWT({ email: 'ann@acme.test', email_verified: true, ...more })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(String(more['iss'] ?? issuer))
      .setSubject('ann')
      .setAudience(String(more['aud'] ?? `${server.url}/connect/mcp`))
      .setExpirationTime('5m')
      .sign(keys.privateKey)

  it("a company's own authorization server is named instead of ours, which does not exist then", async () => {
    const resource = await fetch(`${server.url}/.well-known/oauth-protected-resource/connect/mcp`)
    expect(await resource.json()).toMatchObject({
      resource: `${server.url}/connect/mcp`,
      authorization_servers: [issuer],
    })
    const ours = await fetch(`${server.url}/.well-known/oauth-authorization-server/connect`)
    expect(ours.status).toBe(404)
    const { status } = await decide(new HttpPerson(), `${server.url}/connect/authorize?client_id=x`, {})
    expect([401, 404]).toContain(status)
  })

  it("a company's own authorization server issues tokens that get their rights from the sign-in rules", async () => {
    const { status, body } = await rpc(server.url, await token(), 'tools/list')
    expect(status, JSON.stringify(body)).toBe(200)
    expect(body.result.tools.every(({ name }: { name: string }) => name.startsWith('Calculator'))).toBe(true)
    expect((await rpc(server.url, await token({ email: 'eve@evil.test' }), 'tools/list')).status).toBe(403)
  })

  it("a company's own authorization server issues tokens that are refused for another audience, issuer or endpoint", async () => {
    for (const wrong of [
      { aud: 'https://other.test/mcp' },
      { aud: `${server.url}/mcp` },
      { iss: 'https://evil.test' },
    ]) {
      expect((await rpc(server.url, await token(wrong), 'tools/list')).status).toBe(401)
    }
    // The same server at another address, which is another audience
    const elsewhere = server.url.replace('127.0.0.1', 'localhost')
    expect((await rpc(elsewhere, await token(), 'tools/list')).status).toBe(401)
    expect((await rpc(elsewhere, await token({ aud: `${elsewhere}/connect/mcp` }), 'tools/list')).status).toBe(200)
    expect((await rpc(server.url, await token(), 'tools/list', {}, '/mcp')).status).toBe(401)
    expect((await rpc(server.url, 'an-administrators-key-1', 'tools/list')).status).toBe(401)
  })
})
