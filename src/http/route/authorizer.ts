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

export type Authorize = (
  c: RouteContext,
  scope: Scope | readonly Scope[] | undefined,
) => Result<Principal> | Promise<Result<Principal>>

/** Not told of administrators. */
export interface AuthorizerHooks {
  readonly refused?: (c: RouteContext, failure: Failure, principal?: Principal) => void
  readonly admitted?: (principal: Principal, background: WaitUntil) => void
}

/** The rate is held only at Cloudflare's edge, which lets no client set its address, and never for administrators. */
export function createAuthorizer(
  { authenticate }: Pick<Authenticator, 'authenticate'>,
  rateLimit: RateLimit,
  prepare: (...asked: Parameters<Authorize>) => Promise<unknown> | undefined,
  watch: AuthorizerHooks = {},
): Authorize {
  return (c, scope) => {
    const refuse = (failing: FailureResult, principal?: Principal) => {
      watch.refused?.(c, failing.failure, principal)
      return failing
    }
    const address = c.req.raw.headers.get('cf-connecting-ip')
    const limit = (key: string) => (address === null ? undefined : rateLimit(key, getBackground(c)))
    let isCounted = false
    // Guesses at credentials are held to the rate before any of them is looked up
    const limitStranger = () => {
      isCounted = true
      return limit(`stranger ${address}`)
    }
    const admit = (caller: Result<Principal>): Result<Principal> => {
      if (!caller.ok) return refuse(isCounted ? caller : (limitStranger() ?? caller))
      const principal = caller.value
      const denial = scope && findScopeDenial(principal, scope)
      if (denial) return refuse(fail(denial), principal)
      if (principal.kind === 'admin') return caller
      // The anonymous are one principal: sharing a rate, one could shut out the others
      const limited = limit(principal.kind === 'anonymous' ? `anonymous ${address}` : principal.id)
      if (limited) return refuse(limited, principal)
      watch.admitted?.(principal, getBackground(c))
      return caller
    }
    const authenticating = authenticate(c.req.raw, limitStranger)
    const preparing = prepare(c, scope)
    if (!preparing && !(authenticating instanceof Promise)) return admit(authenticating)
    return Promise.all([authenticating, preparing]).then(([caller]) => admit(caller), toUnavailable)
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

/** For requests of our pages to other routes; known by identity, so that none can come from outside. */
export function createInternalRequests() {
  const senders = new WeakMap<Request, Result<Principal>>()
  return {
    of(principal: Principal, request: Request): Request {
      senders.set(request, ok(principal))
      return request
    },

    before({ authenticate }: Pick<Authenticator, 'authenticate'>): Pick<Authenticator, 'authenticate'> {
      return { authenticate: (request, mayLookUp) => senders.get(request) ?? authenticate(request, mayLookUp) }
    },

    /** Keeps these out of pages, which would request each other endlessly. */
    outside({ authenticate }: Pick<Authenticator, 'authenticate'>): Pick<Authenticator, 'authenticate'> {
      return {
        authenticate: (request, mayLookUp) =>
          senders.has(request) ? PAGE_FROM_PAGE : authenticate(request, mayLookUp),
      }
    },
  }
}
