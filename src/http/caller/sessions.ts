import { FetchCapability, type Principal } from '../../core/access/principal.ts'
import { toPersonPrincipal, type Session, SESSION_LIFETIME_MS, type SessionStore } from '../../core/access/session.ts'
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
  readonly sha256: Sha256
  readonly newId: () => string
  readonly now: () => number
}

export type Sessions = ReturnType<typeof createSessions>

const MAX_BROWSER = 200
const NOT_SIGNED_IN = fail({ type: 'unauthenticated', reason: 'Nobody is signed in in this browser' })
const CROSS_SITE = fail({
  type: 'forbidden',
  reason: "Cross-site request: session cookies work only on this deployment's pages",
})

export function createSessions(options: SessionsOptions) {
  const { store, authenticator, issuer, rules, sha256, newId, now } = options
  const verdicts = createLookupCache(now, 'session', async (cookie): Promise<CredentialCheck<SignedInSession>> => {
    const session = await store.find(await sha256(cookie))
    const ends = Date.parse(session?.expires_at ?? '')
    // Written so that a time that cannot be read is an expired one
    if (!session || !(now() < ends)) return { result: NOT_SIGNED_IN }
    const { result, expiresAt = Infinity } = await loadPrincipal(session.by)
    return {
      result: result.ok
        ? ok({ principal: result.value, session, fetchCapability: new FetchCapability(result.value.id) })
        : result,
      expiresAt: Math.min(ends, expiresAt),
    }
  })

  async function loadPrincipal(by: Session['by']): Promise<CredentialCheck<Principal>> {
    // Keys sign nobody in where people have a provider to sign in with
    if ('key' in by) return issuer === undefined ? authenticator.loadPrincipal(by.key) : { result: NOT_SIGNED_IN }
    const principal = by.issuer === issuer ? toPersonPrincipal(by.person, rules) : undefined
    return { result: principal ? ok(principal) : NOT_SIGNED_IN }
  }

  function here(request: Request, result: Result<SignedInSession>): Result<SignedInSession> {
    return result.ok && result.value.session.origin !== new URL(request.url).origin ? NOT_SIGNED_IN : result
  }

  function findSession(
    request: Request,
    mayLookUp?: CheckLookupAllowed,
  ): Result<SignedInSession> | Promise<Result<SignedInSession>> {
    const cookie = readCookie(request, SESSION_COOKIE)
    if (cookie === undefined) return NOT_SIGNED_IN
    const found = verdicts.of(cookie, mayLookUp)
    return found instanceof Promise ? found.then((result) => here(request, result)) : here(request, found)
  }

  return {
    findSession,

    loadPrincipal,

    authenticate(request: Request, mayLookUp?: CheckLookupAllowed): Result<Principal> | Promise<Result<Principal>> {
      if (hasCredential(request) || readCookie(request, SESSION_COOKIE) === undefined)
        return authenticator.authenticate(request, mayLookUp)
      if (!isOwnPage(request)) return CROSS_SITE
      const found = findSession(request, mayLookUp)
      return found instanceof Promise ? found.then(toPrincipalResult) : toPrincipalResult(found)
    },

    async authenticateVisitor(request: Request, mayLookUp?: CheckLookupAllowed): Promise<Result<Principal>> {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isRead && !isSameOrigin(request)) return CROSS_SITE
      const found = hasCredential(request) ? NOT_SIGNED_IN : await findSession(request, mayLookUp)
      if (found.ok || found.failure.type !== 'unauthenticated') return toPrincipalResult(found)
      return authenticator.authenticate(request, mayLookUp)
    },

    async startSession(request: Request, by: Session['by'], owner: string): Promise<string> {
      await end(request)
      const text = randomValue()
      const at = now()
      const session: Session = {
        id: newId(),
        by,
        owner,
        origin: new URL(request.url).origin,
        browser: (request.headers.get('user-agent') ?? '').slice(0, MAX_BROWSER),
        created_at: new Date(at).toISOString(),
        expires_at: new Date(at + SESSION_LIFETIME_MS).toISOString(),
      }
      await store.create(session, await sha256(text))
      return setCookie(request, SESSION_COOKIE, text)
    },

    async signOut(request: Request): Promise<string> {
      await end(request)
      return setCookie(request, SESSION_COOKIE, undefined)
    },

    list: store.list,

    async remove(id: string, owner?: string): Promise<boolean> {
      const removed = await store.remove(id, owner)
      // Even if it was removed elsewhere, a verdict may live on here
      verdicts.invalidateWhere(({ session }) => session.id === id)
      return removed
    },

    forgetKey(id: string): void {
      verdicts.invalidateWhere(({ principal }) => principal.id === `key:${id}`)
    },
  }

  async function end(request: Request): Promise<void> {
    const cookie = readCookie(request, SESSION_COOKIE)
    const session = cookie === undefined ? undefined : await store.find(await sha256(cookie))
    if (!session) return
    await store.remove(session.id)
    verdicts.invalidateWhere((signed) => signed.session.id === session.id)
  }
}
