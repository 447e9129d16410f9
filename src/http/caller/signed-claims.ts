import { errors, type JWTPayload, jwtVerify, type JWTVerifyGetKey, type JWTVerifyOptions } from 'jose'

const CLOCK_TOLERANCE_S = 5

/** The keys to check a token with cannot be had, which says nothing of the token. */
export class KeysUnavailable extends Error {}

export interface SignedClaims {
  readonly claims: JWTPayload
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/**
 * The claims of a JWT that is signed with the key, is of one of the algorithms, and whose time it is: `exp` is required,
 * `nbf` honoured, `iss` and `aud` are checked where they are wanted. Otherwise why it is refused, without a word of the
 * token. Throws `KeysUnavailable` where `key` throws it.
 */
export async function signedClaims(
  token: string,
  key: JWTVerifyGetKey,
  wanted: Pick<JWTVerifyOptions, 'issuer' | 'audience'> & { readonly algorithms: string[]; readonly currentDate: Date },
): Promise<SignedClaims | string> {
  try {
    const required = { requiredClaims: ['exp'], clockTolerance: CLOCK_TOLERANCE_S }
    const { payload } = await jwtVerify(token, key, { ...wanted, ...required })
    // `exp` is there: it is a required claim, and jose has checked that it is a number
    return { claims: payload, expiresAt: (payload.exp ?? 0) * 1_000 }
  } catch (error) {
    if (error instanceof KeysUnavailable) throw error
    return whyNot(error, wanted.algorithms)
  }
}

function whyNot(error: unknown, algorithms: readonly string[]): string {
  if (error instanceof errors.JWTExpired) return 'it has expired'
  if (error instanceof errors.JWTClaimValidationFailed) {
    return `its '${error.claim}' claim is ${error.reason === 'missing' ? 'missing' : 'not accepted'}`
  }
  if (error instanceof errors.JWSSignatureVerificationFailed) return 'its signature does not verify'
  if (error instanceof errors.JOSEAlgNotAllowed) return `wanted an 'alg' of '${algorithms.join("', '")}'`
  if (error instanceof errors.JWKSNoMatchingKey) return 'no key of the JWKS fits it'
  if (error instanceof errors.JWKSMultipleMatchingKeys) return "several keys of the JWKS fit it, name one with 'kid'"
  return 'it is malformed'
}
