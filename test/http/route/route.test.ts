import { describe, expect, it, vi } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal } from '../../../src/core/access/principal.ts'
import { type Failing, type Failure, fail } from '../../../src/core/failure/failure.ts'
import { optional, string } from '../../../src/core/tool/json-reader.ts'
import { query } from '../../../src/http/request/query.ts'
import { createPrivateRoute, createRoute } from '../../../src/http/route/route.ts'
import { gateFor } from '../gate-for.ts'

const NOT_FOUND = fail({ type: 'not-found', message: 'Gone' })
const PAGED = query({ limit: optional(string()) })
const respond = (failure: Failure) =>
  Response.json(failure, { status: 400, headers: { 'cache-control': 'private, no-cache' } })

async function send(
  make: typeof createRoute,
  caller: Principal | Failure,
  answer: Response | Failing = Response.json(1, { headers: { 'cache-control': 'private' } }),
  url = 'https://sb.example/keys',
) {
  const handle = vi.fn(async () => answer)
  const raw = new Request(url)
  const c = { req: { raw }, executionCtx: { waitUntil: () => undefined } }
  const response = await make({ gate: gateFor(caller), respond })({ scope: 'tools:call', query: PAGED }, handle)(c)
  return { body: await response.json(), cached: response.headers.get('cache-control'), handle, c }
}

describe.each([
  ['a route', createRoute],
  ['a private route', createPrivateRoute],
])('%s', (_, make) => {
  it('hands over who was let in', async () => {
    const { body, handle, c } = await send(make, ADMIN)
    expect(body).toBe(1)
    expect(handle).toHaveBeenCalledExactlyOnceWith(c, ADMIN, expect.any(Function), { limit: undefined })
  })

  it('is closed to who lacks the scope', async () => {
    const { body, handle } = await send(make, { ...ADMIN, kind: 'key', scopes: ['tools:read'] })
    expect(body).toMatchObject({ type: 'forbidden' })
    expect(handle).not.toHaveBeenCalled()
  })

  it('hands over what the query says, and refuses what is not declared, to who is let in', async () => {
    const page = 'https://sb.example/keys?limit=2'
    const { handle } = await send(make, ADMIN, undefined, page)
    expect(handle.mock.calls).toMatchObject([[{}, ADMIN, expect.any(Function), { limit: '2' }]])
    const wrong = await send(make, ADMIN, undefined, `${page}&limt=3`)
    expect(wrong.body).toMatchObject({ type: 'request-malformed', message: expect.stringContaining("'limt'") })
    expect(wrong.handle).not.toHaveBeenCalled()
    const stranger = { ...ADMIN, kind: 'key', scopes: [] } as const
    expect((await send(make, stranger, undefined, `${page}&limt=3`)).body).toMatchObject({ type: 'forbidden' })
  })

  it('puts a failure into words', async () => {
    expect((await send(make, ADMIN, NOT_FOUND)).body).toEqual(NOT_FOUND.failure)
  })

  it('tells what only the operator can put right to administrators alone', async () => {
    const failing = fail({ type: 'unavailable', message: 'Cannot keep it', forOperator: 'Add a bucket' })
    expect((await send(make, ADMIN, failing)).body).toEqual({ type: 'unavailable', message: 'Add a bucket' })
    const agent = { ...ADMIN, kind: 'key', scopes: ['tools:call'] } as const
    expect((await send(make, agent, failing)).body).toEqual({ type: 'unavailable', message: 'Cannot keep it' })
  })
})

describe('a private route', () => {
  it('is closed to the anonymous, though they have the scope', async () => {
    const { body, handle } = await send(createPrivateRoute, ANONYMOUS)
    expect(body).toEqual({ type: 'unauthenticated', reason: 'This needs a credential' })
    expect(handle).not.toHaveBeenCalled()
    expect((await send(createRoute, ANONYMOUS)).body).toBe(1)
  })

  it('has no cache keep what it answers', async () => {
    expect((await send(createPrivateRoute, ADMIN)).cached).toBe('no-store')
    expect((await send(createPrivateRoute, ADMIN, NOT_FOUND)).cached).toBe('no-store')
    expect((await send(createRoute, ADMIN)).cached).toBe('private')
  })
})
