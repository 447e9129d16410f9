import { findTargetHandler } from 'hono/utils/handler'
import type { Scope } from '../../core/access/principal.ts'
import type { Failure } from '../../core/failure/failure.ts'
import type { Body } from '../request/json-body.ts'
import { ANY_QUERY, type Query, readQuery } from '../request/query.ts'
import type { Answers } from './answers.ts'
import type { Gate, RouteContext } from './gate.ts'

/** What a route declares: it reads requests by this, and the OpenAPI document is written from it. */
export interface Operation<Q> {
  /** What it does, in a line. A route without is a page for people, and not in the document. */
  readonly summary?: string
  readonly answers?: Answers
  /** The component that a failure looks like, where that is not `Error`. */
  readonly failures?: string
  /** What a caller must be allowed; undefined where everybody is let in whom the deployment answers at all. */
  readonly scope?: Scope | undefined
  /** The name under which records have what it does, where it changes something. */
  readonly act?: string
  readonly query: Query<Q>
  readonly body?: Pick<Body<unknown>, 'reader'>
  /** The media type of its body, where that is not JSON. */
  readonly sends?: string
  /** Whether it takes `If-Match`, and answers with `ETag`s where it is stated of an answer. */
  readonly conditional?: true
  /** Whether it takes a credential though no scope. */
  readonly isPrivate?: boolean
}

const declared = new WeakMap<object, Operation<unknown>>()

/** Declares what a handler is the route of. */
export function declare<H extends object>(operation: Operation<unknown>, handler: H): H {
  declared.set(handler, operation)
  return handler
}

/** Declares the route of a page for people: links to it get parameters that say where they were found. */
export function declarePage<H extends object>(handler: H): H {
  return declare({ query: ANY_QUERY }, handler)
}

/** The declaration of a handler. Hono wraps those of a face that has an error handler of its own. */
export function operationOf(handler: object): Operation<unknown> | undefined {
  return declared.get(typeof handler === 'function' ? findTargetHandler(handler) : handler)
}

/**
 * Makes the route of an operation whose handler lets requests in by itself. A query that it does not take is refused by
 * `refuse`, which is to tell it only to who is let in; the handler gets what was read.
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
