import { afterEach, describe, expect, it, vi } from 'vitest'
import { ADMIN, ANONYMOUS, type Principal, type Scope } from '../../../src/core/access/principal.ts'
import { type FailureResult, fail, ok, type Result } from '../../../src/core/failure/failure.ts'
import type { Authenticator } from '../../../src/http/caller/authenticate.ts'
import { createAuthorizer, createStrangerLimit } from '../../../src/http/route/authorizer.ts'

afterEach(() => vi.restoreAllMocks())

const REFUSED = fail({ type: 'rate-limited', retry_after_ms: 1_000 })
const STRANGER = fail({ type: 'unauthenticated', reason: 'who?' })
const KEY: Principal = { id: 'key:a', kind: 'key', scopes: ['tools:call'], tools: ['*'], users: [] }
const background = () => undefined
const from = (address?: string) => ({
  req: {
    raw: new Request('https://sb.example/oauth/callback', {
      headers: address === undefined ? {} : { 'cf-connecting-ip': address },
    }),
  },
  executionCtx: { waitUntil: background },
})

/** A gate for one caller, and whose rates were used up: `used` are the keys that are refused, `counted` those asked for. */
function setUp(caller: Result<Principal>, used: readonly string[] = []) {
  const counted: string[] = []
  const rateLimit = (key: string): FailureResult | undefined => {
    counted.push(key)
    return used.includes(key) ? REFUSED : undefined
  }
  const gate = createAuthorizer({ authenticate: async () => caller }, rateLimit, () => undefined)
  const enter = (address?: string, scope: Scope | undefined = 'tools:call') => gate(from(address), scope)
  return { enter, counted }
}

describe('an authorizer', () => {
  it('accepts a principal with the scope, and names the scope that another lacks', async () => {
    expect(await setUp(ok(KEY)).enter()).toEqual(ok(KEY))
    expect(await setUp(ok(KEY)).enter('192.0.2.1', 'admin')).toEqual(
      fail({ type: 'forbidden', reason: "This needs the scope 'admin'" }),
    )
    expect(await setUp(ok(ANONYMOUS)).enter('192.0.2.1', 'admin')).toEqual(
      fail({ type: 'unauthenticated', reason: 'This needs a credential' }),
    )
  })

  it('accepts a principal with one of several scopes, and calls onDenied only for others', async () => {
    const refused = vi.fn()
    const enter = (scopes: readonly Scope[]) =>
      createAuthorizer({ authenticate: async () => ok({ ...KEY, scopes }) }, background, background, {
        onDenied: refused,
      })(from(), ['tools:call', 'tools:read'])
    for (const scope of ['tools:call', 'tools:read'] as const) expect(await enter([scope])).toMatchObject({ ok: true })
    expect(refused).not.toHaveBeenCalled()
    const reason = "This needs the scope 'tools:call' or 'tools:read'"
    expect(await enter(['tools:publish'])).toEqual(fail({ type: 'forbidden', reason }))
    expect(refused).toHaveBeenCalledOnce()
  })

  it('accepts every principal if the route has no scope', async () => {
    const none = createAuthorizer({ authenticate: async () => ok({ ...KEY, scopes: [] }) }, background, background)
    expect(await none(from(), undefined)).toMatchObject({ ok: true })
    expect(await setUp(STRANGER).enter(undefined, undefined)).toEqual(STRANGER)
  })

  it('limits a principal by one rate, from any address', async () => {
    const { enter } = setUp(ok(KEY), ['key:a'])
    expect(await enter('192.0.2.1')).toEqual(REFUSED)
    expect(await enter('192.0.2.2')).toEqual(REFUSED)
  })

  it('limits wrong credentials by one rate for each address', async () => {
    const { enter, counted } = setUp(STRANGER, ['stranger 192.0.2.1'])
    expect(await enter('192.0.2.1')).toEqual(REFUSED)
    expect(await enter('192.0.2.2')).toEqual(STRANGER)
    expect(counted).toEqual(['stranger 192.0.2.1', 'stranger 192.0.2.2'])
  })

  it('looks up no credential for an address whose rate is used up, and counts each request once', async () => {
    for (const used of [true, false]) {
      const counted: string[] = []
      const rateLimit = (key: string) => {
        counted.push(key)
        return used ? REFUSED : undefined
      }
      let lookedUp = 0
      const authenticate: Authenticator['authenticate'] = async (_, mayLookUp) => {
        const refusal = mayLookUp?.()
        if (refusal) return refusal
        lookedUp += 1
        return STRANGER
      }
      const gate = createAuthorizer({ authenticate }, rateLimit, () => undefined)
      expect(await gate(from('192.0.2.1'), 'admin')).toEqual(used ? REFUSED : STRANGER)
      expect([lookedUp, counted]).toEqual([used ? 0 : 1, ['stranger 192.0.2.1']])
    }
  })

  it('limits anonymous callers by one rate for each address', async () => {
    const { enter } = setUp(ok(ANONYMOUS), ['anonymous 192.0.2.1'])
    expect(await enter('192.0.2.1')).toEqual(REFUSED)
    expect(await enter('192.0.2.2')).toEqual(ok(ANONYMOUS))
  })

  it('limits neither administrators nor requests without the address of the edge', async () => {
    const admin = setUp(ok(ADMIN), ['admin'])
    expect(await admin.enter('192.0.2.1')).toEqual(ok(ADMIN))
    for (const caller of [ok(KEY), ok(ANONYMOUS), STRANGER]) {
      const { enter, counted } = setUp(caller)
      expect(await enter()).toEqual(caller)
      expect(counted).toEqual([])
    }
    expect(admin.counted).toEqual([])
  })

  it('waits for what every request needs, and is unavailable if that fails', async () => {
    vi.spyOn(console, 'error').mockReturnValue()
    let ready = () => {}
    const preparing = new Promise<void>((resolve) => (ready = resolve))
    const entering = createAuthorizer({ authenticate: async () => ok(KEY) }, background, () => preparing)
    let opened = false
    const entered = Promise.resolve(entering(from(), 'tools:call')).finally(() => (opened = true))
    await new Promise((resolve) => setImmediate(resolve))
    expect(opened).toBe(false)
    ready()
    expect(await entered).toEqual(ok(KEY))
    const away = createAuthorizer({ authenticate: async () => ok(KEY) }, background, () =>
      Promise.reject(new Error('away')),
    )
    expect(await away(from(), 'tools:call')).toEqual(
      fail({ type: 'unavailable', message: 'Switchboard cannot reach its registry right now' }),
    )
  })
})

describe('the limit of pages without a credential', () => {
  it('limits each address', () => {
    const rateLimit = vi.fn((key: string) => (key.endsWith(' 192.0.2.1') ? REFUSED : undefined))
    const limitAnonymous = createStrangerLimit(rateLimit)
    expect(limitAnonymous(from('192.0.2.1'))).toBe(REFUSED)
    expect(limitAnonymous(from('192.0.2.2'))).toBeUndefined()
  })

  it('limits nobody without the address of the edge', () => {
    const rateLimit = vi.fn(() => REFUSED)
    expect(createStrangerLimit(rateLimit)(from())).toBeUndefined()
    expect(rateLimit).not.toHaveBeenCalled()
  })
})
