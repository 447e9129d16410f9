import { afterAll, beforeAll, expect, it } from 'vitest'
import { type RunningServer, startApp } from './server.ts'

const ADMIN_KEY = 'the-administrator-of-this-test'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }

let server: RunningServer
beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY } })
})
afterAll(() => server?.stop())

const send = (method: string, path: string, body?: unknown, headers: Record<string, string> = ADMIN) =>
  server.json(method, path, body, headers)

async function makeKey(given: object = {}): Promise<{ id: string; key: string }> {
  const made = await send('POST', '/keys', { name: 'k', scopes: ['tools:read'], ...given })
  expect(made.status, JSON.stringify(made.body)).toBe(201)
  return made.body
}
const statusWith = async (key: string, method = 'GET', path = '/tools?limit=1') =>
  (await send(method, path, method === 'GET' ? undefined : {}, { authorization: `Bearer ${key}` })).status
/** What a key comes to, once it does: changes hold within a minute. */
const soon = (key: string, status: number) =>
  expect.poll(() => statusWith(key), { timeout: 75_000, interval: 500 }).toBe(status)

it('a changed key has its new rights at once, and remains the same key', async () => {
  const { id, key } = await makeKey({ expires_at: '2100-01-01T00:00:00Z', limits: { concurrency: 5 } })
  expect(await statusWith(key)).toBe(200)
  const changed = await send('PATCH', `/keys/${id}`, { name: 'renamed', scopes: ['tools:call'], expires_at: null })
  expect(changed.status).toBe(200)
  expect(changed.body).toMatchObject({ id, name: 'renamed', scopes: ['tools:call'], limits: { concurrency: 5 } })
  expect(changed.body.expires_at).toBeUndefined()
  expect((await send('GET', `/keys/${id}`)).body).toMatchObject({ name: 'renamed', tools: ['*'] })
  await soon(key, 403)
}, 90_000)

it('a key cannot be changed by invalid values, nor by a caller who is not an administrator', async () => {
  const { id, key } = await makeKey({ tools: ['Calculator.*'] })
  const before = (await send('GET', `/keys/${id}`)).body
  for (const body of [
    { tools: null },
    { scopes: [] },
    { users: ['*'] },
    { id: 'x' },
    { expires_at: '2020-01-01T00:00:00Z' },
    [],
  ]) {
    const refused = await send('PATCH', `/keys/${id}`, body)
    expect([refused.status, body]).toEqual([422, body])
  }
  expect(await statusWith(key, 'PATCH', `/keys/${id}`)).toBe(403)
  expect((await send('PATCH', '/keys/none', {})).status).toBe(404)
  const { last_used_at: _, ...after } = (await send('GET', `/keys/${id}`)).body
  expect(after).toEqual(before)
})

it("a key with the user '*' is refused with what to write for any user", async () => {
  const refused = await send('POST', '/keys', { name: 'k', scopes: ['tools:call'], users: ['*'] })
  expect(refused.status).toBe(422)
  expect(JSON.stringify(refused.body)).toContain('any user')
})

it('a rotated key gets a new value, and the old value works for the given overlap', async () => {
  const { id, key } = await makeKey()
  const rotated = await send('POST', `/keys/${id}/rotate`, { overlap_seconds: 3 })
  expect(rotated.status).toBe(200)
  expect(rotated.body).toMatchObject({ id, key: expect.stringMatching(/^sb_[\w-]{43}$/), name: 'k' })
  expect(await statusWith(rotated.body.key)).toBe(200)
  const { previous_expires_at } = rotated.body
  expect(Date.parse(previous_expires_at) - Date.now()).toBeLessThanOrEqual(3_000)
  expect((await send('GET', `/keys/${id}`)).body).toMatchObject({ id, previous_expires_at })
  await soon(key, 401)
  expect(await statusWith(rotated.body.key)).toBe(200)
}, 90_000)

it("a rotated key's old value stops working at once if no overlap is requested", async () => {
  const { id, key } = await makeKey()
  expect(await statusWith(key)).toBe(200)
  expect((await send('POST', `/keys/${id}/rotate`, { overlap_seconds: 0 })).status).toBe(200)
  expect(await statusWith(key)).toBe(401)
})

it("a rotated key's old value works for a day by default, and a second rotation ends the first value", async () => {
  const { id, key } = await makeKey()
  const first = await send('POST', `/keys/${id}/rotate`)
  expect(first.status).toBe(200)
  expect(Date.parse(first.body.previous_expires_at) - Date.now()).toBeGreaterThan(86_000_000)
  for (const each of [key, first.body.key]) expect(await statusWith(each)).toBe(200)
  const second = await send('POST', `/keys/${id}/rotate`)
  await soon(key, 401)
  for (const each of [first.body.key, second.body.key]) expect(await statusWith(each)).toBe(200)
  expect((await send('DELETE', `/keys/${id}`)).status).toBe(204)
  for (const each of [first.body.key, second.body.key]) await soon(each, 401)
}, 200_000)

it('a key is not rotated with invalid options', async () => {
  const { id, key } = await makeKey()
  for (const body of [{ overlap_seconds: -1 }, { overlap_seconds: 2_592_001 }, { overlap: 5 }]) {
    expect((await send('POST', `/keys/${id}/rotate`, body)).status).toBe(422)
  }
  expect((await send('POST', '/keys/none/rotate')).status).toBe(404)
  expect(await statusWith(key, 'POST', `/keys/${id}/rotate`)).toBe(403)
  expect(await statusWith(key)).toBe(200)
})

it('a key reports when it was last used, and an unused key reports nothing', async () => {
  const [used, unused] = [await makeKey(), await makeKey()]
  await statusWith(used.key)
  await expect
    .poll(async () => (await send('GET', `/keys/${used.id}`)).body.last_used_at, { timeout: 10_000 })
    .toBeDefined()
  const { items } = (await send('GET', '/keys')).body
  const found = items.find(({ id }: { id: string }) => id === used.id)
  expect(Math.abs(Date.parse(found.last_used_at) - Date.now())).toBeLessThan(60_000)
  expect(items.find(({ id }: { id: string }) => id === unused.id).last_used_at).toBeUndefined()
})
