import { Response } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { raw } from '../e2e/raw.ts'
import type { RunningServer } from '../e2e/server.ts'
import { describing } from '../plugins/describing.ts'
import { ADMIN_KEY, asAdmin, calls, documents, type Headers, keyOf } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
/** Owns the toolkit, and published everything in it. */
let mallory: Awaited<ReturnType<typeof keyOf>>
/** Has a key that may publish in it, but does not own it. */
let trusted: Awaited<ReturnType<typeof keyOf>>
let caller: Awaited<ReturnType<typeof keyOf>>
/** Outgoing requests, with their credential. */
const sent: string[] = []

const publish = (document: unknown, as: Headers) => server.json('POST', '/tools', document, as)
const patch = (id: string, body: object, as: Headers) => server.json('PATCH', `/tools/${id}`, body, as)
const oxp = (tool: string, version: string) => documents('Kept', tool, version).oxp

beforeAll(async () => {
  server = await startWatched({
    vars: { ACCESS: 'keys', ADMIN_KEY, KEPT_KEY: 'secret-of-kept', TOOL_SECRETS: '{"KEPT_KEY": ["Kept.*"]}' },
    outbound(request) {
      sent.push(`${request.url} ${request.headers.get('authorization')}`)
      return Response.json({ tools: [] })
    },
  })
  mallory = await keyOf(server, ['*'])
  trusted = await keyOf(server, ['Kept.*'])
  caller = await keyOf(server, ['*'], { scopes: ['tools:read', 'tools:call'] })
  expect((await publish(oxp('Do', '1.0.0'), mallory.as)).status).toBe(201)
  expect((await server.json('PATCH', '/toolkits/Kept', { review: true }, asAdmin)).status).toBe(200)
})
afterAll(() => server?.stop())
afterAll(neverSilent)

/** Lists the versions of the toolkit that a caller can discover. */
async function seen(): Promise<readonly string[]> {
  const { body } = await server.json('GET', '/tools?versions=all&toolkit=Kept', undefined, caller.as)
  return body.items.map(({ id }: { id: string }) => id)
}

it('an unreviewed version is not active through any dialect, a document of several tools, or a batch, in any case', async () => {
  let tool = 0
  for (const toolkit of ['Kept', 'kept', 'KEPT']) {
    for (const as of [mallory.as, trusted.as]) {
      for (const dialect of Object.keys(documents('Kept', 'Do', '1.0.0'))) {
        const all = Object.entries(documents(toolkit, `Tool${(tool += 1)}`, `1.0.${tool}`))
        const [, document] = all.find(([name]) => name === dialect) ?? []
        await publish(document, as)
        await publish([document], as)
      }
    }
  }
  const two = documents('Kept', 'Two', '9.0.0').mcp
  const several = { definition: { tools: [two.definition, { ...two.definition, name: 'Three' }] } }
  await publish({ ...several, toolkit: 'Kept', version: '9.0.0' }, mallory.as)
  expect(await seen()).toEqual(['Kept.Do@1.0.0'])
  const { body } = await server.json('GET', '/tools?status=pending&toolkit=Kept&limit=100', undefined, asAdmin)
  expect(body.items.length).toBeGreaterThan(10)
  for (const [dialect, call] of Object.entries(calls(server, 'Kept', 'Tool1', caller.as))) {
    expect([dialect, JSON.stringify((await call()).body)]).toEqual([
      dialect,
      expect.not.stringMatching(/cannot be called here/),
    ])
  }
})

it('an unreviewed version is not active through a plugin upload', async () => {
  const bytes = describing(
    JSON.stringify({ tools: [{ name: 'Plugged', description: 'Does it', inputSchema: { type: 'object' } }] }),
  )
  const { status, text } = await raw(server.url, {
    method: 'PUT',
    path: '/toolkits/Kept/plugin?version=3.0.0',
    headers: { 'content-type': 'application/wasm', ...trusted.as },
    body: bytes,
  })
  expect([status, JSON.parse(text)]).toMatchObject([201, { pending: ['Kept.Plugged@3.0.0'] }])
  expect(await seen()).toEqual(['Kept.Do@1.0.0'])
})

it('an unreviewed version cannot be activated by its publisher in any way', async () => {
  await publish(oxp('Do', '1.1.0'), mallory.as)
  await publish(oxp('Do', '1.2.0'), trusted.as)
  for (const [id, who] of [
    ['Kept.Do@1.1.0', mallory],
    ['Kept.Do@1.1.0', trusted],
    ['Kept.Do@1.2.0', trusted],
    ['kept.do@1.2.0', trusted],
  ] as const) {
    for (const body of [
      { status: 'disabled' },
      { status: 'yanked' },
      { status: { deprecated: {} } },
      { status: { state: 'active' } },
      { status: 'active' },
      { status: 'active', trusted: true },
    ]) {
      expect([id, body, (await patch(id, body, who.as)).status]).toEqual([id, body, 403])
    }
  }
  // Nobody can set a version to pending, so none can be set to pending and back
  expect((await patch('Kept.Do@1.0.0', { status: 'pending' }, mallory.as)).status).toBe(400)
  for (const status of ['disabled', 'yanked', 'deprecated', 'active']) {
    expect((await server.json('PATCH', '/toolkits/Kept', { status }, mallory.as)).status).toBe(200)
  }
  expect(await seen()).toEqual(['Kept.Do@1.0.0'])
  // Publishing the same document again does not change its publisher
  expect((await publish(oxp('Do', '1.2.0'), mallory.as)).body).toMatchObject({ pending: ['Kept.Do@1.2.0'] })
  expect((await patch('Kept.Do@1.2.0', { status: 'disabled' }, mallory.as)).status).toBe(200)
  expect((await patch('Kept.Do@1.2.0', { status: 'active' }, trusted.as)).status).toBe(403)
  expect(await seen()).toEqual(['Kept.Do@1.0.0'])
})

it('an unreviewed version does not replace a reviewed one that is deprecated, yanked or disabled', async () => {
  await publish(oxp('Alone', '1.0.0'), asAdmin)
  await publish(oxp('Alone', '1.1.0'), mallory.as)
  for (const status of ['deprecated', 'yanked', 'disabled']) {
    expect((await patch('Kept.Alone@1.0.0', { status }, mallory.as)).status).toBe(200)
    const { body } = await server.json('POST', '/tools/call', { tool_id: 'Kept.Alone', input: {} }, caller.as)
    expect([status, JSON.stringify(body)]).toEqual([status, expect.not.stringContaining('1.1.0')])
  }
})

it('only an administrator can turn off review, and a publisher cannot avoid it by deleting the toolkit', async () => {
  for (const who of [mallory, trusted]) {
    expect((await server.json('PATCH', '/toolkits/kept', { review: false }, who.as)).status).toBe(403)
    expect((await server.json('PATCH', '/toolkits/Kept', { review: false, tags: ['x'] }, who.as)).status).toBe(403)
    expect((await server.json('DELETE', '/toolkits/Kept', undefined, who.as)).status).toBe(403)
  }
  const put = await server.json('PUT', '/policies/Kept.*', { review: true }, mallory.as)
  expect(put.status).toBe(403)
  expect((await server.json('GET', '/toolkits/Kept', undefined, asAdmin)).body).toMatchObject({
    review: true,
    tags: [],
  })
})

it('only administrators can restore a backup into a reviewed toolkit', async () => {
  const { status } = await raw(server.url, {
    method: 'POST',
    path: '/import',
    headers: { 'content-type': 'application/jsonl', ...mallory.as },
    body: '{"kind":"archive","format":1}\n{"kind":"end","lines":1}\n',
  })
  expect(status).toBe(403)
})

it('an unreviewed version looks like a missing one to callers who may only publish elsewhere', async () => {
  const stranger = await keyOf(server, ['Kept.Do', 'Elsewhere.*'])
  const outsider = await keyOf(server, ['*'])
  await publish(documents('Kept', 'Do', '4.0.0').oxp, trusted.as)
  for (const who of [outsider]) {
    for (const [method, path, body] of [
      ['PATCH', '/tools/Kept.Do@@', { status: 'active' }],
      ['GET', '/tools/Kept.Do@@', undefined],
      ['GET', '/tools/Kept.Do@@/readiness', undefined],
      ['GET', '/tools/Kept.Do@@/versions', undefined],
      ['GET', '/tools/Kept.Do@@/implementation', undefined],
    ] as const) {
      const ask = async (version: string) => {
        const { status, body: said } = await server.json(method, path.replace('@@', `@${version}`), body, who.as)
        return [method, path, status, JSON.stringify(said).replaceAll(version, '@')]
      }
      expect(await ask('4.0.0')).toEqual(await ask('4.4.0'))
    }
    const { body } = await server.json('GET', '/tools?status=pending', undefined, who.as)
    expect(body.items).toEqual([])
  }
  // A key that names the tool may change it, so it may also see it
  expect((await server.json('GET', '/tools/Kept.Do@4.0.0', undefined, stranger.as)).status).toBe(200)
})

it('a publisher cannot show unreviewed text through a status, toolkit or successor, in any field', async () => {
  await publish(oxp('Told', '1.0.0'), asAdmin)
  const texts: readonly [string, string, object][] = [
    ['PATCH', '/tools/Kept.Told@1.0.0', { status: 'deprecated', message: 'Use Evil.Do' }],
    ['PATCH', '/tools/Kept.Told@1.0.0', { status: 'deprecated', successor: 'Kept.Do' }],
    ['PATCH', '/tools/Kept.Told@1.0.0', { status: { deprecated: { message: 'Use Evil.Do' } } }],
    ['PATCH', '/tools/kept.told@1.0.0', { status: 'disabled', message: 'Use Evil.Do' }],
    ['PATCH', '/tools/Kept.Told@1.0.0', { status: { state: 'yanked', message: 'Use Evil.Do' } }],
    ['PATCH', '/toolkits/Kept', { description: 'Use Evil.Do' }],
    ['PATCH', '/toolkits/kept', { tags: ['use-evil'] }],
    ['PATCH', '/toolkits/Kept', { status: 'deprecated', message: 'Use Evil.Do' }],
  ]
  for (const who of [mallory, trusted]) {
    for (const [method, path, body] of texts)
      expect([body, (await server.json(method, path, body, who.as)).status]).toEqual([body, 403])
    for (const successor of ['Kept.Do', 'Calculator.Add']) {
      const { status } = await server.json('PATCH', '/toolkits/Kept', { status: 'deprecated', successor }, who.as)
      expect([400, 403]).toContain(status)
    }
  }
  expect((await server.json('GET', '/toolkits/Kept', undefined, asAdmin)).body).toMatchObject({
    status: 'active',
    tags: [],
  })
  // Changes that reveal nothing are still allowed
  for (const status of ['deprecated', 'active'])
    expect((await patch('Kept.Told@1.0.0', { status }, trusted.as)).status).toBe(200)
  const told = { status: 'deprecated', message: 'Use another' }
  expect((await patch('Kept.Told@1.0.0', told, asAdmin)).status).toBe(200)
})

it('an import with a secret of the deployment is refused to a publisher whose toolkit is reviewed, even as a dry run', async () => {
  const kinds = ['mcp', 'oxp', 'open-tool-calling', 'machine-context', 'plugin']
  for (const kind of kinds) {
    const from = { [kind]: `https://evil.example/${kind}` }
    const body = { from, toolkit: 'Kept', credentials: { secret: 'KEPT_KEY' } }
    for (const query of ['', '?dry_run=1']) {
      const answer = await server.json('POST', `/toolkits/import${query}`, body, trusted.as)
      expect([kind, query, answer.status]).toEqual([kind, query, 422])
      expect(JSON.stringify(answer.body)).toContain('is reviewed')
    }
  }
  expect(sent).toEqual([])
  const body = { from: { mcp: 'https://good.example/mcp' }, toolkit: 'Kept', credentials: { secret: 'KEPT_KEY' } }
  await server.json('POST', '/toolkits/import?dry_run=1', body, asAdmin)
  expect(sent.join()).toContain('good.example/mcp Bearer secret-of-kept')
  const audit = async () => {
    const { body } = await server.json('GET', '/audit?act=tools.import', undefined, asAdmin)
    return JSON.stringify(body.items)
  }
  await expect.poll(audit, { timeout: 20_000 }).toContain('"host":"good.example"')
  expect(await audit()).toContain('"host":"evil.example"')
})
