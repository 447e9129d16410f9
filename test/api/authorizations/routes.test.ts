import { expect, it } from 'vitest'
import { ADMIN, ANONYMOUS } from '../../../src/core/access/principal.ts'
import { AGENT, APPROVAL, GRANT, ORIGIN, setUp, STRANGER, VERIFIER } from './set-up.ts'

it('GET /authorizations/{id} shows the status to callers who may act for the user', async () => {
  const { get, slept } = setUp({ caller: AGENT })
  const response = await get('/authorizations/auth_1')
  expect(response.status).toBe(200)
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await response.json()).toEqual({
    id: 'auth_1',
    provider: 'google',
    user_id: 'ann',
    scopes: GRANT.scopes,
    status: 'not_started',
    expires_at: '2026-11-01T12:12:00.000Z',
  })
  expect(slept.ms).toBe(0)
})

it('GET /authorizations/{id} shows why it failed', async () => {
  const { get } = setUp({ known: [{ ...GRANT, status: 'failed', reason: 'Refused by the person' }] })
  expect(await (await get('/authorizations/auth_1?wait=5')).json()).toMatchObject({
    status: 'failed',
    reason: 'Refused by the person',
  })
})

it('GET /authorizations/{id} with ?wait= returns the new status once it changes', async () => {
  const { get, port, slept } = setUp()
  const current = async () => (slept.ms < 5_000 ? GRANT : ({ ...GRANT, status: 'pending' } as const))
  port.find.mockImplementation(current)
  expect(await (await get('/authorizations/auth_1?wait=30')).json()).toMatchObject({ status: 'pending' })
  expect(slept.ms).toBeLessThanOrEqual(6_000)
})

it('GET /authorizations/{id}?wait= returns the current state when the time is over', async () => {
  const { get, slept } = setUp()
  expect(await (await get('/authorizations/auth_1?wait=30')).json()).toMatchObject({ status: 'not_started' })
  expect(slept.ms).toBe(30_000)
})

it.each(['completed', 'failed'] as const)(
  'GET /authorizations/{id} does not wait for one that has %s',
  async (status) => {
    const { get, slept } = setUp({ known: [{ ...GRANT, status }] })
    expect((await get('/authorizations/auth_1?wait=59')).status).toBe(200)
    expect(slept.ms).toBe(0)
  },
)

it('GET /authorizations/{id} is 404 if the authorization ends during the wait', async () => {
  const { get, port } = setUp()
  port.find.mockResolvedValueOnce(GRANT).mockResolvedValue(undefined)
  expect((await get('/authorizations/auth_1?wait=1')).status).toBe(404)
})

it.each(['60', '-1', '1.5', '', 'soon', '1e1'])('GET /authorizations/{id} refuses to wait %j seconds', async (wait) => {
  const { get, port } = setUp()
  expect((await get(`/authorizations/auth_1?wait=${wait}`)).status).toBe(400)
  expect(port.find).not.toHaveBeenCalled()
})

it('GET /authorizations/{id} is 404 for an authorization of another user, as for an unknown one', async () => {
  const { get } = setUp({ caller: { ...AGENT, users: ['bob'] } })
  const remoteName = await get('/authorizations/auth_1?wait=10')
  const none = await get('/authorizations/auth_9?wait=10')
  expect([remoteName.status, none.status]).toEqual([404, 404])
  const text = (await remoteName.text()).replace('auth_1', 'auth_9')
  expect(text).toBe(await none.text())
})

it('GET /authorizations/{id} shows an authorization without a user to every caller', async () => {
  const { userId: _, ...nobody } = APPROVAL
  const { get } = setUp({ caller: AGENT, known: [nobody] })
  const body = await (await get('/authorizations/auth_2')).json()
  expect(body).toMatchObject({ id: 'auth_2', provider: 'approval' })
  expect(body).not.toHaveProperty('user_id')
  expect(JSON.stringify(body)).not.toContain('cents')
})

it('GET /authorizations/{id} needs a credential', async () => {
  for (const caller of [STRANGER, ANONYMOUS]) {
    const { get, port } = setUp({ caller })
    expect((await get('/authorizations/auth_1')).status).toBe(401)
    expect(port.find).not.toHaveBeenCalled()
  }
})

const confirm = (given: Parameters<typeof setUp>[0], body: unknown, path = '/authorizations/auth_1/confirm') => {
  const world = setUp(given)
  const headers = { 'content-type': 'application/json' }
  const sent = world.app.request(ORIGIN + path, { method: 'POST', headers, body: JSON.stringify(body) })
  return { ...world, sent }
}

it('POST /authorizations/{id}/confirm says where the browser goes next', async () => {
  const { sent, port } = confirm({ caller: VERIFIER }, { flow: 'f1', user_id: 'ann' })
  expect((await sent).status).toBe(200)
  expect(await (await sent).json()).toEqual({ next: 'https://accounts.google.com/auth?x=1' })
  expect(port.confirm.mock.calls).toEqual([['auth_1', 'f1', 'ann']])
})

it('POST /authorizations/{id}/confirm is 403 for a user whom the key may not act for', async () => {
  const { sent, acts } = confirm({ caller: VERIFIER }, { flow: 'f1', user_id: 'bob' })
  expect((await sent).status).toBe(403)
  expect(acts()).toBe(0)
})

it('POST /authorizations/{id}/confirm needs its own scope, which callers of tools do not have', async () => {
  const { sent, acts } = confirm({ caller: AGENT }, { flow: 'f1', user_id: 'ann' })
  expect((await sent).status).toBe(403)
  expect(acts()).toBe(0)
})

it('POST /authorizations/{id}/confirm is 404 for an authorization that is unknown or hidden from the key', async () => {
  const bob = { caller: { ...VERIFIER, users: ['bob'] } }
  for (const { sent, acts } of [
    confirm(bob, { flow: 'f1', user_id: 'bob' }),
    confirm({}, { flow: 'f1', user_id: 'ann' }, '/authorizations/none/confirm'),
  ]) {
    expect((await sent).status).toBe(404)
    expect(acts()).toBe(0)
  }
})

it.each([
  ['expired', 404],
  ['other-browser', 403],
  ['refused', 403],
  ['unavailable', 503],
] as const)('POST /authorizations/{id}/confirm that is refused says why: %s', async (why, status) => {
  const { app, port } = setUp()
  port.confirm.mockResolvedValue({ ok: false, why, message: 'Cannot confirm' })
  const response = await app.request(`${ORIGIN}/authorizations/auth_1/confirm`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"flow": "f", "user_id": "ann"}',
  })
  expect(response.status).toBe(status)
  expect(await response.text()).toContain('Cannot confirm')
})

it.each([
  [[]],
  [{}],
  [{ flow: 'f' }],
  [{ user_id: 'ann' }],
  [{ flow: '', user_id: 'ann' }],
  [{ flow: 1, user_id: 'ann' }],
  [{ flow: 'f', user_id: '' }],
  [{ flow: 'f', user_id: 'a'.repeat(257) }],
  [{ flow: 'f', user_id: 'ann', approve: true }],
])('POST /authorizations/{id}/confirm refuses %j', async (body) => {
  const { sent, acts } = confirm({ caller: ADMIN }, body)
  expect((await sent).status).toBe(400)
  expect(acts()).toBe(0)
})

it('POST /authorizations/{id}/confirm needs a credential, which a person does not have', async () => {
  for (const caller of [STRANGER, ANONYMOUS]) {
    const { sent, acts } = confirm({ caller }, { flow: 'f1', user_id: 'ann' })
    expect((await sent).status).toBe(401)
    expect(acts()).toBe(0)
  }
})
