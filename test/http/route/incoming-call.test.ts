import { describe, expect, it, vi } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { type Failure, fail, ok, type Result } from '../../../src/core/failure/failure.ts'
import { NO_CONTEXT } from '../../../src/core/call/requirements.ts'
import { anyObject, optional, string } from '../../../src/core/tool/json-reader.ts'
import { defineQuery } from '../../../src/http/request/query.ts'
import {
  MAX_CALL_BYTES,
  readIdempotencyKey,
  createCallRoute,
  readCallContext,
  type CallRoute,
  type IncomingCall,
} from '../../../src/http/route/incoming-call.ts'
import { authorizerFor } from '../authorizer-for.ts'

const FORBIDDEN = { type: 'forbidden', reason: 'no' } as const
const MALFORMED = fail({ type: 'request-malformed', message: 'Wrong version' })

function context(headers: Record<string, string> = {}, body: BodyInit = '{"a":1}', search = '?x=1') {
  const all = { 'content-type': 'application/json', ...headers }
  const raw = new Request(`https://sb.example/tools/call${search}`, { method: 'POST', body, headers: all })
  const waitUntil = vi.fn()
  return { req: { raw }, executionCtx: { waitUntil } }
}

const NUMBERED = defineQuery({ x: optional(string({ max: 1 })) })
const REFUSED = { 'x-refused': 'yes' }

/** Returns the arguments of a route's handler, or the failure with which the request is refused. */
async function receive(
  c: ReturnType<typeof context>,
  caller: Principal | Failure = ADMIN,
  checkHeaders?: CallRoute<unknown>['checkHeaders'],
): Promise<Result<IncomingCall>> {
  let received: Result<IncomingCall> | undefined
  const handle = async (call: IncomingCall) => {
    received = ok(call)
    return new Response()
  }
  const respond = (failure: Failure, request: Request) => {
    expect(request).toBe(c.req.raw)
    received = fail(failure)
    return new Response(null, { headers: REFUSED })
  }
  const route = {
    dialect: 'oxp',
    summary: 'Call',
    query: NUMBERED,
    reader: anyObject,
    response: { description: 'It' },
    respond,
  }
  const response = await createCallRoute(
    authorizerFor(caller),
    { ...route, ...(checkHeaders ? { checkHeaders } : {}) },
    handle,
  )(c)
  if (!received) throw new Error('Neither handled nor refused')
  expect(response.headers.has('x-refused')).toBe(!received.ok)
  return received
}

describe('an incoming call', () => {
  it('has the authorized principal, the query and the body', async () => {
    const c = context()
    const incoming = await receive(c)
    if (!incoming.ok) throw new Error('Not let in')
    const { request, caller, query, body } = incoming.value
    expect([request, query, body]).toEqual([c.req.raw, { x: '1' }, { a: 1 }])
    expect(caller.principal).toEqual(ADMIN)
    expect(caller.dialect).toBe('oxp')
    expect(caller.requestUrl()).toBe('https://sb.example/tools/call?x=1')
    expect(caller.signal()).toBe(c.req.raw.signal)
    const work = Promise.resolve()
    caller.background(work)
    expect(c.executionCtx.waitUntil).toHaveBeenCalledExactlyOnceWith(work)
  })

  it('needs the scope tools:call', async () => {
    const reader: Principal = { id: 'k', kind: 'key', scopes: ['tools:read', 'tools:publish'], tools: ['*'], users: [] }
    expect(await receive(context(), reader)).toMatchObject({ failure: { type: 'forbidden' } })
  })

  it.each([
    [`00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`, true],
    [`00-${'A'.repeat(32)}-${'b'.repeat(16)}-01`, false],
    ['', false],
  ])('has the traceparent %j: %s', async (traceparent, has) => {
    const incoming = await receive(context({ traceparent }))
    expect(incoming).toMatchObject({ ok: true })
    expect(incoming.ok && incoming.value.caller.traceparent).toBe(has ? traceparent : undefined)
  })
})

describe('a call that is refused', () => {
  it('rejects an unauthorized caller before it reads query and body', async () => {
    const c = context({ 'content-type': 'text/plain' })
    const check = vi.fn()
    expect(await receive(c, FORBIDDEN, check)).toEqual(fail(FORBIDDEN))
    expect(check).not.toHaveBeenCalled()
    expect(c.req.raw.bodyUsed).toBe(false)
  })

  it('rejects wrong headers before it reads the body', async () => {
    const c = context({ 'content-type': 'text/plain' })
    expect(await receive(c, ADMIN, () => MALFORMED)).toEqual(MALFORMED)
    expect(c.req.raw.bodyUsed).toBe(false)
  })

  it('rejects a wrong query of an authorized caller before it reads the body', async () => {
    const c = context({ 'content-type': 'text/plain' }, '', '?x=12')
    expect(await receive(c)).toMatchObject({ failure: { type: 'request-malformed' } })
    expect(c.req.raw.bodyUsed).toBe(false)
    expect(await receive(c, FORBIDDEN)).toEqual(fail(FORBIDDEN))
    expect(await receive(c, ADMIN, () => MALFORMED)).toEqual(MALFORMED)
  })

  it('rejects a wrong body', async () => {
    expect(await receive(context({ 'content-type': 'text/plain' }))).toMatchObject({
      failure: { type: 'media-type-unsupported' },
    })
    expect(await receive(context({}, '{'))).toMatchObject({ failure: { type: 'request-malformed' } })
    const [most, more] = [MAX_CALL_BYTES - 2, MAX_CALL_BYTES - 1].map((length) => `"${'x'.repeat(length)}"`)
    expect(await receive(context({}, most))).toEqual(
      ok(expect.objectContaining({ body: 'x'.repeat(MAX_CALL_BYTES - 2) })),
    )
    expect(await receive(context({}, more))).toEqual(fail({ type: 'body-too-large', limit: MAX_CALL_BYTES }))
  })
})

describe('the headers of a call', () => {
  const sent = (headers: Record<string, string>) => new Request('https://sb.example/', { headers })
  const wrong = (name: string) =>
    fail({ type: 'request-malformed', message: `The header '${name}' must be of 1 to 256 characters` })

  it.each<[string | undefined, unknown]>([
    [undefined, ok(NO_CONTEXT)],
    ['ann', ok({ ...NO_CONTEXT, userId: 'ann' })],
    ['x'.repeat(256), ok({ ...NO_CONTEXT, userId: 'x'.repeat(256) })],
    ['x'.repeat(257), wrong('X-User-Id')],
    ['', wrong('X-User-Id')],
  ])('name the user %j', (id, context) => {
    expect(readCallContext(sent(id === undefined ? {} : { 'x-user-id': id }))).toEqual(context)
  })

  it.each<[string | undefined, unknown]>([
    [undefined, ok({})],
    ['c1', ok({ callId: 'c1' })],
    ['', wrong('Idempotency-Key')],
  ])('name the call %j', (id, callId) => {
    expect(readIdempotencyKey(sent(id === undefined ? {} : { 'idempotency-key': id }))).toEqual(callId)
  })
})
