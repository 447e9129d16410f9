import {
  Client as NewClient,
  type OAuthClientProvider as NewProvider,
  StreamableHTTPClientTransport as NewTransport,
} from '@modelcontextprotocol/client'
import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeUrl, codeFor, connected, decide, newAgent, refresh, rpc, type Tokens } from './oauth/agent.ts'
import { HttpPerson } from './oauth/http-person.ts'
import { CLIENT_ID, startProvider, type TestProvider } from './oauth/provider.ts'
import { signIn } from './oauth/sign-in.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
const INFO = { name: 'a test', version: '1.0.0' }
const REDIRECT = 'http://127.0.0.1:7777/callback'

let provider: TestProvider
let server: RunningServer
let ann: HttpPerson

beforeAll(async () => {
  provider = await startProvider()
  for (const name of ['ann', 'bob']) provider.claims[name] = { email: `${name}@acme.test`, email_verified: true }
  server = await startApp({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY,
      ALLOW_HTTP_HOSTS: provider.host,
      SIGN_IN_ISSUER: provider.issuer,
      SIGN_IN_CLIENT_ID: CLIENT_ID,
      SIGN_IN_CLIENT_SECRET: provider.clientSecret,
      SIGN_IN_RULES: JSON.stringify([{ domain: 'acme.test', toolkits: ['Calculator', 'Fixture', 'Text'] }]),
    },
  })
  provider.allowRedirectTo(`${server.url}/sign-in/callback`)
  ann = new HttpPerson()
  await signIn(ann, server.url, 'ann')
})
afterAll(() => Promise.all([server?.stop(), provider?.close()]))

/** What an application keeps that has the official SDK sign its person in. */
function application() {
  const kept: Record<string, unknown> = {}
  let opened: URL | undefined
  const provider = {
    redirectUrl: REDIRECT,
    clientMetadata: {
      client_name: 'An application',
      redirect_uris: [REDIRECT],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    state: () => 'a-state-of-its-own',
    clientInformation: () => kept['client'],
    saveClientInformation: (client: unknown) => void (kept['client'] = client),
    tokens: () => kept['tokens'],
    saveTokens: (tokens: unknown) => void (kept['tokens'] = tokens),
    redirectToAuthorization: (url: URL) => void (opened = url),
    saveCodeVerifier: (verifier: string) => void (kept['verifier'] = verifier),
    codeVerifier: () => String(kept['verifier']),
  }
  return { provider, kept, opened: () => opened?.href ?? '' }
}

/** Ann chooses toolkits on the page that an application opened; gives what comes back to it. */
async function allow(url: string, toolkits: readonly string[]): Promise<URLSearchParams> {
  const page = await ann.open(url)
  expect(page.status, page.text).toBe(200)
  const boxes = Object.fromEntries(toolkits.map((toolkit) => [`toolkit.${toolkit}`, '1']))
  const { location } = await decide(ann, url, { ...boxes, days: '7', decision: 'allow' })
  expect(location?.href).toContain(REDIRECT)
  return location?.searchParams ?? new URLSearchParams()
}

it('with OAuth and no header, the official client 2.4 finds /connect/mcp, registers, is allowed, lists, calls and refreshes', async () => {
  const { provider: auth, kept, opened } = application()
  const url = new URL('/connect/mcp', server.url)
  const options = { authProvider: auth as unknown as NewProvider }
  const first = new NewTransport(url, options)
  await expect(new NewClient(INFO).connect(first)).rejects.toThrow()
  expect(new URL(opened()).searchParams.get('resource')).toBe(url.href)
  const came = await allow(opened(), ['Calculator'])
  expect(came.get('iss')).toBe(`${server.url}/connect`)
  expect(came.get('state')).toBe('a-state-of-its-own')
  await first.finishAuth(came)

  const client = new NewClient(INFO)
  await client.connect(new NewTransport(url, options))
  const { tools } = await client.listTools()
  expect(tools.length).toBeGreaterThan(0)
  expect(tools.every(({ name }) => name.startsWith('Calculator'))).toBe(true)
  const sum = await client.callTool({ name: 'Calculator_Add', arguments: { a: 2, b: 3 } })
  expect(JSON.stringify(sum)).toContain('5')
  await client.close()

  // A token that counts no more is refreshed, and the call goes on
  const before = kept['tokens'] as Tokens
  kept['tokens'] = { ...before, access_token: before.access_token.replace(/.$/, (end) => (end === 'a' ? 'b' : 'a')) }
  const later = new NewClient(INFO)
  await later.connect(new NewTransport(url, options))
  expect((await later.listTools()).tools).toHaveLength(tools.length)
  await later.close()
  expect((kept['tokens'] as Tokens).refresh_token).not.toBe(before.refresh_token)
})

it('with OAuth and no header, the client of SDK 1 does the same, with toolkits in its URL', async () => {
  const { provider: auth, opened } = application()
  const url = new URL('/connect/mcp?toolkits=Calculator', server.url)
  const options = { authProvider: auth as unknown as OAuthClientProvider }
  const first = new StreamableHTTPClientTransport(url, options)
  type Transport = Parameters<Client['connect']>[0]
  await expect(new Client(INFO).connect(first as Transport)).rejects.toThrow('Unauthorized')
  const came = await allow(opened(), ['Calculator', 'Fixture'])
  await first.finishAuth(came.get('code') ?? '')
  const client = new Client(INFO)
  await client.connect(new StreamableHTTPClientTransport(url, options) as Transport)
  const { tools } = await client.listTools()
  expect(tools.every(({ name }) => name.startsWith('Calculator'))).toBe(true)
  const searching = new Client(INFO)
  const other = new URL('/connect/mcp?mode=search', server.url)
  await searching.connect(new StreamableHTTPClientTransport(other, options) as Transport)
  expect((await searching.listTools()).tools).toHaveLength(3)
  await Promise.all([client.close(), searching.close()])
})

it('with OAuth and no header, the official client 2.4 finds the URL of a toolset, and lists and calls its tools', async () => {
  const toolset = { tools: [{ tool: 'Calculator.Add', name: 'Sum', arguments: { a: { value: 40 } } }] }
  await server.json('PUT', '/toolsets/sales', toolset, { authorization: `Bearer ${ADMIN_KEY}` })
  const { provider: auth, opened } = application()
  const url = new URL('/connect/mcp/t/sales', server.url)
  const options = { authProvider: auth as unknown as NewProvider }
  const first = new NewTransport(url, options)
  await expect(new NewClient(INFO).connect(first)).rejects.toThrow()
  expect(new URL(opened()).searchParams.get('resource')).toBe(url.href)
  await first.finishAuth(await allow(opened(), ['Calculator']))
  const client = new NewClient(INFO)
  await client.connect(new NewTransport(url, options))
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['Calculator_Sum'])
  const sum = await client.callTool({ name: 'Calculator_Sum', arguments: { b: 2 } })
  expect(sum.structuredContent).toEqual({ result: 42 })
  await client.close()
})

it('a 401 at /connect/mcp names the metadata of the resource, its authorization server and its scopes', async () => {
  const refused = await rpc(server.url, undefined, 'ping')
  expect(refused.status).toBe(401)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const [, metadata = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  expect(metadata).toBe(`${server.url}/.well-known/oauth-protected-resource/connect/mcp`)
  expect(challenge).toContain('scope="tools:read tools:call"')
  const resource = await (await fetch(metadata)).json()
  expect(resource).toMatchObject({
    resource: `${server.url}/connect/mcp`,
    authorization_servers: [`${server.url}/connect`],
  })
  const answer = await fetch(`${server.url}/.well-known/oauth-authorization-server/connect`)
  expect(await answer.json()).toMatchObject({
    issuer: `${server.url}/connect`,
    authorization_endpoint: `${server.url}/connect/authorize`,
    token_endpoint: `${server.url}/connect/token`,
    registration_endpoint: `${server.url}/connect/register`,
    code_challenge_methods_supported: ['S256'],
    response_types_supported: ['code'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
    token_endpoint_auth_methods_supported: expect.arrayContaining(['none']),
  })
})

it('a 401 at /mcp names /connect/mcp in its message, and no metadata', async () => {
  const refused = await rpc(server.url, undefined, 'ping', {}, '/mcp')
  expect(refused.status).toBe(401)
  expect(refused.headers.get('www-authenticate')).toBe('Bearer realm="switchboard"')
  expect(refused.body.error.message).toContain(`${server.url}/connect/mcp`)
  expect(refused.body.error.message).toContain('Authorization: Bearer <key>')
  for (const path of ['/.well-known/oauth-protected-resource/mcp', '/.well-known/oauth-authorization-server']) {
    expect((await fetch(`${server.url}${path}`)).status).toBe(404)
  }
})

it("a key does not work at /connect/mcp, and an agent's token does not work at /mcp", async () => {
  expect((await rpc(server.url, ADMIN_KEY, 'tools/list')).status).toBe(401)
  const { tokens } = await connected(ann, server.url, ['Calculator'])
  expect((await rpc(server.url, tokens.access_token, 'tools/list')).status).toBe(200)
  expect((await rpc(server.url, tokens.access_token, 'tools/list', {}, '/mcp')).status).toBe(401)
  const elsewhere = { authorization: `Bearer ${tokens.access_token}` }
  expect((await server.json('GET', '/tools', undefined, elsewhere)).status).toBe(401)
  expect((await server.json('GET', '/users/ann@acme.test/agents', undefined, elsewhere)).status).toBe(401)
})

it('the page that allows an agent asks people who are not signed in to sign in first, and returns them to it', async () => {
  const agent = await newAgent(server.url)
  const bob = new HttpPerson()
  const page = await signIn(bob, server.url, 'bob', authorizeUrl(agent).slice(server.url.length))
  expect(page.status).toBe(200)
  expect(page.url).toContain('/connect/authorize')
  for (const said of ['A test agent', 'Not verified', '127.0.0.1:7777', 'bob@acme.test', 'own computer']) {
    expect(page.text.replaceAll(/\s+/g, ' ')).toContain(said)
  }
  expect(page.text).toMatch(/name="toolkit\.Calculator"/)
  // What the person may not use cannot be chosen, and nothing is that was not asked for
  expect(page.text).not.toMatch(/name="toolkit\.Secrets"/i)
  expect(page.text).not.toContain(' checked')
  expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
})

it("the page that allows an agent offers only the toolkits in the server's URL, with none selected", async () => {
  const agent = await newAgent(server.url)
  const resource = `${server.url}/connect/mcp?toolkits=Calculator`
  const { text } = await ann.open(authorizeUrl(agent, { resource }))
  expect(text).toContain('name="toolkit.Calculator"')
  expect(text).not.toContain('name="toolkit.Fixture"')
  expect(text).not.toContain(' checked')
})

it('the page that allows an agent can be refused, and names missing fields', async () => {
  const agent = await newAgent(server.url)
  const refused = await decide(ann, authorizeUrl(agent), { decision: 'refuse' })
  expect(refused.location?.searchParams.get('error')).toBe('access_denied')
  expect(refused.location?.searchParams.get('state')).toBe('a-state')
  expect(refused.location?.searchParams.get('iss')).toBe(`${server.url}/connect`)
  for (const fields of [
    { days: '7' },
    { 'toolkit.Calculator': '1', 'days': '3650' },
    { 'toolkit.Gmail': '1', 'days': '7' },
  ]) {
    const again = await decide(ann, authorizeUrl(agent), { ...fields, decision: 'allow' })
    expect(again).toMatchObject({ status: 400, location: undefined })
  }
})

it('the decision on the page that allows an agent is in the audit log', async () => {
  const [refusing, allowed] = [await newAgent(server.url), await newAgent(server.url)]
  const since = new Date().toISOString()
  await decide(ann, authorizeUrl(refusing), { decision: 'refuse' })
  const fields = { 'toolkit.Calculator': '1', 'days': '7', 'decision': 'allow' }
  const { location } = await decide(ann, authorizeUrl(allowed), fields)
  const told = async () => {
    const { body } = await server.json(
      'GET',
      `/audit?since=${since}&principal=person:ann@acme.test`,
      undefined,
      asAdmin,
    )
    return body.items.filter(({ act }: { act: string }) => act.startsWith('agent.')).reverse()
  }
  await expect.poll(async () => (await told()).length).toBe(2)
  const [refusal, connection] = await told()
  expect(refusal).toMatchObject({
    act: 'agent.refuse',
    principal: 'person:ann@acme.test',
    outcome: 'success',
    path: '/connect/authorize',
    about: { host: '127.0.0.1:7777' },
  })
  expect(connection).toMatchObject({
    act: 'agent.connect',
    principal: 'person:ann@acme.test',
    about: {
      id: expect.any(String),
      host: '127.0.0.1:7777',
      toolkits: ['Calculator'],
      expires_at: expect.any(String),
    },
  })
  // Whoever reads it cannot go on with it
  for (const secret of [location?.searchParams.get('code'), allowed.verifier, 'a-state']) {
    expect(JSON.stringify([refusal, connection])).not.toContain(secret)
  }
})

it.each<[string, Record<string, string | undefined>, string]>([
  ['an unknown client', { client_id: 'nobody' }, 'Invalid client_id'],
  ['another redirect URI', { redirect_uri: 'https://evil.test/' }, 'Invalid redirect URI'],
  ['no PKCE', { code_challenge: undefined, code_challenge_method: undefined }, 'PKCE'],
  ['PKCE that is plain', { code_challenge_method: 'plain' }, 'S256'],
  ['another resource', { resource: 'https://evil.test/mcp' }, 'resource'],
  ['another response type', { response_type: 'token' }, 'response'],
])('the page that allows an agent redirects nobody for %s', async (_, wrong, why) => {
  const { status, text } = await ann.open(authorizeUrl(await newAgent(server.url), wrong))
  expect(status).toBe(400)
  expect(text).toContain(why)
})

it('connected agents are seen and ended only by their user and by administrators', async () => {
  const { agent, tokens } = await connected(ann, server.url, ['Calculator'])
  const path = '/users/ann%40acme.test/agents'
  const { items } = JSON.parse((await ann.open(`${server.url}${path}`)).text)
  const mine = items.at(-1)
  expect(mine).toMatchObject({
    principal: 'person:ann@acme.test',
    client: { id: agent.clientId, name: 'A test agent', host: '127.0.0.1:7777' },
    toolkits: ['Calculator'],
    scopes: ['tools:read', 'tools:call'],
  })
  expect(Date.parse(mine.expires_at) - Date.parse(mine.created_at)).toBe(30 * 86_400_000)
  expect(JSON.stringify(items)).not.toContain(tokens.access_token.split(':')[2])
  const bob = new HttpPerson()
  await signIn(bob, server.url, 'bob')
  expect((await bob.open(`${server.url}${path}`)).status).toBe(403)
  expect((await bob.send('DELETE', `${server.url}/users/bob%40acme.test/agents/${mine.id}`)).status).toBe(404)
  expect((await rpc(server.url, tokens.access_token, 'tools/list')).status).toBe(200)
  expect((await ann.send('DELETE', `${server.url}${path}/${mine.id}`)).status).toBe(204)
  expect((await rpc(server.url, tokens.access_token, 'tools/list')).status).toBe(401)
  expect((await refresh(agent, tokens.refresh_token)).status).toBe(400)
  expect((await ann.send('DELETE', `${server.url}${path}/${mine.id}`)).status).toBe(404)

  const other = await connected(ann, server.url, ['Calculator'])
  expect((await server.json('DELETE', path, undefined, asAdmin)).status).toBe(204)
  expect((await rpc(server.url, other.tokens.access_token, 'tools/list')).status).toBe(401)
  // One whose code is not redeemed yet is none
  expect(await codeFor(ann, await newAgent(server.url), ['Calculator'])).not.toBe('')
  expect((await server.json('GET', path, undefined, asAdmin)).body).toEqual({ items: [] })
})
