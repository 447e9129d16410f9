import { SignJWT, UnsecuredJWT } from 'jose'
import { describe, expect, it } from 'vitest'
import { createWorkerVerifier, type JwtVerifier, type VerifiedJwt } from '../../../src/http/caller/jwt.ts'

const SECRET = 'a worker secret of at least 32 bytes'
const NOW_S = 1_800_000_000
const key = (text: string) => new TextEncoder().encode(text)
const sign = (claims: Record<string, unknown> = {}, alg = 'HS256', secret = SECRET) =>
  new SignJWT({ aud: 'worker', ver: '1', exp: NOW_S + 60, ...claims }).setProtectedHeader({ alg }).sign(key(secret))

async function outcome(token: string, now = NOW_S) {
  const result = await createWorkerVerifier(SECRET, { now: () => now * 1_000 }).verify(token)
  if (result.ok) return result.value
  return result.failure.type === 'unauthenticated'
    ? result.failure.reason.replace("Cannot accept the worker's JWT: ", '')
    : result.failure
}

const WORKER: VerifiedJwt = {
  principal: { id: 'worker', kind: 'admin', scopes: ['tools:read', 'tools:call'], tools: ['*'], users: 'any' },
  expiresAt: (NOW_S + 60) * 1_000,
}

describe("an engine's JWT", () => {
  it('authenticates as the worker, with or without a subject', async () => {
    expect(await outcome(await sign())).toEqual(WORKER)
    expect(await outcome(await sign({ sub: 'ann', scope: 'admin' }))).toEqual(WORKER)
    expect(await outcome(await sign({ aud: ['x', 'worker'] }))).toEqual(WORKER)
    expect(await outcome(await sign({ ver: undefined }))).toEqual(WORKER)
    expect(await outcome(await sign({ ver: '2' }))).toBe("its 'ver' claim must be '1'")
  })

  it('must be for the worker, and expire', async () => {
    expect(await outcome(await sign({ aud: undefined }))).toBe("its 'aud' claim is missing")
    expect(await outcome(await sign({ aud: 'switchboard' }))).toBe("its 'aud' claim is not accepted")
    expect(await outcome(await sign({ exp: undefined }))).toBe("its 'exp' claim is missing")
    expect(await outcome(await sign(), NOW_S + 65)).toBe('it has expired')
    expect(await outcome(await sign(), NOW_S + 64)).toEqual(WORKER)
    expect(await outcome(await sign({ nbf: NOW_S + 30 }))).toBe("its 'nbf' claim is not accepted")
  })

  it('must be signed with HS256 and the secret', async () => {
    const other = 'another secret, and as long as a key of HS512 must be: 64 bytes. And more'
    expect(await outcome(await sign({}, 'HS256', other))).toBe('its signature does not verify')
    expect(await outcome(await sign({}, 'HS512', other))).toBe("wanted an 'alg' of 'HS256'")
    const unsigned = new UnsecuredJWT({ aud: 'worker', exp: NOW_S + 60 }).encode()
    expect(await outcome(unsigned)).toBe("wanted an 'alg' of 'HS256'")
    expect(await outcome('a.b.c')).toBe('it is malformed')
  })

  it('is passed to another verifier, if there is one, when this one refuses it', async () => {
    const judged: string[] = []
    const ann = { principal: { ...WORKER.principal, id: 'jwt:ann', kind: 'jwt' }, expiresAt: 1 } as const
    const otherwise: JwtVerifier = {
      verify(token) {
        judged.push(token)
        return Promise.resolve({ ok: true, value: ann })
      },
    }
    const { verify } = createWorkerVerifier(SECRET, { now: () => NOW_S * 1_000, fallback: otherwise })
    expect(await verify(await sign())).toEqual({ ok: true, value: WORKER })
    expect(judged).toEqual([])
    expect(await verify('a.b.c')).toEqual({ ok: true, value: ann })
    expect(judged).toEqual(['a.b.c'])
  })

  it('cannot use a secret that is too short', () => {
    expect(() => createWorkerVerifier('dev')).toThrow('Cannot use the worker secret: wanted at least 16 bytes, got 3')
  })
})
