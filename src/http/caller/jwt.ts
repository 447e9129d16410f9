import {
  createRemoteJWKSet,
  customFetch,
  decodeProtectedHeader,
  errors,
  type JWTPayload,
  type JWTVerifyGetKey,
} from 'jose'
import type { Principal } from '../../core/access/principal.ts'
import { type Failing, fail, ok, type Result } from '../../core/failure/failure.ts'
import { cannotRead, quoted } from '../../core/tool/problem.ts'
import { type PeopleRules, principalOfClaims } from './jwt-claims.ts'
import { isTrustworthy } from './loopback.ts'
import { KeysUnavailable, type SignedClaims, signedClaims } from './signed-claims.ts'

export interface JwtOptions {
  /** Shared by whoever signs with HS256; at least 32 bytes, as RFC 7518 section 3.2 wants. */
  readonly secret?: string | undefined
  /** Where the public keys are; https, or http on a loopback host. */
  readonly jwksUrl?: string | undefined
  /** Whose tokens are accepted, by their `iss`; absent: whoever signs. */
  readonly issuers?: readonly string[] | undefined
  readonly audience?: string | undefined
  /** Of tokens that the JWKS signs: who people are, and what they may do. */
  readonly people?: PeopleRules | undefined
  /** Whether others are accepted elsewhere, so that each has users of its own; absent: as `issuers` and `people` say. */
  readonly isOneOfSeveral?: boolean | undefined
}

export interface VerifiedJwt {
  readonly principal: Principal
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

export interface JwtVerifier {
  /** Who a token speaks for, or `unauthenticated`; `unavailable` when the keys to check it cannot be had right now. */
  verify(token: string): Promise<Result<VerifiedJwt>>
}

export interface JwtPlatform {
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export const MIN_JWT_SECRET = 32
/** RFC 8725 section 3.1: each kind of key has its own algorithms, whatever the token's header says. */
const SECRET_ALGORITHMS = ['HS256']
const JWKS_ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'Ed25519']
const JWKS_TIMEOUT_MS = 4_000
/** How long a server of keys that failed is left alone, so that a flood of tokens is no flood of requests to it. */
const JWKS_REST_MS = 2_000

/**
 * Makes what verifies JWTs, with a shared secret (HS256), a JWKS (RS256, ES256, EdDSA) or both. `exp` is required,
 * `nbf` honoured, `iss` and `aud` checked where configured; a token that has an `aud` where none is configured is
 * refused (OXP 1.0, "Server authentication"). Where several issuers are accepted, or one key is shared and others are
 * public and no issuer is named, each has users of its own: their ids are `<issuer>|<sub>`; the provider that people sign
 * in with is one of them. A token of a person whom no rule is for is `forbidden`. Throws a TypeError for options that cannot hold.
 */
export function createJwtVerifier(options: JwtOptions, platform: JwtPlatform = {}): JwtVerifier {
  const now = platform.now ?? Date.now
  const secret = options.secret === undefined ? undefined : secretKey(options.secret)
  const jwks = options.jwksUrl === undefined ? undefined : jwksKeys(options.jwksUrl, platform, now)
  if (!secret && !jwks) throw new TypeError('Cannot verify JWTs: wanted a secret or a JWKS URL, got neither')

  const { issuers, audience, people } = options
  const hasSeveralIssuers =
    options.isOneOfSeveral ??
    new Set([...(issuers ?? []), ...(people?.issuer === undefined ? [] : [people.issuer])]).size > 1
  const wantedClaims = { ...(issuers && { issuer: [...issuers] }), ...(audience !== undefined && { audience }) }
  /** Whose a token's `sub` is, where there are several who could say the same one of different people. */
  function issuerOf(claims: JWTPayload, usesSecret: boolean): string | undefined {
    if (issuers) return hasSeveralIssuers ? claims.iss : undefined
    return secret && jwks ? (usesSecret ? 'secret' : 'jwks') : undefined
  }

  return {
    async verify(token) {
      const alg = algorithmOf(token)
      const usesSecret = alg === 'HS256'
      const algorithms = usesSecret ? SECRET_ALGORITHMS : JWKS_ALGORITHMS
      const key = usesSecret ? secret && (() => secret) : jwks
      if (!key || alg === undefined || !algorithms.includes(alg)) {
        const wanted = [...(secret ? SECRET_ALGORITHMS : []), ...(jwks ? JWKS_ALGORITHMS : [])]
        return refuse(`wanted a JWS with an 'alg' of ${quoted(wanted)}`)
      }
      let signed: SignedClaims | string
      try {
        signed = await signedClaims(token, key, { ...wantedClaims, algorithms, currentDate: new Date(now()) })
      } catch (error) {
        if (!(error instanceof KeysUnavailable)) throw error
        return fail({ type: 'unavailable', message: 'Cannot check the JWT right now: its JWKS cannot be read' })
      }
      if (typeof signed === 'string') return refuse(signed)
      const { claims, expiresAt } = signed
      if (audience === undefined && claims.aud !== undefined) {
        return refuse("it has an 'aud' claim, and this deployment names no audience")
      }
      const principal = principalOfClaims(claims, issuerOf(claims, usesSecret), usesSecret ? undefined : people)
      if (principal.ok) return ok({ principal: principal.value, expiresAt })
      if ('problems' in principal) return refuse(cannotRead('its claims', principal.problems))
      if ('lacks' in principal) {
        return refuse(`it ${principal.lacks}: an administrator can name another claim in SIGN_IN_USER`)
      }
      return fail({ type: 'forbidden', reason: `No rule of SIGN_IN_RULES is for '${principal.unruled}'` })
    },
  }
}

function refuse(reason: string): Failing {
  return fail({ type: 'unauthenticated', reason: `Cannot accept the JWT: ${reason}` })
}

function algorithmOf(token: string): string | undefined {
  try {
    return decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}

function secretKey(secret: string): Uint8Array {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.byteLength >= MIN_JWT_SECRET) return bytes
  throw new TypeError(`Cannot use the JWT secret: wanted at least ${MIN_JWT_SECRET} bytes, got ${bytes.byteLength}`)
}

/**
 * The keys of a JWKS. Whatever the token's header says of places (`jku`, `x5u`) or keys (`jwk`, `x5c`), jose does not
 * look at. On Workers it shares no fetch between requests.
 */
function jwksKeys(href: string, platform: JwtPlatform, now: () => number): JWTVerifyGetKey {
  const url = URL.parse(href)
  if (!url || !isTrustworthy(url)) {
    throw new TypeError(`Cannot use the JWKS URL: wanted https, or http on a loopback host, got '${href}'`)
  }
  const get = platform.fetch ?? ((address: string, init: RequestInit) => fetch(address, init))
  let restingUntil = 0
  const keys = createRemoteJWKSet(url, {
    timeoutDuration: JWKS_TIMEOUT_MS,
    async [customFetch](address, init) {
      if (now() < restingUntil) throw new KeysUnavailable()
      const response = await get(address, init).catch(() => undefined)
      if (response?.status === 200) return response
      restingUntil = now() + JWKS_REST_MS
      throw new KeysUnavailable()
    },
  })
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      // Only these are the token's own fault; the rest is a JWKS that is slow, down or broken
      if (error instanceof errors.JWKSNoMatchingKey) throw error
      if (error instanceof errors.JWKSMultipleMatchingKeys) throw error
      throw new KeysUnavailable(undefined, { cause: error })
    }
  }
}
