import { ADMIN, ANONYMOUS, type Principal } from '../../core/access/principal.ts'
import type { ApiKey } from '../../core/access/api-key.ts'
import { toKeyPrincipal } from '../../core/access/stored-key.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { type FailureResult, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { JwtVerifier } from './jwt.ts'
import { isKey } from './key-text.ts'
import { isLocalRequest } from './loopback.ts'
import {
  createCredentialCache,
  type CredentialCheck,
  type CheckLookupAllowed,
  withStoreErrors,
} from './credential-cache.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'

type AccessMode = 'keys' | 'public' | 'open'

export interface AuthenticatorOptions {
  readonly access: AccessMode
  readonly adminKey: string | undefined
  /** Origins of other servers on this machine, whose pages ACCESS=open admits too. */
  readonly allowOrigins?: ReadonlySet<string> | undefined
  readonly jwt?: JwtVerifier | undefined
  readonly findKey: (hash: string) => Promise<ApiKey | undefined>
  readonly sha256: Sha256
  readonly now: () => number
}

export type Authenticator = ReturnType<typeof createAuthenticator>

export const MIN_ADMIN_KEY_CHARACTERS = 16

/** Tells operators how to set up access if there is no administrator. */
export const NO_ADMINISTRATOR =
  'No administrator is set up: set the secret ADMIN_KEY (`npx wrangler secret put ADMIN_KEY`, or on your own machine a line `ADMIN_KEY=…` in .dev.vars; at least 16 characters)'

/** Longer than any key or sensible JWT; bounds the memory of one cached credential. */
const MAX_CREDENTIAL_CHARACTERS = 8_192
const BEARER = /^bearer +[\x21-\x7e]+$/i
const TOKEN = /^[\x21-\x7e]+$/
const JWT = /^[\w-]+\.[\w-]+\.[\w-]*$/

const OPEN_ACCESS = ok<Principal>({ ...ADMIN, id: 'open' })
const ANONYMOUS_ACCESS = ok(ANONYMOUS)
const CREDENTIAL_MISSING = "Present a credential: 'Authorization: Bearer <key>' or 'OXP-API-Key: <key>'"

export function createAuthenticator(options: AuthenticatorOptions) {
  const { access, jwt, findKey, sha256, now, allowOrigins = new Set() } = options
  const adminKey =
    options.adminKey && options.adminKey.length >= MIN_ADMIN_KEY_CHARACTERS ? options.adminKey : undefined
  const hasAdministrator = adminKey !== undefined || jwt !== undefined
  const hint = hintFor(access, hasAdministrator)
  const credentials = createCredentialCache(now, check)
  const revokedKeys = createLruCache<true>(1_000)
  let adminHash: string | undefined

  const unauthenticated = (reason: string) => fail({ type: 'unauthenticated', reason: `${reason}${hint}` })
  const missingCredential = unauthenticated(CREDENTIAL_MISSING)
  const unknownKey = unauthenticated('Cannot accept the credential: this key is unknown, and may have been revoked')

  /** Finds the principal of a request's credential. `mayLookUp` may forbid looking up an uncached credential. */
  async function authenticate(request: Request, mayLookUp?: CheckLookupAllowed): Promise<Result<Principal>> {
    const credential = readCredential(request.headers)
    const isOpen = access === 'open' && isLocalRequest(request, allowOrigins)
    if (credential === undefined)
      return isOpen ? OPEN_ACCESS : access === 'public' ? ANONYMOUS_ACCESS : missingCredential
    if (typeof credential !== 'string') return isOpen ? OPEN_ACCESS : withHint(credential)
    const result = await credentials.get(credential, mayLookUp)
    // OXP 1.0, "Server authentication": a server without authentication ignores the header
    return result.ok || !isOpen ? result : OPEN_ACCESS
  }

  function withHint(result: FailureResult): FailureResult {
    return result.failure.type === 'unauthenticated' ? unauthenticated(result.failure.reason) : result
  }

  async function check(credential: string, mayLookUp?: CheckLookupAllowed): Promise<CredentialCheck<Principal>> {
    const hash = await sha256(credential)
    if (await isAdmin(hash)) return { result: ok(ADMIN) }
    const isJwt = jwt !== undefined && JWT.test(credential)
    const lookupDenial = isJwt || isKey(credential) ? mayLookUp?.() : undefined
    if (lookupDenial) return { result: lookupDenial }
    if (isJwt)
      return withStoreErrors('JWT', async () => {
        const verification = await jwt.verify(credential)
        if (!verification.ok) return { result: withHint(verification) }
        return { result: ok(verification.value.principal), expiresAt: verification.value.expiresAt }
      })
    // Only text that looks like a key is looked up, so made-up credentials do not load the store
    return isKey(credential) ? loadPrincipal(hash) : { result: unknownKey }
  }

  async function isAdmin(hash: string): Promise<boolean> {
    if (adminKey === undefined) return false
    adminHash ??= await sha256(adminKey)
    return sameDigest(hash, adminHash)
  }

  async function loadPrincipal(hash: string): Promise<CredentialCheck<Principal>> {
    if (await isAdmin(hash)) return { result: ok(ADMIN) }
    return withStoreErrors('credential', async () => {
      const key = await findKey(hash)
      if (!key || revokedKeys.has(key.id)) return { result: unknownKey }
      const expiresAt = key.expires_at === undefined ? Infinity : Date.parse(key.expires_at)
      // A time that cannot be read (NaN) counts as expired
      if (now() < expiresAt) return { result: ok(toKeyPrincipal(key)), expiresAt }
      return { result: unauthenticated(`Cannot accept the key: it expired at '${key.expires_at}'`) }
    })
  }

  return {
    authenticate,
    loadPrincipal,
    hasAdministrator,
    /** Also drops running checks, because a new key may have been tried before it was created. */
    forget: credentials.forget,
    forgetJwts: () => credentials.invalidateWhere(({ kind }) => kind === 'jwt'),
    /** Rejects a key from now on, whatever the store returns, because KV reads lag behind deletions. */
    forgetKey(id: string): void {
      revokedKeys.set(id, true)
      credentials.invalidateWhere((principal) => principal.id === `key:${id}`)
    },
  }
}

function hintFor(access: AccessMode, hasAdministrator: boolean): string {
  const open =
    access === 'open'
      ? '. ACCESS=open holds for loopback hosts only, and for web pages of this server and of loopback origins in ALLOW_ORIGINS'
      : ''
  const setUp = hasAdministrator ? '' : `. ${NO_ADMINISTRATOR}, then create keys with POST /keys`
  return open + setUp
}

/** Compares digests in constant time. */
function sameDigest(a: string, b: string): boolean {
  let difference = a.length ^ b.length
  for (let index = 0; index < a.length; index++) difference |= a.charCodeAt(index) ^ b.charCodeAt(index)
  return difference === 0
}

export function hasCredential({ headers }: Request): boolean {
  return headers.has('authorization') || headers.has('oxp-api-key')
}

/** A repeated header arrives joined by ", " and is refused for its space, because a proxy might have read only one. */
function readCredential(headers: Headers): string | undefined | FailureResult {
  const authorization = headers.get('authorization')
  const key = headers.get('oxp-api-key')
  if (authorization === null && key === null) return undefined
  if (authorization !== null && !BEARER.test(authorization))
    return reject("Cannot read the header 'Authorization': wanted 'Bearer <key or JWT>'")
  const bearer = authorization?.slice(authorization.lastIndexOf(' ') + 1)
  if (key !== null && !TOKEN.test(key)) return reject("Cannot read the header 'OXP-API-Key': wanted one key")
  if (bearer !== undefined && key !== null && bearer !== key)
    return reject("Cannot choose a credential: 'Authorization' and 'OXP-API-Key' present different ones")
  const credential = bearer ?? key ?? ''
  if (credential.length > MAX_CREDENTIAL_CHARACTERS)
    return reject(
      `Cannot accept the credential: wanted at most ${MAX_CREDENTIAL_CHARACTERS} characters, got ${credential.length}`,
    )
  return credential
}

function reject(reason: string): FailureResult {
  return fail({ type: 'unauthenticated', reason })
}
