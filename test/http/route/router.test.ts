import { describe, expect, it, vi } from 'vitest'
import type { AuditEvent } from '../../../src/core/access/audit-entry.ts'
import { ADMIN, FetchCapability, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { type FailureResult, type Failure, fail, ok } from '../../../src/core/failure/failure.ts'
import { object, optional, string, stringMatching } from '../../../src/core/tool/json-reader.ts'
import { defineQuery } from '../../../src/http/request/query.ts'
import { jsonBody } from '../../../src/http/request/json-body.ts'
import { createRouter, etag, ifMatch, NO_INPUT, type RouteResult } from '../../../src/http/route/router.ts'
import { authorizerFor } from '../authorizer-for.ts'

const NOT_FOUND = fail({ type: 'not-found', message: 'Gone' })
const PAGED = defineQuery({ limit: optional(string()) })
const KEY = object({ name: string({ min: 1 }) })
const respond = (failure: Failure) =>
  Response.json(failure, { status: 400, headers: { 'cache-control': 'private, no-cache' } })

interface Answers {
  'POST /keys/:id': number | undefined
}
type Access = 'private' | 'public'

async function send(
  access: Access,
  caller: Principal | Failure,
  answer: RouteResult<number | undefined> | Response | FailureResult = Response.json(1, {
    headers: { 'cache-control': 'private' },
  }),
  { path = '/keys/k1', body = '{"name":"a"}' }: { readonly path?: string; readonly body?: string } = {},
) {
  const handle = vi.fn(async () => answer)
  const { router, on } = createRouter<Answers>({ authorize: authorizerFor(caller), respond }, { access })
  const id = stringMatching('not x', (value) => value !== 'x')
  on('POST /keys/:id', 'A key', {
    responses: {},
    scope: 'tools:call',
    path: { id },
    query: PAGED,
    body: jsonBody(KEY, { what: 'key' }),
  })(handle)
  const headers = { 'content-type': 'application/json' }
  const response = await router.request(`https://sb.example${path}`, { method: 'POST', headers, body })
  const text = await response.text()
  return {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
    cached: response.headers.get('cache-control'),
    handle,
  }
}

describe.each<Access>(['public', 'private'])('a route of a router that is %s', (access) => {
  it('calls its handler with the principal and the values that it declares', async () => {
    const { body, handle } = await send(access, ADMIN, undefined, { path: '/keys/a%2Fb?limit=2' })
    expect(body).toBe(1)
    const read = { principal: ADMIN, path: { id: 'a/b' }, query: { limit: '2' }, body: { name: 'a' } }
    expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(read))
  })

  it('rejects a caller without its scope, and does not call the handler', async () => {
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
  ])('rejects %s that its declaration does not allow, after the scope is checked', async (_, sent, failure) => {
    const wrong = await send(access, ADMIN, undefined, sent)
    expect(wrong.body).toMatchObject(failure)
    expect(wrong.handle).not.toHaveBeenCalled()
    const stranger = { ...ADMIN, kind: 'key', scopes: [] } as const
    expect((await send(access, stranger, undefined, sent)).body).toMatchObject({ type: 'forbidden' })
  })

  it('responds with the JSON of a value, its status and headers, or with 204', async () => {
    expect(await send(access, ADMIN, ok(5))).toMatchObject({ status: 200, body: 5 })
    const made = await send(access, ADMIN, { ok: true, value: 5, status: 201, headers: { location: '/5' } })
    expect(made).toMatchObject({ status: 201, body: 5 })
    expect(made.headers.get('location')).toBe('/5')
    expect(await send(access, ADMIN, ok(undefined))).toMatchObject({ status: 204, body: undefined })
  })

  it('responds to a failure by `respond`', async () => {
    expect((await send(access, ADMIN, NOT_FOUND)).body).toEqual(NOT_FOUND.failure)
  })

  it('shows `forOperator` to administrators only', async () => {
    const failing = fail({ type: 'unavailable', message: 'Cannot keep it', forOperator: 'Add a bucket' })
    expect((await send(access, ADMIN, failing)).body).toEqual({ type: 'unavailable', message: 'Add a bucket' })
    const agent = { ...ADMIN, kind: 'key', scopes: ['tools:call'] } as const
    expect((await send(access, agent, failing)).body).toEqual({ type: 'unavailable', message: 'Cannot keep it' })
  })
})

describe('a private route', () => {
  it('rejects anonymous callers even if they have its scope', async () => {
    const { body, handle } = await send('private', ANONYMOUS)
    expect(body).toEqual({ type: 'unauthenticated', reason: 'This needs a credential' })
    expect(handle).not.toHaveBeenCalled()
    expect((await send('public', ANONYMOUS)).body).toBe(1)
  })

  it('responds with `no-store`', async () => {
    expect((await send('private', ADMIN)).cached).toBe('no-store')
    expect((await send('private', ADMIN, NOT_FOUND)).cached).toBe('no-store')
    expect((await send('public', ADMIN)).cached).toBe('private')
  })
})

describe('If-Match', () => {
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
  ])('the header %j is read as %j', (value, expected) => {
    expect(sent(value)).toEqual(expected)
  })

  it('is passed, with a fetch capability, to routes that declare `supportsIfMatch`', async () => {
    const preconditions: unknown[] = []
    const { router, on } = createRouter<{ 'POST /a': undefined; 'POST /b': undefined }>(
      { authorize: authorizerFor(), respond },
      { access: 'public' },
    )
    for (const [route, ifMatchOption] of [
      ['POST /a', { supportsIfMatch: true }],
      ['POST /b', {}],
    ] as const) {
      on(route, 'A', { ...NO_INPUT, scope: 'admin', ...ifMatchOption })(async ({ precondition, fetchCapability }) => {
        preconditions.push([precondition || undefined, fetchCapability])
        return ok(undefined)
      })
    }
    for (const path of ['/a', '/b']) {
      const headers = { 'if-match': '"r"' }
      expect((await router.request(`https://sb.example${path}`, { method: 'POST', headers })).status).toBe(204)
    }
    expect(preconditions).toEqual([
      [['r'], new FetchCapability(ADMIN.id)],
      [undefined, new FetchCapability(ADMIN.id)],
    ])
    expect(etag({ a: 1 })).toEqual({ etag: expect.stringMatching(/^"[^"]+"$/) })
  })

  it('gives anonymous callers no fetch capability', async () => {
    const { handle } = await send('public', ANONYMOUS)
    expect(handle).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ fetchCapability: undefined }))
  })
})

it('writes an audit event with the outcome of each request that has an audit action', async () => {
  const audit: AuditEvent[] = []
  const { router, on } = createRouter<{ 'POST /a/:how': number }>({
    authorize: authorizerFor(),
    respond,
    writeAuditEntry: (entry) => void audit.push(entry),
  })
  on('POST /a/:how', 'A', { ...NO_INPUT, scope: 'admin', auditAction: 'tool.change' })(
    async ({ path, addAuditDetails }) => {
      addAuditDetails({ how: path.how })
      addAuditDetails({ more: 1 })
      return path.how === 'fail' ? NOT_FOUND : path.how === 'raw' ? new Response(null, { status: 202 }) : ok(1)
    },
  )
  for (const how of ['fail', 'raw', 'ok']) await router.request(`https://sb.example/a/${how}`, { method: 'POST' })
  expect(audit.map(({ act, outcome, status, about }) => [act, outcome, status, about])).toEqual([
    ['tool.change', 'not-found', 400, { how: 'fail', more: 1 }],
    ['tool.change', 'success', 202, { how: 'raw', more: 1 }],
    ['tool.change', 'success', 200, { how: 'ok', more: 1 }],
  ])
})
