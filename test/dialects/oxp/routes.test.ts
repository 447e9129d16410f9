import { toRefKey } from '../../../src/core/tool/tool-ref.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import { withBudget } from '../../../src/core/publish/export.ts'
import type { FormatWriter } from '../../../src/core/tool/codec.ts'
import { describe, expect, it } from 'vitest'
import type { Catalog } from '../../../src/core/catalog/catalog.ts'
import type { Principal } from '../../../src/core/access/principal.ts'
import { type Failure, fail, ok } from '../../../src/core/failure/failure.ts'
import type { CallOutcome } from '../../../src/core/call/call-request.ts'
import { oxp } from '../../../src/dialects/oxp/definition.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { encodeFlat, toListLine } from '../../../src/dialects/oxp/encode.ts'
import { createOxpRoutes } from '../../../src/dialects/oxp/routes.ts'
import { NO_TASKS } from '../no-tasks.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'
import { callToolGiving, catalogueOf, clientOf, sha256 } from '../machine-context/fakes.ts'
import { recordOf } from '../machine-context/record.ts'

const CALL = { tool_id: 'Kit.Add', input: { a: 1 } }
const RECORDS = [recordOf({ tool: 'Add' }), recordOf({ tool: 'Divide', title: 'Division' }), recordOf({ tool: 'Sub' })]

interface Given {
  readonly principal?: Principal | Failure
  readonly result?: CallOutcome['result']
}

/** Lists the records two at a time, their ids where they are stored lines; a search finds what `found` is by then. */
const health = async () => Response.json({ status: 'ok' })

function setUp({ principal, result = ok(3) }: Given = {}) {
  const called = callToolGiving(result)
  const written = catalogueOf(RECORDS)
  const found = { lines: ['"one"'] }
  const catalog: Catalog = {
    ...written,
    async list(query, caller, format) {
      if (query.q !== undefined) return found
      if (query.cursor === 'unknown') return undefined
      return written.list(query, caller, 'write' in format ? format : { name: 'id', write: ({ id }) => `"${id}"` })
    },
  }
  const writers: Record<string, FormatWriter> = {
    'oxp': (record, _, budget) => oxp.encode(record, budget),
    'oxp-flat': (record, _, budget) => encodeFlat(record, budget),
    'title': ({ title = null }) => ({ document: title, losses: [{ path: '/id', reason: 'r' }] }),
    'costly': ({ id, tool }, _, budget) => {
      if (tool === 'Add') budget.spend(Infinity, '/input/a')
      return { document: id, losses: [] }
    },
  }
  const formats = new Map(Object.entries(writers).map(([name, write]) => [name, withBudget(name, write)]))
  const router = createOxpRoutes({
    loadTasks: async () => NO_TASKS,
    authorize: authorizerFor(principal),
    callTool: called.callTool,
    health,
    catalog,
    sha256,
    formatNames: [...formats.keys()],
    loadFormats: async () => ({ formats, codecs: [] }),
  })
  return { send: clientOf(router), found, ...called }
}

const call = (given: Given, headers?: Record<string, string>, body: unknown = CALL) =>
  setUp(given).send('POST', '/tools/call', body, headers)

describe.each(['/tools/call', '/oxp/tools/call'])('POST %s', (path) => {
  it('responds with an envelope, or without one to a client that sends its version, with our version', async () => {
    const { send, calls } = setUp()
    const enveloped = await send('POST', path, CALL)
    expect(enveloped.body).toEqual({
      $schema: 'urn:oxp:1.0',
      result: { call_id: 'generated', success: true, duration: 12, value: 3 },
    })
    expect(enveloped.headers.has('oxp-version')).toBe(false)
    const bare = await send('POST', path, CALL, { 'oxp-version': '1.0.7' })
    expect(bare.body).toEqual({ call_id: 'generated', success: true, duration: 12, value: 3 })
    expect(bare.headers.get('oxp-version')).toBe('1.0')
    expect(calls.map(({ toolRef }) => toRefKey(toolRef))).toEqual(['Kit.Add', 'Kit.Add'])
  })
})

describe('progress', () => {
  it('is sent only to a client that accepts server-sent events by name', async () => {
    const { send, callers } = setUp()
    const accepted = [
      'text/event-stream',
      'application/json, text/event-stream',
      '*/*',
      'application/json',
      'text/*',
      '',
    ]
    for (const accept of accepted) {
      const answer = await send('POST', '/tools/call', CALL, accept === '' ? {} : { accept })
      expect(answer.headers.get('content-type')).toBe('application/json')
    }
    expect(callers.map(({ progress }) => progress !== undefined)).toEqual([true, true, false, false, false, false])
  })
})

describe('a call that fails', () => {
  it('is not cacheable, in either form', async () => {
    const result = fail({ type: 'rate-limited', retry_after_ms: 1_500 })
    for (const version of [undefined, '1.0']) {
      const { status, headers } = await call({ result }, version === undefined ? {} : { 'oxp-version': version })
      expect(status).toBe(429)
      expect(headers.get('retry-after')).toBe('2')
      expect(headers.get('cache-control')).toContain('private')
      expect(headers.get('oxp-version')).toBe(version ?? null)
    }
  })
})

describe('the header OXP-Version', () => {
  it.each(['1', '1.0', '1.0.0', '1.0.12'])('can be %s', async (version) => {
    expect((await call({}, { 'oxp-version': version })).status).toBe(200)
  })

  it.each(['', '0.9', '1.1', '1.0.', '2', '1.0, 1.0'])('cannot be %j', async (version) => {
    const { send, calls } = setUp()
    for (const answer of [
      await send('POST', '/tools/call', CALL, { 'oxp-version': version }),
      await send('GET', '/tools', undefined, { 'oxp-version': version }),
    ]) {
      expect(answer).toMatchObject({ status: 400, body: { message: expect.stringContaining(`'${version}'`) } })
      expect(answer.body).not.toHaveProperty('$schema')
    }
    expect(calls).toEqual([])
  })

  it('is checked after the credential, and before the body and the query', async () => {
    const stranger = { type: 'unauthenticated', reason: 'who?' } as const
    const headers = { 'oxp-version': '9', 'content-type': 'text/plain' }
    expect((await call({ principal: stranger }, headers)).status).toBe(401)
    expect((await call({}, headers)).body.message).toContain("'9'")
    expect((await call({}, { 'content-type': 'text/plain' })).status).toBe(415)
    const { send } = setUp()
    const list = await send('GET', '/tools?limit=0', undefined, { 'oxp-version': '9' })
    expect(list.body.message).toContain("'9'")
    expect((await setUp({ principal: stranger }).send('GET', '/tools?limit=0')).status).toBe(401)
  })
})

describe('a tool that is too expensive to encode in a format', () => {
  it('is left out of lists in that format, with the reason if losses are requested', async () => {
    const { send } = setUp()
    expect((await send('GET', '/tools?format=costly')).body.items).toEqual(['Kit.Divide@1.0.0'])
    const { items, losses } = (await send('GET', '/tools?format=costly&losses=1')).body
    expect(items).toEqual(['Kit.Divide@1.0.0'])
    const reason = expect.stringMatching(/^Is not listed: Takes too much work to write as 'costly'/)
    expect(losses).toEqual([{ id: 'Kit.Add@1.0.0', path: '/input/a', reason }])
  })
})

describe('a tool with a version that OXP cannot express', () => {
  const [first] = RECORDS
  const beta = { ...first, id: 'Kit.Add@1.0.0-rc.1', version: '1.0.0-rc.1' } as ToolRecord
  const formats = new Map([
    ['oxp', withBudget('oxp', (record, _, budget) => oxp.encode(record, budget))],
    ['oxp-flat', withBudget('oxp-flat', (record, _, budget) => encodeFlat(record, budget))],
    ['version', withBudget('version', ({ version }) => ({ document: version, losses: [] }))],
  ])
  const router = createOxpRoutes({
    loadTasks: async () => NO_TASKS,
    authorize: authorizerFor(undefined),
    callTool: callToolGiving(ok(3)).callTool,
    health,
    catalog: {
      etag: async () => 'e',
      findUnknownName: async () => undefined,
      suggestNames: async () => [],
      list: async (_query, _principal, format) => ({
        lines: [beta, first as ToolRecord].map((each) =>
          'write' in format ? format.write(each, each.name, createBudget()) : toListLine(each),
        ),
      }),
    },
    sha256,
    formatNames: [...formats.keys()],
    loadFormats: async () => ({ formats, codecs: [] }),
  })
  const send = clientOf(router)

  it.each(['/tools', '/oxp/tools', '/tools?format=oxp-flat'])('is not listed at %s', async (path) => {
    expect((await send('GET', path)).body.items).toMatchObject([{ id: first?.id }])
  })

  it('is named if losses are requested, and is listed in other formats', async () => {
    const { items, losses } = (await send('GET', '/tools?losses=1')).body
    expect(items).toMatchObject([{ id: first?.id }])
    expect(losses).toContainEqual({ id: beta.id, path: '', reason: expect.stringContaining('x.y.z') })
    expect((await send('GET', '/tools?format=version')).body.items).toEqual([beta.version, first?.version])
  })
})

describe('GET /tools', () => {
  it('lists a page as it is stored, with the next cursor', async () => {
    const { send } = setUp()
    const first = await send('GET', '/tools')
    expect(first.text).toBe('{"$schema":"urn:oxp:1.0","items":["Kit.Add@1.0.0","Kit.Divide@1.0.0"],"next_cursor":"2"}')
    expect((await send('GET', '/tools?cursor=2')).body.items).toEqual(['Kit.Sub@1.0.0'])
    expect(await send('GET', '/tools?cursor=unknown')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("'cursor'") },
    })
  })

  it('lists in another format, with its losses next to it', async () => {
    const { send } = setUp()
    expect((await send('GET', '/tools?format=title')).body).toEqual({ items: [null, 'Division'], next_cursor: '2' })
    const [first] = (await send('GET', '/oxp/tools')).body.items
    expect(first).toMatchObject({ id: 'Kit.Add@1.0.0', input_schema: { type: 'object' } })
    expect((await send('GET', '/tools?format=title&losses=1&cursor=2')).body).toEqual({
      items: [null],
      losses: [{ id: 'Kit.Sub@1.0.0', path: '/id', reason: 'r' }],
    })
    expect(await send('GET', '/tools?format=none')).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining("'oxp', 'oxp-flat', 'title'") },
    })
  })

  it.each([
    ['search=mail', 'q'],
    ['toolkits=Gmail', 'toolkit'],
    ['version=1.0.0', 'versions'],
  ])('?%s is refused with a hint at the right parameter, instead of listing everything', async (query, name) => {
    const { status, body } = await setUp().send('GET', `/tools?${query}`)
    expect({ status, body }).toMatchObject({
      status: 400,
      body: { message: expect.stringContaining(`(meant '${name}'?)`) },
    })
    expect((await setUp().send('GET', '/tools?utm_source=x')).status).toBe(400)
  })

  it('responds with 304 if nothing changed, separately per query, format and form', async () => {
    const { send } = setUp()
    const ask = (path: string, headers: Record<string, string> = {}) => send('GET', path, undefined, headers)
    const answers = [
      await ask('/tools'),
      await ask('/tools?limit=1'),
      await ask('/tools?format=title'),
      await ask('/tools?losses=1'),
      await ask('/oxp/tools'),
      await ask('/tools', { 'oxp-version': '1.0' }),
    ]
    const tags = answers.map(({ headers }) => headers.get('etag') ?? '')
    expect(new Set(tags).size).toBe(answers.length)
    expect((await ask('/tools', { 'if-none-match': tags[0] ?? '' })).status).toBe(304)
    const bare = await ask('/tools', { 'if-none-match': tags[5] ?? '', 'oxp-version': '1.0' })
    expect(bare.status).toBe(304)
    expect(bare.headers.get('oxp-version')).toBe('1.0')
  })

  it('reports where relevant results of a search end, and which are the same operation as a better one', async () => {
    const { send, found } = setUp()
    const sameAs = { 'GHES.Add@1.0.0': 'GitHub.Add@1.0.0' }
    Object.assign(found, { total: 9, relevant: 2, sameAs })
    expect((await send('GET', '/tools?q=add')).body).toMatchObject({ total: 9, relevant: 2, same_as: sameAs })
    Object.assign(found, { sameAs: undefined })
    expect((await send('GET', '/tools?q=add&results=relevant')).body).not.toHaveProperty('same_as')
  })

  it.each(['results=relevant', 'results=relevant&q=add&versions=all', 'results=some&q=add'])(
    'refuses ?%s',
    async (query) => {
      const { status, body } = await setUp().send('GET', `/tools?${query}`)
      expect(status).toBe(400)
      expect(JSON.stringify(body)).toContain('results')
    },
  )

  it('responds with 304 to a search with the same results', async () => {
    const { send, found } = setUp()
    const etag = (await send('GET', '/tools?q=add')).headers.get('etag') ?? ''
    expect((await send('GET', '/tools?q=add', undefined, { 'if-none-match': etag })).status).toBe(304)
    found.lines.push('"two"')
    expect(await send('GET', '/tools?q=add', undefined, { 'if-none-match': etag })).toMatchObject({
      status: 200,
      body: { items: ['one', 'two'] },
    })
  })
})

it('is healthy without a credential', async () => {
  const { send } = setUp({ principal: { type: 'unauthenticated', reason: 'who?' } })
  for (const path of ['/health', '/oxp/health']) expect((await send('GET', path)).body).toEqual({ status: 'ok' })
})
