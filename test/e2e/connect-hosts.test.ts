import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { fetch as forward, type Request as Left, Response as Answered } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { askToken, authorizeUrl, codeFor, newAgent, register, type TestAgent, type Tokens } from './oauth/agent.ts'
import { type ConnectWorld, startConnectWorld } from './oauth/connect-world.ts'
import type { HttpPerson } from './oauth/http-person.ts'

const keys = await generateKeyPair('ES256', { extractable: true })
const strangers = await generateKeyPair('ES256')
const jwk = { ...(await exportJWK(keys.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }

/** What a host of agents sends, from its documentation. */
interface Host {
  readonly name: string
  /** The document that describes it (its path is ours), or what it registers. */
  readonly document?: Readonly<Record<string, unknown>>
  readonly registration?: Readonly<Record<string, unknown>>
  readonly redirectUri: string
  /** The revision that its session opens with. */
  readonly protocol: string
  readonly signs?: boolean
}

const HOSTS: readonly Host[] = [
  {
    name: 'Claude',
    document: {
      client_id: 'https://claude.ai/oauth/client-metadata',
      client_name: 'Claude',
      client_uri: 'https://claude.ai',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback', 'https://claude.com/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
    protocol: '2025-11-25',
  },
  {
    name: 'Claude Code',
    document: {
      client_id: 'https://claude.ai/oauth/claude-code-client-metadata',
      client_name: 'Claude Code',
      redirect_uris: ['http://localhost/callback', 'http://127.0.0.1/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'http://localhost:54545/callback',
    protocol: '2025-11-25',
  },
  {
    name: 'ChatGPT',
    document: {
      client_id: 'https://chatgpt.com/connector/client-metadata',
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector/oauth/a1b2c3'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'private_key_jwt',
      token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
      token_endpoint_auth_signing_alg: 'ES256',
      jwks: { keys: [jwk] },
    },
    redirectUri: 'https://chatgpt.com/connector/oauth/a1b2c3',
    protocol: '2025-11-25',
    signs: true,
  },
  {
    name: 'Cursor',
    registration: {
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback', 'http://localhost:8787/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'http://localhost:8787/callback',
    protocol: '2025-06-18',
  },
  {
    name: 'Cursor, by its own scheme',
    registration: {
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback',
    protocol: '2025-06-18',
  },
  {
    name: 'An app by its reverse domain',
    registration: {
      client_name: 'An app',
      redirect_uris: ['com.example.app:/oauth2redirect'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
    },
    redirectUri: 'com.example.app:/oauth2redirect',
    protocol: '2025-11-25',
  },
  {
    name: 'VS Code',
    registration: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      redirect_uris: ['https://vscode.dev/redirect', 'http://127.0.0.1/', 'http://127.0.0.1:33418/'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    redirectUri: 'http://127.0.0.1:41999/',
    protocol: '2025-11-25',
  },
  {
    name: 'Codex',
    registration: {
      client_name: 'Codex',
      redirect_uris: ['http://127.0.0.1:1455/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'http://127.0.0.1:39111/callback',
    protocol: '2025-06-18',
  },
]

const documents = new Map(
  HOSTS.flatMap(({ document }) => (document ? [[String(document['client_id']), document]] : [])),
)
/** A client that always signs, by keys that lie elsewhere. */
const SIGNER = 'https://signer.example/client'
documents.set(SIGNER, {
  client_id: SIGNER,
  client_name: 'A signer',
  redirect_uris: ['https://signer.example/callback'],
  token_endpoint_auth_method: 'private_key_jwt',
  jwks_uri: 'https://signer.example/keys',
})
documents.set('https://signer.example/keys', { keys: [jwk] })
let world: ConnectWorld
let origin: string
let ann: HttpPerson

beforeAll(async () => {
  world = await startConnectWorld({}, [], (request: Left) => {
    const document = documents.get(request.url)
    return document ? Answered.json(document) : forward(request)
  })
  origin = world.server.url
  ann = await world.findSession('ann')
})
afterAll(() => world?.stop())

/** Finds the authorization server as a client does: from the refusal to the metadata. */
async function discover() {
  const refused = await fetch(`${origin}/connect/mcp`, { method: 'POST' })
  expect(refused.status).toBe(401)
  const challenge = refused.headers.get('www-authenticate') ?? ''
  const [, at = ''] = /resource_metadata="([^"]+)"/.exec(challenge) ?? []
  const resource: { resource: string; authorization_servers: string[] } = await (await fetch(at)).json()
  const issuer = new URL(resource.authorization_servers[0] ?? '')
  const inserted = new URL(`/.well-known/oauth-authorization-server${issuer.pathname}`, issuer)
  const server: Record<string, string> & Record<string, unknown> = await (await fetch(inserted)).json()
  return { resource: resource.resource, server }
}

it.each(HOSTS)(
  '$name gets everything that it needs',
  async ({ document, registration, redirectUri, protocol, signs }) => {
    const { resource, server } = await discover()
    const fresh = await newAgent(origin)
    let clientId = String(document?.['client_id'])
    if (document) {
      // Claude takes its document only where both are said
      expect(server['client_id_metadata_document_supported']).toBe(true)
      expect(server['token_endpoint_auth_methods_supported']).toContain('none')
      if (signs) expect(server['token_endpoint_auth_methods_supported']).toContain('private_key_jwt')
    } else {
      const registered = await register(origin, registration)
      expect(registered.status, await registered.clone().text()).toBe(201)
      const given: { client_id: string } = await registered.json()
      clientId = given.client_id
    }
    const agent: TestAgent = { ...fresh, clientId, redirectUri }
    const page = await ann.open(authorizeUrl(agent, { resource }))
    expect(page.status, page.text).toBe(200)
    expect(page.text).toContain(new URL(redirectUri).host)
    expect(page.text.includes('Verified:')).toBe(document !== undefined)
    const code = await codeFor(ann, agent, ['Calculator'], { resource })

    const proof = async (): Promise<Record<string, string>> =>
      signs
        ? {
            client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
            client_assertion: await new SignJWT({ jti: crypto.randomUUID() })
              .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
              .setIssuer(clientId)
              .setSubject(clientId)
              .setAudience(`${origin}/connect`)
              .setExpirationTime('2m')
              .sign(keys.privateKey),
          }
        : {}
    const grant = {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: redirectUri,
      code_verifier: agent.verifier,
      resource,
    }
    const answer = await askToken(origin, { ...grant, ...(await proof()) })
    expect(answer.status, await answer.clone().text()).toBe(200)
    const tokens: Tokens & { token_type: string } = await answer.json()
    expect(tokens.token_type.toLowerCase()).toBe('bearer')

    const send = async (method: string, params: object, token: string) => {
      const response = await fetch(resource, {
        method: 'POST',
        headers: {
          'authorization': `Bearer ${token}`,
          'content-type': 'application/json',
          'accept': 'application/json, text/event-stream',
          ...(method === 'initialize' ? {} : { 'mcp-protocol-version': protocol }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
      return { status: response.status, text: await response.text() }
    }
    const client = { protocolVersion: protocol, capabilities: {}, clientInfo: { name: 'a host', version: '1' } }
    const opened = await send('initialize', client, tokens.access_token)
    expect(opened.text).toContain(`"protocolVersion":"${protocol}"`)
    expect((await send('tools/list', {}, tokens.access_token)).text).toContain('Calculator_Add')
    const params = { name: 'Calculator_Add', arguments: { a: 2, b: 3 } }
    expect((await send('tools/call', params, tokens.access_token)).text).toContain('5')

    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token, client_id: clientId, resource }
    const refreshed = await askToken(origin, { ...form, ...(await proof()) })
    expect(refreshed.status).toBe(200)
    const next: Tokens = await refreshed.json()
    expect((await send('tools/list', {}, next.access_token)).status).toBe(200)
    // To revoke, at the address that the metadata says
    const revoked = await fetch(String(server['revocation_endpoint']), {
      method: 'POST',
      body: new URLSearchParams({ token: next.refresh_token, client_id: clientId, ...(await proof()) }),
    })
    expect(revoked.status).toBe(200)
    expect((await send('tools/list', {}, next.access_token)).status).toBe(401)
  },
)

describe('a client assertion', () => {
  const chatGpt = HOSTS.find(({ signs }) => signs)
  const clientId = String(chatGpt?.document?.['client_id'])

  it.each<[string, (jwt: SignJWT) => SignJWT, CryptoKey | 'own']>([
    ["under a stranger's key", (jwt) => jwt, strangers.privateKey],
    ['for another server', (jwt) => jwt.setAudience('https://evil.test/connect'), 'own'],
    ['of another client', (jwt) => jwt.setIssuer('https://evil.test/client'), 'own'],
    ['of another subject', (jwt) => jwt.setSubject('https://evil.test/client'), 'own'],
    ['that is over', (jwt) => jwt.setExpirationTime(Math.floor(Date.now() / 1_000) - 120), 'own'],
    ['that counts for a day', (jwt) => jwt.setExpirationTime('1d'), 'own'],
    ['without an id', (jwt) => jwt.setJti(''), 'own'],
  ])('a client assertion %s is refused, even if the client does not need one', async (_, change, key) => {
    const agent = { ...(await newAgent(origin)), clientId, redirectUri: chatGpt?.redirectUri ?? '' }
    const code = await codeFor(ann, agent, ['Calculator'])
    const good = new SignJWT({})
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(`${origin}/connect`)
      .setJti(crypto.randomUUID())
      .setExpirationTime('2m')
    const form = {
      grant_type: 'authorization_code',
      code,
      client_id: clientId,
      redirect_uri: agent.redirectUri,
      code_verifier: agent.verifier,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await change(good).sign(key === 'own' ? keys.privateKey : key),
    }
    const refused = await askToken(origin, form)
    expect([refused.status, await refused.text()]).toEqual([401, expect.stringContaining('invalid_client')])
  })

  it('a client assertion is required from a client with no other authentication method, signed with its keys', async () => {
    const agent = { ...(await newAgent(origin)), clientId: SIGNER, redirectUri: 'https://signer.example/callback' }
    const form = {
      grant_type: 'authorization_code',
      code: await codeFor(ann, agent, ['Calculator']),
      client_id: SIGNER,
      redirect_uri: agent.redirectUri,
      code_verifier: agent.verifier,
    }
    expect((await askToken(origin, form)).status).toBe(401)
    expect((await askToken(origin, { ...form, client_secret: 'x' })).status).toBe(401)
    const client_assertion = await new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(SIGNER)
      .setSubject(SIGNER)
      .setAudience(`${origin}/connect`)
      .setExpirationTime('2m')
      .sign(keys.privateKey)
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    expect(
      (await askToken(origin, { ...form, client_secret: 'x', client_assertion, client_assertion_type })).status,
    ).toBe(401)
    const answer = await askToken(origin, { ...form, client_assertion, client_assertion_type })
    expect(answer.status, await answer.text()).toBe(200)
  })

  it('a client assertion can be used once', async () => {
    const agent = { ...(await newAgent(origin)), clientId, redirectUri: chatGpt?.redirectUri ?? '' }
    const client_assertion = await new SignJWT({ jti: crypto.randomUUID() })
      .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(`${origin}/connect/token`)
      .setExpirationTime('2m')
      .sign(keys.privateKey)
    const redeem = async () =>
      askToken(origin, {
        grant_type: 'authorization_code',
        code: await codeFor(ann, agent, ['Calculator']),
        redirect_uri: agent.redirectUri,
        code_verifier: agent.verifier,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion,
      })
    expect((await redeem()).status).toBe(200)
    expect((await redeem()).status).toBe(401)
  })
})
