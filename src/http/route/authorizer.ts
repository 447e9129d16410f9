import { type Principal, type Scope, findScopeDenial } from '../../core/access/principal.ts'
import { type FailureResult, type Failure, fail, ok, type Result } from '../../core/failure/failure.ts'
import type { WaitUntil } from '../../core/tool/platform.ts'
import type { Authenticator } from '../caller/authenticate.ts'
import type { RateLimit } from './rate-limit.ts'

export interface RouteContext {
  readonly req: { readonly raw: Request }
  readonly executionCtx: { waitUntil(work: Promise<unknown>): void }
}

/** Reads `executionCtx` late, because Hono's context throws if there is none. */
export function getBackground(c: RouteContext): WaitUntil {
  return (work) => c.executionCtx.waitUntil(work)
}

export type Authorize = (c: RouteContext, scope: Scope | readonly Scope[] | undefined) => Promise<Result<Principal>>

/** `onAllowed` is not called for administrators. */
export interface AuthorizerHooks {
  readonly onDenied?: (c: RouteContext, failure: Failure, principal?: Principal) => void
  readonly onAllowed?: (principal: Principal, background: WaitUntil) => void
  /** Narrows callers whose credential or URL names a toolset or lock. Without it, callers of such a credential see nothing. */
  readonly narrow?: (principal: Principal, ...request: Parameters<Authorize>) => Promise<Result<Principal>>
}

/**
 * Decides who enters a route: authenticate → scope → rate limit. `prepare` loads what the route needs (policies, the bundled
 * tools) while the caller is authenticated. If `prepare` or `authenticate` throws, the route answers `unavailable`.
 *
 * Each client address has two buckets of the rate limit: one for requests whose credential is unknown or refused
 * (`stranger`), and one for requests that are admitted as the anonymous principal (`anonymous`). Every other caller has one
 * bucket, whatever the address. Only Cloudflare's edge sets the address: without it, no caller is limited. Administrators
 * are never limited.
 */
export function createAuthorizer(
  { authenticate }: Pick<Authenticator, 'authenticate'>,
  rateLimit: RateLimit,
  prepare: (...request: Parameters<Authorize>) => Promise<unknown> | undefined,
  hooks: AuthorizerHooks = {},
): Authorize {
  return async (c, scope) => {
    const request = c.req.raw
    const background = getBackground(c)
    const deny = (denial: FailureResult, principal?: Principal) => {
      hooks.onDenied?.(c, denial.failure, principal)
      return denial
    }
    const address = findAddress(request)
    const limit = (bucket: string) => (address === null ? undefined : rateLimit(bucket, background))
    let wasCounted = false
    /** Called before a credential is looked up, so that guesses are limited. Returns a denial if there were too many. */
    const countStranger = () => {
      wasCounted = true
      return limit(strangerBucket(address))
    }
    let caller: Result<Principal>
    try {
      ;[caller] = await Promise.all([authenticate(request, countStranger), prepare(c, scope)])
    } catch (error) {
      return failUnready(error)
    }
    // A refused credential counts once, even if no lookup was needed
    if (!caller.ok) return deny(wasCounted ? caller : (countStranger() ?? caller))
    const principal = caller.value
    const scopeDenial = scope && findScopeDenial(principal, scope)
    if (scopeDenial) return deny(fail(scopeDenial), principal)
    if (principal.kind !== 'admin') {
      // Anonymous callers share one principal, so with a single limit, one could block the others
      const rateDenial = limit(principal.kind === 'anonymous' ? `anonymous ${address}` : principal.id)
      if (rateDenial) return deny(rateDenial, principal)
      hooks.onAllowed?.(principal, background)
    }
    const needsView = principal.toolset !== undefined || principal.lock !== undefined || namesView(request.url)
    if (!needsView || !hooks.narrow) return caller
    const narrowedPrincipal = await hooks.narrow(principal, c, scope).catch(failUnready)
    return narrowedPrincipal.ok ? narrowedPrincipal : deny(narrowedPrincipal, principal)
  }
}

/** Limits requests for pages that need no credential, in the address's bucket for strangers. */
export function createStrangerLimit(rateLimit: RateLimit): (c: RouteContext) => FailureResult | undefined {
  return (c) => {
    const address = findAddress(c.req.raw)
    return address === null ? undefined : rateLimit(strangerBucket(address), getBackground(c))
  }
}

function failUnready(error: unknown): FailureResult {
  console.error('Cannot get ready', error)
  return fail({ type: 'unavailable', message: 'Switchboard cannot reach its registry right now' })
}

/** Whether a URL may name a toolset or a lock, without parsing it. */
function namesView(url: string): boolean {
  return url.includes('toolset=') || url.includes('lock=') || url.includes('/mcp/t/')
}

const findAddress = ({ headers }: Request) => headers.get('cf-connecting-ip')
const strangerBucket = (address: string | null) => `stranger ${address}`

const PAGE_FROM_PAGE = fail({
  type: 'request-malformed',
  message: 'Pages cannot request other pages',
})

type Authentication = Pick<Authenticator, 'authenticate'>

/** Requests of our pages to other routes, recognized by object identity, so none can come from outside. */
export function createInternalRequests() {
  const principals = new WeakMap<Request, Result<Principal>>()
  const visits = new WeakMap<Request, Request>()
  return {
    setPrincipal(principal: Principal, request: Request, visit: Request): Request {
      principals.set(request, ok(principal))
      visits.set(request, visit)
      return request
    },

    /** Returns the browser's request. A page's request to a route lacks its headers, such as the cookie. */
    getVisit: (request: Request): Request => visits.get(request) ?? request,

    accept({ authenticate }: Authentication): Authentication {
      return {
        authenticate: async (request, checkLookup) => principals.get(request) ?? authenticate(request, checkLookup),
      }
    },

    /** For pages, which could otherwise request each other endlessly. */
    reject({ authenticate }: Authentication): Authentication {
      return {
        authenticate: async (request, checkLookup) =>
          principals.has(request) ? PAGE_FROM_PAGE : authenticate(request, checkLookup),
      }
    },
  }
}
