import { randomBytes } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { loadConfig } from '../../src/env.ts'
import { networkFor } from '../../src/node/network.ts'
import { type Arrived, startUpstream, type Upstream } from '../upstream.ts'
import { type Server, startServer } from './server.ts'

/** Subscriptions over HTTP, with receivers that verify what comes by the library of Standard Webhooks. */

const ADMIN_KEY = 'admin-key-of-this-test-0123456789'
const ADMIN = { authorization: `Bearer ${ADMIN_KEY}` }
const SOURCE = 'Mail.Arrived'
const newSecret = () => `whsec_${randomBytes(32).toString('base64')}`

let receiver: Upstream
let server: Server
let mine: Record<string, string>
let other: Record<string, string>
let status = 204
let page = ''
let repeats = true
/** The receiver responds to an event only then. */
let ready: Promise<void> = Promise.resolve()
beforeAll(async () => {
  receiver = await startUpstream(({ body }, response) => {
    const { type, challenge } = JSON.parse(body)
    if (type === 'verification') response.writeHead(200).end(repeats ? JSON.stringify({ challenge }) : 'my secret page')
    else void ready.then(() => response.writeHead(status, { location: '/else' }).end(page))
  })
  server = await start()
  mine = await newKey()
  other = await newKey()
  const source = { kind: 'schedule', cron: '0 0 1 1 *' }
  expect((await send('PUT', `/event-sources/${SOURCE}`, source, ADMIN)).status).toBe(201)
})
afterAll(async () => {
  await Promise.all([server?.stop(), receiver?.close()])
})
beforeEach(() => {
  receiver.arrived.length = 0
  status = 204
  page = ''
  repeats = true
})

const start = (options: { persistTo?: string; allowed?: string } = {}) =>
  startServer({
    vars: { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: options.allowed ?? receiver.host },
    ...(options.persistTo === undefined ? {} : { persistTo: options.persistTo }),
  })
const send = (method: string, path: string, body?: object, headers = mine) => server.json(method, path, body, headers)
async function newKey(): Promise<Record<string, string>> {
  const key = { name: 'an agent', scopes: ['tools:read', 'tools:call'], tools: ['Mail.*'] }
  const { body } = await send('POST', '/keys', key, ADMIN)
  return { authorization: `Bearer ${body.key}`, id: body.id }
}
async function subscribe(path: string, more: object = {}, headers = mine) {
  const body = { name: SOURCE, url: `${receiver.origin}${path}`, secret: newSecret(), ...more }
  return { secret: body.secret, ...(await send('PUT', '/subscriptions', body, headers)) }
}
/** As a source does. */
const publish = (...ids: readonly string[]) => publishTo(SOURCE, ids)
async function publishTo(source: string, ids: readonly string[], { miniflare } = server): Promise<void> {
  const events: any = await miniflare.getDurableObjectNamespace('Events')
  const stub = events.get(events.idFromName(source))
  const toEvent = (id: string) => ({ id, name: source, timestamp: new Date().toISOString(), data: { from: id } })
  await stub.accept(ids.map((id) => ({ id, body: JSON.stringify(toEvent(id)) })))
}
const arrivedAt = (path: string): Arrived[] =>
  receiver.arrived.filter(({ url, body }) => url === path && !body.includes('"verification"'))
const untilArrived = (path: string, count: number, timeout = 15_000) =>
  expect.poll(() => arrivedAt(path).length, { timeout, interval: 50 }).toBe(count)
const verify = ({ headers, body }: Arrived, secret: string): any =>
  new Webhook(secret).verify(body, headers as Record<string, string>)

it('a subscriber gets the events of a source in order, signed, each with its id and cursor', async () => {
  const { status: created, body, secret } = await subscribe('/order')
  expect([created, body.truncated, body.refresh_before]).toEqual([201, false, null])
  const [challenge] = receiver.arrived
  expect(verify(challenge!, secret)).toMatchObject({ type: 'verification' })
  await publish('e_1', 'e_2')
  await publish('e_2', 'e_3')
  await untilArrived('/order', 3)
  const events = arrivedAt('/order').map((each) => ({ ...verify(each, secret), id: each.headers['webhook-id'] }))
  expect(events.map(({ eventId, id, data }) => [eventId, id, data.from])).toEqual(
    ['e_1', 'e_2', 'e_3'].map((id) => [id, id, id]),
  )
  expect(new Set(arrivedAt('/order').map(({ headers }) => headers['x-mcp-subscription-id']))).toEqual(
    new Set([body.id]),
  )
  const { body: page } = await send('GET', `/subscriptions/${body.id}/events?cursor=${events[0].cursor}`)
  expect([page.events.map(({ id }: any) => id), page.has_more]).toEqual([['e_2', 'e_3'], false])
  expect((await send('GET', '/subscriptions')).body.items).toMatchObject([{ id: body.id, waiting: 0, attempts: 0 }])
})

it('a subscription is refreshed in place, and both secrets sign during a rotation', async () => {
  const first = await subscribe('/rotated', { ttl_seconds: 600 })
  const second = await subscribe('/rotated', { ttl_seconds: 600 })
  expect([first.body.id, first.status, second.status]).toEqual([second.body.id, 201, 200])
  expect(Date.parse(second.body.refresh_before) - Date.now()).toBeLessThanOrEqual(600_000)
  await publish('e_rotated')
  await untilArrived('/rotated', 1)
  const [event] = arrivedAt('/rotated')
  for (const secret of [first.secret, second.secret]) expect(verify(event!, secret).eventId).toBe('e_rotated')
})

it('only events that match the filter are delivered, and an invalid filter is refused', async () => {
  expect((await subscribe('/filtered', { arguments: { filter: "from == 'e_wanted'" } })).status).toBe(201)
  await publish('e_unwanted', 'e_wanted')
  await untilArrived('/filtered', 1)
  expect(JSON.parse(arrivedAt('/filtered')[0]!.body).eventId).toBe('e_wanted')
  const refusals = ['from ==', 'a) || (b', 7].map((filter) => subscribe('/filtered', { arguments: { filter } }))
  expect((await Promise.all(refusals)).map(({ status: refused }) => refused)).toEqual([400, 400, 422])
})

it('a callback that does not repeat the challenge gets no events, and its response is not revealed', async () => {
  repeats = false
  const { status: refused, body } = await subscribe('/stranger')
  expect([refused, JSON.stringify(body)]).toEqual([409, expect.stringContaining('challenge_failed')])
  expect(JSON.stringify(body)).not.toContain('my secret page')
})

it.each([
  'http://127.0.0.1:9/',
  'https://127.0.0.1/',
  'https://[::1]/',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1/',
  'http://agent.example/',
  'file:///etc/passwd',
  'nowhere',
])('nobody can subscribe to %s', async (url) => {
  const { status: refused } = await send('PUT', '/subscriptions', { name: SOURCE, url, secret: newSecret() })
  expect(refused).toBe(400)
})

it('only the status of a response counts, even if its body is large', async () => {
  page = 'x'.repeat(100_000)
  const { body } = await subscribe('/large')
  status = 200
  await publish('e_large')
  await untilArrived('/large', 1)
  const own = async () => (await send('GET', '/subscriptions')).body.items.find(({ id }: any) => id === body.id)
  await expect.poll(own).toMatchObject({ waiting: 0, attempts: 0 })
  status = 413
  await publish('e_larger')
  await expect
    .poll(async () => (await send('GET', `/subscriptions/${body.id}/dead-letters`)).body.items)
    .toMatchObject([{ event_id: 'e_larger', failure: 'http_413' }])
})

it('an event that a receiver refuses permanently can be listed and resent', async () => {
  const { body, secret } = await subscribe('/gone')
  status = 410
  await publish('e_gone')
  await untilArrived('/gone', 1)
  const letters = `/subscriptions/${body.id}/dead-letters`
  await expect
    .poll(async () => (await send('GET', letters)).body.items)
    .toMatchObject([{ event_id: 'e_gone', failure: 'http_410' }])
  expect((await send('POST', `${letters}/e_gone`)).status).toBe(409)
  status = 204
  expect((await send('POST', `${letters}/e_gone`)).status).toBe(204)
  expect((await send('POST', `${letters}/e_gone`)).status).toBe(404)
  expect(arrivedAt('/gone').map((each) => verify(each, secret).eventId)).toEqual(['e_gone', 'e_gone', 'e_gone'])
  expect((await send('GET', letters)).body.items).toEqual([])
})

it('stored events and dead letters are not read by the next user of a source', async () => {
  const name = 'Mail.Deleted'
  const source = { kind: 'schedule', cron: '0 0 1 1 *' }
  const key = { name: 'both', scopes: ['tools:read', 'tools:call'], tools: ['Mail.*'], users: ['ann', 'bob'] }
  const both = { authorization: `Bearer ${(await send('POST', '/keys', key, ADMIN)).body.key}` }
  await send('PUT', `/event-sources/${name}`, { ...source, user_id: 'ann' }, ADMIN)
  const { body } = await subscribe(`/${name}`, { name }, both)
  await publishTo(name, ['e_of_ann'])
  await untilArrived(`/${name}`, 1)
  const read = async () => (await send('GET', `/subscriptions/${body.id}/events`, undefined, both)).body.events
  expect(await read()).toHaveLength(1)
  await send('PUT', `/event-sources/${name}`, { ...source, user_id: 'ann', description: 'Still of Ann' }, ADMIN)
  expect(await read()).toHaveLength(1)
  expect((await send('PUT', `/event-sources/${name}`, { ...source, user_id: 'bob' }, ADMIN)).status).toBe(409)
  const letters = `/subscriptions/${body.id}/dead-letters`
  status = 410
  await publishTo(name, ['e_dead'])
  await expect.poll(async () => (await send('GET', letters, undefined, both)).body.items).toHaveLength(1)
  status = 204
  await send('DELETE', `/event-sources/${name}`, undefined, ADMIN)
  await send('PUT', `/event-sources/${name}`, { ...source, user_id: 'bob' }, ADMIN)
  await expect.poll(read).toEqual([])
  expect((await send('GET', letters, undefined, both)).body.items).toEqual([])
  // An id that was cleared is new again
  await publishTo(name, ['e_dead'])
  await expect.poll(read).toHaveLength(1)
})

it("another caller's subscription is not found, and a deleted subscription ends", async () => {
  const { body } = await subscribe('/mine')
  const path = `/subscriptions/${body.id}`
  for (const [method, place] of [
    ['DELETE', path],
    ['GET', `${path}/events`],
    ['GET', `${path}/dead-letters`],
    ['POST', `${path}/dead-letters/e_1`],
  ] as const)
    expect((await send(method, place, undefined, other)).status).toBe(404)
  expect((await send('GET', '/subscriptions', undefined, other)).body.items).toEqual([])
  expect([(await send('DELETE', path)).status, (await send('DELETE', path)).status]).toEqual([204, 404])
})

it('an undelivered event is retried with its id and a new time, even after a restart, and its address is checked again', async () => {
  const { body, secret } = await subscribe('/later')
  status = 500
  await publish('e_later')
  await untilArrived('/later', 1)
  const { persistTo } = server
  await server.stop({ keep: true })
  status = 204
  server = await start({ persistTo, allowed: 'nowhere.example:1' })
  await expect
    .poll(async () => (await send('GET', '/subscriptions')).body.items.find(({ id }: any) => id === body.id), {
      timeout: 20_000,
    })
    .toMatchObject({ last_failure: 'address_refused', waiting: 1 })
  await server.stop({ keep: true })
  server = await start({ persistTo })
  await untilArrived('/later', 2, 60_000)
  const [first, second] = arrivedAt('/later')
  expect(verify(second!, secret).eventId).toBe('e_later')
  expect(Number(second!.headers['webhook-timestamp'])).toBeGreaterThan(Number(first!.headers['webhook-timestamp']))
  expect(second!.headers['webhook-id']).toBe(first!.headers['webhook-id'])
})

it('a host that resolves to a private address after its check gets no event, and the failure is shown', async () => {
  const { port } = new URL(receiver.origin)
  const vars = { ACCESS: 'keys', ADMIN_KEY, ALLOW_HTTP_HOSTS: `localhost:${port}` }
  const network = await networkFor(loadConfig(vars))
  const before = await startServer({ vars, network })
  await before.json('PUT', `/event-sources/${SOURCE}`, { kind: 'schedule', cron: '0 0 1 1 *' }, ADMIN)
  const request = { name: SOURCE, url: `http://localhost:${port}/rebound`, secret: newSecret() }
  const granted = await before.json('PUT', '/subscriptions', request, ADMIN)
  expect([granted.status, receiver.arrived.map(({ url }) => url)]).toEqual([201, ['/rebound']])
  await before.stop({ keep: true })
  // As if the name had led to a public address until now
  const after = await startServer({ vars, network: { ...network, allow: ['public'] }, persistTo: before.persistTo })
  await publishTo(SOURCE, ['e_rebound'], after)
  await expect
    .poll(async () => (await after.json('GET', '/subscriptions', undefined, ADMIN)).body.items)
    .toMatchObject([{ id: granted.body.id, waiting: 1, attempts: 1, last_failure: 'connection_refused' }])
  expect(receiver.arrived).toHaveLength(1)
  await after.stop()
})

it('a subscription made with an earlier secret of a key ends with that secret', async () => {
  const key = await newKey()
  const { secret } = await subscribe('/leaked', {}, key)
  const { body } = await send('POST', `/keys/${key['id']}/rotate`, { overlap_seconds: 0 }, ADMIN)
  await publish('e_rotated')
  await untilArrived('/leaked', 1)
  expect(verify(arrivedAt('/leaked')[0]!, secret)).toMatchObject({ type: 'terminated' })
  const renewed = { authorization: `Bearer ${body.key}` }
  await expect.poll(async () => (await send('GET', '/subscriptions', undefined, renewed)).body.items).toEqual([])
})

it('a subscription of the administrator lasts an hour', async () => {
  const { body } = await subscribe('/admin', {}, ADMIN)
  expect(Date.parse(body.refresh_before) - Date.now()).toBeLessThanOrEqual(3_600_000)
  expect((await send('DELETE', `/subscriptions/${body.id}`, undefined, ADMIN)).status).toBe(204)
})

it('a subscription ends with its key: its receiver is notified, and gets no more events', async () => {
  const key = await newKey()
  const { secret } = await subscribe('/ending', {}, key)
  expect((await send('DELETE', `/keys/${key['id']}`, undefined, ADMIN)).status).toBe(204)
  await publish('e_after')
  await untilArrived('/ending', 1)
  await publish('e_after_that')
  expect(verify(arrivedAt('/ending')[0]!, secret)).toMatchObject({ type: 'terminated', error: { code: -32_012 } })
  await expect.poll(() => arrivedAt('/ending').length).toBe(1)
})

it('each end of a subscription is told with its own id', async () => {
  const key = await newKey()
  const cover = (...tools: readonly string[]) => send('PATCH', `/keys/${key['id']}`, { tools }, ADMIN)
  await subscribe('/twice', {}, key)
  const { promise, resolve } = Promise.withResolvers<void>()
  ready = promise
  await cover('Else.*')
  await publish('e_first')
  await untilArrived('/twice', 1)
  await cover('Mail.*')
  expect((await subscribe('/twice', {}, key)).status).toBe(200)
  resolve()
  await untilArrived('/twice', 2)
  await cover('Else.*')
  await publish('e_second')
  await untilArrived('/twice', 3)
  const [first, event, second] = arrivedAt('/twice')
  expect([first, event, second].map((each) => JSON.parse(each!.body).type)).toEqual([
    'terminated',
    undefined,
    'terminated',
  ])
  expect(second!.headers['webhook-id']).not.toBe(first!.headers['webhook-id'])
})

it('a subscription goes on when its key is given more access', async () => {
  const key = await newKey()
  const { secret } = await subscribe('/wider', {}, key)
  const wider = { tools: ['*'], scopes: ['tools:read', 'tools:call', 'tools:publish'] }
  expect((await send('PATCH', `/keys/${key['id']}`, wider, ADMIN)).status).toBe(200)
  await publish('e_wider')
  await untilArrived('/wider', 1)
  expect(verify(arrivedAt('/wider')[0]!, secret).eventId).toBe('e_wider')
})

it('an event is not sent again once its subscription has expired', async () => {
  const { body } = await subscribe('/expired', { ttl_seconds: 4 })
  status = 500
  await publish('e_expired')
  await untilArrived('/expired', 1)
  const ids = async () => (await send('GET', '/subscriptions')).body.items.map(({ id }: any) => id)
  await expect.poll(ids, { timeout: 15_000 }).not.toContain(body.id)
  status = 204
  expect((await subscribe('/expired')).status).toBe(201)
  await publish('e_next')
  await untilArrived('/expired', 2)
  expect(arrivedAt('/expired').map((each) => JSON.parse(each.body).eventId)).toEqual(['e_expired', 'e_next'])
})

it('a subscription whose secret cannot be decrypted says so, and delivers again once it is refreshed', async () => {
  const put = (on: Server, path: string, body: object) => on.json('PUT', path, body, ADMIN)
  const source = { kind: 'schedule', cron: '0 0 1 1 *' }
  const request = { name: SOURCE, url: `${receiver.origin}/lost`, secret: newSecret() }
  const before = await start()
  await put(before, `/event-sources/${SOURCE}`, source)
  expect((await put(before, '/subscriptions', request)).status).toBe(201)
  await before.stop({ keep: true })
  // The deployment's secret is in the object Access
  const { persistTo } = before
  const lost = (await readdir(persistTo, { recursive: true })).filter((path) => path.endsWith('-Access'))
  expect(lost).toHaveLength(1)
  await rm(join(persistTo, lost[0]!), { recursive: true })
  const after = await start({ persistTo })
  await put(after, `/event-sources/${SOURCE}`, source)
  await publishTo(SOURCE, ['e_lost'], after)
  await expect
    .poll(async () => (await after.json('GET', '/subscriptions', undefined, ADMIN)).body.items)
    .toMatchObject([{ waiting: 1, last_failure: 'secret_unreadable' }])
  expect(arrivedAt('/lost')).toEqual([])
  expect((await put(after, '/subscriptions', request)).status).toBe(200)
  await untilArrived('/lost', 1)
  expect(verify(arrivedAt('/lost')[0]!, request.secret).eventId).toBe('e_lost')
  await after.stop()
})
