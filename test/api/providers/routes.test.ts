import { Hono } from 'hono'
import { expect, it } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import type { Failure } from '../../../src/core/failure/failure.ts'
import { knownProvider, withConnected } from '../../../src/core/consent/known-providers.ts'
import type { Provider, ProviderStore } from '../../../src/core/consent/provider.ts'
import { createProvidersRoutes } from '../../../src/api/providers/routes.ts'
import { createUrlTextCheck, formatAllowHint } from '../../../src/outbound/allowed-url.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'

const STATUS: Partial<Record<Failure['type'], number>> = {
  'unauthenticated': 401,
  'forbidden': 403,
  'not-found': 404,
  'body-too-large': 413,
  'media-type-unsupported': 415,
  'definition-invalid': 422,
}

function setUp(caller: Principal = ADMIN) {
  const stored = new Map<string, Provider>()
  const store: ProviderStore = {
    find: async (id) => stored.get(id),
    async put(provider) {
      const result = stored.has(provider.id) ? 'replaced' : 'created'
      stored.set(provider.id, provider)
      return result
    },
    findNewest: async (id) => stored.get(id),
    list: async () => [...stored.values()],
    remove: async (id) => (stored.delete(id) ? 'removed' : 'not-found'),
  }
  const router = createProvidersRoutes({
    authorize: authorizerFor(caller),
    store,
    providers: withConnected(store, (name) => (name === 'GOOGLE_CLIENT_ID' ? 'g1' : undefined)),
    checkUrl: createUrlTextCheck(new Set(['localhost:9000']), formatAllowHint),
    loadSecretCheck: async () => (name) => (name === 'MASTER' ? 'Is not for this' : undefined),
    findKnownProvider: knownProvider,
    async test({ id }, callback) {
      const state = id === 'acme' ? 'failed' : 'unclear'
      return [{ name: 'token', state, message: `${id} at ${callback}` }]
    },
    respond: (failure) => Response.json(failure, { status: STATUS[failure.type] ?? 400 }),
  })
  const app = new Hono().route('/', router)
  const background = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }
  const request = (path: string, init: RequestInit) => app.request(path, init, {}, background)
  const send = (method: string, path: string, body?: unknown) =>
    request(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  return { request, send, stored }
}

const BODY = { name: 'Acme', issuer: 'https://acme.example', client_id: 'c1', client_secret_name: 'ACME_CLIENT_SECRET' }

it('PUT /providers/{id} stores a provider, and returns it', async () => {
  const { send, stored } = setUp()
  const response = await send('PUT', '/providers/acme', BODY)
  expect(response.status).toBe(201)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual({ id: 'acme', ...BODY })
  expect([...stored.values()]).toEqual([{ id: 'acme', ...BODY }])
})

it('PUT /providers/{id} replaces a provider completely', async () => {
  const { send, stored } = setUp()
  await send('PUT', '/providers/acme', { ...BODY, tools: ['Acme.*'] })
  const response = await send('PUT', '/providers/acme', { issuer: BODY.issuer, client_id: 'c2' })
  expect(response.status).toBe(200)
  expect(await response.json()).toEqual({ id: 'acme', name: 'acme', issuer: BODY.issuer, client_id: 'c2' })
  expect(stored.get('acme')).toEqual({ id: 'acme', name: 'acme', issuer: BODY.issuer, client_id: 'c2' })
})

it('PUT /providers/{id} accepts every id that a tool may name', async () => {
  const { send, stored } = setUp()
  expect((await send('PUT', '/providers/My%2FIdP%25', BODY)).status).toBe(201)
  expect([...stored.keys()]).toEqual(['My/IdP%'])
  expect((await send('GET', '/providers/My%2FIdP%25')).status).toBe(200)
})

it.each(['approval', '%20', '%C3%A9', 'x'.repeat(129), '%ff'])('PUT /providers/{id} refuses the id %j', async (id) => {
  const { send, stored } = setUp()
  for (const method of ['PUT', 'GET', 'DELETE']) {
    expect((await send(method, `/providers/${id}`, method === 'PUT' ? BODY : undefined)).status).toBe(400)
  }
  expect(stored.size).toBe(0)
})

it('PUT /providers/{id} refuses a body with every problem, and stores nothing', async () => {
  const { send, stored } = setUp()
  const response = await send('PUT', '/providers/acme', { client_secret: 'hunter2', issuer: 'ftp://x' })
  expect(response.status).toBe(422)
  const text = await response.text()
  expect(JSON.parse(text)).toMatchObject({
    problems: [{ path: '/client_secret' }, { path: '/issuer' }, { path: '/client_id' }],
  })
  expect(text).not.toContain('hunter2')
  expect(stored.size).toBe(0)
})

it.each([
  ['http://acme.example', 422],
  ['https://127.0.0.1', 422],
  ['https://user:pass@acme.example', 422],
  ['https://metadata.internal', 422],
  ['acme.example', 422],
  ['http://localhost:9000', 201],
  ['http://localhost:9001', 422],
])("PUT /providers/{id} checks the provider's URL like every outgoing request: %s", async (issuer, status) => {
  expect((await setUp().send('PUT', '/providers/acme', { ...BODY, issuer })).status).toBe(status)
})

it('PUT /providers/{id} says how to allow the host of an issuer, if that would help', async () => {
  const told = async (issuer: string) => (await setUp().send('PUT', '/providers/acme', { ...BODY, issuer })).text()
  expect(await told('http://localhost:9001')).toContain('npm run dev -- --var ALLOW_HTTP_HOSTS:localhost:9001')
  expect(await told('https://user:pass@acme.example')).not.toContain('ALLOW_HTTP_HOSTS')
})

it('PUT /providers/{id} refuses a body that is not JSON, of another media type, or too large', async () => {
  const { request, send } = setUp()
  const text = { method: 'PUT', body: 'a=b', headers: { 'content-type': 'text/plain' } }
  expect((await request('/providers/acme', text)).status).toBe(415)
  const broken = { method: 'PUT', body: '{', headers: { 'content-type': 'application/json' } }
  expect((await request('/providers/acme', broken)).status).toBe(400)
  expect((await send('PUT', '/providers/acme', { ...BODY, name: 'x'.repeat(300_000) })).status).toBe(413)
})

it('GET /providers lists stored providers and those from variables, each once', async () => {
  const { send } = setUp()
  await send('PUT', '/providers/acme', BODY)
  const list = async () => (await send('GET', '/providers')).json()
  expect(await list()).toMatchObject({ items: [{ id: 'acme' }, { id: 'google', client_id: 'g1', built_in: true }] })
  await send('PUT', '/providers/google', { client_id: 'g2' })
  expect(await list()).toMatchObject({ items: [{ id: 'acme' }, { id: 'google', client_id: 'g2' }] })
})

it('GET /providers/{id} shows a stored or built-in provider, or returns 404', async () => {
  const { send } = setUp()
  await send('PUT', '/providers/acme', BODY)
  expect(await (await send('GET', '/providers/acme')).json()).toEqual({ id: 'acme', ...BODY })
  expect(await (await send('GET', '/providers/google')).json()).toMatchObject({ client_id: 'g1', built_in: true })
  expect((await send('GET', '/providers/github')).status).toBe(404)
  expect((await send('GET', '/providers/ACME')).status).toBe(404)
})

it('GET /providers shows no other field that a store has for a provider', async () => {
  const { send, stored } = setUp()
  const kept = { id: 'acme', ...BODY, client_secret: 'hunter2' }
  stored.set('acme', kept)
  for (const path of ['/providers', '/providers/acme']) {
    expect(await (await send('GET', path)).text()).not.toContain('hunter2')
  }
})

it('DELETE /providers/{id} removes a provider, once', async () => {
  const { send } = setUp()
  await send('PUT', '/providers/acme', BODY)
  expect((await send('DELETE', '/providers/acme')).status).toBe(204)
  expect((await send('DELETE', '/providers/acme')).status).toBe(404)
  expect((await send('GET', '/providers/acme')).status).toBe(404)
})

it.each([
  ['PUT', '/providers/acme'],
  ['GET', '/providers'],
  ['GET', '/providers/acme'],
  ['DELETE', '/providers/acme'],
])('%s %s is for administrators', async (method, path) => {
  const key: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:read', 'tools:call', 'tools:publish'] }
  for (const [caller, status] of [
    [key, 403],
    [ANONYMOUS, 401],
  ] as const) {
    const { send, stored } = setUp(caller)
    expect((await send(method, path, method === 'PUT' ? BODY : undefined)).status).toBe(status)
    expect(stored.size).toBe(0)
  }
})

it('POST /providers/{id}/test returns the steps of a test, to administrators only', async () => {
  const { send } = setUp()
  expect((await send('POST', '/providers/acme/test')).status).toBe(404)
  await send('PUT', '/providers/acme', BODY)
  const test = async (id: string) => (await send('POST', `/providers/${id}/test`)).json()
  const message = 'acme at http://localhost/oauth/callback'
  expect(await test('acme')).toEqual({ ok: false, steps: [{ name: 'token', state: 'failed', message }] })
  expect(await test('google')).toMatchObject({ ok: true, steps: [{ state: 'unclear' }] })
  const reader = { ...ADMIN, scopes: ['tools:publish'] } as const
  for (const caller of [ANONYMOUS, reader])
    expect([401, 403]).toContain((await setUp(caller).send('POST', '/providers/google/test')).status)
})
