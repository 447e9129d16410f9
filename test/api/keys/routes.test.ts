import { createHash } from 'node:crypto'
import { Hono } from 'hono'
import { expect, it, vi } from 'vitest'
import { ADMIN, type Principal, type Scope } from '../../../src/core/access/principal.ts'
import type { ApiKey, KeyStore } from '../../../src/core/access/api-key.ts'
import { applyKeyChange } from '../../../src/core/access/stored-key.ts'
import type { Failure } from '../../../src/core/failure/failure.ts'
import { type KeysRoutesDeps, createKeysRoutes } from '../../../src/api/keys/routes.ts'
import { formatKey } from '../../../src/http/caller/key-text.ts'
import { createAuthenticator } from '../../../src/http/caller/authenticate.ts'
import { authorizerFor, authorizerWith } from '../../http/authorizer-for.ts'

const NOW = '2026-11-01T00:00:00.000Z'
const KEY = formatKey(new Uint8Array(32).fill(255))
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex')
const sha256 = (text: string) => Promise.resolve(hashOf(text))

function memoryStore() {
  const stored = new Map<string, ApiKey>()
  const store: KeyStore = {
    create: (key, hash) => Promise.resolve(void stored.set(hash, key)),
    list: () => Promise.resolve([...stored.values()]),
    findById: (id) => Promise.resolve([...stored.values()].find((key) => key.id === id)),
    find: (hash) => Promise.resolve(stored.get(hash)),
    async change(id, change) {
      const [hash, key] = [...stored].find(([, each]) => each.id === id) ?? []
      if (hash === undefined || !key) return undefined
      const changed = applyKeyChange(key, change)
      stored.set(hash, changed)
      return changed
    },
    async rotate(id, hash, prefix, until) {
      const [before, key] = [...stored].find(([, each]) => each.id === id) ?? []
      if (before === undefined || !key) return undefined
      stored.delete(before)
      const rotated = { ...key, prefix, previous_expires_at: new Date(until).toISOString() }
      stored.set(hash, rotated)
      return rotated
    },
    listLastUses: () => Promise.resolve({}),
    async remove(id) {
      const [hash] = [...stored].find(([, key]) => key.id === id) ?? []
      return hash !== undefined && stored.delete(hash) ? 'removed' : 'not-found'
    },
  }
  return { store, stored }
}

const STATUS: Partial<Record<Failure['type'], number>> = {
  'unauthenticated': 401,
  'forbidden': 403,
  'not-found': 404,
  'body-too-large': 413,
  'media-type-unsupported': 415,
  'definition-invalid': 422,
}

/** The publications of the first key, and the quota of each key. */
const QUOTA = {
  published: async () => ({ 'key:id1': { documents: 2, bytes: 30 } }),
  quota: { documents: 10, bytes: 400 },
}
const PUBLISHED = { published: { documents: 2, bytes: 30, quota: QUOTA.quota } }

function setUp(caller: Principal = ADMIN, quota: Pick<KeysRoutesDeps, 'published' | 'quota'> = QUOTA) {
  const { store, stored } = memoryStore()
  const onChange = vi.fn()
  const router = createKeysRoutes({
    keys: store,
    toolsets: { load: async () => undefined },
    locks: { find: async () => undefined },
    ...quota,
    authorize: authorizerFor(caller),
    onChange,
    sha256,
    randomKey: () => KEY,
    newId: () => `id${stored.size + 1}`,
    now: () => new Date(NOW),
    respond: (failure) => Response.json(failure, { status: STATUS[failure.type] ?? 400 }),
  })
  const app = new Hono().route('/', router)
  app.get('/health', (c) => c.text('ok'))
  const send = (method: string, path: string, body?: unknown) =>
    app.request(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    })
  return { send, stored, onChange, app, store }
}

const BODY = { name: 'agent', scopes: ['tools:call'] as Scope[], expires_at: '2027-01-01T00:00:00.000Z' }
const SHOWN = { id: 'id1', prefix: KEY.slice(0, 9), ...BODY, tools: ['*'], users: [], created_at: NOW }

it('POST /keys creates a key, shows it once and stores its hash', async () => {
  const { send, stored, onChange } = setUp()
  const response = await send('POST', '/keys', BODY)
  expect(response.status).toBe(201)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual({ ...SHOWN, key: KEY })
  expect([...stored]).toEqual([[hashOf(KEY), SHOWN]])
  expect(JSON.stringify([...stored])).not.toContain(KEY.slice(0, 10))
  expect(onChange.mock.calls).toEqual([['created', 'id1']])
})

it('POST /keys refuses an invalid body with every problem, and stores nothing', async () => {
  const { send, stored, onChange } = setUp()
  const response = await send('POST', '/keys', { scopes: ['root'], id: 'mine' })
  expect(response.status).toBe(422)
  expect(await response.json()).toMatchObject({
    type: 'definition-invalid',
    what: 'request for a key',
    problems: [{ path: '/id' }, { path: '/name' }, { path: '/scopes/0' }],
  })
  expect(stored.size).toBe(0)
  expect(onChange).not.toHaveBeenCalled()
})

it('GET /keys lists keys without their value or hash', async () => {
  const { send } = setUp()
  expect(await (await send('GET', '/keys')).json()).toEqual({ items: [] })
  await send('POST', '/keys', BODY)
  const response = await send('GET', '/keys')
  const text = await response.text()
  expect(JSON.parse(text)).toEqual({ items: [{ ...SHOWN, ...PUBLISHED }] })
  expect(text).not.toContain(KEY)
  expect(text).not.toContain(hashOf(KEY))
  expect(response.headers.get('cache-control')).toBe('no-store')
})

it('GET /keys shows no other field that a store has for a key', async () => {
  const { send, stored } = setUp()
  const kept = { ...SHOWN, hash: 'secret' }
  stored.set('h', kept)
  expect(await (await send('GET', '/keys/id1')).json()).toEqual({ ...SHOWN, ...PUBLISHED })
})

it('GET /keys shows keys without their publications while those cannot be read', async () => {
  const { send } = setUp(ADMIN, { ...QUOTA, published: async () => undefined })
  await send('POST', '/keys', BODY)
  expect(await (await send('GET', '/keys')).json()).toEqual({ items: [SHOWN] })
  expect(await (await send('GET', '/keys/id1')).json()).toEqual(SHOWN)
})

it('GET /keys/{id} shows one key, or returns 404', async () => {
  const { send } = setUp()
  await send('POST', '/keys', BODY)
  expect(await (await send('GET', '/keys/id1')).json()).toEqual({ ...SHOWN, ...PUBLISHED })
  const response = await send('GET', '/keys/id9')
  expect(response.status).toBe(404)
  expect(await response.json()).toEqual({ type: 'not-found', message: "Cannot find the key 'id9'" })
})

it('DELETE /keys/{id} removes a key, and reports the change', async () => {
  const { send, stored, onChange } = setUp()
  await send('POST', '/keys', BODY)
  const response = await send('DELETE', '/keys/id1')
  expect(response.status).toBe(204)
  expect(await response.text()).toBe('')
  expect(stored.size).toBe(0)
  expect(onChange).toHaveBeenLastCalledWith('removed', 'id1')
})

it('DELETE /keys/{id} of a missing key is 404, and still ends it in this isolate', async () => {
  const { send, onChange } = setUp()
  expect((await send('DELETE', '/keys/id1')).status).toBe(404)
  expect(onChange).toHaveBeenCalledWith('removed', 'id1')
})

it('the scope admin is not needed for other routes of the same app', async () => {
  const { send } = setUp({ ...ADMIN, scopes: [] })
  expect((await send('GET', '/health')).status).toBe(200)
  expect((await send('GET', '/keysmith')).status).toBe(404)
})

it('a key works as soon as it is created, and is rejected as soon as it is removed', async () => {
  const { store } = memoryStore()
  const authenticator = createAuthenticator({
    access: 'keys',
    adminKey: 'correct-horse-battery',
    findKey: (hash) => store.find(hash),
    sha256,
    now: () => Date.parse(NOW),
  })
  const router = createKeysRoutes({
    keys: store,
    toolsets: { load: async () => undefined },
    locks: { find: async () => undefined },
    ...QUOTA,
    authorize: authorizerWith(authenticator.authenticate),
    onChange: (change, id) => (change === 'created' ? authenticator.forget() : authenticator.forgetKey(id)),
    sha256,
    randomKey: () => KEY,
    newId: () => 'id1',
    now: () => new Date(NOW),
    respond: (failure) => Response.json(failure, { status: STATUS[failure.type] ?? 400 }),
  })
  const as = (key: string, method = 'GET', path = '/keys', body?: unknown) =>
    router.request(path, {
      method,
      headers: { 'authorization': `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  expect((await as(KEY)).status).toBe(401)
  expect((await as('correct-horse-battery', 'POST', '/keys', { name: 'second', scopes: ['admin'] })).status).toBe(201)
  expect((await as(KEY)).status).toBe(200)
  expect((await as('correct-horse-battery', 'DELETE', '/keys/id1')).status).toBe(204)
  expect((await as(KEY)).status).toBe(401)
})
