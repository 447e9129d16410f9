import { toIdRef, toNameRef, toRefKey } from '../../../src/core/tool/tool-ref.ts'
import { describe, expect, it, vi } from 'vitest'
import type { Principal } from '../../../src/core/access/principal.ts'
import type { CallOutcome } from '../../../src/core/call/call-request.ts'
import type { Content } from '../../../src/core/tool/content.ts'
import { type Failure, fail } from '../../../src/core/failure/failure.ts'
import { createCallableTool } from '../../../src/core/call/callable-tool.ts'
import type { Resolver } from '../../../src/core/call/resolve-tool.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { createPluginRoutes } from '../../../src/dialects/plugin/routes.ts'
import { authorizerFor } from '../../http/authorizer-for.ts'
import { findLine, formatLine } from '../failure-table.ts'
import { FAILURES } from '../failures.ts'
import { callToolGiving, catalogueOf, clientOf, sha256 } from '../machine-context/fakes.ts'
import { recordOf } from '../machine-context/record.ts'

interface Given {
  readonly result?: CallOutcome['result']
  readonly principal?: Principal | Failure
  readonly records?: readonly ToolRecord[]
  readonly resolve?: Resolver['resolve']
}

/** Resolves exposed names, which here are the records' own. */
function resolverOf(records: readonly ToolRecord[]): Resolver {
  return {
    resolve(ref) {
      const asked = toRefKey(ref)
      const record = records.find(({ name }) => asked === `name:${name}`)
      if (!record) return fail({ type: 'tool-unknown', ref: asked, suggestions: [] })
      const nothing = () => []
      const runnable = { ok: false, reason: 'A fake' } as const
      return {
        ok: true,
        tool: createCallableTool({ record, validateInput: nothing, validateOutput: nothing, runnable }),
        status: { state: 'active' },
        publisher: { principal: 'admin', trusted: true },
      }
    },
    suggest: () => [],
    invalidate: () => undefined,
  }
}

function setUp({ result = { ok: true, value: 'done' }, principal, records = [], resolve }: Given = {}) {
  const called = callToolGiving(result)
  const resolver = resolverOf(records)
  const router = createPluginRoutes({
    authorize: authorizerFor(principal),
    callTool: called.callTool,
    catalog: catalogueOf(records),
    resolver: resolve ? { ...resolver, resolve } : resolver,
    sha256,
  })
  return { send: clientOf(router), ...called }
}

const call = (given: Given, body: unknown = { params: { name: 'add' } }, path = '/plugin/call') =>
  setUp(given).send('POST', path, body)

describe('POST /plugin/call', () => {
  it('responds to a CallToolRequest with a CallToolResult', async () => {
    const { send, calls, callers } = setUp()
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`
    const request = { method: 'tools/call', params: { name: 'add', arguments: { a: 1 } } }
    const answer = await send('POST', '/plugin/call', request, { traceparent })
    expect(answer).toMatchObject({ status: 200 })
    expect(answer.body).toEqual({ content: [{ type: 'text', text: 'done' }] })
    expect(calls).toEqual([
      {
        toolRef: toNameRef('add'),
        fallback: { bareName: { name: 'add' } },
        method: 'tools/call',
        input: { a: 1 },
        context: { tokens: new Map(), secrets: new Map() },
      },
    ])
    expect(callers[0]).toMatchObject({ traceparent })
  })

  it('accepts a minimal request, and null for absent fields', async () => {
    const { send, calls } = setUp()
    await send('POST', '/plugin/call', { params: { name: 'add' } })
    await send('POST', '/plugin/call', { method: null, params: { name: 'add', arguments: null, _meta: { x: 1 } } })
    await send('POST', '/plugin/call', { params: { name: 'Kit.Tool@1.0.0' } })
    expect(calls.map(({ toolRef, input }) => [toRefKey(toolRef), input])).toEqual([
      ['name:add', {}],
      ['name:add', {}],
      ['Kit.Tool@1.0.0', {}],
    ])
  })

  it.each([
    ['a text', 'a "text"', 'a "text"'],
    ['an object', { a: [1, null] }, '{"a":[1,null]}'],
    ['a number', 3, '3'],
    ['nothing', null, 'null'],
    ['an empty text', '', ''],
  ])('gives %s as text', async (_, value, text) => {
    expect((await call({ result: { ok: true, value } })).body).toEqual({ content: [{ type: 'text', text }] })
  })

  it('gives each kind of content, and a link as text', async () => {
    const annotations = { audience: ['user'], priority: 1 } as const
    const content: readonly Content[] = [
      { type: 'text', text: 'Hello', annotations },
      { type: 'text', text: 'Hi', annotations: { priority: 0 } },
      { type: 'image', data: 'AAAA', mimeType: 'image/png', annotations: {} },
      { type: 'resource', resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'A' } },
      { type: 'resource', resource: { uri: 'file:///b', blob: 'AAAA' } },
      { type: 'audio', data: 'AAAAAAAA', mimeType: 'audio/wav' },
      { type: 'resource_link', uri: 'https://here/c', name: 'c', mimeType: 'text/csv' },
    ]
    const artifact = { url: 'https://here/d', content_type: 'text/csv', size: 9, meta: { description: 'All rows' } }
    const { body } = await call({ result: { ok: true, value: null, content, artifact } })
    expect(body).toEqual({
      content: [
        { type: 'text', text: 'Hello', annotations },
        { type: 'text', text: 'Hi' },
        { type: 'image', data: 'AAAA', mimeType: 'image/png' },
        {
          type: 'resource',
          text: 'A',
          mimeType: 'text/plain',
          resource: { uri: 'file:///a', mimeType: 'text/plain', text: 'A' },
        },
        { type: 'resource', data: 'AAAA', resource: { uri: 'file:///b', blob: 'AAAA' } },
        { type: 'resource', data: 'AAAAAAAA', mimeType: 'audio/wav' },
        { type: 'text', text: "[Resource 'c' (text/csv): https://here/c]" },
        { type: 'text', text: '[All rows (text/csv, 9 bytes): https://here/d]' },
      ],
    })
  })

  it.each([
    ['no object', []],
    ['no params', { name: 'add' }],
    ['no name', { params: {} }],
    ['a name that is no string', { params: { name: 1 } }],
    ['a method that is no string', { method: 1, params: { name: 'add' } }],
    ['arguments that are no object', { params: { name: 'add', arguments: [1] } }],
    ['a name that no tool can have', { params: { name: 'a\nb' } }],
  ])('refuses %s', async (_, body) => {
    const { send, calls } = setUp()
    const answer = await send('POST', '/plugin/call', body)
    expect(answer.status).toBe(400)
    expect(answer.body).toEqual({ isError: true, content: [{ type: 'text', text: expect.any(String) }] })
    expect(calls).toEqual([])
  })

  it.each(['name:add', 'document:["a","b","c"]', 'unknown:Kit.Add', '["add"]'])(
    'looks up %s as an exposed name only',
    async (name) => {
      const { send, calls } = setUp()
      await send('POST', '/plugin/call', { params: { name } })
      expect(calls).toMatchObject([{ toolRef: toNameRef(name) }])
    },
  )

  it('refuses invalid JSON, another content type and a body that is too large', async () => {
    const { send } = setUp()
    const error = { isError: true, content: [{ type: 'text' }] }
    expect(await send('POST', '/plugin/call', '{')).toMatchObject({ status: 400, body: error })
    expect(await send('POST', '/plugin/call', '{}', { 'content-type': 'text/plain' })).toMatchObject({
      status: 415,
      body: error,
    })
    expect(await send('POST', '/plugin/call', `"${'x'.repeat(4 * 1024 * 1024)}"`)).toMatchObject({
      status: 413,
      body: error,
    })
  })

  describe('within a toolkit', () => {
    const records = [
      recordOf({ toolkit: 'Kit', tool: 'Add', name: 'Kit_Add' }),
      recordOf({ toolkit: 'Kit', tool: 'Sub', name: 'less' }),
      recordOf({ toolkit: 'Other', tool: 'Mul', name: 'Mul' }),
      recordOf({ toolkit: 'Kit', tool: 'Mul', name: 'Kit_Mul' }),
    ]
    it.each([
      ['an exposed name', 'less', 'name:less'],
      ["a tool's own name", 'Add', 'Kit.Add'],
      ["a tool's own name that is another's exposed one", 'Mul', 'Kit.Mul'],
      ['an unknown name', 'none', 'Kit.none'],
      ['an id', 'Kit.Add@^1', 'Kit.Add@^1'],
    ])('calls by %s', async (_, name, asked) => {
      const { send, calls } = setUp({ records })
      expect(await send('POST', '/plugin/call?toolkit=kit', { params: { name } })).toMatchObject({ status: 200 })
      expect(calls.map(({ toolRef }) => toRefKey(toolRef).toLowerCase())[0]).toBe(asked.toLowerCase())
    })

    it('calls no tools of other toolkits, and nothing for an invalid toolkit', async () => {
      const { send, calls } = setUp({ records })
      expect(await send('POST', '/plugin/call?toolkit=Kit', { params: { name: 'a\nb' } })).toMatchObject({
        status: 400,
      })
      expect(await send('POST', '/plugin/call?toolkit=a.b', { params: { name: 'Add' } })).toMatchObject({ status: 400 })
      expect(calls).toEqual([])
      // What looks like another's id is what a plugin calls a tool of its own
      await send('POST', '/plugin/call?toolkit=Kit', { params: { name: 'Other.Mul' } })
      await send('POST', '/plugin/call?toolkit=Kit', { params: { name: 'get it' } })
      expect(calls.map(({ toolRef }) => toRefKey(toolRef))).toEqual(['Kit.Other_Mul', 'Kit.get_it'])
    })

    it('lets the call report that names cannot be looked up', async () => {
      const resolve = vi.fn(() => Promise.reject(new Error('KV is away')))
      const { send, calls } = setUp({ records, resolve })
      await send('POST', '/plugin/call?toolkit=Kit', { params: { name: 'Add' } })
      expect(calls[0]?.toolRef).toEqual(toIdRef('Kit.Add'))
    })
  })
})

describe('each failure of a call', () => {
  it.each(Object.values(FAILURES))('$type', async (failure) => {
    const { status, body } = await call({ result: { ok: false, failure } })
    expect(body).toEqual({ isError: true, content: [{ type: 'text', text: expect.any(String) }] })
    expect(formatLine('plugin', status, body.content[0].text)).toBe(findLine(failure, 'plugin'))
  })

  it.each(['unauthenticated', 'forbidden', 'rate-limited', 'unavailable'] as const)(
    '%s, before the call',
    async (type) => {
      const { send } = setUp({ principal: FAILURES[type] })
      for (const [method, path] of [
        ['POST', '/plugin/call'],
        ['GET', '/plugin/describe'],
        ['POST', '/plugin/describe'],
      ] as const) {
        const answer = await send(method, path, method === 'POST' ? {} : undefined)
        expect(answer.body).toMatchObject({ isError: true, content: [{ type: 'text' }] })
        const line = findLine(FAILURES[type], 'plugin')
        expect(formatLine('plugin', answer.status, answer.body.content[0].text)).toBe(line)
        if (type === 'unauthenticated') expect(answer.headers.get('www-authenticate')).toContain('Bearer')
        if (type === 'rate-limited') expect(answer.headers.get('retry-after')).toBe('2')
      }
    },
  )
})

describe('GET and POST /plugin/describe', () => {
  const implementation = { kind: 'bundled' }
  const input = { type: 'object', properties: { a: { type: 'number' } } }
  const records = [
    recordOf({ toolkit: 'Kit', tool: 'Add', description: 'Adds', input, implementation }),
    recordOf({ toolkit: 'Kit', tool: 'Listed' }),
    recordOf({ toolkit: 'Kit', tool: 'High', securityLevel: 9, implementation }),
    recordOf({ toolkit: 'Other', tool: 'Sub', implementation }),
  ]
  const names = (body: { tools: { name: string }[] }) => body.tools.map(({ name }) => name)

  it('gives every callable tool under its exposed name', async () => {
    for (const method of ['GET', 'POST']) {
      const { status, body } = await setUp({ records }).send(method, '/plugin/describe')
      expect(status).toBe(200)
      expect(body.tools[0]).toEqual({ name: 'Kit_Add', description: 'Adds', inputSchema: input })
      expect(names(body)).toEqual(['Kit_Add', 'Kit_High', 'Other_Sub'])
    }
    expect((await setUp().send('GET', '/plugin/describe')).body).toEqual({ tools: [] })
  })

  it('gives only what the caller may see, and filters by toolkit', async () => {
    const key: Principal = { id: 'k', kind: 'key', scopes: ['tools:read'], tools: ['*.Sub'], users: [] }
    expect(names((await setUp({ records, principal: key }).send('GET', '/plugin/describe')).body)).toEqual([
      'Other_Sub',
    ])
    const { send } = setUp({ records })
    expect(names((await send('GET', '/plugin/describe?toolkit=kit')).body)).toEqual(['Kit_Add', 'Kit_High'])
    expect(await send('GET', '/plugin/describe?toolkit=a.b')).toMatchObject({ status: 400, body: { isError: true } })
  })

  it('responds with 304 if nothing has changed', async () => {
    const { send } = setUp({ records })
    const etag = (await send('GET', '/plugin/describe')).headers.get('etag') ?? ''
    expect(await send('GET', '/plugin/describe', undefined, { 'if-none-match': etag })).toMatchObject({ status: 304 })
    expect(await send('GET', '/plugin/describe?toolkit=Kit', undefined, { 'if-none-match': etag })).toMatchObject({
      status: 200,
    })
  })

  it('refuses a list that is too long', async () => {
    const large = Array.from({ length: 9 }, (_, n) =>
      recordOf({ tool: `T${n}`, description: 'x'.repeat(2_000_000), implementation }),
    )
    expect(await setUp({ records: large }).send('GET', '/plugin/describe')).toMatchObject({
      status: 400,
      body: { isError: true },
    })
  })
})
