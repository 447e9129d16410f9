import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { definition } from '../e2e/definition.ts'
import { raw } from '../e2e/raw.ts'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatched } from './watch.ts'

const ADMIN_KEY = 'an-administrators-key-1'
const asAdmin = { authorization: `Bearer ${ADMIN_KEY}` }
const JSON_TYPE = { 'content-type': 'application/json' }
/** The names look alike, so that they differ only in whether they exist. */
const [HIDDEN, UNKNOWN] = ['Hushed', 'Unused']

let server: RunningServer
const who = new Map<string, Record<string, string>>([['the anonymous', {}]])

beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'public', ADMIN_KEY } })
  const tools = [
    definition('Hushed.Plan@1.0.0', { requirements: { user_id: true } }),
    definition('Hushed.Plan@1.1.0', { requirements: { user_id: true } }),
    definition('Hushed.Gone@1.0.0', { requirements: { user_id: true } }),
    ...Array.from({ length: 5 }, (_, n) => definition(`Hushed.T${n}@1.0.0`, { requirements: { user_id: true } })),
    definition('Seen.One@1.0.0'),
    definition('Seen.Two@1.0.0'),
    definition('Seen.Two@1.1.0'),
    // Similar to these, so that both would be suggested
    definition('Hushes.Plan@1.0.0'),
    definition('Unuses.Plan@1.0.0'),
    definition('Zoo.Last@1.0.0', { requirements: { user_id: true } }),
  ]
  const { body } = await server.json('POST', '/tools', tools, asAdmin)
  expect(body.results.map(({ status }: { status: number }) => status)).toEqual(tools.map(() => 201))
  expect((await server.json('PATCH', '/tools/Hushed.Gone@1.0.0', { status: 'disabled' }, asAdmin)).status).toBe(200)
  const asked = { name: 'k', scopes: ['tools:read', 'tools:call', 'tools:publish'], tools: ['Seen.*'], users: 'any' }
  const { body: made } = await server.json('POST', '/keys', asked, asAdmin)
  who.set('a key of another toolkit', { authorization: `Bearer ${made.key}` })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

/** Returns everything that a caller sees, without the toolkit and the parts that differ in every response. */
async function answer(caller: string, probe: Probe, toolkit: string) {
  const { method = 'GET', path, body, headers = {} } = probe(toolkit)
  const sent = { ...JSON_TYPE, ...who.get(caller), ...headers }
  const {
    status,
    text,
    headers: got,
  } = await raw(server.url, {
    method,
    path,
    headers: body === undefined ? { ...who.get(caller), ...headers } : sent,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const same = (all: string) =>
    all
      .replaceAll(new RegExp(toolkit, 'gi'), '@')
      .replaceAll(/Hushes|Unuses/g, 'near')
      .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'an id')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+(?:Z|\+00:00)/g, 'a time')
      .replaceAll(/"(duration|execution_time_ms)":[\d.]+/g, '"$1":0')
  const { date: _, etag, 'content-length': __, ...others } = got
  return { status, text: same(text), headers: same(JSON.stringify(others)), hasEtag: etag !== undefined }
}

type Probe = (toolkit: string) => {
  readonly method?: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Record<string, string>
}

const modern = (name: string, method: string, params: object, query = ''): ReturnType<Probe> => ({
  method: 'POST',
  path: `/mcp${query}`,
  headers: {
    'accept': 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': method,
    'mcp-name': name,
  },
  body: {
    jsonrpc: '2.0',
    id: 1,
    method,
    params: {
      ...params,
      _meta: {
        'io.modelcontextprotocol/protocolVersion': '2026-07-28',
        'io.modelcontextprotocol/clientCapabilities': {},
        ...Object(Reflect.get(params, '_meta')),
      },
    },
  },
})
const legacy = (params: object, query = ''): ReturnType<Probe> => ({
  method: 'POST',
  path: `/mcp${query}`,
  body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params },
})
const execute = (id: string, capability: string): ReturnType<Probe> => ({
  method: 'POST',
  path: '/machine-context/execute',
  body: {
    header: {
      version: '1.0',
      messageId: 'm',
      timestamp: '2026-01-01T00:00:00Z',
      source: 'a',
      destination: 'b',
      messageType: 'request',
    },
    payload: { tool: { id, capability, parameters: {} }, context: {}, security: {} },
  },
})
const invoke = (tool: object): ReturnType<Probe> => ({
  method: 'POST',
  path: '/worker/tools/invoke',
  body: { run_id: 'r', execution_id: 'e', created_at: '2026-01-01T00:00:00Z', tool, inputs: {}, context: {} },
})

const IDS = ['Plan', 'Plan@1.0.0', 'Plan@9.9.9', 'Plan@^7', 'Plan@1', 'Gone', 'Gone@1.0.0', 'Gone@2.0.0', 'T1', 'None']
const PROBES: Record<string, Probe> = {}
for (const id of IDS) {
  const [tool = '', version] = id.split('@')
  const pinned = version === undefined ? {} : { _meta: { 'dev.switchboard/version': version } }
  for (const path of ['/tools/call', '/oxp/tools/call']) {
    PROBES[`POST ${path} ${id}`] = (kit) => ({
      method: 'POST',
      path,
      body: { request: { tool_id: `${kit}.${id}`, call_id: 'c', input: {} } },
    })
  }
  PROBES[`bare OXP ${id}`] = (kit) => ({
    method: 'POST',
    path: '/tools/call',
    headers: { 'oxp-version': '1.0' },
    body: { tool_id: `${kit.toLowerCase()}.${id}`, call_id: 'c', input: {} },
  })
  for (const form of [{}, { 'oxp-version': '1.0' }]) {
    PROBES[`streamed OXP ${JSON.stringify(form)} ${id}`] = (kit) => ({
      method: 'POST',
      path: '/tools/call',
      headers: { ...form, accept: 'text/event-stream' },
      body: { tool_id: `${kit}.${id}`, call_id: 'c', input: {} },
    })
  }
  for (const rest of ['/versions', '/implementation', '/readiness', '/icon', '/']) {
    PROBES[`GET ${id}${rest}`] = (kit) => ({ path: `/tools/${kit}.${encodeURIComponent(id)}${rest}` })
  }
  PROBES[`page of ${id}`] = (kit) => ({
    path: `/console/tools/${kit}.${encodeURIComponent(id)}`,
    headers: { accept: 'text/html' },
  })
  for (const chosen of [`@.${id}`, `@_${tool}`, `@.${id},Seen.One`, `Seen.One,@_${tool}`]) {
    for (const mode of ['', '&mode=search']) {
      PROBES[`MCP list of ${chosen}${mode}`] = (kit) =>
        modern('', 'tools/list', {}, `?tools=${encodeURIComponent(chosen.replace('@', kit))}${mode}`)
    }
  }
  if (version === undefined) {
    PROBES[`OXP by name ${id}`] = (kit) => ({
      method: 'POST',
      path: '/tools/call',
      body: { tool_id: `${kit}_${tool}`, call_id: 'c', input: {} },
    })
    for (const rest of ['', '/readiness']) {
      PROBES[`GET by name ${id}${rest}`] = (kit) => ({ path: `/tools/${kit}_${tool}${rest}` })
    }
  }
  for (const format of ['', '?format=mcp', '?format=openai']) {
    PROBES[`GET /tools/${id}${format}`] = (kit) => ({ path: `/tools/${kit}.${encodeURIComponent(id)}${format}` })
  }
  PROBES[`PATCH ${id}`] = (kit) => ({
    method: 'PATCH',
    path: `/tools/${kit}.${encodeURIComponent(id)}`,
    body: { status: 'yanked' },
  })
  PROBES[`MCP ${id}`] = (kit) =>
    modern(`${kit}_${tool}`, 'tools/call', { name: `${kit}_${tool}`, arguments: {}, ...pinned })
  PROBES[`MCP in its toolset ${id}`] = (kit) =>
    modern(`${kit}_${tool}`, 'tools/call', { name: `${kit}_${tool}`, arguments: {}, ...pinned }, `?toolkits=${kit}`)
  PROBES[`MCP of an earlier revision ${id}`] = (kit) => legacy({ name: `${kit}_${tool}`, arguments: {}, ...pinned })
  for (const called of ['describe_tool', 'call_tool']) {
    PROBES[`MCP ${called} ${id}`] = (kit) =>
      legacy({ name: called, arguments: { name: `${kit}_${tool}` }, ...pinned }, '?mode=search')
  }
  PROBES[`Machine Context ${id}`] = (kit) => execute(kit, tool)
  PROBES[`RFC ${id}`] = (kit) => invoke({ name: tool, toolkit: kit, ...(version ? { version } : {}) })
  PROBES[`RFC by name ${id}`] = (kit) => invoke({ name: `${kit}_${tool}`, ...(version ? { version } : {}) })
  for (const query of ['', `?toolkit=@`, '?toolkit=Seen']) {
    for (const form of ['_', '.']) {
      PROBES[`plugin ${form} ${query} ${id}`] = (kit) => ({
        method: 'POST',
        path: `/plugin/call${query.replace('@', kit)}`,
        body: { method: 'tools/call', params: { name: `${kit}${form}${form === '.' ? id : tool}`, arguments: {} } },
      })
    }
  }
}
for (const path of [
  '/tools?toolkit=@',
  '/tools?toolkit=@&versions=all',
  '/tools?toolkit=@&status=active',
  '/tools?q=@',
  '/tools?q=@&versions=all',
  '/tools?toolkit=@&format=summary',
  '/tools?toolkit=@&format=summary&versions=all',
  '/tools?q=@&toolkit=@',
  '/tools?toolkit=@&tag=x',
  '/oxp/tools?toolkit=@',
  '/plugin/describe?toolkit=@',
  '/machine-context/tools?toolkit=@',
]) {
  PROBES[`GET ${path}`] = (kit) => ({ path: path.replaceAll('@', kit) })
}
for (const path of ['/?toolkit=@', '/?q=@', '/?versions=all&toolkit=@', '/console/versions?toolkit=@', '/console/@']) {
  PROBES[`page ${path}`] = (kit) => ({ path: path.replace('@', kit), headers: { accept: 'text/html' } })
}
PROBES['MCP list'] = (kit) => modern('', 'tools/list', {}, `?toolkits=${kit}`)
PROBES['MCP search'] = (kit) => legacy({ name: 'search_tools', arguments: { query: `${kit} plan` } }, '?mode=search')

describe.each(['the anonymous', 'a key of another toolkit'])('to %s, a hidden tool', (caller) => {
  it(`to ${caller}, a hidden tool looks like a missing one, in every dialect`, async () => {
    const different: unknown[] = []
    for (const [name, probe] of Object.entries(PROBES)) {
      const pair = async () => [await answer(caller, probe, HIDDEN), await answer(caller, probe, UNKNOWN)] as const
      const isSame = ([one, other]: Awaited<ReturnType<typeof pair>>) => JSON.stringify(one) === JSON.stringify(other)
      let found = await pair()
      // At most 100 similar names are looked up a second, and a response without any is cached for two seconds
      for (let again = 0; again < 3 && !isSame(found); again += 1) {
        await new Promise((done) => setTimeout(done, 2_500))
        found = await pair()
      }
      const [hidden, unknown] = found
      if (!isSame(found)) different.push({ name, hidden, unknown })
      expect(hidden.status, name).toBeLessThan(500)
    }
    expect(different).toEqual([])
  })

  it.each(['versions=all', 'q=does', 'q=tool&versions=all', 'q=hushed+seen+zoo'])(
    `to ${caller}, a hidden tool appears in no page or cursor of ?%s`,
    async (query) => {
      const seen: string[] = []
      let cursor: string | undefined
      for (let pages = 0; pages < 100; pages += 1) {
        const after = cursor === undefined ? '' : `&cursor=${cursor}`
        const { status, body } = await server.json('GET', `/tools?limit=1&${query}${after}`, undefined, who.get(caller))
        expect(status).toBe(200)
        seen.push(...body.items.map(({ id }: { id: string }) => id))
        cursor = body.next_cursor
        if (cursor === undefined) break
        const decoded = cursor.split('.').map((part) => Buffer.from(part, 'base64url').toString('latin1'))
        expect(`${cursor} ${decoded.join(' ')}`).not.toMatch(/hushed|zoo\.last|seen\./i)
      }
      expect(cursor).toBeUndefined()
      expect(seen.filter((id) => /^(?:Hushed|Zoo)\./.test(id))).toEqual([])
      expect(new Set(seen).size).toBe(seen.length)
    },
  )

  it(`to ${caller}, a hidden tool does not make a list of all versions longer: the last page has no cursor`, async () => {
    const path = '/tools?versions=all&toolkit=Seen&limit=3'
    const { body } = await server.json('GET', path, undefined, who.get(caller))
    expect(body.items).toHaveLength(3)
    expect(body).not.toHaveProperty('next_cursor')
  })
})

it('similar names are suggested to anonymous callers for a hidden tool as for a missing one', async () => {
  const near = async (tool_id: string) => (await server.json('POST', '/tools/call', { tool_id, input: {} })).body
  // At most 100 unknown names are looked up a second, and the probes above may have used that up
  const suggested = (tool_id: string) => expect.poll(() => near(tool_id))
  await suggested('Hushed.Plan').toMatchObject({ suggestions: expect.arrayContaining(['Hushes.Plan']) })
  await suggested('Unused.Plan').toMatchObject({ suggestions: expect.arrayContaining(['Unuses.Plan']) })
})

it('a cursor cannot be used by another caller', async () => {
  const { body } = await server.json('GET', '/tools?limit=1&versions=all', undefined, asAdmin)
  expect(body.next_cursor).toMatch(/^[\w.-]+$/)
  for (const headers of who.values()) {
    const path = `/tools?limit=1&versions=all&cursor=${body.next_cursor}`
    expect((await server.json('GET', path, undefined, headers)).status).toBe(400)
  }
})

it("a publisher gets the same response whether its tool's only neighbor is hidden or missing", async () => {
  const ofKey = 'a key of another toolkit'
  const published = (toolkit: string): Probe => {
    const body = definition(`Seen.Copy${toolkit}@1.0.0`, { description: `What ${toolkit}.Plan does` })
    return () => ({ method: 'POST', path: '/tools', body })
  }
  const near =
    (toolkit: string): Probe =>
    () => ({ path: `/tools/Seen.Copy${toolkit}?neighbours=1` })
  for (const probe of [published, near]) {
    const [hidden, unknown] = [await answer(ofKey, probe(HIDDEN), HIDDEN), await answer(ofKey, probe(UNKNOWN), UNKNOWN)]
    // Each is the other's only neighbor
    const alike = ({ text, ...others }: typeof hidden) => ({ ...others, text: text.replaceAll(/Hushed|Unused/g, '@') })
    expect(alike(hidden)).toEqual(alike(unknown))
    expect(hidden.status).toBeLessThan(300)
    expect(hidden.text).not.toContain('near')
  }
})

it.each(['all', 'relevant'])(
  'a search for %s results does not reveal the same operation in a hidden toolkit',
  async (results) => {
    const same = { description: 'Counts the visits to each page of a site by day' }
    const hidden = definition('Hushed.CountVisits@1.0.0', { ...same, requirements: { user_id: true } })
    await server.json('POST', '/tools', [hidden, definition('Seen.CountVisits@1.0.0', same)], asAdmin)
    const ask = async (headers: Record<string, string> = {}) =>
      (await server.json('GET', `/tools?q=count+the+visits&results=${results}`, undefined, headers)).body
    const of = (toolkit: string) => `${toolkit}.CountVisits@1.0.0`
    expect(
      Object.entries((await ask(asAdmin)).same_as)
        .flat()
        .toSorted(),
    ).toEqual([of('Hushed'), of('Seen')])
    for (const headers of who.values()) {
      const body = await ask(headers)
      expect(JSON.stringify(body)).not.toContain('Hushed')
      expect(body.items[0].id).toBe(of('Seen'))
      expect(body).not.toHaveProperty('same_as')
    }
  },
)
