import { describe, expect, it, vi } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import { type Failure, fail, ok } from '../../../src/core/failure/failure.ts'
import { CALL_LIMIT, receiveCall } from '../../../src/http/route/incoming-call.ts'
import { gateFor } from '../gate-for.ts'

const FORBIDDEN = { type: 'forbidden', reason: 'no' } as const
const MALFORMED = fail({ type: 'request-malformed', message: 'Wrong version' })

function context(headers: Record<string, string> = {}, body: BodyInit = '{"a":1}') {
  const all = { 'content-type': 'application/json', ...headers }
  const raw = new Request('https://sb.example/tools/call?x=1', { method: 'POST', body, headers: all })
  const waitUntil = vi.fn()
  return { req: { raw }, executionCtx: { waitUntil } }
}

const receive = (c: ReturnType<typeof context>, caller: Principal | Failure = ADMIN) =>
  receiveCall(c, gateFor(caller), 'oxp')

describe('a call that comes in', () => {
  it('is of whoever was let in, with its body', async () => {
    const c = context()
    const incoming = await receive(c)
    if (!incoming.ok) throw new Error('Not let in')
    const { caller, body } = incoming.value
    expect(body).toEqual({ a: 1 })
    expect(caller.principal).toEqual(ADMIN)
    expect(caller.dialect).toBe('oxp')
    expect(caller.reachedAt()).toBe('https://sb.example/tools/call?x=1')
    expect(caller.signal()).toBe(c.req.raw.signal)
    const work = Promise.resolve()
    caller.background(work)
    expect(c.executionCtx.waitUntil).toHaveBeenCalledExactlyOnceWith(work)
  })

  it('needs the scope to call', async () => {
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
  it('is refused to who is not let in before anything is looked at, its body above all', async () => {
    const c = context({ 'content-type': 'text/plain' })
    const check = vi.fn()
    expect(await receiveCall(c, gateFor(FORBIDDEN), 'oxp', check)).toEqual(fail(FORBIDDEN))
    expect(check).not.toHaveBeenCalled()
    expect(c.req.raw.bodyUsed).toBe(false)
  })

  it('is refused for what its dialect checks before its body is read', async () => {
    const c = context({ 'content-type': 'text/plain' })
    expect(await receiveCall(c, gateFor(ADMIN), 'oxp', () => MALFORMED)).toEqual(MALFORMED)
    expect(c.req.raw.bodyUsed).toBe(false)
  })

  it('is refused for its body', async () => {
    expect(await receive(context({ 'content-type': 'text/plain' }))).toMatchObject({
      failure: { type: 'media-type-unsupported' },
    })
    expect(await receive(context({}, '{'))).toMatchObject({ failure: { type: 'request-malformed' } })
    const [most, more] = [CALL_LIMIT - 2, CALL_LIMIT - 1].map((length) => `"${'x'.repeat(length)}"`)
    expect(await receive(context({}, most))).toEqual(ok(expect.objectContaining({ body: 'x'.repeat(CALL_LIMIT - 2) })))
    expect(await receive(context({}, more))).toEqual(fail({ type: 'body-too-large', limit: CALL_LIMIT }))
  })
})
