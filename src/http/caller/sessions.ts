import type { FindMembership } from '../../core/access/directory.ts'
import { FetchCapability, type Principal } from '../../core/access/principal.ts'
import {
  type IdentityProof,
  toPersonPrincipal,
  type Session,
  SESSION_LIFETIME_MS,
  type SessionStore,
} from '../../core/access/session.ts'
import type { SignInRule } from '../../core/access/sign-in-rules.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { type Authenticator, hasCredential } from './authenticate.ts'
import { readCookie, randomValue, SESSION_COOKIE, setCookie } from './cookie.ts'
import { isOwnPage, isSameOrigin } from './same-origin.ts'
import {
  createLookupCache,
  type CredentialCheck,
  type CheckLookupAllowed,
  toPrincipalResult,
} from './credential-cache.ts'

export interface SignedInSession {
  readonly principal: Principal
  readonly session: Session
  readonly fetchCapability: FetchCapability
}

interface SessionsOptions {
  readonly store: SessionStore
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'loadPrincipal'>
  readonly issuer: string | undefined
  readonly rules: readonly SignInRule[]
  readonly findMembership: FindMembership
  readonly sha256: Sha256
  readonly newId: () => string
  readonly now: () => number
}

export type Sessions = ReturnType<typeof createSessions>

const MAX_USER_AGENT_CHARACTERS = 200
const NOT_SIGNED_IN = fail({ type: 'unauthenticated', reason: 'Nobody is signed in in this browser' })
const CROSS_SITE = fail({
  type: 'forbidden',
  reason: "Cross-site request: session cookies work only on this deployment's pages",
})

export function createSessions(options: SessionsOptions) {
  const { store, authenticator, issuer, rules, findMembership, sha256, newId, now } = options
  const sessions = createLookupCache(now, 'session', async (cookie): Promise<CredentialCheck<SignedInSession>> => {
    const session = await store.find(await sha256(cookie))
    const sessionEnd = Date.parse(session?.expires_at ?? '')
    // A time that cannot be read (NaN) counts as expired
    if (!session || !(now() < sessionEnd)) return { result: NOT_SIGNED_IN }
    const { result, expiresAt = Infinity } = await loadPrincipal(session.authenticatedBy)
    return {
      result: result.ok
        ? ok({ principal: result.value, session, fetchCapability: new FetchCapability(result.value.id) })
        : result,
      expiresAt: Math.min(sessionEnd, expiresAt),
    }
  })

  async function loadPrincipal(authentication: IdentityProof): Promise<CredentialCheck<Principal>> {
    // With a provider, keys cannot be used to sign in
    if (authentication.kind === 'key')
      return issuer === undefined ? authenticator.loadPrincipal(authentication.hash) : { result: NOT_SIGNED_IN }
    if (authentication.issuer !== issuer) return { result: NOT_SIGNED_IN }
    const { person } = authentication
    const principal = toPersonPrincipal(person, rules, await findMembership(person))
    return { result: principal ? ok(principal) : NOT_SIGNED_IN }
  }

  /** Finds the session of the browser's cookie. A session works only at the origin where it started. */
  async function findSession(request: Request, mayLookUp?: CheckLookupAllowed): Promise<Result<SignedInSession>> {
    const cookie = readCookie(request, SESSION_COOKIE)
    if (cookie === undefined) return NOT_SIGNED_IN
    const result = await sessions.get(cookie, mayLookUp)
    return result.ok && result.value.session.origin !== new URL(request.url).origin ? NOT_SIGNED_IN : result
  }

  return {
    findSession,

    loadPrincipal,

    async authenticate(request: Request, mayLookUp?: CheckLookupAllowed): Promise<Result<Principal>> {
      if (hasCredential(request) || readCookie(request, SESSION_COOKIE) === undefined)
        return authenticator.authenticate(request, mayLookUp)
      if (!isOwnPage(request)) return CROSS_SITE
      return toPrincipalResult(await findSession(request, mayLookUp))
    },

    async authenticateVisitor(request: Request, mayLookUp?: CheckLookupAllowed): Promise<Result<Principal>> {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isRead && !isSameOrigin(request)) return CROSS_SITE
      const result = hasCredential(request) ? NOT_SIGNED_IN : await findSession(request, mayLookUp)
      if (result.ok || result.failure.type !== 'unauthenticated') return toPrincipalResult(result)
      return authenticator.authenticate(request, mayLookUp)
    },

    async startSession(request: Request, authenticatedBy: IdentityProof, owner: string): Promise<string> {
      await endSession(request)
      const cookieValue = randomValue()
      const createdAt = now()
      const session: Session = {
        id: newId(),
        authenticatedBy,
        owner,
        origin: new URL(request.url).origin,
        browser: (request.headers.get('user-agent') ?? '').slice(0, MAX_USER_AGENT_CHARACTERS),
        created_at: new Date(createdAt).toISOString(),
        expires_at: new Date(createdAt + SESSION_LIFETIME_MS).toISOString(),
      }
      await store.create(session, await sha256(cookieValue))
      return setCookie(request, SESSION_COOKIE, cookieValue)
    },

    async signOut(request: Request): Promise<string> {
      await endSession(request)
      return setCookie(request, SESSION_COOKIE, undefined)
    },

    list: store.list,

    async remove(id: string, owner?: string): Promise<boolean> {
      const isRemoved = await store.remove(id, owner)
      // Even if it was removed elsewhere, this isolate may still have it cached
      sessions.invalidateWhere(({ session }) => session.id === id)
      return isRemoved
    },

    async removeAll(owner: string, exceptId?: string): Promise<number> {
      const count = await store.removeAll(owner, exceptId)
      sessions.invalidateWhere(({ session }) => session.owner === owner && session.id !== exceptId)
      return count
    },

    forget: sessions.forget,

    forgetKey(id: string): void {
      sessions.invalidateWhere(({ principal }) => principal.id === `key:${id}`)
    },
  }

  async function endSession(request: Request): Promise<void> {
    const cookie = readCookie(request, SESSION_COOKIE)
    const session = cookie === undefined ? undefined : await store.find(await sha256(cookie))
    if (!session) return
    await store.remove(session.id)
    sessions.invalidateWhere((signedIn) => signedIn.session.id === session.id)
  }
}
