import { afterAll, beforeAll, expect, it } from 'vitest'
import { startUpstream, type Upstream } from '../upstream.ts'
import { definition } from './definition.ts'
import { admin, ADMIN_KEY, newKey, putSource, rpc } from './event-senders.ts'
import { type Server, startServer } from './server.ts'

/** Schedules and polled tools of a deployment, whose clock is moved by moving when they ran last. */

let server: Server
let upstream: Upstream
let found: unknown = { items: [{ id: 1, seen: 0 }] }
/** The tool's server responds only then. */
let ready: Promise<void> = Promise.resolve()
const HOUR_MS = 3_600_000

beforeAll(async () => {
  upstream = await startUpstream(async (_, response) => {
    await ready
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(found))
  })
  server = await startServer({ vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: upstream.host } })
})
afterAll(() => Promise.all([server?.stop(), upstream?.close()]))

async function run() {
  const worker = await server.miniflare.getWorker()
  expect(await worker.scheduled({ cron: '* * * * *' })).toMatchObject({ outcome: 'ok' })
}

async function access() {
  const namespace = await server.miniflare.getDurableObjectNamespace('Access')
  return namespace.get(namespace.idFromName('access'))
}

/** As if the last run of the source were an hour ago. */
async function passHour(source: string) {
  const stub = await access()
  const runs: any[] = await Reflect.get(stub, 'listSourceRuns').call(stub)
  const { source: text, digest } = runs.find((run) => JSON.parse(run.source).id === source)
  await Reflect.get(stub, 'noteSourceRun').call(stub, text, { at: Date.now() - HOUR_MS, digest })
}

const poll = async (authorization: string, name: string) =>
  (await rpc(server, authorization, 'events/poll', { name, cursor: '0' })).result.events.map(({ data }: any) => data)

it('a schedule creates an event when it is due, and subscribers can poll it', async () => {
  // Half an hour from now and half an hour ago, so that it is due once in the hour that passes and not again meanwhile
  const minute = (new Date().getUTCMinutes() + 30) % 60
  await putSource(server, 'Clock.Hourly', { kind: 'schedule', cron: `${minute} * * * *`, time_zone: 'Europe/Berlin' })
  const { authorization } = await newKey(server, { tools: ['Clock.*'] })
  await run()
  expect(await poll(authorization, 'Clock.Hourly')).toEqual([])
  await passHour('Clock.Hourly')
  await run()
  await run()
  expect(await poll(authorization, 'Clock.Hourly')).toEqual([{ scheduled_at: expect.stringMatching(/:00\.000Z$/) }])
})

it('a schedule starts anew when it is changed, and goes on when it is put unchanged', async () => {
  const minute = (new Date().getUTCMinutes() + 30) % 60
  const schedule = { kind: 'schedule', cron: `${minute} * * * *` }
  const { authorization } = await newKey(server, { tools: ['Clock.*'] })
  await putSource(server, 'Clock.Changed', { ...schedule, description: 'before' })
  await passHour('Clock.Changed')
  await putSource(server, 'Clock.Changed', schedule)
  await run()
  expect(await poll(authorization, 'Clock.Changed')).toEqual([])
  await passHour('Clock.Changed')
  await putSource(server, 'Clock.Changed', schedule)
  await run()
  expect(await poll(authorization, 'Clock.Changed')).toHaveLength(1)
})

it("a polled tool is called with its source's key, and a change of the selected output is an event", async () => {
  const implementation = { kind: 'http', method: 'GET', url: `${upstream.origin}/items`, response: { type: 'json' } }
  const tool = { definition: { ...definition('Shop.Items@1.0.0'), output_schema: {} }, implementation }
  expect((await server.json('POST', '/tools', tool, admin)).status).toBe(201)
  const key = await newKey(server, { tools: ['Shop.*'] })
  const fields = { kind: 'poll', tool: 'Shop.Items', every_minutes: 5, key_id: key.id, select: 'items[].id' }
  await putSource(server, 'Shop.Changed', fields)
  await run()
  found = { items: [{ id: 1, seen: 1 }] }
  await passHour('Shop.Changed')
  await run()
  found = {
    items: [
      { id: 1, seen: 2 },
      { id: 2, seen: 1 },
    ],
  }
  await run()
  expect(upstream.arrived).toHaveLength(2)
  await passHour('Shop.Changed')
  await run()
  expect(upstream.arrived).toHaveLength(3)
  expect(await poll(key.authorization, 'Shop.Changed')).toEqual([{ value: [1, 2] }])
  const calls = await server.json('GET', `/calls?principal=key:${key.id}`, undefined, admin)
  expect(Object(calls.body).items).toHaveLength(3)
})

it('a source whose selection changed is not compared with its earlier output', async () => {
  const key = await newKey(server, { tools: ['Shop.*'] })
  const fields = { kind: 'poll', tool: 'Shop.Items', every_minutes: 5, key_id: key.id }
  await putSource(server, 'Shop.Edited', { ...fields, select: 'items[0].id' })
  await run()
  await putSource(server, 'Shop.Edited', { ...fields, select: 'length(items)' })
  await run()
  await passHour('Shop.Edited')
  await run()
  expect(await poll(key.authorization, 'Shop.Edited')).toEqual([])
})

it('a poll that ends after its source was changed or deleted creates no event, and its output is not compared', async () => {
  const key = await newKey(server, { tools: ['Shop.*'] })
  const fields = { kind: 'poll', tool: 'Shop.Items', every_minutes: 5, key_id: key.id, select: 'items[0].id' }
  await putSource(server, 'Shop.Late', fields)
  await run()
  found = { items: [{ id: 7, seen: 1 }] }
  async function runWhile(change: () => Promise<unknown>): Promise<void> {
    await passHour('Shop.Late')
    const { promise, resolve } = Promise.withResolvers<void>()
    ready = promise
    const before = upstream.arrived.length
    const running = run()
    await expect.poll(() => upstream.arrived.length).toBe(before + 1)
    await change()
    resolve()
    await running
  }
  await runWhile(() => putSource(server, 'Shop.Late', { ...fields, select: 'length(items)' }))
  await run()
  await passHour('Shop.Late')
  await run()
  expect(await poll(key.authorization, 'Shop.Late')).toEqual([])
  await runWhile(() => server.json('DELETE', '/event-sources/Shop.Late', undefined, admin))
  const stub = await access()
  expect(JSON.stringify(await Reflect.get(stub, 'listSourceRuns').call(stub))).not.toContain('Shop.Late')
})

it("a polled tool is not called after the source's key was deleted or may no longer call it", async () => {
  const key = await newKey(server, { tools: ['Shop.*'] })
  await putSource(server, 'Shop.Ended', { kind: 'poll', tool: 'Shop.Items', every_minutes: 1, key_id: key.id })
  await run()
  const before = upstream.arrived.length
  expect((await server.json('PATCH', `/keys/${key.id}`, { tools: ['Else.*'] }, admin)).status).toBe(200)
  await passHour('Shop.Ended')
  await run()
  expect((await server.json('DELETE', `/keys/${key.id}`, undefined, admin)).status).toBe(204)
  await passHour('Shop.Ended')
  await run()
  expect(upstream.arrived).toHaveLength(before)
  await expect.poll(server.printed).toContain(`The key '${key.id}' no longer exists`)
  expect(
    (
      await server.json(
        'PUT',
        '/event-sources/Shop.Ended',
        Object({ kind: 'poll', tool: 'Shop.Items', every_minutes: 1, key_id: key.id }),
        admin,
      )
    ).status,
  ).toBe(422)
})
