import { Admission, type Principal } from '../../core/access/principal.ts'
import { principalOfPerson, type Session, SESSION_LIFETIME_MS, type SessionStore } from '../../core/access/session.ts'
import type { SignInRule } from '../../core/access/sign-in-rules.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import { type Authenticator, hasCredential } from './authenticate.ts'
import { cookieOf, randomValue, SESSION_COOKIE, setCookie } from './cookie.ts'
import { isOwnPage, isSameOrigin } from './same-origin.ts'
import { createLookups, type Judgement, type MayLookUp, principalOf } from './verdicts.ts'

export interface SignedIn {
  readonly principal: Principal
  readonly session: Session
  readonly admission: Admission
}

interface SessionsOptions {
  readonly store: SessionStore
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'holderOf'>
  readonly issuer: string | undefined
  readonly rules: readonly SignInRule[]
  readonly sha256: Sha256
  readonly newId: () => string
  readonly now: () => number
}

export type Sessions = ReturnType<typeof createSessions>

const MAX_BROWSER = 200
const NOBODY = fail({ type: 'unauthenticated', reason: 'Nobody is signed in in this browser' })
const FOREIGN = fail({
  type: 'forbidden',
  reason: "Cross-site request: session cookies work only on this deployment's pages",
})

export function createSessions(options: SessionsOptions) {
  const { store, authenticator, issuer, rules, sha256, newId, now } = options
  const verdicts = createLookups(now, 'session', async (cookie): Promise<Judgement<SignedIn>> => {
    const session = await store.find(await sha256(cookie))
    const ends = Date.parse(session?.expires_at ?? '')
    // Written so that a time that cannot be read is an expired one
    if (!session || !(now() < ends)) return { result: NOBODY }
    const { result, expiresAt = Infinity } = await holderOf(session.by)
    return {
      result: result.ok ? ok({ principal: result.value, session, admission: new Admission(result.value.id) }) : result,
      expiresAt: Math.min(ends, expiresAt),
    }
  })

  async function holderOf(by: Session['by']): Promise<Judgement<Principal>> {
    // Keys sign nobody in where people have a provider to sign in with
    if ('key' in by) return issuer === undefined ? authenticator.holderOf(by.key) : { result: NOBODY }
    const principal = by.issuer === issuer ? principalOfPerson(by.person, rules) : undefined
    return { result: principal ? ok(principal) : NOBODY }
  }

  function here(request: Request, result: Result<SignedIn>): Result<SignedIn> {
    return result.ok && result.value.session.origin !== new URL(request.url).origin ? NOBODY : result
  }

  function signedIn(request: Request, mayLookUp?: MayLookUp): Result<SignedIn> | Promise<Result<SignedIn>> {
    const cookie = cookieOf(request, SESSION_COOKIE)
    if (cookie === undefined) return NOBODY
    const found = verdicts.of(cookie, mayLookUp)
    return found instanceof Promise ? found.then((result) => here(request, result)) : here(request, found)
  }

  return {
    signedIn,

    holderOf,

    authenticate(request: Request, mayLookUp?: MayLookUp): Result<Principal> | Promise<Result<Principal>> {
      if (hasCredential(request) || cookieOf(request, SESSION_COOKIE) === undefined)
        return authenticator.authenticate(request, mayLookUp)
      if (!isOwnPage(request)) return FOREIGN
      const found = signedIn(request, mayLookUp)
      return found instanceof Promise ? found.then(principalOf) : principalOf(found)
    },

    async visitor(request: Request, mayLookUp?: MayLookUp): Promise<Result<Principal>> {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isRead && !isSameOrigin(request)) return FOREIGN
      const found = hasCredential(request) ? NOBODY : await signedIn(request, mayLookUp)
      if (found.ok || found.failure.type !== 'unauthenticated') return principalOf(found)
      return authenticator.authenticate(request, mayLookUp)
    },

    async begin(request: Request, by: Session['by'], owner: string): Promise<string> {
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
      verdicts.forgetWhere(({ session }) => session.id === id)
      return removed
    },

    forgetKey(id: string): void {
      verdicts.forgetWhere(({ principal }) => principal.id === `key:${id}`)
    },
  }

  async function end(request: Request): Promise<void> {
    const cookie = cookieOf(request, SESSION_COOKIE)
    const session = cookie === undefined ? undefined : await store.find(await sha256(cookie))
    if (!session) return
    await store.remove(session.id)
    verdicts.forgetWhere((signed) => signed.session.id === session.id)
  }
}
