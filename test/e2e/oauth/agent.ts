import { createHash, randomBytes } from 'node:crypto'
import type { HttpPerson } from './http-person.ts'
import type { Reply } from './switchboard.ts'

export interface Tokens {
  readonly access_token: string
  readonly refresh_token: string
  readonly expires_in: number
  readonly scope: string
}

/** A hand-written public client, so that tests can change each of its requests. */
export interface TestAgent {
  readonly origin: string
  readonly clientId: string
  readonly redirectUri: string
  readonly verifier: string
}

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** Registers a client (RFC 7591), and returns the response. */
export function register(origin: string, metadata: object = {}): Promise<Response> {
  const body = {
    client_name: 'A test agent',
    redirect_uris: ['http://127.0.0.1:7777/callback'],
    token_endpoint_auth_method: 'none',
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    ...metadata,
  }
  return fetch(`${origin}/connect/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

export async function newAgent(origin: string, redirectUri = 'http://127.0.0.1:7777/callback'): Promise<TestAgent> {
  const registered: { client_id: string } = await (await register(origin, { redirect_uris: [redirectUri] })).json()
  return { origin, clientId: registered.client_id, redirectUri, verifier: randomBytes(32).toString('base64url') }
}

/** Returns the URL to which an agent sends its person. */
export function authorizeUrl(agent: TestAgent, more: Readonly<Record<string, string | undefined>> = {}): string {
  const url = new URL('/connect/authorize', agent.origin)
  const parameters = {
    response_type: 'code',
    client_id: agent.clientId,
    redirect_uri: agent.redirectUri,
    code_challenge: challengeOf(agent.verifier),
    code_challenge_method: 'S256',
    state: 'a-state',
    scope: 'tools:read tools:call',
    resource: `${agent.origin}/connect/mcp`,
    ...more,
  }
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) url.searchParams.set(name, value)
  return url.href
}

/** Submits the page's form as the person's browser does, and returns where it leads. */
export async function decide(
  who: HttpPerson,
  url: string,
  fields: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>> = { origin: new URL(url).origin },
): Promise<{ readonly status: number; readonly location: URL | undefined; readonly text: string }> {
  const answer = await who.submit(url, fields, headers)
  const location = answer.headers.get('location')
  return {
    status: answer.status,
    location: location === null ? undefined : new URL(location),
    text: await answer.text(),
  }
}

/** Does everything a signed-in person does to let an agent use toolkits, and returns the code. */
export async function codeFor(
  who: HttpPerson,
  agent: TestAgent,
  toolkits: readonly string[],
  more = {},
): Promise<string> {
  const boxes = Object.fromEntries(toolkits.map((toolkit) => [`toolkit.${toolkit}`, '1']))
  const { location, text, status } = await decide(who, authorizeUrl(agent, more), {
    ...boxes,
    days: '30',
    decision: 'allow',
  })
  const code = location?.searchParams.get('code')
  if (!code) throw new Error(`No code came (${status}): ${location?.href}\n${text}`)
  return code
}

/** Sends a form to the token endpoint. */
export function askToken(origin: string, form: Readonly<Record<string, string>>, headers = {}): Promise<Response> {
  return fetch(`${origin}/connect/token`, { method: 'POST', headers, body: new URLSearchParams(form) })
}

export function redeem(agent: TestAgent, code: string, more: Readonly<Record<string, string>> = {}): Promise<Response> {
  return askToken(agent.origin, {
    grant_type: 'authorization_code',
    code,
    client_id: agent.clientId,
    redirect_uri: agent.redirectUri,
    code_verifier: agent.verifier,
    resource: `${agent.origin}/connect/mcp`,
    ...more,
  })
}

export function refresh(agent: TestAgent, refresh_token: string, more: Readonly<Record<string, string>> = {}) {
  return askToken(agent.origin, { grant_type: 'refresh_token', refresh_token, client_id: agent.clientId, ...more })
}

/** Creates an agent that a signed-in person lets use toolkits, and returns its tokens. */
export async function connected(
  who: HttpPerson,
  origin: string,
  toolkits: readonly string[],
): Promise<{ readonly agent: TestAgent; readonly tokens: Tokens }> {
  const agent = await newAgent(origin)
  const answer = await redeem(agent, await codeFor(who, agent, toolkits))
  if (answer.status !== 200) throw new Error(`No token came: ${await answer.text()}`)
  return { agent, tokens: await answer.json() }
}

/** Sends one MCP (2025-11-25) request to an endpoint. */
export async function rpc(
  origin: string,
  token: string | undefined,
  method: string,
  params: object = {},
  path = '/connect/mcp',
): Promise<Reply> {
  const response = await fetch(`${origin}${path}`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'accept': 'application/json, text/event-stream',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}
