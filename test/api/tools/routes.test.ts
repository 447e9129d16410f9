import { forbidChange, UNKNOWN } from '../../../src/core/access/change-refusal.ts'
import type { ToolSource } from '../../../src/core/tool/tool-source.ts'
import { NO_POLICIES } from '../../../src/core/access/policy.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { describe, expect, it } from 'vitest'
import { createCacheMemory } from '../../../src/core/cache/swr-cache.ts'
import { createRegistryRoutes } from '../../../src/api/tools/routes.ts'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import type { Failure } from '../../../src/core/failure/failure.ts'
import { createCallableTool } from '../../../src/core/call/callable-tool.ts'
import { createResolver } from '../../../src/core/call/resolve-tool.ts'
import { withoutViews } from '../../core/call/fakes.ts'
import { withBudget } from '../../../src/core/publish/export.ts'
import type { FormatWriter } from '../../../src/core/tool/codec.ts'
import { createToolRecord } from '../../../src/core/tool/digest.ts'
import type { ToolStatus } from '../../../src/core/tool/version.ts'
import { definitionOf, documentOf, plain, principal, sha256, type World, worldOf } from '../../core/publish/fakes.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'

const WRITERS: Readonly<Record<string, FormatWriter>> = {
  oxp: ({ source }) => ({ document: source.document ?? null, losses: [] }),
  id: ({ id }, name) => ({ document: { id, name }, losses: [{ path: '/input', reason: 'Has no place' }] }),
  costly(_record, _name, budget) {
    budget.spend(Infinity, '/input/a')
    return { document: null, losses: [] }
  },
}

const whole = async (record: ToolRecord) => record

const STATUS: Partial<Record<Failure['type'], number>> = {
  'unauthenticated': 401,
  'forbidden': 403,
  'not-found': 404,
  'conflict': 409,
  'body-too-large': 413,
  'media-type-unsupported': 415,
  'definition-invalid': 422,
}
const publisher: Principal = { ...principal('Kit.*'), scopes: ['tools:publish', 'tools:read'] }

function setUp({ caller = publisher, refused, ...world }: World & { caller?: Principal; refused?: string } = {}) {
  const { deps, publish, stored, asked } = worldOf(world)
  const set: unknown[] = []
  const document = async (name: Parameters<typeof deps.source.loadCurrent>[0]) => deps.source.loadCurrent(name)
  const currentOf: ToolSource['loadCurrentOrSuggest'] = async (name) => {
    const entry = await document(name)
    return entry ? { entry } : { suggestions: [] }
  }
  const router = createRegistryRoutes({
    policies: { current: () => NO_POLICIES },
    toolkits: { find: async () => undefined },
    authorize: authorizerFor(caller),
    respond: (failure) => Response.json(failure, { status: STATUS[failure.type] ?? 400 }),
    publish,
    async checkReadiness() {
      throw new Error('Not in this test')
    },
    views: { toolsets: { find: () => undefined }, locks: { find: () => undefined } },
    writer: {
      async change(name, version, change, by) {
        set.push([name, version, change, by.id])
        const found = await deps.source.loadCurrent(name)
        const changed = found?.versions.map((each) =>
          each.version === version
            ? {
                ...each,
                status: change.status ?? each.status,
                publisher: { ...each.publisher, trusted: change.trusted ?? each.publisher.trusted },
              }
            : each,
        )
        if (refused !== undefined) return forbidChange(refused)
        return found ? { ok: true, document: { ...found, versions: changed ?? [] } } : UNKNOWN
      },
    },
    source: {
      ...deps.source,
      attachDocument: whole,
      loadCurrentOrSuggest: currentOf,
    },
    resolver: withoutViews(
      createResolver({
        memory: createCacheMemory(1_000_000),
        source: {
          ...deps.source,
          loadTool: document,
          findByName: async () => undefined,
          attachDocument: whole,
          suggestIds: async () => [],
          loadCurrentOrSuggest: currentOf,
        },
        now: () => 0,
        makeCallable: (record) =>
          createCallableTool({
            record,
            validateInput: () => [],
            validateOutput: () => [],
            runnable: { ok: false, reason: 'Nothing runs here' },
          }),
      }),
    ),
    catalog: { list: async () => undefined, suggestNames: async (name) => (name === 'Kit.Doo' ? ['Kit.Do'] : []) },
    codecs: [plain],
    sha256,
    formats: new Map(Object.entries(WRITERS).map(([name, write]) => [name, withBudget(name, write)])),
  })
  const background = { waitUntil: () => undefined, passThroughOnException: () => undefined, props: {} }
  async function send(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const init =
      body === undefined
        ? { method, headers }
        : {
            method,
            headers: { 'content-type': 'application/json', ...headers },
            body: typeof body === 'string' ? body : JSON.stringify(body),
          }
    const response = await router.request(path, init, {}, background)
    const text = await response.text()
    return { status: response.status, body: text === '' ? undefined : JSON.parse(text), headers: response.headers }
  }
  return { send, stored, asked, set }
}

it('POST /tools takes the dialect, and permission for breaking changes, from the query', async () => {
  const { send, stored } = setUp()
  await send('POST', '/tools?dialect=plain&allow=breaking', { plain: [{}] })
  expect(stored).toMatchObject([[{ allowBreaking: true }]])
  expect((await send('POST', '/tools?dialect=x', { plain: [{}] })).body.problems[0].message).toBe(
    "Unknown dialect 'x': wanted one of 'plain'",
  )
  for (const [query, got] of [
    ['allow=all', 'all'],
    ['allow=', ''],
  ] as const) {
    expect(await send('POST', `/tools?${query}`, { plain: [{}] })).toMatchObject({
      status: 400,
      body: {
        type: 'request-malformed',
        message: `Cannot read the query at 'allow': Must be 'breaking', got '${got}'`,
      },
    })
  }
  expect(stored).toHaveLength(1)
})

it('POST /tools returns one result for each document of a batch, in order', async () => {
  const { send, stored } = setUp({
    outcomes: { 'Kit.Taken@1.0.0': (ids) => ({ ok: false, ids, failure: { type: 'conflict', message: 'Exists' } }) },
  })
  const { status, body } = await send('POST', '/tools', [
    { plain: [{ tool: 'A' }], warnings: [{ path: '/w', message: 'Is odd' }] },
    { id: 'No.Tool@1.0.0' },
    { definition: { plain: [{ toolkit: 'Other' }] } },
    { plain: [{ tool: 'B' }, { tool: 'C' }] },
    null,
    { plain: [{ tool: 'Taken' }] },
  ])
  expect(status).toBe(200)
  expect(body).toEqual({
    results: [
      { id: 'Kit.A@1.0.0', status: 201, warnings: [{ path: '/w', message: 'Is odd' }] },
      {
        id: 'No.Tool@1.0.0',
        status: 422,
        errors: [{ path: '', message: expect.stringMatching(/^Cannot detect the dialect/) }],
      },
      {
        id: 'Other.Do@1.0.0',
        status: 403,
        errors: [{ path: '', message: "The credential does not cover 'Other.Do'" }],
      },
      { id: 'Kit.B@1.0.0', status: 201, ids: ['Kit.B@1.0.0', 'Kit.C@1.0.0'] },
      { id: null, status: 422, errors: [{ path: '', message: 'Must be a definition, which is an object' }] },
      { id: 'Kit.Taken@1.0.0', status: 409, errors: [{ path: '', message: 'Exists' }] },
    ],
  })
  expect(stored).toHaveLength(1)
})

const active: ToolStatus = { state: 'active' }
async function published(status = active, more = {}) {
  const document = { said: 'so' }
  const record = await createToolRecord({ definition: definitionOf(more), dialect: 'plain', document }, sha256)
  const known = { published: { 'kit.do': documentOf([record], { status, newest: record }) }, records: [record] }
  return { record, known }
}

it('a tool is returned as published, or in another format with its losses', async () => {
  const { record, known } = await published()
  const { send } = setUp(known)
  const plainly = await send('GET', '/tools/Kit.Do')
  expect([plainly.status, plainly.body, plainly.headers.get('etag')]).toEqual([
    200,
    { said: 'so' },
    `"${record.digest}"`,
  ])
  expect(plainly.headers.get('cache-control')).toBe('private, no-cache')
  const other = await send('GET', '/tools/Kit.Do@1.0.0?format=id&losses=1')
  expect([other.body, other.headers.get('etag')]).toEqual([
    { document: { id: 'Kit.Do@1.0.0', name: 'Kit_Do' }, losses: [{ path: '/input', reason: 'Has no place' }] },
    `"${record.digest}.id.true"`,
  ])
  expect((await send('GET', '/tools/Kit.Do?losses=1')).body).toEqual({ document: { said: 'so' }, losses: [] })
  expect(await send('GET', '/tools/Kit.Do?format=x')).toMatchObject({
    status: 400,
    body: { message: "Cannot read the query at 'format': Must be one of 'oxp', 'id', 'costly', got 'x'" },
  })
})

it('a tool reports its versions to callers who may see one', async () => {
  const { known } = await published()
  const message = "Version '2.0.0' of tool 'Kit.Do' is not available: there is '1.0.0'"
  for (const path of ['/tools/Kit.Do@2.0.0', '/tools/Kit.Do@2.0.0/readiness']) {
    expect(await setUp(known).send('GET', path)).toMatchObject({ status: 404, body: { type: 'not-found', message } })
  }
  const stranger = setUp({ ...known, caller: { ...publisher, tools: ['Other.*'] } })
  const hidden = "Tool 'Kit.Do@2.0.0' was not found"
  expect((await stranger.send('GET', '/tools/Kit.Do@2.0.0')).body.message).toBe(hidden)
  const { record: secret } = await published(active, { securityLevel: 5 })
  const { record: newest } = await published(active, { version: '1.1.0' })
  const records = [secret, newest]
  const some = { published: { 'kit.do': documentOf(records, { status: active, newest }) }, records }
  const nobody = await setUp({ ...some, caller: ANONYMOUS }).send('GET', '/tools/Kit.Do@2.0.0')
  expect(nobody.body.message).toBe("Version '2.0.0' of tool 'Kit.Do' is not available: there is '1.1.0'")
})

it('a tool is suggested for a similar unknown name', async () => {
  const { known } = await published()
  const { status, body } = await setUp(known).send('GET', '/tools/Kit.Doo')
  expect({ status, body }).toMatchObject({
    status: 404,
    body: { message: "Tool 'Kit.Doo' was not found: did you mean 'Kit.Do'?" },
  })
})

it('a tool is 404 for callers that may not see it', async () => {
  const { known } = await published()
  const stranger = setUp({ ...known, caller: { ...publisher, tools: ['Other.*'] } })
  const body = { type: 'not-found', message: "Tool 'Kit.Do' was not found" }
  expect(await stranger.send('GET', '/tools/Kit.Do')).toMatchObject({ status: 404, body })
  const { known: secret } = await published(active, { securityLevel: 1 })
  expect(await setUp({ ...secret, caller: ANONYMOUS }).send('GET', '/tools/Kit.Do')).toMatchObject({ status: 404 })
  expect(await setUp().send('GET', '/tools/Kit.Do')).toMatchObject({ status: 404, body })
  expect((await setUp().send('GET', `/tools/${'x'.repeat(300)}`)).body.message).toBe(
    `Tool '${'x'.repeat(200)}' was not found`,
  )
})

it('a tool is returned with its status even if it cannot be called', async () => {
  const { known } = await published({ state: 'disabled' })
  const { status, body, headers } = await setUp(known).send('GET', '/tools/Kit.Do@1.0.0')
  expect([status, body, headers.get('switchboard-status')]).toEqual([200, { said: 'so' }, 'disabled'])
  const gone = setUp({ ...known, records: [] })
  expect(await gone.send('GET', '/tools/Kit.Do@1.0.0')).toMatchObject({ status: 404 })
})

it('a tool is trusted for one exact version, and only administrators see its publisher', async () => {
  const { known } = await published()
  const { send, set } = setUp({ ...known, caller: ADMIN })
  expect(await send('PATCH', '/tools/Kit.Do@1.0.0', { trusted: false, status: 'yanked' })).toMatchObject({
    status: 200,
    body: { id: 'Kit.Do@1.0.0', status: 'yanked', publisher: 'key:k1', trusted: false },
  })
  for (const id of ['Kit.Do', 'Kit.Do@1', 'Kit.Do@^1', 'Kit.Do@latest']) {
    const { status, body } = await send('PATCH', `/tools/${id}`, { trusted: true })
    expect([status, body.message]).toEqual([400, expect.stringContaining('name its version')])
  }
  for (const trusted of ['true', 1, null]) {
    expect(await send('PATCH', '/tools/Kit.Do@1.0.0', { trusted })).toMatchObject({ status: 400 })
  }
  expect(set).toHaveLength(1)
  const shown = await send('GET', '/tools/Kit.Do')
  expect(shown.headers.get('switchboard-publisher')).toBe('key:k1')
  expect(shown.headers.get('switchboard-trusted')).toBe('true')
  const others = await setUp(known).send('GET', '/tools/Kit.Do')
  expect([...others.headers.keys()].filter((name) => name.startsWith('switchboard-'))).toEqual([])
})

it('a tool is not changed if the registry rejects it, with the reason', async () => {
  const { known } = await published()
  const { send } = setUp({ ...known, refused: "It is another's" })
  expect(await send('PATCH', '/tools/Kit.Do', { status: 'yanked' })).toMatchObject({ status: 403 })
})

it('a tool keeps its status if the request, id or caller is invalid', async () => {
  const { known } = await published()
  const { send, set } = setUp(known)
  expect(await send('PATCH', '/tools/Kit.Do', { status: 'gone' })).toMatchObject({ status: 400 })
  for (const id of ['Kit.Other', 'Kit.Do@2.0.0', 'Kit', 'Other.Do']) {
    expect(await send('PATCH', `/tools/${id}`, { status: 'yanked' })).toMatchObject({
      status: 404,
      body: { message: `Tool '${id}' was not found` },
    })
  }
  const stranger = setUp({ ...known, caller: { ...publisher, tools: ['Other.*'] } })
  expect(await stranger.send('PATCH', '/tools/Kit.Do', { status: 'yanked' })).toMatchObject({ status: 404 })
  const reader = setUp({ ...known, caller: { ...ADMIN, scopes: ['tools:read'] } })
  expect(await reader.send('PATCH', '/tools/Kit.Do', { status: 'yanked' })).toMatchObject({ status: 403 })
  expect([...set, ...stranger.set, ...reader.set]).toEqual([])
})

describe('POST /convert', () => {
  const { send } = setUp({ caller: ANONYMOUS })

  it('POST /convert needs the scope tools:read', async () => {
    const publisher = setUp({ caller: { ...ANONYMOUS, scopes: ['tools:publish'] } })
    expect(await publisher.send('POST', '/convert?to=id', { plain: [{}] })).toMatchObject({ status: 401 })
  })

  it('POST /convert says where a document takes too much work to read or write', async () => {
    // The most nodes that a body may have, and a long text
    const plain = Array.from({ length: 400 }, () => ({ input: { enum: Array(245).fill(0) } }))
    const many = { plain, long: 'x'.repeat(100_000) }
    expect(await send('POST', '/convert?to=id', many)).toMatchObject({
      status: 422,
      body: { problems: [{ path: '', message: 'Takes too much work to read: it has too many parts' }] },
    })
    expect(await send('POST', '/convert?to=costly', { plain: [{}] })).toMatchObject({
      status: 422,
      body: {
        problems: [{ path: '/input/a', message: expect.stringMatching(/^Takes too much work to write as 'costly'/) }],
      },
    })
  })

  it('POST /convert converts a document, bare or with its toolkit and version', async () => {
    const losses = [{ path: '/input', reason: 'Has no place' }]
    expect(await send('POST', '/convert?to=id', { plain: [{}] })).toMatchObject({
      status: 200,
      body: { document: { id: 'Kit.Do@1.0.0', name: 'Kit_Do' }, losses },
    })
    const beside = { definition: { plain: [{}] }, toolkit: 'Other', version: '2.0.0' }
    expect((await send('POST', '/convert?to=id', beside)).body.document.id).toBe('Other.Do@2.0.0')
    const inQuery = '/convert?to=id&toolkit=Query&version=3.0.0'
    expect((await send('POST', inQuery, { plain: [{}] })).body.document.id).toBe('Query.Do@3.0.0')
    expect((await send('POST', inQuery, beside)).body.document.id).toBe('Other.Do@2.0.0')
    const wrong = { definition: { plain: [{}] }, toolkit: 'a b', security_level: 99 }
    expect(await send('POST', '/convert?to=id', wrong)).toMatchObject({
      status: 422,
      body: { problems: [{ path: '/toolkit' }, { path: '/security_level' }] },
    })
  })

  it('POST /convert reports invalid queries and documents', async () => {
    expect(await send('POST', '/convert', {})).toMatchObject({
      status: 400,
      body: { message: "Cannot read the query at 'to': Is required: one of 'oxp', 'id', 'costly'" },
    })
    expect(await send('POST', '/convert?to=id&from=x', {})).toMatchObject({
      status: 422,
      body: { problems: [{ message: "Unknown dialect 'x': wanted one of 'plain'" }] },
    })
    expect(await send('POST', '/convert?to=id', { plain: [{ description: '\ud800' }] })).toMatchObject({ status: 422 })
    expect(await send('POST', '/convert?to=id', ' '.repeat(1024 * 1024 + 1))).toMatchObject({ status: 413 })
  })
})
