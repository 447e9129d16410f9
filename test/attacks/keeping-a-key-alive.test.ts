import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { definition } from '../e2e/definition.ts'
import type { Server } from '../e2e/server.ts'
import { neverSilent, startWatchedServer } from './watch.ts'

const vars = { ACCESS: 'keys', ADMIN_KEY: 'an-administrators-key-1' }
const bearer = (key: string) => ({ authorization: `Bearer ${key}` })
const asAdmin = bearer(vars.ADMIN_KEY)
const ALL = ['tools:read', 'tools:call', 'tools:publish']

let persistTo: string
let server: Server
const keys = new Map<string, { id: string; key: string }>()

async function makeKey(name: string, of: object = {}) {
  const { status, body } = await server.json('POST', '/keys', { name, scopes: ALL, ...of }, asAdmin)
  expect(status).toBe(201)
  keys.set(name, body)
}
const keyOf = (name: string) => keys.get(name) ?? { id: '', key: '' }

beforeAll(async () => {
  persistTo = await mkdtemp(join(tmpdir(), 'switchboard-alive-'))
  server = await startWatchedServer({ vars, persistTo })
  for (const name of ['stolen', 'publisher', 'other']) await makeKey(name)
  // Use the key, so that KV and the isolate know it
  expect((await server.json('GET', '/tools?limit=1', undefined, bearer(keyOf('stolen').key))).status).toBe(200)
})
afterAll(async () => {
  await server?.stop({ keep: true })
  await rm(persistTo, { recursive: true, force: true })
})
afterAll(neverSilent)

async function revoked(name: string): Promise<void> {
  const { id, key } = keyOf(name)
  expect((await server.json('DELETE', `/keys/${id}`, undefined, asAdmin)).status).toBe(204)
  const answer = await server.json('GET', '/tools?limit=1', undefined, bearer(key))
  expect(answer.status).toBe(401)
  const { body } = await server.json('GET', '/keys', undefined, asAdmin)
  expect(body.items.map((each: { id: string }) => each.id)).not.toContain(id)
}

/** Counts the API keys in KV. */
async function inKv(): Promise<number> {
  const kv = await server.miniflare.getKVNamespace('REGISTRY')
  return (await kv.list({ prefix: 'key/' })).keys.length
}

it("a key is revoked at once, and soon in KV, while a publisher fills the registry's outbox", async () => {
  await expect.poll(inKv).toBe(3)
  const flood = async (at: number) => {
    const tools = Array.from({ length: 200 }, (_, n) => definition(`Flood${at}.T${n}@1.0.0`))
    return (await server.json('POST', '/tools', tools, bearer(keyOf('publisher').key))).status
  }
  const flooding = Promise.all([flood(0), flood(1), flood(2)])
  await revoked('stolen')
  expect(await flooding).toEqual([200, 200, 200])
  await expect.poll(inKv).toBe(2)
})

it('a key is revoked at once, and soon in KV, while the registry is unavailable', async () => {
  await server.stop({ keep: true })
  server = await startWatchedServer({ vars, persistTo, broken: 'Registry' })
  expect((await server.json('GET', '/tools?q=any', undefined, asAdmin)).status).toBe(503)
  expect((await server.json('GET', '/keys', undefined, asAdmin)).body.items).toHaveLength(2)
  const { id, key } = keyOf('other')
  expect((await server.json('DELETE', `/keys/${id}`, undefined, asAdmin)).status).toBe(204)
  expect((await server.json('GET', '/users/u/grants', undefined, bearer(key))).status).toBe(401)
  await expect.poll(inKv).toBe(1)
  await makeKey('new', { users: ['u'] })
  expect((await server.json('GET', '/users/u/grants', undefined, bearer(keyOf('new').key))).status).toBe(200)
  const provider = { issuer: 'https://acme.example', client_id: 'c', client_secret_name: 'ACME_SECRET' }
  expect((await server.json('PUT', '/providers/acme', provider, asAdmin)).status).toBe(201)
  expect((await server.json('DELETE', '/providers/acme', undefined, asAdmin)).status).toBe(204)
})

it('revoked keys stay revoked after a restart, and another is then revoked at once', async () => {
  await server.stop({ keep: true })
  server = await startWatchedServer({ vars, persistTo })
  for (const name of ['stolen', 'other']) {
    expect((await server.json('GET', '/tools', undefined, bearer(keyOf(name).key))).status).toBe(401)
  }
  expect((await server.json('GET', '/tools?limit=1', undefined, bearer(keyOf('publisher').key))).status).toBe(200)
  await revoked('publisher')
})
