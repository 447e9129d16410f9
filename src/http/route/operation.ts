import type { AuditAction } from '../../core/access/audit-entry.ts'
import { findTargetHandler } from 'hono/utils/handler'
import type { Scope } from '../../core/access/principal.ts'
import type { Body } from '../request/json-body.ts'
import type { Query } from '../request/query.ts'
import type { ResponseSpecs } from './response-specs.ts'

export interface Operation<Q> {
  /** One line. Routes without a summary are pages for people, and not in the OpenAPI document. */
  readonly summary?: string
  readonly responses?: ResponseSpecs
  readonly failures?: string
  readonly failureType?: string
  readonly scope?: Scope | undefined
  readonly auditAction?: AuditAction
  readonly query: Query<Q>
  readonly body?: Pick<Body<unknown>, 'reader'>
  readonly requestType?: string
  readonly supportsIfMatch?: true
  readonly isPrivate?: boolean
}

interface DeclaredHandler {
  readonly operation: Operation<unknown>
}

/** Stores a route's declaration in a property of its handler, where the OpenAPI document finds it. */
export function declareOperation<H extends object>(operation: Operation<unknown>, handler: H): H & DeclaredHandler {
  return Object.assign(handler, { operation })
}

/** Finds the declaration of a handler, which Hono wraps if its router has a separate error handler. */
export function findOperation(handler: object): Operation<unknown> | undefined {
  const target = typeof handler === 'function' ? findTargetHandler(handler) : handler
  return isDeclared(target) ? target.operation : undefined
}

function isDeclared(handler: object): handler is DeclaredHandler {
  return 'operation' in handler
}
