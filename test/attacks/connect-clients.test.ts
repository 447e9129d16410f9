import { createServer, type Server as HttpServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { authorizeUrl, codeFor, newAgent, redeem, register, rpc, type Tokens } from '../e2e/oauth/agent.ts'
import { type ConnectWorld, startConnectWorld } from '../e2e/oauth/connect-world.ts'
import type { HttpPerson } from '../e2e/oauth/http-person.ts'
import { close, listen } from '../e2e/oauth/provider.ts'
import { neverSilent, watched } from './watch.ts'

let site: HttpServer
let host: string
/** The responses of the clients' site, by path, and the requests that it received. */
const documents = new Map<
  string,
  (url: string) => { status?: number; headers?: Record<string, string>; body: string }
>()
let asked: string[] = []
let world: ConnectWorld
let origin: string
let ann: HttpPerson

const NAME = 'An <b>agent</b> of "evil" & co'
const document = (url: string, more: object = {}) => ({
  body: JSON.stringify({
    client_id: url,
    client_name: 'A documented agent',
    redirect_uris: ['https://agent.example/callback', 'http://localhost/callback'],
    token_endpoint_auth_method: 'none',
    ...more,
  }),
})

beforeAll(async () => {
  site = createServer((request, response) => {
    const path = request.url ?? '/'
    asked.push(path)
    const found = documents.get(path)?.(`http://${host}${path}`)
    response.writeHead(found?.status ?? (found ? 200 : 404), { 'content-type': 'application/json', ...found?.headers })
    response.end(found?.body ?? '{}')
  })
  host = `localhost:${await listen(site, 0)}`
  world = await startConnectWorld({}, [host])
  watched(world.server)
  origin = world.server.url
  ann = await world.findSession('ann')
})
afterAll(() => Promise.all([world?.stop(), site && close(site)]))
afterAll(neverSilent)

const refusalOf = async (metadata: object): Promise<unknown> => {
  const response = await register(origin, metadata)
  const { error }: { error?: string } = await response.json()
  return [response.status, error]
}
const METADATA = [400, 'invalid_client_metadata']
const REDIRECT = [400, 'invalid_redirect_uri']

it.each<[string, unknown[], unknown[]?]>([
  ['a script', ['javascript:alert(1)']],
  ['a script with a path', ['javascript:/*x*/alert(1)']],
  ['data', ['data:text/html,x']],
  ['a file', ['file:///etc/passwd']],
  ['another app of the system', ['intent://scan/x', 'https://agent.example/callback']],
  ['http on another host', ['http://evil.test/callback']],
  ['a fragment', ['https://agent.example/callback#x']],
  ['a user', ['https://user:pass@agent.example/callback']],
  ['a user of an app', ['com.example.app://user@host/callback']],
  ['no URL', ['callback']],
  ['a script beside a good one', ['https://agent.example/callback', 'javascript:alert(1)']],
  ['none', [], METADATA],
  ['a list of nothing', [null], METADATA],
])('client registration refuses redirect URIs: %s', async (_, redirect_uris, wanted = REDIRECT) => {
  expect(await refusalOf({ redirect_uris })).toEqual(wanted)
})

it('client registration refuses oversized and malformed bodies', async () => {
  const big = await register(origin, { client_name: 'x'.repeat(40_000) })
  expect(big.status).toBe(400)
  for (const body of ['', '[]', 'null', '"x"', '{', '{"redirect_uris":"https://a.test/"}']) {
    const answer = await fetch(`${origin}/connect/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    })
    expect(answer.status, body).toBe(400)
    expect(await answer.text()).toMatch(/"error":"invalid_(?:client_metadata|request)"/)
  }
  expect(await refusalOf({ grant_types: ['password'] })).toEqual(METADATA)
  expect(await refusalOf({ grant_types: ['client_credentials'] })).toEqual(METADATA)
})

it('client registration accepts a hostile name, which is shown escaped and as unverified', async () => {
  const hidden = 'Claude\u202e\u200b'
  for (const [client_name, shown] of [
    [NAME, 'An &lt;b&gt;agent&lt;/b&gt; of &#39;evil&#39; &amp; co'],
    [hidden, 'Claude\\u202e\\u200b'],
    ['x'.repeat(5_000), 'x'.repeat(100)],
  ] as const) {
    const redirect_uris = ['https://agent.example/callback']
    const { client_id: clientId }: { client_id: string } = await (
      await register(origin, { client_name, redirect_uris })
    ).json()
    const agent = { ...(await newAgent(origin)), clientId, redirectUri: redirect_uris[0] ?? '' }
    const { text, status } = await ann.open(authorizeUrl(agent))
    expect(status).toBe(200)
    expect(text).toContain(shown)
    expect(text).toContain('Not verified')
    expect(text).toContain('agent.example')
    expect(text).not.toContain(NAME)
    expect(text.length).toBeLessThan(40_000)
  }
})

it('a flood of registrations evicts only clients whose link nobody has opened', async () => {
  const kept = await newAgent(origin)
  const code = await codeFor(ann, kept, ['Calculator'])
  const first = await newAgent(origin)
  const pending = await newAgent(origin)
  // A visitor without a session is redirected to sign in
  const { status, headers } = await fetch(authorizeUrl(pending), { redirect: 'manual' })
  expect([status, headers.get('location')]).toEqual([302, expect.stringMatching(/^\/sign-in/)])
  for (let round = 0; round < 21; round++) {
    await Promise.all(Array.from({ length: 50 }, () => register(origin)))
  }
  expect((await ann.open(authorizeUrl(first))).text).toContain('Invalid client_id')
  expect((await ann.open(authorizeUrl(pending))).status).toBe(200)
  expect((await redeem(kept, code)).status).toBe(200)
})

const clientAt = async (path: string, redirectUri = 'http://localhost:5555/callback') => ({
  ...(await newAgent(origin)),
  clientId: `http://${host}${path}`,
  redirectUri,
})

it('a client with a metadata document needs no registration, and its host is shown as verified', async () => {
  documents.set('/agent.json', (url) => document(url))
  const agent = await clientAt('/agent.json')
  const { text } = await ann.open(authorizeUrl(agent))
  expect(text.replaceAll(/\s+/g, ' ')).toContain(`Verified: <strong>${host}</strong>`)
  const tokens: Tokens = await (await redeem(agent, await codeFor(ann, agent, ['Calculator']))).json()
  expect((await rpc(origin, tokens.access_token, 'tools/list')).status).toBe(200)
  // The document is fetched once for all of this
  expect(asked.filter((path) => path === '/agent.json')).toHaveLength(1)
})

it('a connected client still works when its metadata document is gone', async () => {
  documents.set('/gone.json', (url) => document(url))
  const agent = await clientAt('/gone.json')
  const code = await codeFor(ann, agent, ['Calculator'])
  documents.delete('/gone.json')
  expect((await redeem(agent, code)).status).toBe(200)
})

it("a client's metadata document is not fetched for a person who is not signed in", async () => {
  documents.set('/unseen.json', (url) => document(url))
  const answer = await fetch(authorizeUrl(await clientAt('/unseen.json')), { redirect: 'manual' })
  expect(answer.headers.get('location')).toMatch(/^\/sign-in\?return=/)
  expect(asked).not.toContain('/unseen.json')
})

it.each<[string, (url: string) => ReturnType<typeof document> & { status?: number; headers?: Record<string, string> }]>(
  [
    ['that names another', (url) => document(`${url}2`)],
    ['with a secret', (url) => document(url, { client_secret: 'x' })],
    ['without a name', (url) => document(url, { client_name: undefined })],
    ['without redirect URIs', (url) => document(url, { redirect_uris: [] })],
    ['for another grant', (url) => document(url, { grant_types: ['client_credentials'] })],
    ['that is a list', () => ({ body: '[]' })],
    ['that is none', () => ({ body: '<html>' })],
    ['that is too large', (url) => document(url, { padding: 'x'.repeat(20_000) })],
    ['that is an error', (url) => ({ ...document(url), status: 500 })],
    ['that is elsewhere', (url) => ({ ...document(url), status: 302, headers: { location: '/agent.json' } })],
  ],
)("a client's metadata document %s is refused", async (what, answer) => {
  const path = `/${what.replaceAll(/\W+/g, '-')}.json`
  documents.set(path, answer)
  const { status, text } = await ann.open(authorizeUrl(await clientAt(path)))
  expect(status).toBe(400)
  expect(text).toContain('cannot be connected')
})

it.each([
  'http://127.0.0.1:1/agent.json',
  'https://10.0.0.1/agent.json',
  'https://169.254.169.254/latest/meta-data',
  'https://localhost/agent.json',
  'https://[::1]/agent.json',
  'https://user:pass@agent.example/agent.json',
  'https://agent.example/',
  'https://agent.example',
  'https://agent.example/a/../agent.json',
  'https://agent.example/agent.json#x',
  'HTTPS://agent.example/agent.json',
  'https://agent.example:443/agent.json',
])("a client's metadata document is not fetched from %s", async (clientId) => {
  const { status, text } = await ann.open(authorizeUrl({ ...(await newAgent(origin)), clientId }))
  expect(status).toBe(400)
  expect(text).toContain('cannot be connected')
})

it("a client's metadata document cannot allow redirect URIs of forbidden schemes by listing them", async () => {
  const redirect_uris = ['intent://scan/x', 'view-source:/x', 'http://evil.test/', 'javascript:/x']
  documents.set('/odd.json', (url) => document(url, { redirect_uris: [...redirect_uris, 'com.example.app:/back'] }))
  for (const redirect of redirect_uris) {
    const { status, text } = await ann.open(authorizeUrl(await clientAt('/odd.json', redirect), { scope: 'x' }))
    expect([status, text]).toEqual([400, expect.stringContaining('Invalid redirect URI')])
    expect(text).not.toContain(redirect)
  }
  for (const redirect of ['com.example.app:/back/x', 'com.example.app:/BACK', 'COM.example.app:/back']) {
    const { status } = await ann.open(authorizeUrl(await clientAt('/odd.json', redirect)))
    expect(status).toBe(400)
  }
  expect((await ann.open(authorizeUrl(await clientAt('/odd.json', 'com.example.app:/back')))).status).toBe(200)
})

it("a redirect URI that is not in the client's metadata document is refused", async () => {
  documents.set('/agent.json', (url) => document(url))
  for (const redirect of [
    'https://evil.test/callback',
    'http://localhost:5555/other',
    'https://agent.example/callback/x',
  ]) {
    const { status, text } = await ann.open(authorizeUrl(await clientAt('/agent.json', redirect)))
    expect(status).toBe(400)
    expect(text).toContain('Invalid redirect URI')
    expect(text).not.toContain(redirect)
  }
})
