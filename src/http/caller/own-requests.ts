import type { Principal } from '../../core/access/principal.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import type { Authenticator } from './authenticate.ts'

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
    /** Has a request be somebody's who was let in. Gives the request. */
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
