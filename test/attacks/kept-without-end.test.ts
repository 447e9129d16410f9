import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Server } from '../e2e/server.ts'
import { neverSilent, startWatchedServer } from './watch.ts'
import { definition } from '../e2e/definition.ts'

/** Bytes that callers make the deployment store: each has an owner, a quota and an age, and none are stored for strangers. */
const ADMIN_KEY = 'an-administrators-key-1'
const admin = { authorization: `Bearer ${ADMIN_KEY}` }
let server: Server
let agent: Record<string, string>

beforeAll(async () => {
  server = await startWatchedServer({ vars: { ACCESS: 'public', ADMIN_KEY, INLINE_BYTES: '262144' } })
  const key = await server.json('POST', '/keys', { name: 'agent', scopes: ['tools:call'], tools: ['*'] }, admin)
  agent = { authorization: `Bearer ${key.body.key}` }
  const large = definition('Large.Give@1.0.0')
  const implementation = { kind: 'code', module: "export default ({ length }) => 'x'.repeat(length)" }
  expect((await server.json('POST', '/tools', { definition: large, implementation }, admin)).status).toBe(201)
})
afterAll(() => server?.stop())
afterAll(neverSilent)

async function keptUnder(prefix: string) {
  const bucket = await server.miniflare.getR2Bucket('ARTIFACTS')
  const { objects } = await bucket.list({ prefix })
  return objects.map(({ size }) => size)
}

async function give(length: number, headers: Record<string, string>, request: object = {}) {
  const call = { tool_id: 'Large.Give', input: { length }, ...request }
  const { body } = await server.json('POST', '/tools/call', call, headers)
  return body.result ?? body
}

it.each([
  ['an output', {}],
  ['a selection of it', { select: '[@, @]' }],
  ['what could not be selected', { select: 'abs(@)' }],
  ['an output under an id', { call_id: 'a-stranger-1' }],
])('a caller without a credential stores nothing if a result is too large for a response: %s', async (_, more) => {
  const { success, value } = await give(300_000, {}, more)
  expect([success, value]).not.toContainEqual(expect.objectContaining({ artifact: expect.anything() }))
  expect(success).not.toBe(true)
  expect(await keptUnder('')).toEqual([])
})

it('a caller without a credential cannot store a file', async () => {
  expect((await server.json('POST', '/artifacts', { a: 1 })).status).toBe(401)
  expect(await keptUnder('')).toEqual([])
})

it('a large outcome is stored as a file, and repeating its call id returns it without running the tool again', async () => {
  const ids = Array.from({ length: 5 }, (_, index) => `id-${index}`)
  for (const call_id of ids) expect((await give(200_000, agent, { call_id })).value).toHaveLength(200_000)
  const outcomes = await keptUnder('outcome/')
  expect(outcomes).toHaveLength(ids.length)
  expect(await keptUnder('artifact/')).toEqual([])
  // Repeating the call id returns the stored response and does not run the tool
  expect((await give(200_000, agent, { call_id: 'id-0' })).value).toHaveLength(200_000)
  expect(await keptUnder('outcome/')).toEqual(outcomes)
})

it('a caller with too many large outcomes loses its own oldest, and is told that its outcome is unknown', async () => {
  const bucket = await server.miniflare.getR2Bucket('ARTIFACTS')
  const { objects } = await bucket.list({ prefix: 'outcome/' })
  const prefix = objects[0]?.key.slice(0, -64) ?? ''
  for (let count = objects.length; count < 500; count++) await bucket.put(`${prefix}${count}`, 'x')
  expect((await give(200_000, agent, { call_id: 'one-more' })).success).toBe(true)
  expect((await bucket.list({ prefix })).objects).toHaveLength(500)
  const again = { tool_id: 'Large.Give', input: { length: 200_000 }, call_id: 'id-0' }
  const { body } = await server.json('POST', '/tools/call', again, agent)
  expect(JSON.stringify(body)).toContain("not run again under the id 'id-0'")
  expect(body.result?.value).toBeUndefined()
})

it('a caller with too many stored outputs loses its own oldest, and no other caller’s', async () => {
  const bucket = await server.miniflare.getR2Bucket('ARTIFACTS')
  const own = (await give(300_000, agent)).value.artifact.url
  const others = (await give(300_000, admin)).value.artifact.url
  const keyOf = (url: string) => `artifact/${new URL(url).pathname.split('/')[2]?.slice(0, 10)}/`
  expect(keyOf(own)).not.toBe(keyOf(others))
  for (let count = 1; count < 500; count++) await bucket.put(`${keyOf(own)}${count}`, 'x')
  const newest = (await give(300_000, agent)).value.artifact.url
  const statuses = await Promise.all([own, others, newest].map(async (url) => (await fetch(url)).status))
  expect(statuses).toEqual([404, 200, 200])
})
