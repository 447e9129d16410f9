import { randomBytes } from 'node:crypto'
import { expect } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { definition } from './definition.ts'
import { HttpPerson, type Visited } from './oauth/http-person.ts'
import type { RunningServer } from './server.ts'

export const ADMIN_KEY = randomBytes(24).toString('base64url')
export const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
export const newKey = () => randomBytes(24).toString('base64url')

/** An API with a key for each person; `accounts` maps keys to account names. */
export interface KeyApi extends Upstream {
  readonly accounts: Map<string, string>
  /** Handles `/me` instead of the API while it is set. */
  answerCheck?: ((response: import('node:http').ServerResponse) => void) | undefined
  /** Responses to `/held` wait for this. */
  release?: Promise<void>
}

export async function startKeyApi(): Promise<KeyApi> {
  const accounts = new Map<string, string>()
  const upstream = await startUpstream(async ({ url, headers }, response) => {
    if (url === '/me' && api.answerCheck) return api.answerCheck(response)
    const [scheme = '', text = ''] = (headers.authorization ?? '').split(' ')
    const sent = scheme === 'Basic' ? Buffer.from(text, 'base64').toString() : text || headers['x-api-key']
    if (url === '/held') await api.release
    const login = accounts.get(String(sent))
    const json = { 'content-type': 'application/json' }
    if (login === undefined) return void response.writeHead(401, json).end('{"error":"unknown key"}')
    const echoed = url === '/echo' ? { authorization: headers.authorization, sent } : {}
    response.writeHead(200, json).end(JSON.stringify({ login, ...echoed }))
  })
  const api: KeyApi = Object.assign(upstream, { accounts })
  return api
}

/** Returns the variables of a Switchboard that uses the API. */
export function variablesBeside({ host }: Upstream): Record<string, string> {
  return { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: host, VAULT_KEYS: newKey(), RECORD_CALL_CONTENT: '5' }
}

/** Creates a provider, and a tool `Notes.<name>` that sends its credential to a path of the API. */
export async function publishKeyTool(
  server: RunningServer,
  name: string,
  url: string,
  credentials: readonly object[],
  provider: string,
): Promise<void> {
  const requirements = { authorization: [{ id: provider }], secrets: [], user_id: true }
  const body = {
    definition: { ...definition(`Notes.${name}@1.0.0`), output_schema: {}, requirements },
    implementation: { kind: 'http', method: 'GET', url, credentials, response: { type: 'json' } },
  }
  const { status, body: answer } = await server.json('POST', '/tools', body, asAdmin)
  expect([200, 201], JSON.stringify(answer)).toContain(status)
}

export async function putProvider(server: RunningServer, id: string, provider: object): Promise<void> {
  const { status, body } = await server.json('PUT', `/providers/${id}`, provider, asAdmin)
  expect([200, 201], JSON.stringify(body)).toContain(status)
}

export const callFor = (server: RunningServer, tool: string, user: string, context: object = {}) =>
  server.json('POST', '/tools/call', { tool_id: tool, input: {}, context: { user_id: user, ...context } }, asAdmin)

/** Makes a call that ends in a challenge, and returns its link. */
export async function challengeFor(server: RunningServer, tool: string, user: string, context: object = {}) {
  const { status, body } = await callFor(server, tool, user, context)
  expect(status, JSON.stringify(body)).toBe(400)
  const [challenge] = Object(body).missing_requirements.authorization
  return { id: String(challenge.id), url: String(challenge.url), reason: String(Object(body).developer_message) }
}

/** Opens the link as a person, enters values and presses Connect. */
export async function enter(
  url: string,
  values: Readonly<Record<string, string>>,
  { account, said = [] }: { readonly account?: string; readonly said?: string[] } = {},
): Promise<Visited> {
  const person = new HttpPerson(said)
  const fields = Object.fromEntries(Object.entries(values).map(([name, value]) => [`value/${name}`, value]))
  return person.press(await person.open(url), /connect/i, { ...fields, ...(account === undefined ? {} : { account }) })
}
