import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin, documents, type Headers, keyOf } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
/** An attacker whose key may publish anything. */
let mallory: Awaited<ReturnType<typeof keyOf>>
let ann: Awaited<ReturnType<typeof keyOf>>

beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  mallory = await keyOf(server, ['*'])
  ann = await keyOf(server, ['*'])
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const change = (toolkit: string, body: unknown, as: Headers) => server.json('PATCH', `/toolkits/${toolkit}`, body, as)
const remove = (toolkit: string, as: Headers) => server.json('DELETE', `/toolkits/${toolkit}`, undefined, as)
const publish = (toolkit: string, tool: string, as: Headers, version = '1.0.0') =>
  server.json('POST', '/tools', documents(toolkit, tool, version).oxp, as)
const statusOf = async (toolkit: string) =>
  (await server.json('GET', `/toolkits/${toolkit}`, undefined, asAdmin)).body.status

it.each(['Hers', 'hers', 'SMS', 'sms'])(
  "another owner's toolkit cannot be disabled, tagged or deleted: %s",
  async (toolkit) => {
    await publish('Hers', 'Do', ann.as)
    const as = { '*': mallory.as, 'a tool of it': (await keyOf(server, [`${toolkit}.Do`, `${toolkit}.Send`])).as }
    for (const [who, headers] of Object.entries(as)) {
      for (const body of [{ status: 'disabled' }, { status: 'active' }, { tags: ['bank'] }, { owner: null }]) {
        expect([who, body, (await change(toolkit, body, headers)).status]).toEqual([who, body, 403])
      }
      expect((await remove(toolkit, headers)).status).toBe(403)
    }
    expect(await statusOf(toolkit)).toBe('active')
  },
)

it("another owner's toolkit looks like a missing one to callers whose patterns do not cover it", async () => {
  await publish('Hidden', 'Do', ann.as)
  const stranger = await keyOf(server, ['Stranger.*'])
  const told = async (toolkit: string) => {
    const answers = [await change(toolkit, { status: 'disabled' }, stranger.as), await remove(toolkit, stranger.as)]
    return answers.map(({ status, body }) => [status, JSON.stringify(body).replaceAll(toolkit, 'X')])
  }
  expect(await told('Hidden')).toEqual(await told('Nothere'))
})

it('a caller cannot take over or transfer a toolkit by naming an owner', async () => {
  await publish('Mine', 'Do', mallory.as)
  for (const owner of [ann.id, mallory.id, 'admin', 'made-up', null]) {
    expect((await change('Mine', { owner }, mallory.as)).status).toBe(403)
  }
  const given = await change('Mine', { owner: ann.id }, asAdmin)
  expect([given.status, given.body.owner]).toEqual([200, ann.id])
  expect((await change('Mine', { status: 'disabled' }, mallory.as)).status).toBe(403)
})

it('only an administrator can enable a toolkit that one disabled: no new version, new tool or new toolkit replaces it', async () => {
  await publish('Bad', 'Do', mallory.as)
  await change('Bad', { status: 'disabled' }, asAdmin)
  for (const body of [{ status: 'active' }, { status: 'yanked' }, { status: { deprecated: {} } }]) {
    expect((await change('Bad', body, mallory.as)).status).toBe(403)
  }
  expect((await publish('Bad', 'Do', mallory.as, '1.1.0')).status).toBe(403)
  expect((await publish('bad', 'Other', mallory.as)).status).toBe(403)
  const enabled = await server.json('PATCH', '/tools/Bad.Do@1.0.0', { status: 'active' }, mallory.as)
  expect(enabled.body).toMatchObject({ status: 'disabled' })
  expect((await remove('Bad', mallory.as)).status).toBe(200)
  expect((await change('Bad', { status: 'active' }, mallory.as)).status).toBe(409)
  expect((await publish('Bad', 'Do', mallory.as, '1.1.0')).status).toBe(403)
  expect(await statusOf('Bad')).toBe('disabled')
})

it("the name of a deleted toolkit cannot be reused by others, as a toolkit, a document id or a tool's name", async () => {
  await publish('Left', 'Do', ann.as)
  await change('Left', { status: 'disabled' }, ann.as)
  expect((await remove('Left', ann.as)).status).toBe(200)
  for (const kit of ['Left', 'left']) {
    for (const [dialect, body] of Object.entries(documents(kit, 'New', '1.0.0'))) {
      const { status } = await server.json('POST', '/tools', body, mallory.as)
      // A document's id is claimed like a toolkit's name
      expect([dialect, status]).toEqual([dialect, dialect === 'machine-context' ? 409 : 403])
    }
  }
  // `Left_Do` must not lead to anyone else's tool now
  await server.json('POST', '/tools', { ...documents('Mallory', 'Do', '1.0.0').mcp }, mallory.as)
  const named = { definition: { name: 'Left_Do', description: 'x', inputSchema: { type: 'object' } } }
  await server.json('POST', '/tools', { ...named, toolkit: 'Mallory', version: '1.0.0' }, mallory.as)
  const { status } = await server.json('GET', '/tools/Left_Do', undefined, mallory.as)
  expect(status).toBe(404)
})
