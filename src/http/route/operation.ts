import { findTargetHandler } from 'hono/utils/handler'
import type { Scope } from '../../core/access/principal.ts'
import type { Reader } from '../../core/tool/json-reader.ts'
import type { Failure } from '../../core/failure/failure.ts'
import type { Gate, RouteContext } from './gate.ts'
import { type Query, readQuery } from '../request/query.ts'

/** What a route declares of itself. */
export interface Operation<Q> {
  /** What a caller must be allowed; undefined where everybody is let in whom the deployment answers at all. */
  readonly scope?: Scope | undefined
  /** What it does, for the records, where it changes something. */
  readonly act?: string
  readonly query: Query<Q>
  /** What reads its body, or states what does; absent where it reads none as JSON. */
  readonly body?: Reader<unknown>
  /** Whether it takes a credential though no scope. */
  readonly isPrivate?: boolean
}

const declared = new WeakMap<object, Operation<unknown>>()

/** Declares what a handler is the route of. */
export function declare<Q, H extends object>(operation: Operation<Q>, handler: H): H {
  declared.set(handler, operation)
  return handler
}

/** What a handler was declared to be. Hono wraps those of a face that has an error handler of its own. */
export function operationOf(handler: object): Operation<unknown> | undefined {
  return declared.get(typeof handler === 'function' ? findTargetHandler(handler) : handler)
}

/**
 * Makes the route of an operation whose handler lets requests in by itself. What its query must not say is refused before,
 * by `refuse`, which is to tell it only to who is let in; the handler is given what the query says.
 */
export function reading<Q, C extends { readonly req: { readonly raw: Request } }>(
  operation: Operation<Q>,
  handle: (c: C, query: Q) => Response | Promise<Response>,
  refuse: (c: C, failure: Failure, operation: Operation<Q>) => Response | Promise<Response>,
): (c: C) => Response | Promise<Response> {
  return declare(operation, (c: C) => {
    const read = readQuery(operation.query, c.req.raw.url)
    return read.ok ? handle(c, read.value) : refuse(c, read.failure, operation)
  })
}

/** Refuses, with `respond`, what is wrong with a query: after the gate, so that whoever is not let in is told that. */
export function afterGate<C extends RouteContext>(gate: Gate, respond: (failure: Failure, c: C) => Response) {
  return async (c: C, failure: Failure, { scope }: Operation<unknown>): Promise<Response> => {
    const admitted = await gate(c, scope)
    return respond(admitted.ok ? failure : admitted.failure, c)
  }
}
