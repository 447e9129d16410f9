import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Server } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin, type Headers, keyOf } from './set-up.ts'
import { neverSilent, startWatchedServer } from './watch.ts'

let server: Server
let mallory: Awaited<ReturnType<typeof keyOf>>

beforeAll(async () => {
  server = await startWatchedServer({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  mallory = await keyOf(server, ['*'])
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const description = 'Does it'
const inputSchema = { type: 'object', properties: {} }
const times = <T>(count: number, make: (n: number) => T) => Array.from({ length: count }, (_, n) => make(n))
const padding = (characters: number) => 'x'.repeat(characters)
/** Builds a Machine Context document with `count` capabilities and `padded` characters of metadata. */
const machineContext = (id: string, count: number, padded: number, name = (n: number) => `c${n}`) => ({
  id,
  name: id,
  version: '1.0.0',
  description,
  metadata: { padding: padding(padded) },
  capabilities: times(count, (n) => ({ name: name(n), description })),
})
const plugin = (count: number, more: object = {}) => ({
  tools: times(count, (n) => ({ name: `t${n}`, description, inputSchema })),
  ...more,
})
const publish = (body: unknown, as = mallory.as) => server.json('POST', '/tools', body, as)

/** Counts the server's bytes on disk, where journals come and go meanwhile. */
function stored(folder = server.persistTo): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false }))
    .reduce((sum, found) => sum + (found?.size ?? 0), 0)
}

it.each([
  ['400 tools and 240 kB of padding', machineContext('padded', 400, 240_000)],
  ['20 tools and 240 kB of padding', machineContext('padded2', 20, 240_000)],
  ['400 tools whose names are in the record of each', machineContext('names', 400, 0, (n) => padding(155) + n)],
  ['the same in an envelope', { definition: machineContext('padded3', 400, 240_000), toolkit: 'Padded' }],
])(
  'a document that repeats much data for each of its tools is refused with the reason, and nothing is stored: %s',
  async (_, body) => {
    const before = stored()
    for (const each of [body, [body]]) {
      const answer = await publish(each)
      const said = JSON.stringify(answer.body)
      expect([Array.isArray(each) ? 200 : 422, said]).toEqual([
        answer.status,
        expect.stringContaining('Comes to more than 2097152'),
      ])
    }
    expect(stored() - before).toBeLessThan(2_000_000)
    expect((await server.json('GET', '/health')).status).toBe(200)
  },
)

it('a document that repeats data for each of its tools takes at most 60 times the size of the largest document', async () => {
  const before = stored()
  expect((await publish(machineContext('kept', 200, 8_000))).status).toBe(201)
  // KV is written after the response
  await expect
    .poll(async () => {
      const { body } = await server.json('GET', '/tools?toolkit=kept&limit=1000', undefined, asAdmin)
      return body.items.length
    })
    .toBe(200)
  expect(stored() - before).toBeLessThan(60 * 256 * 1024)
})

it('what one key publishes is limited by its quota, which GET /keys shows, and an administrator has no quota', async () => {
  const small = await startWatchedServer({
    vars: { ACCESS: 'keys', ADMIN_KEY, PUBLISHER_QUOTA: { documents: 3, bytes: 40_000 } },
  })
  try {
    const ann = await keyOf(small, ['*'])
    const send = (n: number, as: Headers = ann.as, padded = 0) =>
      small.json('POST', '/tools', machineContext(`own${n}`, 1, padded), as)
    const large = await send(0, ann.as, 50_000)
    expect([large.status, JSON.stringify(large.body)]).toEqual([422, expect.stringContaining('of 40000 that one may')])
    for (const n of [1, 2, 3]) expect((await send(n)).status).toBe(201)
    // Publishing the same again changes nothing
    expect((await send(3)).status).toBe(200)
    const fourth = await send(4)
    expect([fourth.status, fourth.body.errors[0].message]).toEqual([
      422,
      expect.stringContaining('has published 3 documents, of 3 that one may: an administrator'),
    ])
    const batch = await small.json('POST', '/tools', [machineContext('own5', 1, 0)], ann.as)
    expect(batch.body.results[0].status).toBe(422)
    const seen = await small.json('GET', `/keys/${ann.id}`, undefined, asAdmin)
    expect(seen.body.published).toEqual({
      documents: 3,
      bytes: expect.any(Number),
      quota: { documents: 3, bytes: 40_000 },
    })
    for (const n of [6, 7, 8, 9]) expect((await send(n, asAdmin)).status).toBe(201)
    const other = await keyOf(small, ['*'])
    expect((await send(10, other.as)).status).toBe(201)
  } finally {
    await small.stop()
  }
})

it.each([
  ['machine-context', (count: number) => machineContext(`many${count}`, count, 0)],
  ['plugin', (count: number) => ({ definition: plugin(count), toolkit: `Many${count}`, version: '1.0.0' })],
])('a document of more than 500 tools is refused, without a server error: %s', async (_, document) => {
  for (const count of [501, 2_000]) {
    const answer = await publish(document(count))
    expect([answer.status, JSON.stringify(answer.body)]).toEqual([
      422,
      expect.stringContaining(`Must define at most 500 tools, got ${count}`),
    ])
  }
  expect((await publish(document(500))).body.ids).toHaveLength(500)
})
