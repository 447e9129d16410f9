import { type Request, Response } from 'miniflare'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { ADMIN_KEY, asAdmin, calls, documents, keyOf } from '../attacks/set-up.ts'
import { type RunningServer, startApp } from './server.ts'

let server: RunningServer
/** Whose key names no toolkit. */
let anybody: Awaited<ReturnType<typeof keyOf>>
let sent: Request[] = []
let answer: () => Promise<Response> | Response = () => Response.json({ done: true })

const outbound = (request: Request) => {
  sent.push(request)
  return answer()
}
const MAIL = {
  kind: 'http',
  method: 'POST',
  url: 'https://api.mail-for-tests.com/',
  credentials: [{ secret: 'MAIL_KEY', in: 'header', name: 'X-Key' }],
  body: { type: 'json' },
  response: { type: 'json' },
}
const PLAIN = { kind: 'http', method: 'POST', url: 'https://api.mail-for-tests.com/', response: { type: 'json' } }

async function publish(toolkit: string, tool = 'Do', implementation: object = PLAIN, requirements?: object) {
  const { definition, ...beside } = documents(toolkit, tool, '1.0.0', { implementation }).oxp
  const body = { definition: requirements ? { ...definition, requirements } : definition, ...beside }
  const { status, body: said } = await server.json('POST', '/tools', body, asAdmin)
  expect([status, JSON.stringify(said)]).toEqual([201, expect.any(String)])
}
const put = (pattern: string, body: unknown, as: Record<string, string> = asAdmin) =>
  server.json('PUT', `/policies/${encodeURIComponent(pattern)}`, body, as)
const remove = (pattern: string) =>
  server.json('DELETE', `/policies/${encodeURIComponent(pattern)}`, undefined, asAdmin)
const call = (id: string, as: Record<string, string> = anybody.as) =>
  server.json('POST', '/tools/call', { tool_id: id, input: {} }, as)
const readiness = async (id: string, as: Record<string, string> = asAdmin) =>
  (await server.json('GET', `/tools/${id}/readiness`, undefined, as)).body

beforeAll(async () => {
  server = await startApp({
    vars: {
      ACCESS: 'public',
      ADMIN_KEY,
      MAIL_KEY: 'the-key-of-the-mail',
      FIXED_KEY: 'the-key-that-is-fixed',
      TOOL_SECRETS: { FIXED_KEY: ['Fixed.*'] },
    },
    outbound,
  })
  anybody = await keyOf(server, ['*'])
})
afterAll(() => server?.stop())

it('/policies stores one policy for each pattern, whatever its case, as it was sent', async () => {
  const policy = { security_level: 3, limits: { rate: { calls: 5, seconds: 60 } }, secrets: ['MAIL_KEY'] }
  const made = await put('Kept.*', policy)
  expect([made.status, made.body]).toMatchObject([201, { pattern: 'Kept.*', ...policy }])
  expect((await put('Kept.*', policy)).status).toBe(200)
  expect((await put('kept.*', { approval: true })).body).toMatchObject({ pattern: 'kept.*', approval: true })
  const all = await server.json('GET', '/policies', undefined, asAdmin)
  expect(all.body).toEqual({ items: [{ pattern: 'kept.*', approval: true }] })
  expect((await server.json('GET', '/policies/KEPT.*', undefined, asAdmin)).body).toMatchObject({ approval: true })
  expect((await remove('Kept.*')).status).toBe(204)
  expect((await remove('Kept.*')).status).toBe(404)
  expect((await server.json('GET', '/policies/Kept.*', undefined, asAdmin)).status).toBe(404)
})

it('PUT /policies warns that a pattern matches no tool yet, and stores the policy without the warning', async () => {
  const message = "No tool matches 'Later.*' yet: the policy will apply to tools that do"
  const policy = { pattern: 'Later.*', security_level: 2 }
  const warned = { ...policy, warnings: [{ path: '', message }] }
  const [created, replaced] = [await put('Later.*', { security_level: 2 }), await put('Later.*', { security_level: 2 })]
  expect([created.status, created.body, replaced.status, replaced.body]).toEqual([201, warned, 200, warned])
  const stored = await server.json('GET', '/policies/Later.*', undefined, asAdmin)
  expect([stored.body, stored.headers.get('etag')]).toEqual([policy, created.headers.get('etag')])
  await publish('Later')
  expect((await put('Later.*', { security_level: 2 })).body).toEqual(policy)
  expect((await put('*.d*', { security_level: 1 })).body).toEqual({ pattern: '*.d*', security_level: 1 })
  for (const pattern of ['Later.*', '*.d*']) await remove(pattern)
  // A bundled tool counts, and its case does not
  expect((await put('calculator.add', { security_level: 1 })).body).not.toHaveProperty('warnings')
  await remove('calculator.add')
})

it('/policies refuses invalid policies with the location of the error', async () => {
  for (const [pattern, body, status, message] of [
    ['Kit', { approval: true }, 400, 'tool pattern'],
    ['Kit.*.x', { approval: true }, 400, 'tool pattern'],
    ['Kit.*', {}, 422, 'Must have at least one setting'],
    ['Kit.*', { securityLevel: 9 }, 422, "'security_level'"],
    ['Kit.*', { security_level: 0 }, 422, 'from 1 to 10'],
    ['Kit.*', { approval: false }, 422, 'Must be true'],
    ['Kit.*', { secrets: ['FIXED_KEY'] }, 422, 'TOOL_SECRETS'],
    ['Kit.*', 5, 422, 'object'],
  ] as const) {
    const { status: got, body: said } = await put(pattern, body)
    expect([pattern, body, got, JSON.stringify(said)]).toEqual([
      pattern,
      body,
      status,
      expect.stringContaining(message),
    ])
  }
  expect((await server.json('GET', '/policies/%ff', undefined, asAdmin)).status).toBe(400)
})

it('a security level applies in every dialect, to calls and lists, and is shown if the dialect has a field for it', async () => {
  await publish('Raised')
  const machine = documents('Spoken', 'Do', '1.0.0', { implementation: PLAIN })['machine-context']
  expect((await server.json('POST', '/tools', machine, asAdmin)).status).toBe(201)
  const listed = async () => {
    const { body } = await server.json('GET', '/machine-context/tools', undefined, asAdmin)
    const all = body.tools ?? body
    return Object.fromEntries(
      all.map(({ id, securityLevel }: { id: string; securityLevel?: number }) => [id, securityLevel ?? 0]),
    )
  }
  const summed = async () => {
    const { items } = (await server.json('GET', '/toolkits', undefined, asAdmin)).body
    return items.find(({ toolkit }: { toolkit: string }) => toolkit === 'Raised').security_level
  }
  const etag = async () => (await fetch(`${server.url}/tools`, { headers: asAdmin })).headers.get('etag')
  const seen = async () => {
    const { body } = await server.json('GET', '/tools?limit=1000')
    return body.items.some(({ id }: { id: string }) => id === 'Raised.Do@1.0.0')
  }
  expect([(await listed())['Raised'], (await listed())['Spoken'], await seen()]).toEqual([0, 0, true])
  const before = await etag()
  await put('Raised.*', { security_level: 5 })
  await put('Spoken.*', { security_level: 6 })
  expect([(await listed())['Raised'], (await listed())['Spoken'], await seen()]).toEqual([5, 6, false])
  expect(await summed()).toBe(5)
  expect(await etag()).not.toBe(before)
  const one = await server.json('GET', '/tools/Spoken.Do?format=machine-context', undefined, asAdmin)
  expect(one.body.securityLevel).toBe(6)
  expect((await server.json('GET', '/tools/Raised.Do')).status).toBe(404)
  expect(await readiness('Raised.Do')).toMatchObject({ ready: true, security_level: 5 })
  for (const [dialect, make] of Object.entries(calls(server, 'Raised', 'Do', anybody.as))) {
    const { body } = await make()
    expect([dialect, JSON.stringify(body)]).toEqual([dialect, expect.stringContaining('has security level 5')])
  }
  const named = await keyOf(server, ['Raised.*'])
  expect((await call('Raised.Do', named.as)).body).toMatchObject({ result: { success: true } })
  await put('Raised.*', { security_level: 1 })
  expect((await call('Raised.Do')).body).toMatchObject({ result: { success: true } })
  await remove('Raised.*')
  await remove('Spoken.*')
  expect([(await listed())['Spoken'], await seen()]).toEqual([0, true])
})

it('an approval is required in every dialect, whatever the level', async () => {
  await publish('Asked', 'DeleteAll')
  await publish('Asked', 'Read')
  await put('*.Delete*', { approval: true })
  sent = []
  for (const [dialect, make] of Object.entries(calls(server, 'Asked', 'DeleteAll', anybody.as))) {
    const { body } = await make()
    expect([dialect, JSON.stringify(body)]).toEqual([dialect, expect.stringMatching(/authorizations\/[\w-]+\/start/)])
  }
  expect(sent).toEqual([])
  expect(await readiness('Asked.DeleteAll')).toMatchObject({ ready: false, approval: true, security_level: 1 })
  expect(await readiness('Asked.Read')).not.toHaveProperty('approval')
  // Nobody is there to wait for an answer
  expect((await call('Asked.DeleteAll', {})).status).toBe(401)
  expect((await call('Asked.Read')).body).toMatchObject({ result: { success: true } })
  await remove('*.Delete*')
  expect((await call('Asked.DeleteAll')).body).toMatchObject({ result: { success: true } })
})

it('a timeout and limits apply to calls', async () => {
  await publish('Slow')
  await publish('Often')
  await put('Slow.*', { timeout_ms: 300 })
  answer = () => new Promise(() => undefined)
  expect((await call('Slow.Do')).body).toMatchObject({
    result: { success: false, error: { message: 'The tool did not answer within 0.3 seconds' } },
  })
  answer = () => Response.json({ done: true })
  await put('Often.*', { limits: { rate: { calls: 1, seconds: 3_600 } } })
  await put('*.Do', { limits: { rate: { calls: 100, seconds: 3_600 } } })
  expect((await call('Often.Do')).status).toBe(200)
  const refused = await call('Often.Do')
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([429, expect.stringContaining('tool')])
  expect((await call('Slow.Do')).status).toBe(200)
  for (const pattern of ['Slow.*', 'Often.*', '*.Do']) await remove(pattern)
  expect((await call('Often.Do')).status).toBe(200)
})

it('a secret is allowed for and removed from the tools of a pattern without a deployment', async () => {
  await publish('Post', 'Send', MAIL, { secrets: [{ id: 'MAIL_KEY' }] })
  const owner = await keyOf(server, ['Post.*'])
  expect(JSON.stringify((await call('Post.Send', owner.as)).body)).toContain(
    "An administrator must set the secret 'MAIL_KEY' and allow it for the tool",
  )
  await put('Post.*', { secrets: ['MAIL_KEY'] })
  expect(await readiness('Post.Send', owner.as)).toMatchObject({ ready: true })
  sent = []
  for (const [dialect, make] of Object.entries(calls(server, 'Post', 'Send', owner.as))) {
    const { body } = await make()
    expect([dialect, JSON.stringify(body)]).toEqual([dialect, expect.stringContaining('done')])
  }
  expect(sent.map(({ headers }) => headers.get('x-key'))).toEqual(sent.map(() => 'the-key-of-the-mail'))
  expect(sent.length).toBe(7)
  await remove('Post.*')
  expect((await call('Post.Send', owner.as)).status).toBe(400)
})

it('a secret appears in the audit log by its name, and never by its value', async () => {
  await put('Trail.*', { secrets: ['MAIL_KEY'], security_level: 4 })
  await remove('Trail.*')
  const end = Date.now() + 20_000
  for (let items: { about?: unknown }[] = []; items.length < 1;) {
    const { body } = await server.json('GET', '/audit?act=policy.put&limit=1000', undefined, asAdmin)
    items = body.items.filter(({ path }: { path: string }) => decodeURIComponent(path) === '/policies/Trail.*')
    if (items[0]) {
      expect(items[0].about).toEqual({ pattern: 'Trail.*', secrets: ['MAIL_KEY'], security_level: 4 })
      expect(JSON.stringify(body)).not.toContain('the-key-of-the-mail')
    } else if (Date.now() > end) throw new Error('It was not written down')
    else await new Promise((done) => setTimeout(done, 100))
  }
})

describe.each([
  ['policies', '/policies/Held.*', 'PUT', { timeout_ms: 1_000 }, { timeout_ms: 2_000 }],
  [
    'providers',
    '/providers/held',
    'PUT',
    { issuer: 'https://a.com', client_id: 'a' },
    { issuer: 'https://a.com', client_id: 'b' },
  ],
  ['keys', '/keys/{key}', 'PATCH', { name: 'a' }, { name: 'b' }],
] as const)('a change of %s', (name, place, method, first, second) => {
  const send = async (how: string, path: string, body?: unknown, tag?: string) => {
    const response = await fetch(server.url + path, {
      method: how,
      headers: { ...asAdmin, 'content-type': 'application/json', ...(tag === undefined ? {} : { 'if-match': tag }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, tag: response.headers.get('etag') ?? '', text }
  }

  it(`a change of ${name} with another revision's If-Match is refused, and changes nothing`, async () => {
    const made = await send('POST', '/keys', { name: 'held', scopes: ['tools:read'] })
    const path = place.replace('{key}', JSON.parse(made.text).id)
    const none = await send(method, path.replace(/held/i, 'none'), first, '"x"')
    expect([404, 412]).toContain(none.status)
    expect((await send(method, path, first)).status).toBeLessThan(300)
    const read = await send('GET', path)
    expect(read.tag).toMatch(/^"[0-9a-f]{16}"$/)
    const changed = await send(method, path, second, read.tag)
    expect(changed.status).toBe(200)
    expect(changed.tag).not.toBe(read.tag)
    expect((await send('GET', path)).tag).toBe(changed.tag)

    const stale = await send(method, path, first, read.tag)
    expect([stale.status, JSON.parse(stale.text).message]).toEqual([412, expect.stringContaining("'If-Match'")])
    expect((await send('DELETE', path, undefined, read.tag)).status).toBe(412)
    expect((await send('GET', path)).tag).toBe(changed.tag)
    expect((await send(method, path, second, `"x", ${changed.tag}`)).status).toBe(200)
    expect((await send('DELETE', path, undefined, '*')).status).toBe(204)
    expect((await send('DELETE', path, undefined, '*')).status).toBe(404)
  })
})
