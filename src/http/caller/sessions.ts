import { base64url } from 'jose'
import type { Principal } from '../../core/access/principal.ts'
import { principalOfPerson, type Session, SESSION_LIFETIME_MS, type SessionStore } from '../../core/access/session.ts'
import type { SignInRule } from '../../core/access/sign-in-rules.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Sha256 } from '../../core/tool/digest.ts'
import type { Authenticator } from './authenticate.ts'
import { type Cookie, cookieOf, setCookie } from './cookie.ts'
import { isOwnPage, isSameOrigin } from './same-origin.ts'
import { createVerdicts, type Judgement, type MayLookUp } from './verdicts.ts'

/** Who is signed in in a browser, and by which session. */
export interface SignedIn {
  readonly principal: Principal
  readonly session: Session
}

export interface SessionsOptions {
  readonly store: SessionStore
  readonly authenticator: Pick<Authenticator, 'authenticate' | 'holderOf'>
  /** The provider whose word counts; absent: none's. */
  readonly issuer: string | undefined
  readonly rules: readonly SignInRule[]
  readonly sha256: Sha256
  readonly newId: () => string
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type Sessions = ReturnType<typeof createSessions>

const SESSION: Cookie = {
  name: 'switchboard-session',
  // 32 bytes, base64url
  value: /^[\w-]{43}$/,
  maxAgeS: SESSION_LIFETIME_MS / 1_000,
}
const MAX_BROWSER = 200

const NOBODY = fail({ type: 'unauthenticated', reason: 'Nobody is signed in in this browser' })
const FOREIGN = fail({
  type: 'forbidden',
  reason: 'A session counts for requests of pages of this Switchboard alone, and this one is of another site',
})

/**
 * The sessions of a deployment as its routes use them. What a browser has is random and is stored nowhere; its verdicts are
 * kept as those on other credentials are. What a session may do is judged anew with each verdict: by the rules as they are
 * now, or by the key that it began with, which it does not outlive.
 */
export function createSessions(options: SessionsOptions) {
  const { store, authenticator, issuer, rules, sha256, newId, now } = options
  const verdicts = createVerdicts(now, check)

  async function check(cookie: string, mayLookUp?: MayLookUp): Promise<Judgement<SignedIn>> {
    const refusal = mayLookUp?.()
    if (refusal) return { result: refusal }
    let session: Session | undefined
    try {
      session = await store.find(await sha256(cookie))
    } catch (error) {
      console.error('Cannot look up a session', error)
      return { result: fail({ type: 'unavailable', message: 'Cannot check the session right now' }) }
    }
    const ends = Date.parse(session?.expires_at ?? '')
    // Written so that a time that cannot be read is an expired one
    if (!session || !(now() < ends)) return { result: NOBODY }
    const { result, expiresAt = Infinity } = await holderOf(session.by)
    return {
      result: result.ok ? ok({ principal: result.value, session }) : result,
      expiresAt: Math.min(ends, expiresAt),
    }
  }

  async function holderOf(by: Session['by']): Promise<Judgement<Principal>> {
    // A key says nothing of a person: where a provider does, it signs nobody in
    if ('key' in by) return issuer === undefined ? authenticator.holderOf(by.key) : { result: NOBODY }
    const principal = by.issuer === issuer ? principalOfPerson(by.person, rules) : undefined
    return { result: principal ? ok(principal) : NOBODY }
  }

  /** A session counts where it began: another host of this deployment is another place. */
  function here(request: Request, result: Result<SignedIn>): Result<SignedIn> {
    return result.ok && result.value.session.origin !== new URL(request.url).origin ? NOBODY : result
  }

  /**
   * Who is signed in in the browser that sends a request, wherever that comes from: for pages, which change nothing when they
   * are opened. A verdict that is known comes back without a promise.
   */
  function signedIn(request: Request, mayLookUp?: MayLookUp): Result<SignedIn> | Promise<Result<SignedIn>> {
    const cookie = cookieOf(request, SESSION)
    if (cookie === undefined) return NOBODY
    const known = verdicts.known(cookie)
    return known ? here(request, known) : verdicts.judge(cookie, mayLookUp).then((result) => here(request, result))
  }

  return {
    signedIn,

    /** What whoever began something so may do now: nothing is kept of it. */
    holderOf,

    /**
     * Who sends a request to a route that takes sessions beside other credentials: a page of ours, no other site's. A
     * credential in a header counts before the cookie.
     */
    authenticate(request: Request, mayLookUp?: MayLookUp): Result<Principal> | Promise<Result<Principal>> {
      const { headers } = request
      const isByHeader = headers.has('authorization') || headers.has('oxp-api-key')
      if (isByHeader || cookieOf(request, SESSION) === undefined) return authenticator.authenticate(request, mayLookUp)
      if (!isOwnPage(request)) return FOREIGN
      const found = signedIn(request, mayLookUp)
      return found instanceof Promise ? found.then(principalOf) : principalOf(found)
    },

    /**
     * Whom a page of ours is for, or who sends its form: whoever is signed in, or else who `authenticate` says. A page may be
     * opened from anywhere, since that changes nothing; what changes something comes from a page of ours, whoever sends it.
     */
    async visitor(request: Request, mayLookUp?: MayLookUp): Promise<Result<Principal>> {
      const isRead = request.method === 'GET' || request.method === 'HEAD'
      if (!isRead && !isSameOrigin(request)) return FOREIGN
      const isByHeader = request.headers.has('authorization') || request.headers.has('oxp-api-key')
      const found = isByHeader ? NOBODY : await signedIn(request, mayLookUp)
      if (found.ok || found.failure.type !== 'unauthenticated') return principalOf(found)
      return authenticator.authenticate(request, mayLookUp)
    },

    /**
     * Signs somebody in in the browser that sends a request, by a new session in place of the one that it had. Gives the
     * header `Set-Cookie`.
     */
    async begin(request: Request, by: Session['by'], owner: string): Promise<string> {
      await end(request)
      const text = base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
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
      return setCookie(request, SESSION, text)
    },

    /** Signs out whoever is signed in in the browser that sends a request. Gives the header `Set-Cookie`. */
    async signOut(request: Request): Promise<string> {
      await end(request)
      return setCookie(request, SESSION, undefined)
    },

    list: store.list,

    /** Ends a session, of one principal or of anybody. Whether there was such a session. */
    async remove(id: string, owner?: string): Promise<boolean> {
      const removed = await store.remove(id, owner)
      // Also when it was removed elsewhere: a verdict may live on here
      verdicts.forgetWhere(({ session }) => session.id === id)
      return removed
    },

    /** Holds the sessions of a key for ended, which is deleted. */
    forgetKey(id: string): void {
      verdicts.forgetWhere(({ principal }) => principal.id === `key:${id}`)
    },
  }

  /** Ends the session of the browser that sends a request, whatever has become of who began it. */
  async function end(request: Request): Promise<void> {
    const cookie = cookieOf(request, SESSION)
    const session = cookie === undefined ? undefined : await store.find(await sha256(cookie))
    if (!session) return
    await store.remove(session.id)
    verdicts.forgetWhere((signed) => signed.session.id === session.id)
  }
}

function principalOf(found: Result<SignedIn>): Result<Principal> {
  return found.ok ? ok(found.value.principal) : found
}
