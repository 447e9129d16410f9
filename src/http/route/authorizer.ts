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
  /** Narrows a caller whose credential or URL names a toolset or a lock. Without it, the caller of such a credential sees nothing. */
  readonly narrow?: (principal: Principal, ...request: Parameters<Authorize>) => Promise<Result<Principal>>
}

/**
 * Decides who enters a route: authenticate → scope → rate limit. `prepare` loads what the route needs (policies, the bundled
 * tools) while the caller is authenticated. If `prepare` or `authenticate` throws, the route answers `unavailable`.
 *
 * Each client address has two buckets of the rate limit: one for requests whose credential is unknown or refused
 * (`stranger`), and one for requests that are admitted as the anonymous principal (`anonymous`). Every other caller has one
 * bucket, whatever the address. Only Cloudflare's edge sets the address: without it nobody is limited. Administrators are
 * never limited.
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
    /** Called before a credential is looked up, so that guesses are limited. Gives a denial if there were too many. */
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
      // Anonymous callers are one principal: with one limit for all, one could block the others
      const rateDenial = limit(principal.kind === 'anonymous' ? `anonymous ${address}` : principal.id)
      if (rateDenial) return deny(rateDenial, principal)
      hooks.onAllowed?.(principal, background)
    }
    const needsView = principal.toolset !== undefined || principal.lock !== undefined || namesView(request.url)
    if (!needsView || !hooks.narrow) return caller
    const narrowed = await hooks.narrow(principal, c, scope).catch(failUnready)
    return narrowed.ok ? narrowed : deny(narrowed, principal)
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

/** Whether a URL has a toolset or a lock, as far as its text tells at once. */
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

/** Requests of our pages to other routes, recognized by object identity: none can come from outside. */
export function createInternalRequests() {
  const principals = new WeakMap<Request, Result<Principal>>()
  const visits = new WeakMap<Request, Request>()
  return {
    setPrincipal(principal: Principal, request: Request, visit: Request): Request {
      principals.set(request, ok(principal))
      visits.set(request, visit)
      return request
    },

    /** The browser's own request: that of a page to a route has none of its headers, such as its cookie. */
    getVisit: (request: Request): Request => visits.get(request) ?? request,

    accept({ authenticate }: Authentication): Authentication {
      return {
        authenticate: async (request, checkLookup) => principals.get(request) ?? authenticate(request, checkLookup),
      }
    },

    /** For pages, which could request each other without end. */
    reject({ authenticate }: Authentication): Authentication {
      return {
        authenticate: async (request, checkLookup) =>
          principals.has(request) ? PAGE_FROM_PAGE : authenticate(request, checkLookup),
      }
    },
  }
}
