import { type Request, Response } from 'miniflare'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { ADMIN_KEY, asAdmin, calls, documents, keyOf } from '../attacks/set-up.ts'
import { type RunningServer, startApp } from './server.ts'

let server: RunningServer
/** Whose key names no toolkit. */
let anybody: Awaited<ReturnType<typeof keyOf>>
let sent: Request[] = []
const tool = (id: string) => ({ id, name: id.replace(/[.@]/g, '_'), description: 'd', version: '1.0.0' })
const THEIRS = { input_schema: { parameters: { type: 'object' } }, output_schema: {} }

const outbound = (request: Request) => {
  sent.push(request)
  if (!request.url.startsWith('https://oxp-for-tests.com/')) return Response.json({ done: true })
  const items = ['Read', 'DeleteAll'].map((name) => ({ ...tool(`Their.${name}@1.0.0`), ...THEIRS }))
  return Response.json({ $schema: 'urn:oxp:1.0', items })
}
const PLAIN = { kind: 'http', method: 'POST', url: 'https://api.mail-for-tests.com/', response: { type: 'json' } }
const implementation = PLAIN

const publish = (body: unknown, query = '') => server.json('POST', `/tools${query}`, body, asAdmin)
const importing = (body: object, query = '') => server.json('POST', `/toolkits/import${query}`, body, asAdmin)
const readiness = async (id: string) => (await server.json('GET', `/tools/${id}/readiness`, undefined, asAdmin)).body
const headersOf = async (id: string) => {
  const { headers } = await fetch(`${server.url}/tools/${id}`, { headers: asAdmin })
  return [headers.get('switchboard-security-level'), headers.get('switchboard-approval')]
}

beforeAll(async () => {
  server = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY }, outbound })
  anybody = await keyOf(server, ['*'])
})
afterAll(() => server?.stop())

it('a guard set at publication applies in every dialect, and is shown wherever the tool is read', async () => {
  for (const [index, dialect] of Object.keys(documents('X', 'Do', '1.0.0')).entries()) {
    const toolkit = `Beside${index}`
    const beside = { security_level: 5, approval: true, implementation }
    const { status, body } = await publish(
      Object.entries(documents(toolkit, 'Do', '1.0.0', beside)).find(([name]) => name === dialect)?.[1],
    )
    expect([dialect, status, JSON.stringify(body)]).toEqual([dialect, 201, expect.any(String)])
    expect([dialect, await headersOf(`${toolkit}.Do`)]).toEqual([dialect, ['5', 'true']])
    const { items } = (await server.json('GET', `/tools/${toolkit}.Do/versions`, undefined, asAdmin)).body
    expect(items).toMatchObject([{ security_level: 5, approval: true }])
    expect(await readiness(`${toolkit}.Do`)).toMatchObject({ ready: false, security_level: 5, approval: true })
    const machine = await server.json('GET', `/tools/${toolkit}.Do?format=machine-context`, undefined, asAdmin)
    expect(machine.body.securityLevel).toBe(5)
    const told = await server.json('GET', `/tools/${toolkit}.Do?losses=1`, undefined, asAdmin)
    const lost = told.body.losses.map(({ path }: { path: string }) => path)
    expect(lost).toEqual(expect.arrayContaining(['/securityLevel', '/requiresApproval']))
  }
})

it('a guard set at publication makes each call wait for approval, however the tool is called', async () => {
  sent = []
  expect((await publish(documents('Held', 'Do', '1.0.0', { approval: true, implementation }).oxp)).status).toBe(201)
  for (const [dialect, make] of Object.entries(calls(server, 'Held', 'Do', anybody.as))) {
    const { body } = await make()
    const wanted = expect.stringMatching(/authorizations\/[\w-]+\/start/)
    expect([dialect, JSON.stringify(body)]).toEqual([dialect, wanted])
  }
  expect(sent).toEqual([])
})

it('a guard set at publication never lowers what the definition requires', async () => {
  const document = documents('Strict', 'Do', '1.0.0', { security_level: 2 })['machine-context']
  const definition = { ...document.definition, securityLevel: 9 }
  expect((await publish({ ...document, definition })).status).toBe(201)
  expect(await headersOf('Strict.Do')).toEqual(['9', 'true'])
  const { definition: asking } = documents('Asking', 'Do', '1.0.0').oxp
  const requirements = { secrets: [{ id: 'SOME_KEY' }] }
  expect((await publish({ definition: { ...asking, requirements }, security_level: 1 })).status).toBe(201)
  expect(await headersOf('Asking.Do')).toEqual(['4', null])
})

it('a guard set at publication is part of the version: publishing again without it changes nothing, and another is refused', async () => {
  const said = (more: object) => documents('Same', 'Do', '1.0.0', { implementation, ...more }).oxp
  expect((await publish(said({ security_level: 6 }))).status).toBe(201)
  expect((await publish(said({ security_level: 6 }))).status).toBe(200)
  expect((await publish(said({}))).status).toBe(200)
  expect((await publish(said({ security_level: 5 }))).status).toBe(409)
  expect((await publish(said({ security_level: 6, approval: true }))).status).toBe(409)
  expect(await headersOf('Same.Do')).toEqual(['6', null])
})

it('a guard that is invalid is refused with its location', async () => {
  for (const [wrong, path] of [
    [{ security_level: 0 }, '/security_level'],
    [{ security_level: 11 }, '/security_level'],
    [{ securityLevel: 5 }, '/securityLevel'],
    [{ approval: false }, '/approval'],
    [{ requires_approval: true }, '/requires_approval'],
  ] as const) {
    const { status, body } = await publish(documents('Wrong', 'Do', '1.0.0', wrong).oxp)
    expect([wrong, status, JSON.stringify(body)]).toEqual([wrong, 422, expect.stringContaining(`"${path}"`)])
  }
})

it('a guard set at publication can only be removed by a version that may break callers', async () => {
  const said = (version: string, more: object) => documents('Next', 'Do', version, { implementation, ...more }).oxp
  expect((await publish(said('1.0.0', { approval: true }))).status).toBe(201)
  for (const version of ['1.0.1', '1.1.0']) {
    const { status, body } = await publish(said(version, {}))
    const wanted = expect.stringContaining('A person no longer approves each call')
    expect([version, status, JSON.stringify(body)]).toEqual([version, 422, wanted])
  }
  expect((await publish(said('1.1.0', { approval: true }))).status).toBe(201)
  expect(await headersOf('Next.Do')).toEqual(['1', 'true'])
  expect((await publish(said('2.0.0', {}))).status).toBe(201)
  expect((await publish(said('2.1.0', { approval: true }))).status).toBe(422)
  expect((await publish(said('2.1.0', { approval: true }), '?allow=breaking')).status).toBe(201)
})

it('a guard is set for each document of a batch', async () => {
  const [plain, held] = [documents('Batch', 'A', '1.0.0').oxp, documents('Batch', 'B', '1.0.0', { approval: true }).oxp]
  const { body } = await publish([plain, held])
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual([201, 201])
  expect([await headersOf('Batch.A'), await headersOf('Batch.B')]).toEqual([
    [null, null],
    ['1', 'true'],
  ])
})

it('a guard is restored from a backup with the same digest', async () => {
  const take = async (from: RunningServer) => {
    const exported = await fetch(`${from.url}/export?toolkit=Held`, { headers: asAdmin })
    // A deployment signs what it exports under a secret of its own
    const lines = (await exported.text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    return lines.slice(1).map((line) => ({ ...line, hmac: undefined }))
  }
  const file = await fetch(`${server.url}/export?toolkit=Held`, { headers: asAdmin })
  const other = await startApp({ vars: { ACCESS: 'keys', ADMIN_KEY }, outbound })
  try {
    const headers = { ...asAdmin, 'content-type': 'application/jsonl' }
    const restored = await fetch(`${other.url}/import?trust=1`, { method: 'POST', headers, body: await file.text() })
    expect(await restored.text()).toContain('"refused":0')
    expect(await take(other)).toEqual(await take(server))
  } finally {
    await other.stop()
  }
})

const API = {
  openapi: '3.0.0',
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url: 'https://pets-for-tests.com' }],
  paths: {
    '/pets': { get: { operationId: 'listPets' }, post: { operationId: 'addPet' } },
    '/pets/{id}': { delete: { operationId: 'removePet' }, parameters: [{ name: 'id', in: 'path', required: true }] },
  },
}
const WRITES = { methods: ['POST', 'PUT', 'PATCH', 'DELETE'], approval: true }

const all = async (toolkit: string, tools = ['listPets', 'addPet', 'removePet']) =>
  Promise.all(tools.map((name) => headersOf(`${toolkit}.${name}`)))

it('the guards of an import apply to all tools, by method and by name, and a dry run shows them', async () => {
  const rules = [WRITES, { tools: ['remove*'], security_level: 8 }]
  const body = { from: { openapi: API }, toolkit: 'Pets', security_level: 2, rules }
  const { tools } = (await importing(body, '?dry_run=1')).body
  expect(tools.map(({ security_level, approval }: Record<string, unknown>) => [security_level, approval])).toEqual([
    [2, undefined],
    [2, true],
    [8, true],
  ])
  expect((await importing(body)).status).toBe(201)
  expect(await all('Pets')).toEqual([
    ['2', null],
    ['2', 'true'],
    ['8', 'true'],
  ])
  const { body: said } = await server.json('POST', '/tools/call', { tool_id: 'Pets.addPet', input: {} }, asAdmin)
  expect(JSON.stringify(said)).toContain("runs only with a person's approval")
  expect(await importing(body)).toMatchObject({ status: 200, body: { unchanged: expect.any(Array) } })
})

it('the guards of an import are kept by the next import that sets none, and are replaced by one that does', async () => {
  const from = { openapi: API }
  expect((await importing({ from, toolkit: 'Kept', rules: [WRITES] })).status).toBe(201)
  expect((await importing({ from, toolkit: 'Kept' })).body.unchanged).toHaveLength(3)
  const post = { operationId: 'addPet', summary: 'Adds a pet.' }
  const changed = { openapi: { ...API, paths: { ...API.paths, '/pets': { ...API.paths['/pets'], post } } } }
  expect((await importing({ from: changed, toolkit: 'Kept' })).body.ids).toContain('Kept.addPet@1.0.1')
  expect(await all('Kept')).toEqual([
    [null, null],
    ['1', 'true'],
    ['4', 'true'],
  ])
  const fewer = { tools: ['removePet'], approval: true }
  const { ids } = (await importing({ from: changed, toolkit: 'Kept', rules: [fewer] })).body
  // Who was asked before each call is asked no more: whoever relies on that must see it
  expect(ids).toContain('Kept.addPet@2.0.0')
  expect(await all('Kept')).toEqual([
    [null, null],
    [null, null],
    ['4', 'true'],
  ])
})

it('the guards of an import start at level 4 for tools that delete, as the dry run shows, unless it sets a level', async () => {
  const from = { openapi: API }
  const { tools } = (await importing({ from, toolkit: 'Deleting' }, '?dry_run=1')).body
  const planned = tools.map(({ name, security_level }: Record<string, unknown>) => [name, security_level])
  expect(planned).toEqual([
    ['Deleting_listPets', undefined],
    ['Deleting_addPet', undefined],
    ['Deleting_removePet', 4],
  ])
  expect((await importing({ from, toolkit: 'Deleting' })).status).toBe(201)
  expect((await all('Deleting')).map(([level]) => level)).toEqual([null, null, '4'])
  const body = { from, toolkit: 'Lenient', rules: [{ methods: ['DELETE'], security_level: 1 }] }
  expect((await importing(body)).status).toBe(201)
  expect((await all('Lenient')).map(([level]) => level)).toEqual([null, null, '1'])
})

it('the guards of an import apply to the tools of a remote server, by name', async () => {
  const from = { oxp: 'https://oxp-for-tests.com' }
  const rules = [{ tools: ['*Delete*'], approval: true }]
  const { status, body } = await importing({ from, toolkit: 'Theirs', rules })
  expect([status, JSON.stringify(body)]).toEqual([201, expect.any(String)])
  expect(await all('Theirs', ['Their_Read', 'Their_DeleteAll'])).toEqual([
    [null, null],
    ['1', 'true'],
  ])
})

it('the guards of an import are refused with their location if they are invalid', async () => {
  const from = { openapi: API }
  for (const [wrong, path, message] of [
    [{ rules: [] }, '/rules', '1 to 100'],
    [{ rules: {} }, '/rules', 'array'],
    [{ rules: [{ approval: true }] }, '/rules/0', "'tools' or 'methods'"],
    [{ rules: [{ tools: ['*'] }] }, '/rules/0', "'security_level' or 'approval'"],
    [{ rules: [{ methods: ['delete'], approval: true }] }, '/rules/0/methods/0', "'DELETE'"],
    [{ rules: [{ methods: ['GET'], aproval: true }] }, '/rules/0/aproval', "'approval'"],
    [{ rules: [{ methods: ['GET'], approval: false }] }, '/rules/0/approval', 'true'],
    [{ security_level: 0 }, '/security_level', '1'],
    [{ approval: 1 }, '/approval', 'true'],
    [{ from: { mcp: 'https://m.example' }, rules: [WRITES] }, '/rules/0/methods', 'OpenAPI'],
    [{ from: { oxp: 'https://m.example' }, rules: [WRITES] }, '/rules/0/methods', 'OpenAPI'],
    [{ rule: [WRITES] }, '/rule', "'rules'"],
    [{ from: { oxp: 'https://oxp-for-tests.com' }, rule: [] }, '/rule', "'rules'"],
  ] as const) {
    const { status, body } = await importing({ from, toolkit: 'Wrong', ...wrong })
    const said = JSON.stringify(body)
    expect([wrong, status, said]).toEqual([wrong, 422, expect.stringContaining(`"${path}"`)])
    expect(said).toContain(message)
  }
})
