import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SIGNATURE_SCHEMES, type SignatureScheme } from '../../src/core/event/event-source.ts'
import { admin, ADMIN_KEY, deliver, newKey, putSource, rpc, SECRETS, SENDERS, webhook } from '../e2e/event-senders.ts'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatched } from './watch.ts'

/** An attacker who can send requests to `/events/{source}`, and may have recorded those of a real sender. */

let server: RunningServer
let reader: Awaited<ReturnType<typeof newKey>>
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY, SELF_HOSTED: '1', ...SECRETS } })
  for (const scheme of SIGNATURE_SCHEMES) await putSource(server, `Hook.${scheme}`, webhook(scheme))
  await putSource(server, 'Hook.unset', webhook('github', { secret_name: 'NOT_SET' }))
  await putSource(server, 'Hook.tick', { kind: 'schedule', cron: '0 9 * * *' })
  reader = await newKey(server, { tools: ['Hook.*'] })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const poll = async (source: string, cursor?: string, { authorization } = reader) =>
  rpc(server, authorization, 'events/poll', { name: source, cursor: cursor ?? null })
const start = async (source: string) => String((await poll(source)).result.cursor)
const since = async (source: string, cursor: string) => (await poll(source, cursor)).result.events as any[]
const BODIES: Readonly<Record<SignatureScheme, () => object>> = {
  'standard-webhooks': () => ({ type: 'paid', n: Math.random() }),
  'github': () => ({ ref: 'refs/heads/main', n: Math.random() }),
  'stripe': () => ({ id: `evt_${Math.random()}`, type: 'charge.succeeded' }),
  'slack': () => ({ type: 'event_callback', event_id: `Ev${Math.random()}` }),
  'shared-secret': () => ({ alert: 'down', n: Math.random() }),
}

describe.each(SIGNATURE_SCHEMES)('a webhook signed as %s', (scheme) => {
  const source = `Hook.${scheme}`
  const write = () => JSON.stringify(BODIES[scheme]())

  it('is stored once if it is sent repeatedly', async () => {
    const cursor = await start(source)
    const body = write()
    const headers = SENDERS[scheme](body)
    const first = await deliver(server, source, body, headers)
    expect(first.status).toBe(202)
    for (let times = 0; times < 3; times++) {
      const again = await deliver(server, source, body, headers)
      expect([again.status, await again.json()]).toEqual([200, await first.clone().json()])
    }
    const [event, ...others] = await since(source, cursor)
    expect(others).toEqual([])
    expect(event.data).toMatchObject(JSON.parse(body))
  })

  it('is refused and not stored if it was forged', async () => {
    const cursor = await start(source)
    const body = write()
    const headers: Record<string, string> = SENDERS[scheme](body)
    const forged = Object.entries(headers).map(([name, value]) => ({
      ...headers,
      [name]: forge(value),
    }))
    const signed = forged.filter((each) => !isEqualButFor(each, headers, ['x-github-event', 'x-github-delivery']))
    for (const others of [...signed, {}]) {
      const response = await deliver(server, source, body, others)
      expect([response.status, others]).toEqual([401, others])
    }
    if (scheme !== 'shared-secret') expect((await deliver(server, source, `${body} `, headers)).status).toBe(401)
    expect(await since(source, cursor)).toEqual([])
  })
})

/** Changes one character, but not the last of Base64, some of whose bits are unused. */
function forge(value: string): string {
  const at = value.length - (value.length > 20 ? 10 : 1)
  return `${value.slice(0, at)}${value[at] === '1' ? '2' : '1'}${value.slice(at + 1)}`
}

const isEqualButFor = (one: object, other: object, names: readonly string[]) =>
  Object.entries(one).every(([name, value]) => names.includes(name) || Reflect.get(other, name) === value)

it.each(['standard-webhooks', 'stripe', 'slack'] as const)(
  'a webhook signed as %s is refused once it is older than five minutes',
  async (scheme) => {
    const body = JSON.stringify(BODIES[scheme]())
    const headers = SENDERS[scheme](body, 'msg_old', Date.now() - 301_000)
    expect((await deliver(server, `Hook.${scheme}`, body, headers)).status).toBe(401)
  },
)

it('a GitHub delivery with a different delivery id is not a new event, because the id is not signed', async () => {
  const cursor = await start('Hook.github')
  const body = JSON.stringify({ n: Math.random() })
  for (const status of [202, 200, 200])
    expect((await deliver(server, 'Hook.github', body, SENDERS.github(body))).status).toBe(status)
  expect(await since('Hook.github', cursor)).toHaveLength(1)
})

it('a Slack challenge is answered only if it is signed, and creates no event', async () => {
  const cursor = await start('Hook.slack')
  const body = JSON.stringify({ type: 'url_verification', challenge: 'c1' })
  const answer = await deliver(server, 'Hook.slack', body, SENDERS.slack(body))
  expect([answer.status, await answer.json()]).toEqual([200, { challenge: 'c1' }])
  expect((await deliver(server, 'Hook.slack', body, {})).status).toBe(401)
  expect(await since('Hook.slack', cursor)).toEqual([])
})

it('a stranger cannot tell whether a source exists or has a secret', async () => {
  const answers = await Promise.all(
    ['Hook.github', 'Hook.none', 'Hook.unset', 'Hook.tick', 'nonsense', '%00', '..%2Fkeys'].map(async (source) => {
      const response = await deliver(server, source, '{}', SENDERS.github('{"other":1}'))
      return [response.status, await response.text(), response.headers.get('www-authenticate')]
    }),
  )
  expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1)
  expect(answers[0]?.[0]).toBe(401)
  for (const source of ['Hook.github', 'Hook.none']) {
    expect((await deliver(server, source, ' '.repeat(262_145), {})).status).toBe(413)
    expect((await deliver(server, source, '{}', { 'content-type': 'text/plain' })).status).toBe(415)
  }
})

it('a body that is too large or has another media type is refused before verification', async () => {
  const large = JSON.stringify({ text: 'x'.repeat(262_144) })
  expect((await deliver(server, 'Hook.github', large, SENDERS.github(large))).status).toBe(413)
  // Small enough itself, but not with the envelope that it is delivered in
  const delivered = JSON.stringify({ text: 'x'.repeat(262_100) })
  expect((await deliver(server, 'Hook.github', delivered, SENDERS.github(delivered))).status).toBe(413)
  const form = 'payload=%7B%7D'
  const headers = { ...SENDERS.github(form), 'content-type': 'application/x-www-form-urlencoded' }
  expect((await deliver(server, 'Hook.github', form, headers)).status).toBe(415)
  const broken = '{"a":'
  expect((await deliver(server, 'Hook.github', broken, SENDERS.github(broken))).status).toBe(400)
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect((await deliver(server, 'Hook.github', deep, SENDERS.github(deep))).status).toBe(400)
})

it('integers beyond double precision, and bodies that are not objects, arrive unchanged', async () => {
  const cursor = await start('Hook.github')
  const body = '{"id":12345678901234567890123}'
  expect((await deliver(server, 'Hook.github', body, SENDERS.github(body))).status).toBe(202)
  const list = '[1,2]'
  expect((await deliver(server, 'Hook.github', list, SENDERS.github(list))).status).toBe(202)
  const response = await fetch(`${server.url}/mcp`, {
    method: 'POST',
    headers: {
      'authorization': reader.authorization,
      'content-type': 'application/json',
      'accept': 'application/json',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'events/poll',
      params: { name: 'Hook.github', cursor },
    }),
  })
  const text = await response.text()
  expect(text).toContain('12345678901234567890123')
  expect(text).toContain('"value":[1,2]')
})

it('signed events are limited to the rate of their source, without slowing other sources', async () => {
  await putSource(server, 'Hook.flooded', webhook('github', { rate: { calls: 5, seconds: 60 } }))
  const answers = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const body = JSON.stringify({ n, flood: true })
      const { status, headers } = await deliver(server, 'Hook.flooded', body, SENDERS.github(body))
      return { status, retryAfter: headers.get('retry-after') }
    }),
  )
  expect(answers.filter(({ status }) => status === 202)).toHaveLength(5)
  const late = answers.filter(({ status }) => status === 429)
  expect(late).toHaveLength(7)
  for (const { retryAfter } of late) expect(Number(retryAfter)).toBeGreaterThan(0)
  const body = JSON.stringify({ n: Math.random() })
  expect((await deliver(server, 'Hook.github', body, SENDERS.github(body))).status).toBe(202)
})

it('forged deliveries do not count against the rate of a source', async () => {
  await putSource(server, 'Hook.framed', webhook('github', { rate: { calls: 1, seconds: 60 } }))
  for (let n = 0; n < 5; n++)
    expect((await deliver(server, 'Hook.framed', '{}', SENDERS.github('{"a":1}'))).status).toBe(401)
  expect((await deliver(server, 'Hook.framed', '{}', SENDERS.github('{}'))).status).toBe(202)
})

it('forged deliveries that were refused hold no memory', async () => {
  const large = JSON.stringify({ text: 'x'.repeat(262_000) })
  // Together more than strangers may hold at once
  for (let n = 0; n < 60; n++)
    expect((await deliver(server, 'Hook.github', large, SENDERS.github('{}'))).status).toBe(401)
  const body = JSON.stringify({ n: Math.random() })
  expect((await deliver(server, 'Hook.github', body, SENDERS.github(body))).status).toBe(202)
})

it("another user's source cannot be listed, polled or subscribed to, and looks like a missing one", async () => {
  const other = await newKey(server, { tools: ['Mine.*'] })
  expect((await rpc(server, other.authorization, 'events/list', {})).result.events).toEqual([])
  for (const name of ['Hook.github', 'Hook.none']) {
    const delivery = { mode: 'webhook', url: 'https://a.example/', secret: `whsec_${'a'.repeat(44)}` }
    const errors = [
      await rpc(server, other.authorization, 'events/poll', { name, cursor: null }),
      await rpc(server, other.authorization, 'events/subscribe', { name, cursor: null, delivery }),
    ]
    for (const { error } of errors) expect([name, error?.code]).toEqual([name, -32012])
  }
  const named = await newKey(server, { tools: ['Ann.*'], users: [] })
  await putSource(server, 'Ann.Mail', webhook('github', { user_id: 'ann' }))
  expect((await poll('Ann.Mail', undefined, named)).error.code).toBe(-32012)
  expect(
    (await poll('Ann.Mail', undefined, await newKey(server, { tools: ['Ann.*'], users: ['ann'] }))).result,
  ).toBeDefined()
  await putSource(server, 'Ann.Secret', webhook('github', { security_level: 4 }))
  expect((await poll('Ann.Secret', undefined, await newKey(server, { tools: ['*'] }))).error.code).toBe(-32012)
})

it('only administrators create sources, and only with secrets that are allowed for them', async () => {
  const publisher = await newKey(server, { scopes: ['tools:publish', 'tools:call', 'tools:read'], tools: ['*'] })
  for (const [method, path] of [
    ['GET', '/event-sources'],
    ['GET', '/event-sources/Hook.github'],
    ['PUT', '/event-sources/Hook.github'],
    ['DELETE', '/event-sources/Hook.github'],
  ] as const) {
    const body = method === 'PUT' ? webhook('github') : undefined
    const { authorization } = publisher
    expect((await server.json(method, path, body, { authorization })).status).toBe(403)
  }
  for (const secret_name of ['ADMIN_KEY', 'VAULT_KEYS', 'JWT_SECRET', 'not a name', HOOK()])
    expect((await server.json('PUT', '/event-sources/Hook.x', webhook('github', { secret_name }), admin)).status).toBe(
      422,
    )
  for (const cron of ['* * * * * *', '*/1 * * * * *', '@every 1s'])
    expect((await server.json('PUT', '/event-sources/Hook.x', { kind: 'schedule', cron }, admin)).status).toBe(422)
  const listed = await server.json('GET', '/event-sources', undefined, admin)
  expect(JSON.stringify(listed.body)).not.toContain(SECRETS.HOOK_SECRET)
})
const HOOK = () => SECRETS.HOOK_SECRET
