import { type Failing, fail } from '../core/call/failure.ts'

/** Longer than any key or sensible JWT; it bounds what one credential can take of the verdicts' memory. */
const MAX_LENGTH = 8_192
const BEARER = /^bearer +([\x21-\x7e]+)$/i
const TOKEN = /^[\x21-\x7e]+$/

/**
 * The credential that a request presents as `Authorization: Bearer <key or JWT>` or `OXP-API-Key: <key>`; undefined
 * when it presents none. A header that is sent twice arrives joined by ", " and is refused for its space: whatever stands
 * in front of us might have read only one of the two.
 */
export function credentialOf(headers: Headers): string | undefined | Failing {
  const authorization = headers.get('authorization')
  const key = headers.get('oxp-api-key')
  if (authorization === null && key === null) return undefined
  const bearer = authorization === null ? undefined : BEARER.exec(authorization)?.[1]
  if (authorization !== null && bearer === undefined) {
    return refuse("Cannot read the header 'Authorization': wanted 'Bearer <key or JWT>'")
  }
  if (key !== null && !TOKEN.test(key)) return refuse("Cannot read the header 'OXP-API-Key': wanted one key")
  if (bearer !== undefined && key !== null && bearer !== key) {
    return refuse("Cannot choose a credential: 'Authorization' and 'OXP-API-Key' present different ones")
  }
  const credential = bearer ?? key ?? ''
  if (credential.length > MAX_LENGTH) {
    return refuse(`Cannot accept the credential: wanted at most ${MAX_LENGTH} characters, got ${credential.length}`)
  }
  return credential
}

function refuse(reason: string): Failing {
  return fail({ type: 'unauthenticated', reason })
}
