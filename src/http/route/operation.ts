import type { AuditAction } from '../../core/access/audit-entry.ts'
import { findTargetHandler } from 'hono/utils/handler'
import type { Scope } from '../../core/access/principal.ts'
import type { Body } from '../request/json-body.ts'
import type { Query } from '../request/query.ts'
import type { ResponseSpecs } from './response-specs.ts'
import type { RouteContext } from './authorizer.ts'

export interface Operation<Q> {
  /** One line. A route without it is a page for people, and not in the OpenAPI document. */
  readonly summary?: string
  readonly responses?: ResponseSpecs
  readonly failures?: string
  readonly scope?: Scope | undefined
  readonly auditAction?: AuditAction
  readonly query: Query<Q>
  readonly body?: Pick<Body<unknown>, 'reader'>
  readonly requestType?: string
  readonly supportsIfMatch?: true
  readonly isPrivate?: boolean
}

const operations = new WeakMap<object, Operation<unknown>>()

export function declareOperation<H extends object>(operation: Operation<unknown>, handler: H): H {
  operations.set(handler, operation)
  return handler
}

export type CallHandler = (c: RouteContext) => Promise<Response>

const calls = new WeakMap<object, CallHandler>()

/** Declares a route that calls tools, whose handler needs nothing of Hono's context. */
export function declareCallOperation(operation: Operation<unknown>, handler: CallHandler): CallHandler {
  calls.set(handler, handler)
  return declareOperation(operation, handler)
}

export function findCallHandler(handler: object): CallHandler | undefined {
  return calls.get(handler)
}

/** Hono wraps the handlers of a router that has an error handler of its own. */
export function findOperation(handler: object): Operation<unknown> | undefined {
  return operations.get(typeof handler === 'function' ? findTargetHandler(handler) : handler)
}
