import { errors, jwtVerify } from 'jose'
import type { Principal } from '../core/access/principal.ts'
import { type Failing, fail, ok } from '../core/call/failure.ts'
import type { JwtPlatform, JwtVerifier } from './jwt.ts'

/** Fewer than the 32 that RFC 7518 section 3.2 asks for: engines in use share shorter ones. */
export const MIN_WORKER_SECRET = 16
const AUDIENCE = 'worker'
const CLOCK_TOLERANCE_S = 5

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
 * with `unauthenticated`, never with a word of the token. Throws a TypeError for a secret that is too short.
 */
export function createWorkerVerifier(secret: string, platform: Pick<JwtPlatform, 'now'> = {}): JwtVerifier {
  const key = new TextEncoder().encode(secret)
  if (key.byteLength < MIN_WORKER_SECRET) {
    throw new TypeError(
      `Cannot use the worker secret: wanted at least ${MIN_WORKER_SECRET} bytes, got ${key.byteLength}`,
    )
  }
  const now = platform.now ?? Date.now
  return {
    async verify(token) {
      try {
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['HS256'],
          audience: AUDIENCE,
          requiredClaims: ['exp'],
          clockTolerance: CLOCK_TOLERANCE_S,
          currentDate: new Date(now()),
        })
        // `exp` is there: it is a required claim, and jose has checked that it is a number
        return ok({ principal: WORKER, expiresAt: (payload.exp ?? 0) * 1_000 })
      } catch (error) {
        return refuse(whyNot(error))
      }
    },
  }
}

function refuse(reason: string): Failing {
  return fail({ type: 'unauthenticated', reason: `Cannot accept the worker's JWT: ${reason}` })
}

function whyNot(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'it has expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `its '${error.claim}' claim is ${error.reason === 'missing' ? 'missing' : 'not accepted'}`
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not verify'
  if (error instanceof errors.JOSEAlgNotAllowed) return "wanted an 'alg' of 'HS256'"
  return 'it is malformed'
}
