import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { ADMIN_KEY, asAdmin, type Headers, keyOf } from './set-up.ts'
import { neverSilent, startWatched } from './watch.ts'

const NAMES = ['Shown', 'Pending', 'Levelled', 'Foreign']
const PAIRS = [
  ['Machine', 'machine-context'],
  ['Listed', 'mcp'],
  ['Plugged', 'plugin'],
] as const

let server: RunningServer
/** May publish in the toolkits, and did. */
let owner: Headers
/** Has a key that covers one tool of each document. */
let narrow: Headers
/** May see everything that callers may. */
let caller: Headers

beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'public', ADMIN_KEY } })
  const reading = { scopes: ['tools:read', 'tools:call'] }
  owner = (await keyOf(server, ['Machine.*', 'Listed.*', 'Plugged.*'])).as
  narrow = (await keyOf(server, ['Machine.Shown', 'Listed.Shown', 'Plugged.Shown'], reading)).as
  caller = (await keyOf(server, ['*'], reading)).as
  await server.json('PUT', '/policies/*.Pending', { review: true }, asAdmin)
  await server.json('PUT', '/policies/*.Levelled', { security_level: 9 }, asAdmin)
  for (const [toolkit, dialect] of PAIRS) {
    const asked = `/tools?dialect=${dialect}`
    expect((await server.json('POST', asked, { ...several(toolkit, NAMES), version: '1.0.0' }, owner)).status).toBe(201)
  }
})
afterAll(() => server?.stop())
afterAll(neverSilent)

/** Writes a document of several tools in its dialect. */
function several(toolkit: string, names: readonly string[]) {
  const described = names.map((name) => ({ name, description: `What ${name} is for` }))
  if (toolkit === 'Machine') {
    const capabilities = described.map((each) => ({ ...each, parameters: [] }))
    return { definition: { id: 'Machine', name: 'M', version: '1.0.0', description: 'd', capabilities }, toolkit }
  }
  const inputSchema = { type: 'object', properties: {} }
  return { definition: { tools: described.map((each) => ({ ...each, inputSchema })) }, toolkit }
}

/** Finds the other tools that a response mentions. */
const told = (body: unknown): readonly string[] =>
  NAMES.filter((name) => name !== 'Shown' && JSON.stringify(body).includes(name))
const get = (path: string, as: Headers) => server.json('GET', path, undefined, as)

it.each(PAIRS)(
  'a tool published in one document with others reveals nothing about tools that its reader may not see: %s',
  async (toolkit, dialect) => {
    for (const format of [dialect, 'mcp', 'oxp', 'openapi', 'machine-context', 'plugin']) {
      for (const query of [`format=${format}`, `format=${format}&losses=1`]) {
        const one = await get(`/tools/${toolkit}.Shown?${query}`, narrow)
        expect([query, one.status, told(one.body)]).toEqual([query, 200, []])
        const all = await get(`/tools?toolkit=${toolkit}&${query}`, narrow)
        expect([query, all.status, all.body.items.length, told(all.body)]).toEqual([query, 200, 1, []])
        // Anonymous callers see tools of level 0 that are not pending and whose level no policy raised
        const anonymous = await get(`/tools/${toolkit}.Shown?${query}`, {})
        expect([query, anonymous.status, told(anonymous.body)]).toEqual([query, 200, []])
      }
    }
    const rpc = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }
    const accept = { 'accept': 'application/json, text/event-stream', 'mcp-protocol-version': '2025-11-25' }
    for (const [router, answer] of [
      ['mcp', await server.json('POST', '/mcp', rpc, { ...narrow, ...accept })],
      ['machine-context', await get('/machine-context/tools', narrow)],
      ['plugin', await get('/plugin/describe', narrow)],
    ] as const) {
      expect([router, answer.status, told(answer.body)]).toEqual([router, 200, []])
    }
  },
)

it.each(PAIRS)(
  'a tool published in one document with others is returned with the original document to readers of all its tools: %s',
  async (toolkit, dialect) => {
    const { definition } = several(toolkit, NAMES)
    for (const as of [asAdmin, owner]) {
      expect(await get(`/tools/${toolkit}.Shown?format=${dialect}`, as)).toMatchObject({
        status: 200,
        body: definition,
      })
    }
    // One of its tools is pending, so callers do not see it
    expect(told((await get(`/tools/${toolkit}.Shown?format=${dialect}`, caller)).body)).toEqual([])
    const held = (await get(`/tools/${toolkit}.Shown?format=${dialect}`, caller)).headers.get('etag')
    await server.json('PATCH', `/tools/${toolkit}.Pending@1.0.0`, { status: 'active' }, asAdmin)
    await expect
      .poll(
        async () =>
          (await get(`/tools/${toolkit}.Shown?format=${dialect}`, { ...caller, 'if-none-match': String(held) })).body,
      )
      .toEqual(definition)
  },
)

it('a version reveals nothing about an earlier version that the reader may not see', async () => {
  const inputSchema = { type: 'object', properties: {} }
  const all = { scopes: ['tools:read', 'tools:publish'] }
  const publisher = (await keyOf(server, ['Levels.*'], all)).as
  for (const [version, description, level] of [
    ['1.0.0', 'First words', 0],
    ['1.1.0', 'Words for few', 5],
    ['1.2.0', 'Last words', 0],
  ] as const) {
    const given = level > 0 ? { security_level: level } : {}
    const document = { definition: { name: 'Do', description, inputSchema }, toolkit: 'Levels', version, ...given }
    const { status } = await server.json('POST', '/tools?dialect=mcp&allow=breaking', document, publisher)
    expect([version, status]).toEqual([version, 201])
  }
  const versions = async (as: Headers) => (await get('/tools/Levels.Do/versions', as)).body.items
  expect(JSON.stringify(await versions(publisher))).toContain('Words for few')
  const seen = await versions({})
  expect(seen.map(({ version }: { version: string }) => version)).toEqual(['1.2.0', '1.0.0'])
  expect(JSON.stringify(seen)).not.toMatch(/Words for few|1\.1\.0/)
})
