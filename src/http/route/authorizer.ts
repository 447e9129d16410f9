import { type Principal, type Scope, findScopeDenial } from '../../core/access/principal.ts'
import { type FailureResult, type Failure, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import type { Authenticator } from '../caller/authenticate.ts'
import type { RateLimit } from './rate-limit.ts'

export interface RouteContext {
  readonly req: { readonly raw: Request }
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void }
}

/** Read late, since Hono's context throws where it has no `executionCtx`. */
export function getBackground(c: RouteContext): WaitUntil {
  return (work) => c.executionCtx.waitUntil(work)
}

export type Authorize = (c: RouteContext, scope: Scope | readonly Scope[] | undefined) => Promise<Result<Principal>>

/** `onAllowed` is not called for administrators. */
export interface AuthorizerHooks {
  readonly onDenied?: (c: RouteContext, failure: Failure, principal?: Principal) => void
  readonly onAllowed?: (principal: Principal, background: WaitUntil) => void
}

/**
 * Decides who enters a route: authenticate → scope → rate limit, while `prepare` loads what the route needs. Requests
 * without a valid credential and anonymous ones count against their address, others against their principal. Only
 * Cloudflare's edge sets the address: without one nobody is limited, and administrators never are.
 */
export function createAuthorizer(
  { authenticate }: Pick<Authenticator, 'authenticate'>,
  rateLimit: RateLimit,
  prepare: (...request: Parameters<Authorize>) => Promise<unknown> | undefined,
  hooks: AuthorizerHooks = {},
): Authorize {
  return async (c, scope) => {
    const deny = (denial: FailureResult, principal?: Principal) => {
      hooks.onDenied?.(c, denial.failure, principal)
      return denial
    }
    const address = c.req.raw.headers.get('cf-connecting-ip')
    const checkRate = (key: string) => (address === null ? undefined : rateLimit(key, getBackground(c)))
    let isCounted = false
    // Counted before a credential is looked up, so that guesses are limited
    const limitUnauthenticated = () => {
      isCounted = true
      return checkRate(`stranger ${address}`)
    }
    const checkCaller = (caller: Result<Principal>): Result<Principal> => {
      if (!caller.ok) return deny(isCounted ? caller : (limitUnauthenticated() ?? caller))
      const principal = caller.value
      const scopeDenial = scope && findScopeDenial(principal, scope)
      if (scopeDenial) return deny(fail(scopeDenial), principal)
      if (principal.kind === 'admin') return caller
      // Anonymous callers are one principal: with one limit for all, one could block the others
      const rateDenial = checkRate(principal.kind === 'anonymous' ? `anonymous ${address}` : principal.id)
      if (rateDenial) return deny(rateDenial, principal)
      hooks.onAllowed?.(principal, getBackground(c))
      return caller
    }
    const preparing = Promise.all([authenticate(c.req.raw, limitUnauthenticated), prepare(c, scope)])
    return preparing.then(([caller]) => checkCaller(caller), toUnavailable)
  }
}

function toUnavailable(error: unknown): FailureResult {
  console.error('Cannot get ready', error)
  return fail({ type: 'unavailable', message: 'Switchboard cannot reach its registry right now' })
}

export function createAnonymousLimit(rateLimit: RateLimit): (c: RouteContext) => FailureResult | undefined {
  return (c) => {
    const address = c.req.raw.headers.get('cf-connecting-ip')
    return address === null ? undefined : rateLimit(`stranger ${address}`, getBackground(c))
  }
}

const PAGE_FROM_PAGE = fail({
  type: 'request-malformed',
  message: 'Pages cannot request other pages',
})

/** Requests of our pages to other routes, recognized by object identity: none can come from outside. */
export function createInternalRequests() {
  const principals = new WeakMap<Request, Result<Principal>>()
  return {
    setPrincipal(principal: Principal, request: Request): Request {
      principals.set(request, ok(principal))
      return request
    },

    accept({ authenticate }: Pick<Authenticator, 'authenticate'>): Pick<Authenticator, 'authenticate'> {
      return { authenticate: async (request, mayLookUp) => principals.get(request) ?? authenticate(request, mayLookUp) }
    },

    /** For pages, which could request each other without end. */
    reject({ authenticate }: Pick<Authenticator, 'authenticate'>): Pick<Authenticator, 'authenticate'> {
      return {
        authenticate: async (request, mayLookUp) =>
          principals.has(request) ? PAGE_FROM_PAGE : authenticate(request, mayLookUp),
      }
    },
  }
}
