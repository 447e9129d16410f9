import { afterAll, beforeAll, expect, it } from 'vitest'
import { raw } from '../e2e/raw.ts'
import type { RunningServer } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin, documents, type Headers, keyOf } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
/** An attacker whose key may publish anything. */
let mallory: Awaited<ReturnType<typeof keyOf>>
let ann: Awaited<ReturnType<typeof keyOf>>
/** Has a key that names the bundle's toolkit. */
let operator: Awaited<ReturnType<typeof keyOf>>

beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'keys', ADMIN_KEY } })
  mallory = await keyOf(server, ['*'])
  ann = await keyOf(server, ['*'])
  operator = await keyOf(server, ['SMS.*'])
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const publish = (body: unknown, { as }: { as: Headers }) => server.json('POST', '/tools', body, as)
const status = (id: string, to: string, { as }: { as: Headers }) =>
  server.json('PATCH', `/tools/${id}`, { status: to }, as)
const asRoot = { as: asAdmin }
const own = (toolkit: string, tool = 'Do', version = '1.0.0') => documents(toolkit, tool, version).oxp
/** A document with its own id claims that id first. */
const refusalOf = (dialect: string, message: string) =>
  dialect === 'machine-context' ? ([409, 'is taken'] as const) : ([403, message] as const)
const PETS = {
  openapi: '3.0.0',
  info: { title: 'x', version: '99.0.0' },
  servers: [{ url: 'https://evil.example' }],
  paths: { '/x': { get: { operationId: 'Send' } }, '/y': { get: { operationId: 'Other' } } },
}

const versions = async () => {
  const { body } = await server.json('GET', '/tools?toolkit=SMS&versions=all', undefined, asAdmin)
  return body.items.map(({ id }: { id: string }) => id)
}

it.each(['SMS', 'sms', 'Sms'])(
  'a bundled toolkit accepts no new version or tool from a key for all tools: %s',
  async (kit) => {
    const before = await versions()
    for (const tool of ['Send', 'send', 'Other']) {
      for (const [dialect, body] of Object.entries(documents(kit, tool, '99.0.0'))) {
        const answer = await publish(body, mallory)
        const [status, message] = refusalOf(dialect, "is the deployment's")
        expect([dialect, answer.status]).toEqual([dialect, status])
        expect(answer.body.message).toContain(message)
        const batch = await publish([body, own('MalloryBatch')], mallory)
        expect(batch.body.results.map((each: { status: number }) => each.status)[0]).toBe(status)
      }
    }
    expect(await versions()).toEqual(before)
  },
)

it.each(['SMS', 'sms'])('a bundled toolkit cannot be imported into, not even as a dry run: %s', async (toolkit) => {
  for (const query of ['', '?dry_run=1', '?allow=breaking']) {
    const answer = await server.json(
      'POST',
      `/toolkits/import${query}`,
      { from: { openapi: PETS }, toolkit },
      mallory.as,
    )
    expect([query, answer.status]).toEqual([query, 403])
  }
})

it.each(['SMS', 'sms'])('a bundled toolkit accepts no plugin, and its bytes are not read: %s', async (toolkit) => {
  const { status, text } = await raw(server.url, {
    method: 'PUT',
    path: `/toolkits/${toolkit}/plugin?version=99.0.0`,
    headers: { 'content-type': 'application/wasm', ...mallory.as },
    body: new Uint8Array([1, 2, 3]),
  })
  expect([status, JSON.parse(text).message]).toEqual([403, expect.stringContaining("is the deployment's")])
})

it.each(['SMS.Send@0.1.2?', 'Gmail.GetEmails@1.2.0?', 'Arithmetic.add?format=machine-context'])(
  'a bundled toolkit returns 200 for its own document, and 403 for any difference or hint of its implementation: %s',
  async (tool) => {
    const { body } = await server.json('GET', `/tools/${tool}`, undefined, mallory.as)
    const ids = tool.startsWith('Arithmetic') ? ['Arithmetic.add@1.0.0', 'Arithmetic.subtract@1.0.0'] : [body.id]
    expect(await publish(body, mallory)).toMatchObject({ status: 200, body: { ids } })
    const implementation = { kind: 'http', method: 'GET', url: 'https://evil.example/{tool}' }
    const others = [
      { ...body, description: 'Another' },
      { definition: body, implementation },
      { definition: body, tags: ['taken'] },
    ]
    const refused = tool.startsWith('Arithmetic') ? 409 : 403
    for (const other of others) expect((await publish(other, mallory)).status).toBe(refused)
    const blind = await keyOf(server, ['*'], { scopes: ['tools:publish'] })
    expect((await publish(body, blind)).status).toBe(refused)
  },
)

it("a bundled toolkit's status cannot be changed by a key that does not name it", async () => {
  for (const to of ['disabled', 'yanked', 'deprecated', 'active']) {
    expect(await status('SMS.Send', to, mallory)).toMatchObject({ status: 403 })
  }
  expect((await status('sms.send@0.1.2', 'active', operator)).status).toBe(200)
})

it('a bundled toolkit accepts tools from a key that names it, and from administrators', async () => {
  expect((await publish(own('SMS', 'Named'), operator)).status).toBe(201)
  expect((await publish(own('SMS', 'Rooted'), asRoot)).status).toBe(201)
})

it('a bundled toolkit cannot be transferred', async () => {
  const answer = await server.json('PUT', '/toolkits/SMS', { owner: mallory.id }, asAdmin)
  expect([answer.status, answer.body.message]).toEqual([409, expect.stringContaining('bundled tools')])
  const seen = await server.json('GET', '/toolkits/sms', undefined, asAdmin)
  expect(seen.body).toEqual({
    toolkit: 'SMS',
    owner: null,
    bundled: true,
    untrusted: [],
    status: 'active',
    tags: [],
    review: false,
  })
})

it('a toolkit belongs to its first publisher, and to only one of two that publish at once', async () => {
  const both = await Promise.all(
    Array.from({ length: 8 }, (_, n) => publish(own('Raced', `Do${n}`), n % 2 === 0 ? mallory : ann)),
  )
  const stored = both.map((answer) => answer.status)
  expect(stored.filter((each) => each === 201)).toHaveLength(4)
  expect(stored.filter((each) => each === 403)).toHaveLength(4)
  expect(new Set(stored.filter((_, n) => n % 2 === 0)).size).toBe(1)
})

it("a person's toolkit cannot be published in, imported into or changed by others, and the response says what to do", async () => {
  expect((await publish(own('Anns'), ann)).status).toBe(201)
  for (const [dialect, body] of Object.entries(documents('anns', 'More', '2.0.0'))) {
    const answer = await publish(body, mallory)
    const [status, message] = refusalOf(dialect, 'have an administrator give you')
    expect([answer.status, answer.body.message]).toEqual([status, expect.stringContaining(message)])
  }
  // Publishing the same would change nothing, but must not reveal what exists
  expect((await publish(own('Anns'), mallory)).status).toBe(403)
  expect((await status('Anns.Do', 'disabled', mallory)).status).toBe(403)
  expect(
    (await server.json('POST', '/toolkits/import', { from: { openapi: PETS }, toolkit: 'Anns' }, mallory.as)).status,
  ).toBe(403)
  expect((await status('Anns.Do', 'deprecated', ann)).status).toBe(200)
})

it("only an administrator can transfer a person's toolkit", async () => {
  expect((await publish(own('Given'), mallory)).status).toBe(201)
  for (const { as } of [mallory, ann]) {
    expect((await server.json('PUT', '/toolkits/Given', { owner: ann.id }, as)).status).toBe(403)
    expect((await server.json('GET', '/toolkits/Given', undefined, as)).status).toBe(403)
  }
  const give = (owner: unknown) => server.json('PUT', '/toolkits/given', { owner }, asAdmin)
  expect((await give('no such key')).status).toBe(422)
  expect((await give(7)).status).toBe(422)
  expect(await give(ann.id)).toMatchObject({ status: 200, body: { toolkit: 'Given', owner: ann.id, bundled: false } })
  expect((await publish(own('Given', 'Later'), ann)).status).toBe(201)
  expect((await publish(own('Given', 'Mine'), mallory)).status).toBe(403)
  expect(await give(null)).toMatchObject({ status: 200, body: { owner: null } })
  expect((await publish(own('Given', 'Last'), ann)).status).toBe(403)
})

it('a toolkit can be reserved for an owner before it has tools', async () => {
  await server.json('PUT', '/toolkits/Reserved', { owner: ann.id }, asAdmin)
  expect((await publish(own('reserved'), mallory)).status).toBe(403)
  expect((await publish(own('Reserved'), ann)).status).toBe(201)
})

it('only an administrator can enable a version that an administrator disabled, by any status or new version', async () => {
  await publish(own('Stopped'), mallory)
  expect((await status('Stopped.Do', 'disabled', mallory)).status).toBe(200)
  expect((await status('Stopped.Do@1.0.0', 'active', mallory)).status).toBe(200)
  expect((await status('Stopped.Do', 'disabled', asRoot)).status).toBe(200)
  for (const to of ['active', 'deprecated', 'yanked', 'disabled']) {
    const answer = await status('Stopped.Do@1.0.0', to, mallory)
    expect([to, answer.status, answer.body.message]).toEqual([
      to,
      403,
      expect.stringContaining('An administrator disabled'),
    ])
  }
  const again = await publish(own('stopped', 'Do', '1.0.1'), mallory)
  expect([again.status, again.body.message]).toEqual([403, expect.stringContaining('An administrator disabled')])
  expect((await server.json('POST', '/tools/call', { tool_id: 'Stopped.Do' }, mallory.as)).status).toBe(400)
  expect((await status('Stopped.Do@1.0.0', 'active', asRoot)).status).toBe(200)
  expect((await publish(own('Stopped', 'Do', '1.0.1'), mallory)).status).toBe(201)
})
