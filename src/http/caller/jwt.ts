import * as jose from 'jose'
import type { Principal } from '../../core/access/principal.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import { formatReadError, quoteList } from '../../core/tool/problem.ts'
import { type SignInPolicy, toJwtPrincipal } from './jwt-claims.ts'
import { isSecureOrigin } from './loopback.ts'
import { MIN_JWT_SECRET, MIN_WORKER_SECRET } from './secret-lengths.ts'

export interface JwtOptions {
  readonly secret?: string | undefined
  readonly jwksUrl?: string | undefined
  readonly issuers?: readonly string[] | undefined
  readonly audience?: string | undefined
  readonly people?: SignInPolicy | undefined
  readonly qualifiesUserIds?: boolean | undefined
}

const NO_RULES: SignInPolicy = { claims: { user: undefined, groups: 'groups' } }

export interface VerifiedJwt {
  readonly principal: Principal
  readonly expiresAt: number
}

export interface JwtVerifier {
  /** `audience` overrides the one in the options. */
  verify(token: string, audience?: string): Promise<Result<VerifiedJwt>>
}

export interface JwtPlatform {
  readonly fetch?: (url: string, init: RequestInit) => Promise<Response>
  readonly now?: () => number
}

/** RFC 8725 section 3.1: each kind of key has its own algorithms, whatever the token's header says. */
const SECRET_ALGORITHMS = ['HS256']
const JWKS_ALGORITHMS = ['RS256', 'ES256', 'EdDSA', 'Ed25519']
const CLOCK_TOLERANCE_S = 5
const JWKS_TIMEOUT_MS = 4_000
/** How long a failed JWKS server gets no requests, so that many tokens do not cause many requests. */
const JWKS_COOLDOWN_MS = 2_000

/** Requires `exp`. Several issuers could use the same `sub`, so users are then `<issuer>|<sub>`. Throws a TypeError. */
export function createJwtVerifier(options: JwtOptions, platform: JwtPlatform = {}): JwtVerifier {
  const now = platform.now ?? Date.now
  const secret = options.secret === undefined ? undefined : encodeSecret(options.secret, MIN_JWT_SECRET, 'JWT secret')
  const jwks = options.jwksUrl === undefined ? undefined : createJwksKeys(options.jwksUrl, platform, now)
  if (!secret && !jwks) throw new TypeError('Cannot verify JWTs: wanted a secret or a JWKS URL, got neither')

  const { issuers, people = NO_RULES } = options
  const knownIssuers = new Set([...(issuers ?? []), ...(people?.issuer === undefined ? [] : [people.issuer])])
  const hasSeveralIssuers = options.qualifiesUserIds ?? knownIssuers.size > 1
  const wantedIssuer = issuers && { issuer: [...issuers] }
  function readIssuer(claims: jose.JWTPayload, usesSecret: boolean): string | undefined {
    if (issuers) return hasSeveralIssuers ? claims.iss : undefined
    return secret && jwks ? (usesSecret ? 'secret' : 'jwks') : undefined
  }

  return {
    async verify(token, audience = options.audience) {
      const wantedClaims = { ...wantedIssuer, ...(audience !== undefined && { audience }) }
      const alg = readAlgorithm(token)
      const usesSecret = alg === 'HS256'
      const algorithms = usesSecret ? SECRET_ALGORITHMS : JWKS_ALGORITHMS
      const key = usesSecret ? secret && (() => secret) : jwks
      if (!key || alg === undefined || !algorithms.includes(alg)) {
        const acceptedAlgorithms = [...(secret ? SECRET_ALGORITHMS : []), ...(jwks ? JWKS_ALGORITHMS : [])]
        return reject(`wanted a JWS with an 'alg' of ${quoteList(acceptedAlgorithms)}`)
      }
      let verification: Awaited<ReturnType<typeof verifyClaims>>
      try {
        verification = await verifyClaims(token, key, { ...wantedClaims, algorithms, currentDate: new Date(now()) })
      } catch (error) {
        if (!(error instanceof KeysUnavailable)) throw error
        return fail({ type: 'unavailable', message: 'Cannot check the JWT right now: its JWKS cannot be read' })
      }
      if (typeof verification === 'string') return reject(verification)
      const { claims, expiresAt } = verification
      if (audience === undefined && claims.aud !== undefined)
        return reject("it has an 'aud' claim, and this deployment names no audience")
      const principal = await toJwtPrincipal(claims, readIssuer(claims, usesSecret), usesSecret ? undefined : people)
      if (principal.ok) return ok({ principal: principal.value, expiresAt })
      if ('problems' in principal) return reject(formatReadError('its claims', principal.problems))
      if ('missingClaim' in principal)
        return reject(`it ${principal.missingClaim}: an administrator can name another claim in SIGN_IN_USER`)
      if ('deactivatedUser' in principal) {
        const reason = `The company's directory has deactivated '${principal.deactivatedUser}'`
        return fail({ type: 'forbidden', reason })
      }
      return fail({ type: 'forbidden', reason: `SIGN_IN_RULES grants '${principal.unmatchedUser}' no access` })
    },
  }
}

const WORKER: Principal = {
  id: 'worker',
  kind: 'admin',
  scopes: ['tools:read', 'tools:call'],
  tools: ['*'],
  users: 'any',
}

/** A token with a different `ver` is rejected; one without `ver` is accepted. */
const WORKER_TOKEN_VERSION = '1'

/** Open Tool Calling RFC, as in Arcade's engine. Leaves JWTs that it rejects to `fallback`. */
export function createWorkerVerifier(
  secret: string,
  { now = Date.now, fallback }: Pick<JwtPlatform, 'now'> & { readonly fallback?: JwtVerifier | undefined } = {},
): JwtVerifier {
  const key = encodeSecret(secret, MIN_WORKER_SECRET, 'worker secret')
  return {
    async verify(token) {
      const verifyOptions = { algorithms: SECRET_ALGORITHMS, audience: 'worker', currentDate: new Date(now()) }
      const verification = await verifyClaims(token, () => key, verifyOptions)
      const version =
        typeof verification === 'string' ? undefined : (verification.claims['ver'] ?? WORKER_TOKEN_VERSION)
      if (typeof verification !== 'string' && version === WORKER_TOKEN_VERSION)
        return ok({ principal: WORKER, expiresAt: verification.expiresAt })
      if (fallback) return fallback.verify(token)
      const reason =
        typeof verification === 'string' ? verification : `its 'ver' claim must be '${WORKER_TOKEN_VERSION}'`
      return fail({ type: 'unauthenticated', reason: `Cannot accept the worker's JWT: ${reason}` })
    },
  }
}

class KeysUnavailable extends Error {}

/** If the token is rejected, returns the reason as a string that does not quote it. Throws `KeysUnavailable`. */
async function verifyClaims(
  token: string,
  key: jose.JWTVerifyGetKey,
  options: Pick<jose.JWTVerifyOptions, 'issuer' | 'audience'> & {
    readonly algorithms: string[]
    readonly currentDate: Date
  },
) {
  try {
    const commonOptions = { requiredClaims: ['exp'], clockTolerance: CLOCK_TOLERANCE_S }
    const { payload } = await jose.jwtVerify(token, key, { ...options, ...commonOptions })
    return { claims: payload, expiresAt: (payload.exp ?? 0) * 1_000 }
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error
    return describeError(error, options.algorithms)
  }
}

function describeError(error: unknown, algorithms: readonly string[]): string {
  if (error instanceof jose.errors.JWTExpired) return 'it has expired'
  if (error instanceof jose.errors.JWTClaimValidationFailed) {
    return `its '${error.claim}' claim is ${error.reason === 'missing' ? 'missing' : 'not accepted'}`
  }
  if (error instanceof jose.errors.JWSSignatureVerificationFailed) return 'its signature does not verify'
  if (error instanceof jose.errors.JOSEAlgNotAllowed) return `wanted an 'alg' of ${quoteList(algorithms)}`
  if (error instanceof jose.errors.JWKSNoMatchingKey) return 'no key of the JWKS fits it'
  if (error instanceof jose.errors.JWKSMultipleMatchingKeys)
    return "several keys of the JWKS fit it, name one with 'kid'"
  return 'it is malformed'
}

function reject(reason: string): FailureResult {
  return fail({ type: 'unauthenticated', reason: `Cannot accept the JWT: ${reason}` })
}

function readAlgorithm(token: string): string | undefined {
  try {
    return jose.decodeProtectedHeader(token).alg
  } catch {
    return undefined
  }
}

function encodeSecret(secret: string, minBytes: number, name: string): Uint8Array {
  const bytes = new TextEncoder().encode(secret)
  if (bytes.byteLength >= minBytes) return bytes
  throw new TypeError(`Cannot use the ${name}: wanted at least ${minBytes} bytes, got ${bytes.byteLength}`)
}

/** jose ignores URLs (`jku`, `x5u`) and keys (`jwk`, `x5c`) that the token's header names. */
function createJwksKeys(href: string, platform: JwtPlatform, now: () => number): jose.JWTVerifyGetKey {
  const url = URL.parse(href)
  if (!url || !isSecureOrigin(url))
    throw new TypeError(`Cannot use the JWKS URL: wanted https, or http on a loopback host, got '${href}'`)
  const fetchJwks = platform.fetch ?? ((address: string, init: RequestInit) => fetch(address, init))
  let cooldownUntil = 0
  const keys = jose.createRemoteJWKSet(url, {
    timeoutDuration: JWKS_TIMEOUT_MS,
    async [jose.customFetch](address, init) {
      if (now() < cooldownUntil) throw new KeysUnavailable()
      const response = await fetchJwks(address, init).catch(() => undefined)
      if (response?.status === 200) return response
      cooldownUntil = now() + JWKS_COOLDOWN_MS
      throw new KeysUnavailable()
    },
  })
  return async (header, token) => {
    try {
      return await keys(header, token)
    } catch (error) {
      // Only these are the token's fault; otherwise the JWKS is slow, down or broken
      if (error instanceof jose.errors.JWKSNoMatchingKey) throw error
      if (error instanceof jose.errors.JWKSMultipleMatchingKeys) throw error
      throw new KeysUnavailable(undefined, { cause: error })
    }
  }
}
