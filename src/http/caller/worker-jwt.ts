import type { Principal } from '../../core/access/principal.ts'
import { fail, ok } from '../../core/failure/failure.ts'
import type { JwtPlatform, JwtVerifier } from './jwt.ts'
import { signedClaims } from './signed-claims.ts'

/** Fewer than the 32 that RFC 7518 section 3.2 asks for: engines in use share shorter ones. */
export const MIN_WORKER_SECRET = 16
const AUDIENCE = 'worker'

/** The engine that shares `WORKER_SECRET`: it speaks for all of its users, and says in each call for which. */
export const WORKER: Principal = {
  id: 'worker',
  kind: 'admin',
  scopes: ['tools:read', 'tools:call'],
  tools: ['*'],
  users: 'any',
}

/**
 * Makes what verifies the JWTs by which an engine calls its worker (Open Tool Calling RFC as Arcade's engine lives it):
 * HS256 with the shared secret, `aud` "worker", `exp` required; `sub`, when there is one, is nobody in particular. Fails
 * with `unauthenticated`, never with a word of the token, unless there is another verifier to judge what this one refuses.
 * Throws a TypeError for a secret that is too short.
 */
export function createWorkerVerifier(
  secret: string,
  { now = Date.now, otherwise }: Pick<JwtPlatform, 'now'> & { readonly otherwise?: JwtVerifier | undefined } = {},
): JwtVerifier {
  const key = new TextEncoder().encode(secret)
  if (key.byteLength < MIN_WORKER_SECRET) {
    throw new TypeError(
      `Cannot use the worker secret: wanted at least ${MIN_WORKER_SECRET} bytes, got ${key.byteLength}`,
    )
  }
  return {
    async verify(token) {
      const wanted = { algorithms: ['HS256'], audience: AUDIENCE, currentDate: new Date(now()) }
      const signed = await signedClaims(token, () => key, wanted)
      if (typeof signed !== 'string') return ok({ principal: WORKER, expiresAt: signed.expiresAt })
      if (otherwise) return otherwise.verify(token)
      return fail({ type: 'unauthenticated', reason: `Cannot accept the worker's JWT: ${signed}` })
    },
  }
}
