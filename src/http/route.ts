import { NEEDS_CREDENTIAL, type Principal, type Scope } from '../core/access/principal.ts'
import type { Failing, Failure } from '../core/call/failure.ts'
import type { Gate, RouteContext } from './gate.ts'

export interface RouteDeps {
  readonly gate: Gate
  /** Words a failure: our own resources have no table of their own. */
  readonly respond: (failure: Failure) => Response
}

/** Makes a route of a handler: whoever has the scope, if it takes one, is let in, and a failure that the handler gives is put into words. */
export type Route = <C extends RouteContext>(
  scope: Scope | undefined,
  handle: (c: C, principal: Principal) => Promise<Response | Failing>,
) => (c: C) => Promise<Response>

/** Makes the routes of what anybody may have who has the scope. */
export function createRoute({ gate, respond }: RouteDeps, isPrivate = false): Route {
  return (scope, handle) => async (c) => {
    const caller = await gate(c, scope)
    if (!caller.ok) return respond(caller.failure)
    if (isPrivate && caller.value.kind === 'anonymous') return respond(NEEDS_CREDENTIAL)
    const answer = await handle(c, caller.value)
    const response = answer instanceof Response ? answer : respond(answer.failure)
    if (isPrivate) response.headers.set('cache-control', 'no-store')
    return response
  }
}

/** Makes the routes of what is somebody's own: the anonymous are not let in, and no cache keeps an answer. */
export function createPrivateRoute(deps: RouteDeps): Route {
  return createRoute(deps, true)
}
