import { LRUCache } from 'lru-cache'
import { ADMIN, ANONYMOUS, type Principal } from '../core/access/principal.ts'
import { type ApiKey, principalOf } from '../core/access/api-key.ts'
import type { Sha256 } from '../core/tool/digest.ts'
import { type Failing, fail, ok, type Result } from '../core/call/failure.ts'
import type { JwtVerifier } from './jwt.ts'
import { isLocalRequest } from './loopback.ts'

export type Access = 'keys' | 'public' | 'open'

export interface AuthenticatorOptions {
  readonly access: Access
  /** The secret `ADMIN_KEY`; one of fewer than 16 characters is never accepted. */
  readonly adminKey: string | undefined
  readonly jwt?: JwtVerifier | undefined
  /** Looks a key up by the SHA-256 of its text, in lower-case hex. */
  readonly findKey: (hash: string) => Promise<ApiKey | undefined>
  readonly sha256: Sha256
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export interface Authenticator {
  /**
   * Who sends a request, or why nobody may (`unauthenticated`; `unavailable` when it cannot be checked now). A verdict
   * that is known comes back without a promise: it is on the path of every call. Before a credential is
   * looked up or verified, which the administrator's is not, `mayLookUp` may refuse to have that done now.
   */
  authenticate(request: Request, mayLookUp?: () => Failing | undefined): Result<Principal> | Promise<Result<Principal>>
  /** Forgets every verdict, also those being made, as after a key was made: it may have been tried before. */
  forget(): void
  /** Holds a key for dead from now on, whatever the store still says: reads elsewhere lag behind a deletion. */
  forgetKey(id: string): void
}

export const MIN_ADMIN_KEY = 16

/** Half a minute, since `findKey` may itself answer what was true half a minute ago: a deleted key dies within 60 s. */
const GRANTED_MS = 30_000
/** Short, so that a key that was tried before it was made elsewhere soon works. */
const REFUSED_MS = 5_000
/** Bytes, about, of each of the two maps. */
const MAX_BYTES = 4_000_000
/** Longer than any key or sensible JWT; it bounds what one credential can take of the verdicts' memory. */
const MAX_CREDENTIAL = 8_192
const BEARER = /^bearer +([\x21-\x7e]+)$/i
const TOKEN = /^[\x21-\x7e]+$/
const KEY = /^sb_[\w-]{43}$/
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/

/** Whoever comes without a credential to a loopback host with `ACCESS=open`. */
const OPEN_RESULT = ok<Principal>({ ...ADMIN, id: 'open' })
const ANONYMOUS_RESULT = ok(ANONYMOUS)
const PRESENT = "Present a credential: 'Authorization: Bearer <key>' or 'OXP-API-Key: <key>'"

interface Verdict<R extends Result<Principal>> {
  readonly result: R
  /** Milliseconds since 1970. */
  readonly until: number
}

/** Makes what tells callers apart. It keeps verdicts, and never a promise of one: no request may await another's. */
export function createAuthenticator(options: AuthenticatorOptions): Authenticator {
  const { access, jwt, findKey, sha256, now } = options
  const adminKey = options.adminKey && options.adminKey.length >= MIN_ADMIN_KEY ? options.adminKey : undefined
  const hint = hintFor(access, adminKey !== undefined || jwt !== undefined)
  // Apart, so that a flood of wrong credentials does not drive out the right ones
  const granted = verdicts<Result<Principal>>()
  const refused = verdicts<Failing>()
  const deadKeys = new LRUCache<string, true>({ max: 1_000 })
  let adminHash: string | undefined
  /** Counts `forget`: a verdict whose making began before it is used once, and not kept. */
  let generation = 0

  const unauthenticated = (reason: string) => fail({ type: 'unauthenticated', reason: `${reason}${hint}` })
  const missing = unauthenticated(PRESENT)

  function authenticate(
    request: Request,
    mayLookUp?: () => Failing | undefined,
  ): Result<Principal> | Promise<Result<Principal>> {
    const credential = credentialOf(request.headers)
    const open = access === 'open' && isLocalRequest(request)
    if (credential === undefined) return open ? OPEN_RESULT : access === 'public' ? ANONYMOUS_RESULT : missing
    if (typeof credential !== 'string') return open ? OPEN_RESULT : hinted(credential)
    const known = fresh(granted.get(credential)) ?? fresh(refused.get(credential))
    // OXP 1.0, "Server authentication": a server without authentication ignores the header
    if (known) return open && !known.ok ? OPEN_RESULT : known
    const verdict = judge(credential, mayLookUp)
    return open ? verdict.then((result) => (result.ok ? result : OPEN_RESULT)) : verdict
  }

  function fresh<R extends Result<Principal>>(verdict: Verdict<R> | undefined): R | undefined {
    return verdict && now() < verdict.until ? verdict.result : undefined
  }

  function hinted(failing: Failing): Failing {
    return failing.failure.type === 'unauthenticated' ? unauthenticated(failing.failure.reason) : failing
  }

  /** Judges a credential and keeps the verdict, save that it could not be judged. */
  async function judge(credential: string, mayLookUp?: () => Failing | undefined): Promise<Result<Principal>> {
    const start = now()
    const begun = generation
    const { result, expiresAt = Infinity } = await check(credential, mayLookUp)
    if (begun !== generation) return result
    if (result.ok) {
      granted.set(credential, { result, until: Math.min(start + GRANTED_MS, expiresAt) })
    } else if (result.failure.type === 'unauthenticated') {
      refused.set(credential, { result, until: start + REFUSED_MS })
    }
    return result
  }

  async function check(
    credential: string,
    mayLookUp?: () => Failing | undefined,
  ): Promise<{ result: Result<Principal>; expiresAt?: number }> {
    const hash = await sha256(credential)
    if (adminKey !== undefined) {
      adminHash ??= await sha256(adminKey)
      if (sameDigest(hash, adminHash)) return { result: ok(ADMIN) }
    }
    const isJwt = jwt !== undefined && JWT.test(credential)
    const refusal = isJwt || KEY.test(credential) ? mayLookUp?.() : undefined
    if (refusal) return { result: refusal }
    if (isJwt) {
      const verified = await jwt.verify(credential)
      if (!verified.ok) return { result: hinted(verified) }
      return { result: ok(verified.value.principal), expiresAt: verified.value.expiresAt }
    }
    let key: ApiKey | undefined
    try {
      // What no key looks like is not looked up: making up credentials costs the store nothing
      key = KEY.test(credential) ? await findKey(hash) : undefined
    } catch (error) {
      console.error('Cannot look up an API key', error)
      const message = 'Cannot check the credential right now'
      return { result: fail({ type: 'unavailable', message }) }
    }
    if (!key || deadKeys.has(key.id)) {
      return { result: unauthenticated('Cannot accept the credential: no key matches it') }
    }
    const expiresAt = key.expires_at === undefined ? Infinity : Date.parse(key.expires_at)
    // Written so that a time that cannot be read is an expired one
    if (!(now() < expiresAt)) {
      return { result: unauthenticated(`Cannot accept the key: it expired at '${key.expires_at}'`) }
    }
    return { result: ok(principalOf(key)), expiresAt }
  }

  return {
    authenticate,
    forget() {
      generation++
      granted.clear()
      refused.clear()
    },
    forgetKey(id) {
      deadKeys.set(id, true)
      for (const [credential, verdict] of granted.entries()) {
        if (verdict.result.ok && verdict.result.value.id === `key:${id}`) granted.delete(credential)
      }
    },
  }
}

function verdicts<R extends Result<Principal>>(): LRUCache<string, Verdict<R>> {
  return new LRUCache({ maxSize: MAX_BYTES, sizeCalculation: (_, credential) => credential.length + 500 })
}

/** What every 401 of this deployment adds, so that nobody who sets it up has to guess. */
function hintFor(access: Access, hasAdministrator: boolean): string {
  const open = access === 'open' ? '. ACCESS=open holds for loopback hosts only, and for web pages of such hosts' : ''
  const setUp = hasAdministrator
    ? ''
    : '. No administrator is set up: set the secret ADMIN_KEY (`npx wrangler secret put ADMIN_KEY`, at least 16 characters), then create keys with POST /keys'
  return open + setUp
}

/** Compares two hex digests in a time that does not depend on where they differ. */
function sameDigest(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

/**
 * The credential that a request presents as `Authorization: Bearer <key or JWT>` or `OXP-API-Key: <key>`; undefined
 * when it presents none. A header that is sent twice arrives joined by ", " and is refused for its space: whatever stands
 * in front of us might have read only one of the two.
 */
function credentialOf(headers: Headers): string | undefined | Failing {
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
  if (credential.length > MAX_CREDENTIAL) {
    return refuse(`Cannot accept the credential: wanted at most ${MAX_CREDENTIAL} characters, got ${credential.length}`)
  }
  return credential
}

function refuse(reason: string): Failing {
  return fail({ type: 'unauthenticated', reason })
}
