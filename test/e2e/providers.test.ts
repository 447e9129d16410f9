import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { calls } from '../attacks/set-up.ts'
import { type RunningServer, startApp } from './server.ts'

const ADMIN = { authorization: 'Bearer correct-horse-battery' }
const PAGE = 'text/html; charset=utf-8'

let server: RunningServer
let agent: { authorization: string }

beforeAll(async () => {
  server = await startApp({
    vars: {
      ACCESS: 'keys',
      ADMIN_KEY: 'correct-horse-battery',
      GITHUB_CLIENT_ID: 'g1',
      GITHUB_CLIENT_SECRET: 'hunter2-hunter2',
      ALLOW_HTTP_HOSTS: 'localhost:9999',
    },
  })
  const key = { name: 'agent', scopes: ['tools:call', 'tools:publish'], users: ['ann'] }
  agent = { authorization: `Bearer ${(await server.json('POST', '/keys', key, ADMIN)).body.key}` }
})
afterAll(() => server.stop())

const BODY = { issuer: 'http://localhost:9999', client_id: 'c1', client_secret_name: 'ACME_CLIENT_SECRET' }

it('providers are added, read, replaced and removed by an administrator, alongside those from variables', async () => {
  const put = await server.json('PUT', '/providers/acme', BODY, ADMIN)
  expect(put).toMatchObject({ status: 201, body: { id: 'acme', name: 'acme', ...BODY } })
  expect((await server.json('PUT', '/providers/acme', { ...BODY, name: 'Acme' }, ADMIN)).status).toBe(200)
  expect(await server.json('GET', '/providers/acme', undefined, ADMIN)).toMatchObject({ body: { name: 'Acme' } })
  const { body } = await server.json('GET', '/providers', undefined, ADMIN)
  expect(body.items).toMatchObject([
    { id: 'acme', name: 'Acme' },
    { id: 'github', client_id: 'g1', client_secret_name: 'GITHUB_CLIENT_SECRET', built_in: true },
  ])
  expect(JSON.stringify(body)).not.toContain('hunter2')
  expect((await fetch(`${server.url}/providers/acme`, { method: 'DELETE', headers: ADMIN })).status).toBe(204)
  expect((await server.json('GET', '/providers/acme', undefined, ADMIN)).status).toBe(404)
})

it.each([
  ['an own secret', { ...BODY, client_secret_name: 'ADMIN_KEY' }, '/client_secret_name'],
  ['a secret of tools', { ...BODY, client_secret_name: 'TWILIO_API_KEY' }, '/client_secret_name'],
  ['a secret itself', { ...BODY, client_secret: 'hunter2' }, '/client_secret'],
  ['an address that is not allowed', { ...BODY, issuer: 'http://localhost:9998' }, '/issuer'],
])('providers with %s are refused', async (_, body, path) => {
  const { status, body: answer } = await server.json('PUT', '/providers/bad', body, ADMIN)
  expect({ status, errors: answer.errors }).toMatchObject({ status: 422, errors: [{ path }] })
  expect(JSON.stringify(answer)).not.toContain('hunter2')
})

it('providers are for administrators only', async () => {
  for (const [headers, status] of [
    [agent, 403],
    [{}, 401],
  ] as const) {
    expect((await server.json('PUT', '/providers/acme', BODY, headers)).status).toBe(status)
    expect((await server.json('GET', '/providers', undefined, headers)).status).toBe(status)
  }
})

it.each([
  ['/authorizations/github/start', 404, 'did not name a user'],
  ['/authorizations/nobody-knows/start', 404, 'Nothing to authorize here'],
  ['/authorizations/%ff/start', 400, 'malformed'],
  ['/authorizations/nobody-knows/resume', 404, 'Nothing to authorize here'],
  ['/oauth/callback', 400, 'Not understood'],
  ['/oauth/callback?state=made-up&code=hunter2', 410, 'no longer works'],
])("people's pages need no credential, and report errors: %s", async (path, status, said) => {
  const response = await fetch(server.url + path)
  const text = await response.text()
  expect({ status: response.status, type: response.headers.get('content-type') }).toEqual({ status, type: PAGE })
  expect(text).toContain(said)
  expect(text).not.toContain('hunter2')
  const head = await fetch(server.url + path, { method: 'HEAD' })
  expect({ status: head.status, text: await head.text() }).toEqual({ status, text: '' })
})

it("people's pages accept only their own forms", async () => {
  const send = (headers: Record<string, string>) =>
    fetch(`${server.url}/authorizations/nobody-knows/start`, { method: 'POST', body: new URLSearchParams(), headers })
  expect((await send({ origin: server.url })).status).toBe(404)
  expect((await send({ origin: 'https://evil.example' })).status).toBe(403)
  expect((await send({ 'sec-fetch-site': 'cross-site', 'origin': server.url })).status).toBe(403)
})

describe('a call of a tool whose provider is not set up', () => {
  const HOW = "set 'context.user_id'"
  const json = { accept: 'application/json' }
  const said = async (url: string, headers: Record<string, string>) => {
    const response = await fetch(url, { headers })
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }

  it('a call of a tool whose provider is not set up says in each dialect that it names no user, and how to name one', async () => {
    const all = Object.entries(calls(server, 'Gmail', 'GetEmails', ADMIN))
    expect(all.length).toBeGreaterThan(4)
    for (const [dialect, make] of all) {
      const { body } = await make()
      expect([dialect, JSON.stringify(body)]).toEqual([dialect, expect.stringContaining(HOW)])
    }
  })

  it('a call of a tool whose provider is not set up has a link whose page says what to do, for people and programs', async () => {
    for (const [context, status, page] of [
      [{}, 404, 'PUT /providers/google'],
      [{ user_id: 'ann' }, 409, 'PUT /providers/google'],
    ] as const) {
      const called = await server.json('POST', '/tools/call', { tool_id: 'Gmail.GetEmails', context }, ADMIN)
      const [{ url }] = called.body.missing_requirements.authorization
      const person = await said(url, { accept: 'text/html,*/*' })
      expect(person).toMatchObject({ status, type: PAGE, text: expect.stringContaining(page) })
      expect(person.text).toContain('<a href="/docs/people#other-providers">')
      const program = await said(url, json)
      expect({ status: program.status, ...JSON.parse(program.text) }).toMatchObject({
        status,
        message: expect.stringContaining(page),
      })
    }
    const nobody = `${server.url}/authorizations/github/start`
    expect((await said(nobody, {})).text).toContain('<a href="/docs/agents#choose-the-user">')
    expect(JSON.parse((await said(nobody, json)).text).message).toContain('in the header X-User-Id')
  })
})

it.each([
  ['GET', '/users/ann/grants', 200],
  ['GET', '/users/bob/grants', 403],
  ['GET', '/users/ann/grants/github', 404],
  ['DELETE', '/users/ann/grants/github', 404],
  ['DELETE', '/users/bob/grants/github', 403],
  ['GET', '/users/%ff/grants', 400],
  ['GET', `/users/${'x'.repeat(300)}/grants`, 400],
  ['GET', '/authorizations/nobody-knows', 404],
  ['GET', '/authorizations/nobody-knows?wait=60', 400],
  ['POST', '/users/ann/grants', 405],
  ['PUT', '/authorizations/nobody-knows', 405],
  ['GET', '/users/ann', 404],
])("a caller's request %s %s about users returns %d, and 401 without a credential", async (method, path, status) => {
  const answer = await server.json(method, path, undefined, agent)
  expect(answer.status, JSON.stringify(answer.body)).toBe(status)
  if (status >= 400) expect(answer.body).toHaveProperty('message')
  expect((await server.json(method, path, undefined, {})).status).toBe(401)
})
