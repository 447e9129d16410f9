import { Hono } from 'hono'
import { describe, expect, it, vi } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import type { Grant } from '../../../src/core/consent/authorization.ts'
import type { Failure } from '../../../src/core/failure/failure.ts'
import { createGrantsRoutes } from '../../../src/api/users/routes.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'

const STATUS: Partial<Record<Failure['type'], number>> = { 'unauthenticated': 401, 'forbidden': 403, 'not-found': 404 }
const GRANT: Grant = {
  provider: 'google',
  account: '',
  toolkits: [],
  scopes: ['a', 'b'],
  granted_at: '2026-11-01T00:00:00.000Z',
  expires_at: '2026-11-01T01:00:00.000Z',
  refreshable: true,
}
const GITHUB: Grant = {
  provider: 'git/hub',
  account: 'work',
  toolkits: [],
  scopes: [],
  granted_at: '2026-11-01T00:00:00.000Z',
  refreshable: false,
}

const CONNECTION = {
  state: 'refused',
  last_refused_at: '2026-11-02T00:00:00.000Z',
  reason: 'The API refuses it',
  provider_name: 'A provider',
  kind: 'oauth2',
} as const

function setUp(caller: Principal = ADMIN, kept: readonly Grant[] = [GRANT, GITHUB]) {
  const port = {
    listConnections: vi.fn(async (user: string) =>
      (user.startsWith('ann') ? kept : []).map((grant) => ({ ...grant, ...CONNECTION })),
    ),
    checkConnection: vi.fn(async () => undefined),
    list: vi.fn(async (user: string) => (user.startsWith('ann') ? kept : [])),
    endAll: vi.fn(async () => ({ revocations: [], authorizations: 0 })),
    revoke: vi.fn(async (user: string, provider: string) => user === 'ann' && provider === 'google'),
  }
  const router = createGrantsRoutes({
    authorize: authorizerFor(caller),
    grants: port,
    respond: (failure) => Response.json(failure, { status: STATUS[failure.type] ?? 400 }),
  })
  const app = new Hono().route('/', router)
  const send = (path: string, method = 'GET') => app.request(path, { method })
  return { send, port }
}

it("GET /users/{user}/grants lists a user's grants", async () => {
  const response = await setUp().send('/users/ann/grants')
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual({ items: [GRANT, GITHUB] })
})

it("GET /users/{user}/connections lists a user's grants, whether they work, and no other stored field", async () => {
  const kept = { ...GRANT, access_token: 'hunter2' }
  const { send } = setUp(ADMIN, [kept])
  expect(await (await send('/users/ann/connections')).json()).toEqual({ items: [{ ...GRANT, ...CONNECTION }] })
})

it('GET /users/{user}/grants is empty for a user without grants', async () => {
  expect(await (await setUp().send('/users/bob/grants')).json()).toEqual({ items: [] })
})

it('GET /users/{user}/grants has only the documented fields of a grant', async () => {
  const kept = { ...GRANT, access_token: 'hunter2' }
  const { send } = setUp(ADMIN, [kept])
  for (const path of ['/users/ann/grants', '/users/ann/grants/google']) {
    expect(await (await send(path)).text()).not.toContain('hunter2')
  }
})

it.each(['ann@example.com', 'ann/b', 'ann%', 'ann?', 'ann ü', `ann${'x'.repeat(253)}`])(
  'GET /users/{user}/grants reads the complete user %j',
  async (user) => {
    const { send, port } = setUp()
    expect((await send(`/users/${encodeURIComponent(user)}/grants`)).status).toBe(200)
    expect(port.list.mock.calls).toEqual([[user]])
  },
)

it('GET /users/{user}/grants/{provider} returns one grant, or 404', async () => {
  const { send } = setUp()
  expect(await (await send('/users/ann/grants/google')).json()).toEqual(GRANT)
  expect(await (await send('/users/ann/grants/git%2Fhub')).json()).toEqual(GITHUB)
  expect((await send('/users/ann/grants/slack')).status).toBe(404)
})

it('DELETE /users/{user}/grants/{provider} revokes one grant, or returns 404', async () => {
  const { send, port } = setUp()
  const response = await send('/users/ann/grants/google', 'DELETE')
  expect(response.status).toBe(204)
  expect(await response.text()).toBe('')
  expect((await send('/users/ann/grants/slack', 'DELETE')).status).toBe(404)
  expect(port.revoke.mock.calls).toEqual([
    ['ann', 'google', {}],
    ['ann', 'slack', {}],
  ])
})

it('applies to one of several accounts, or to one toolkit', async () => {
  const { send, port } = setUp()
  expect(await (await send('/users/ann/grants/git%2Fhub?account=work')).json()).toEqual(GITHUB)
  expect((await send('/users/ann/grants/git%2Fhub?account=home')).status).toBe(404)
  await send('/users/ann/grants/google?account=work&toolkit=Mail', 'DELETE')
  expect(port.revoke.mock.calls).toEqual([['ann', 'google', { account: 'work', toolkit: 'Mail' }]])
})

it('DELETE /users/{user}/grants revokes all grants, if there are any', async () => {
  const { send, port } = setUp()
  expect((await send('/users/ann/grants', 'DELETE')).status).toBe(204)
  expect((await send('/users/bob/grants', 'DELETE')).status).toBe(204)
  expect(port.revoke.mock.calls).toEqual([
    ['ann', 'google', { account: '' }],
    ['ann', 'git/hub', { account: 'work' }],
  ])
})

const ROUTES = [
  ['GET', '/grants'],
  ['GET', '/connections'],
  ['DELETE', '/grants'],
  ['GET', '/grants/google'],
  ['DELETE', '/grants/google'],
] as const

describe.each(ROUTES)('%s /users/{user}%s', (method, path) => {
  it(`${method} /users/{user}${path} is for callers who may act for the user, by name or for any user`, async () => {
    const key: Principal = { ...ADMIN, kind: 'key', scopes: ['tools:call'], users: ['ann'] }
    const { send } = setUp(key)
    expect((await send(`/users/ann${path}`, method)).status).toBeLessThan(300)
  })

  it(`${method} /users/{user}${path} is 403 for every other user, before anything is looked up`, async () => {
    const key: Principal = { ...ADMIN, kind: 'key', scopes: ['admin'], users: ['ann'] }
    const { send, port } = setUp(key)
    for (const user of ['bob', 'Ann', 'ann%20', 'any']) {
      expect((await send(`/users/${user}${path}`, method)).status).toBe(403)
    }
    expect(port.list).not.toHaveBeenCalled()
    expect(port.listConnections).not.toHaveBeenCalled()
    expect(port.revoke).not.toHaveBeenCalled()
  })

  it(`${method} /users/{user}${path} needs a credential`, async () => {
    const { send, port } = setUp(ANONYMOUS)
    expect((await send(`/users/ann${path}`, method)).status).toBe(401)
    expect(port.list).not.toHaveBeenCalled()
  })

  it.each(['%ff', '%', '%E0%A4', 'x'.repeat(257)])(
    `${method} /users/{user}${path} refuses the user %j`,
    async (user) => {
      const { send, port } = setUp()
      expect((await send(`/users/${user}${path}`, method)).status).toBe(400)
      expect(port.list).not.toHaveBeenCalled()
    },
  )
})

it('rejects a malformed provider name', async () => {
  expect((await setUp().send('/users/ann/grants/%ff', 'DELETE')).status).toBe(400)
})
