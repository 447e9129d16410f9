import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Server } from '../e2e/server.ts'
import { neverSilent, startWatchedServer } from './watch.ts'

const vars = { ACCESS: 'keys', ADMIN_KEY: 'an-administrators-key-1', VAULT_KEYS: 'a-key-for-the-vault-of-tests' }
let server: Server
let headers: Record<string, string>
beforeAll(async () => {
  server = await startWatchedServer({ vars })
  const asked = { name: 'agent', scopes: ['tools:read', 'tools:call'], users: 'any', tools: ['Gmail.*'] }
  const { body } = await server.json('POST', '/keys', asked, { authorization: `Bearer ${vars.ADMIN_KEY}` })
  headers = { authorization: `Bearer ${body.key}` }
})
afterAll(() => server?.stop())
afterAll(neverSilent)

/** Finds the vaults that have stored something. If an object is only read, workerd creates a database without tables. */
function vaults(): string[] {
  return readdirSync(server.persistTo, { recursive: true, encoding: 'utf8' }).filter(
    (path) =>
      /Vault.*[0-9a-f]{64}\.sqlite(?:-wal)?$/.test(path) &&
      readFileSync(join(server.persistTo, path)).includes('CREATE TABLE'),
  )
}

it.each([
  ['GET', (user: string) => `/users/${user}/grants`, 200],
  ['DELETE', (user: string) => `/users/${user}/grants`, 204],
  ['GET', (user: string) => `/users/${user}/grants/google`, 404],
  ['DELETE', (user: string) => `/users/${user}/grants/google`, 404],
] as const)('requests for the grants of nonexistent users store nothing, with %s', async (method, path, status) => {
  const before = vaults()
  for (let n = 0; n < 5; n += 1) {
    const answer = await server.json(method, path(`made-up-${method}-${status}-${n}`), undefined, headers)
    expect(answer.status).toBe(status)
  }
  expect(vaults()).toEqual(before)
})

it('requests for nonexistent authorization links store nothing', async () => {
  const before = vaults()
  for (const id of ['A'.repeat(64), Buffer.alloc(48, 7).toString('base64url'), 'x']) {
    expect((await server.json('GET', `/authorizations/${id}`, undefined, headers)).status).toBe(404)
  }
  expect(vaults()).toEqual(before)
})

it("a user's storage is created when a call first asks them for access, and then lists their grants", async () => {
  const before = vaults().length
  const { body } = await server.json(
    'POST',
    '/tools/call',
    { tool_id: 'Gmail.GetEmails', input: {}, context: { user_id: 'ann' } },
    headers,
  )
  expect(body).toHaveProperty('missing_requirements')
  await expect.poll(() => vaults().length).toBeGreaterThan(before)
  const { status, body: grants } = await server.json('GET', '/users/ann/grants', undefined, headers)
  expect([status, grants]).toEqual([200, { items: [] }])
})
