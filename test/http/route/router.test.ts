import { describe, expect, it, vi } from 'vitest'
import type { AuditEvent } from '../../../src/core/access/audit-entry.ts'
import { ADMIN, FetchCapability, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { type FailureResult, type Failure, fail, ok } from '../../../src/core/failure/failure.ts'
import { object, optional, string, stringMatching } from '../../../src/core/tool/json-reader.ts'
import { query } from '../../../src/http/request/query.ts'
import { jsonBody } from '../../../src/http/request/json-body.ts'
import { createRouter, etag, ifMatch, NO_INPUT, type RouteResult } from '../../../src/http/route/router.ts'
import { gateFor } from '../gate-for.ts'

const NOT_FOUND = fail({ type: 'not-found', message: 'Gone' })
const PAGED = query({ limit: optional(string()) })
const KEY = object({ name: string({ least: 1 }) })
const respond = (failure: Failure) =>
  Response.json(failure, { status: 400, headers: { 'cache-control': 'private, no-cache' } })

interface Answers {
  'POST /keys/:id': number | undefined
}
type Access = Parameters<typeof createRouter>[1]

async function send(
  access: Access,
  caller: Principal | Failure,
  answer: RouteResult<number | undefined> | Response | FailureResult = Response.json(1, {
    headers: { 'cache-control': 'private' },
  }),
  { path = '/keys/k1', body = '{"name":"a"}' }: { readonly path?: string; readonly body?: string } = {},
) {
  const handle = vi.fn(async () => answer)
  const { router, on } = createRouter<Answers>({ gate: gateFor(caller), respond }, access)
  const id = stringMatching('not x', (given) => given !== 'x')
  on('POST /keys/:id', 'A key', {
    answers: {},
    scope: 'tools:call',
    path: { id },
    query: PAGED,
    body: jsonBody(KEY, { what: 'key' }),
  })(handle)
  const headers = { 'content-type': 'application/json' }
  const response = await router.request(`https://sb.example${path}`, { method: 'POST', headers, body })
  const told = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: told === '' ? undefined : JSON.parse(told),
    cached: response.headers.get('cache-control'),
    handle,
  }
}

describe.each<Access>(['open', 'own'])('a route of a face that is %s', (access) => {
  it('hands over who was let in, and the values of what it declares', async () => {
    const { body, handle } = await send(access, ADMIN, undefined, { path: '/keys/a%2Fb?limit=2' })
    expect(body).toBe(1)
    const read = { principal: ADMIN, path: { id: 'a/b' }, query: { limit: '2' }, body: { name: 'a' } }
    expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(read))
  })

  it('is closed to who lacks the scope', async () => {
    const { body, handle } = await send(access, { ...ADMIN, kind: 'key', scopes: ['tools:read'] })
    expect(body).toMatchObject({ type: 'forbidden' })
    expect(handle).not.toHaveBeenCalled()
  })

  it.each([
    ['a path', { path: '/keys/x' }, { type: 'request-malformed', message: expect.stringContaining("at 'id'") }],
    ['an encoding', { path: '/keys/%ff' }, { type: 'request-malformed', message: expect.stringContaining('encoding') }],
    ['a query', { path: '/keys/k1?limt=3' }, { type: 'request-malformed', message: expect.stringContaining("'limt'") }],
    ['a body', { body: '{"name":""}' }, { type: 'definition-invalid', what: 'key', problems: [{ path: '/name' }] }],
    ['a text', { body: '{' }, { type: 'request-malformed' }],
  ])('refuses %s that is not declared so, to who is let in', async (_, sent, failure) => {
    const wrong = await send(access, ADMIN, undefined, sent)
    expect(wrong.body).toMatchObject(failure)
    expect(wrong.handle).not.toHaveBeenCalled()
    const stranger = { ...ADMIN, kind: 'key', scopes: [] } as const
    expect((await send(access, stranger, undefined, sent)).body).toMatchObject({ type: 'forbidden' })
  })

  it('answers with the JSON of a value, with its status and headers, or with nothing (204)', async () => {
    expect(await send(access, ADMIN, ok(5))).toMatchObject({ status: 200, body: 5 })
    const made = await send(access, ADMIN, { ok: true, value: 5, status: 201, headers: { location: '/5' } })
    expect(made).toMatchObject({ status: 201, body: 5 })
    expect(made.headers.get('location')).toBe('/5')
    expect(await send(access, ADMIN, ok(undefined))).toMatchObject({ status: 204, body: undefined })
  })

  it('puts a failure into words', async () => {
    expect((await send(access, ADMIN, NOT_FOUND)).body).toEqual(NOT_FOUND.failure)
  })

  it('tells what only the operator can put right to administrators alone', async () => {
    const failing = fail({ type: 'unavailable', message: 'Cannot keep it', forOperator: 'Add a bucket' })
    expect((await send(access, ADMIN, failing)).body).toEqual({ type: 'unavailable', message: 'Add a bucket' })
    const agent = { ...ADMIN, kind: 'key', scopes: ['tools:call'] } as const
    expect((await send(access, agent, failing)).body).toEqual({ type: 'unavailable', message: 'Cannot keep it' })
  })
})

describe("a route that is somebody's own", () => {
  it('is closed to the anonymous, though they have the scope', async () => {
    const { body, handle } = await send('own', ANONYMOUS)
    expect(body).toEqual({ type: 'unauthenticated', reason: 'This needs a credential' })
    expect(handle).not.toHaveBeenCalled()
    expect((await send('open', ANONYMOUS)).body).toBe(1)
  })

  it('has no cache keep what it answers', async () => {
    expect((await send('own', ADMIN)).cached).toBe('no-store')
    expect((await send('own', ADMIN, NOT_FOUND)).cached).toBe('no-store')
    expect((await send('open', ADMIN)).cached).toBe('private')
  })
})

describe('what a change is meant for', () => {
  const sent = (value?: string) =>
    ifMatch(new Request('https://sb.example/', { headers: value === undefined ? {} : { 'if-match': value } }))

  it.each<[string | undefined, unknown]>([
    [undefined, undefined],
    [' * ', '*'],
    ['"a"', ['a']],
    ['"a" ,"b", W/"c" , "d"', ['a', 'b', 'd']],
    ['a', []],
    ['"a', []],
    ['""', ['']],
  ])('%j is %j', (value, expected) => {
    expect(sent(value)).toEqual(expected)
  })

  it('is told to routes that declare it, with who was let in', async () => {
    const told: unknown[] = []
    const { router, on } = createRouter<{ 'POST /a': undefined; 'POST /b': undefined }>(
      { gate: gateFor(), respond },
      'open',
    )
    for (const [route, more] of [
      ['POST /a', { conditional: true }],
      ['POST /b', {}],
    ] as const) {
      on(route, 'A', { ...NO_INPUT, scope: 'admin', ...more })(async ({ expected, fetchCapability }) => {
        told.push([expected || undefined, fetchCapability])
        return ok(undefined)
      })
    }
    for (const path of ['/a', '/b']) {
      const headers = { 'if-match': '"r"' }
      expect((await router.request(`https://sb.example${path}`, { method: 'POST', headers })).status).toBe(204)
    }
    expect(told).toEqual([
      [['r'], new FetchCapability(ADMIN.id)],
      [undefined, new FetchCapability(ADMIN.id)],
    ])
    expect(etag({ a: 1 })).toEqual({ etag: expect.stringMatching(/^"[^"]+"$/) })
  })

  it('is nothing that the anonymous may have fetched', async () => {
    const { handle } = await send('open', ANONYMOUS)
    expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ fetchCapability: undefined }))
  })
})

it('what is changed is written down, with what came of it', async () => {
  const audit: AuditEvent[] = []
  const { router, on } = createRouter<{ 'POST /a/:how': number }>({
    gate: gateFor(),
    respond,
    writeAuditEntry: (entry) => void audit.push(entry),
  })
  on('POST /a/:how', 'A', { ...NO_INPUT, scope: 'admin', act: 'tool.change' })(async ({ path, note }) => {
    note({ how: path.how })
    note({ more: 1 })
    return path.how === 'fail' ? NOT_FOUND : path.how === 'raw' ? new Response(null, { status: 202 }) : ok(1)
  })
  for (const how of ['fail', 'raw', 'ok']) await router.request(`https://sb.example/a/${how}`, { method: 'POST' })
  expect(audit.map(({ act, outcome, status, about }) => [act, outcome, status, about])).toEqual([
    ['tool.change', 'not-found', 400, { how: 'fail', more: 1 }],
    ['tool.change', 'success', 202, { how: 'raw', more: 1 }],
    ['tool.change', 'success', 200, { how: 'ok', more: 1 }],
  ])
})
