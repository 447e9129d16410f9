import type { WriteAct } from '../../core/access/act.ts'
import { NEEDS_CREDENTIAL, type Principal } from '../../core/access/principal.ts'
import type { Failing, Failure } from '../../core/failure/failure.ts'
import { toldTo } from '../../core/failure/told-to.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { noteAct } from './acts.ts'
import type { Gate, RouteContext } from './gate.ts'
import { declare, type Operation } from './operation.ts'
import { readQuery } from '../request/query.ts'

export interface RouteDeps {
  readonly gate: Gate
  /** Words a failure: our own resources have no table of their own. */
  readonly respond: (failure: Failure) => Response
  /** Writes down what is done; nothing is where nobody keeps it. */
  readonly writeAct?: WriteAct
}

/** Says what an act was about: ids and names. */
export type Note = (about: JsonObject) => void

/**
 * Makes the route of an operation: whoever has its scope, if it takes one, is let in, a query that says anything else than it
 * declares is refused, and a failure that the handler gives is put into words.
 * A route that changes something names its act, which is written down with what came of it.
 */
export type Route = <C extends RouteContext, Q>(
  operation: Operation<Q>,
  handle: (c: C, principal: Principal, note: Note, query: Q) => Promise<Response | Failing>,
) => (c: C) => Promise<Response>

/** Makes the routes of what anybody may have who has the scope. */
export function createRoute({ gate, respond, writeAct }: RouteDeps, isPrivate = false): Route {
  return (operation, handle) => {
    const { scope, act } = operation
    return declare({ ...operation, isPrivate }, async (c) => {
      const caller = await gate(c, scope)
      if (!caller.ok) return respond(caller.failure)
      const principal = caller.value
      if (isPrivate && principal.kind === 'anonymous') return respond(NEEDS_CREDENTIAL)
      let about: JsonObject | undefined
      const note = (more: JsonObject) => void (about = { ...about, ...more })
      const query = readQuery(operation.query, c.req.raw.url)
      const answer = query.ok ? await handle(c, principal, note, query.value) : query
      const response = answer instanceof Response ? answer : respond(toldTo(principal, answer.failure))
      if (isPrivate) response.headers.set('cache-control', 'no-store')
      if (act !== undefined) {
        const outcome = answer instanceof Response ? 'success' : answer.failure.type
        noteAct(c, writeAct, Date.now(), { act, principal, outcome, status: response.status, about })
      }
      return response
    })
  }
}

/** Makes the routes of what is somebody's own: the anonymous are not let in, and no cache keeps an answer. */
export function createPrivateRoute(deps: RouteDeps): Route {
  return createRoute(deps, true)
}
