import { type Principal, type Scope, scopeDenial } from '../../core/access/principal.ts'
import { type Failing, type Failure, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Background } from '../../core/tool/platform.ts'
import type { Authenticator } from '../caller/authenticate.ts'
import type { RateLimit } from './rate-limit.ts'

/** As much as is needed here of what a route is handed, which is Hono's context. */
export interface RouteContext {
  readonly req: { readonly raw: Request }
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void }
}

/** Keeps work running behind a request. Hono's context throws where it has no `executionCtx`, so that is read late. */
export function backgroundOf(c: RouteContext): Background {
  return (work) => c.executionCtx.waitUntil(work)
}

/**
 * Lets a request in, as whoever sent it, when that principal has the scope, or one of several, and has not sent too many
 * lately. Without a scope everybody is let in to whom the deployment answers at all.
 */
export type Gate = (
  c: RouteContext,
  scope: Scope | readonly Scope[] | undefined,
) => Result<Principal> | Promise<Result<Principal>>

/** Who is told of a gate's decisions, other than on administrators. */
export interface GateWatch {
  readonly refused?: (c: RouteContext, failure: Failure, principal?: Principal) => void
  readonly admitted?: (principal: Principal, background: Background) => void
}

/**
 * `prepare` makes ready what every request needs, and gives undefined once that is done. The rate is held at
 * Cloudflare's edge, which tells each client's address and lets no client set it: elsewhere nobody has to be shielded.
 * Administrators are not held to it. `watch` is told whom it lets in.
 */
export function createGate(
  { authenticate }: Pick<Authenticator, 'authenticate'>,
  rateLimit: RateLimit,
  prepare: (c: RouteContext) => Promise<void> | undefined,
  watch: GateWatch = {},
): Gate {
  return async (c, scope) => {
    const refuse = (failing: Failing, principal?: Principal) => {
      watch.refused?.(c, failing.failure, principal)
      return failing
    }
    const address = c.req.raw.headers.get('cf-connecting-ip')
    const limit = (key: string) => (address === null ? undefined : rateLimit(key, backgroundOf(c)))
    let isCounted = false
    // Guesses at credentials are held to the rate before any of them is looked up
    const limitStranger = () => {
      isCounted = true
      return limit(`stranger ${address}`)
    }
    const authenticating = authenticate(c.req.raw, limitStranger)
    const preparing = prepare(c)
    let caller: Result<Principal>
    try {
      if (preparing) await Promise.all([authenticating, preparing])
      caller = await authenticating
    } catch (error) {
      console.error('Cannot get ready', error)
      return fail({ type: 'unavailable', message: 'Switchboard cannot reach its registry right now' })
    }
    if (!caller.ok) return refuse(isCounted ? caller : (limitStranger() ?? caller))
    const principal = caller.value
    const denial = scope && scopeDenial(principal, scope)
    if (denial) return refuse(fail(denial), principal)
    if (principal.kind === 'admin') return caller
    // All who come without a credential are one principal: sharing a rate, one could shut out the others
    const limited = limit(principal.kind === 'anonymous' ? `anonymous ${address}` : principal.id)
    if (limited) return refuse(limited, principal)
    watch.admitted?.(principal, backgroundOf(c))
    return caller
  }
}

/** Holds strangers to the same rate where a page needs no credential. Gives why a request is refused now, or undefined. */
export function createShield(rateLimit: RateLimit): (c: RouteContext) => Failing | undefined {
  return (c) => {
    const address = c.req.raw.headers.get('cf-connecting-ip')
    return address === null ? undefined : rateLimit(`stranger ${address}`, backgroundOf(c))
  }
}

const PAGE_FROM_PAGE = fail({
  type: 'request-malformed',
  message: 'A page is opened in a browser, and by no other page',
})

/**
 * Requests that pages of ours make of the deployment's other routes, for whoever a page is for: they are let in as that
 * principal. Each is known by being the very object that was made here, and by nothing that it says: what comes from outside
 * can be none.
 */
export function createOwnRequests() {
  const senders = new WeakMap<Request, Result<Principal>>()
  return {
    /** Gives a request that is let in as a principal's. */
    of(principal: Principal, request: Request): Request {
      senders.set(request, ok(principal))
      return request
    },

    /** Tells these apart, and leaves all others to an authenticator. */
    before({ authenticate }: Pick<Authenticator, 'authenticate'>): Pick<Authenticator, 'authenticate'> {
      return { authenticate: (request, mayLookUp) => senders.get(request) ?? authenticate(request, mayLookUp) }
    },

    /** Keeps these out of pages, which would ask each other on and on. */
    outside({ authenticate }: Pick<Authenticator, 'authenticate'>): Pick<Authenticator, 'authenticate'> {
      return {
        authenticate: (request, mayLookUp) =>
          senders.has(request) ? PAGE_FROM_PAGE : authenticate(request, mayLookUp),
      }
    },
  }
}
