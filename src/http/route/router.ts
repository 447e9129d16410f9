import { type Context, Hono } from 'hono'
import type { WriteAuditEvent } from '../../core/access/audit-entry.ts'
import { FetchCapability, NEEDS_CREDENTIAL, type Principal } from '../../core/access/principal.ts'
import { type FailureResult, type Failure, fail } from '../../core/failure/failure.ts'
import { tailorFailure } from '../../core/failure/operator-failure.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { type Precondition, computeRevision } from '../../core/tool/precondition.ts'
import { jsonTextResponse } from '../response/json-response.ts'
import { type BodyMemory, MEMORY_FULL, PUBLICATION_COPIES, requestMemory } from '../request/request-memory.ts'
import { type Body, NO_BODY } from '../request/json-body.ts'
import { type PathParameters, type PathReaders, pathReader } from '../request/path-segment.ts'
import { NO_QUERY, readQuery } from '../request/query.ts'
import { writeAudit } from './audit.ts'
import { DONE } from './response-specs.ts'
import { getBackground, type Authorize } from './authorizer.ts'
import { declareOperation, type Operation } from './operation.ts'

export interface RouteDeps {
  readonly authorize: Authorize
  readonly respond: (failure: Failure) => Response
  readonly writeAuditEntry?: WriteAuditEvent
}

/** With null, no audit event is written. */
export type AddAuditDetails = (details: JsonObject | null) => void

interface RouteRequest<Path extends string, Q, B> {
  readonly c: Context
  readonly principal: Principal
  /** Undefined for anonymous callers. */
  readonly fetchCapability: FetchCapability | undefined
  readonly path: PathParameters<Path>
  readonly query: Q
  readonly body: B
  readonly precondition: Precondition | undefined
  readonly addAuditDetails: AddAuditDetails
  readonly memory: BodyMemory
}

export interface RouteResult<T> {
  readonly ok: true
  readonly value: T
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export function etag(resource: object): Readonly<Record<string, string>> {
  return { etag: `"${computeRevision(resource)}"` }
}

/** Reads the entity tags, unquoted (RFC 9110, section 13.1.1), without weak ones, because the comparison is strong. */
export function ifMatch({ headers }: Request): Precondition | undefined {
  const value = headers.get('if-match')?.trim()
  if (value === undefined || value === '*') return value
  return [...value.matchAll(/(?:^|,)\s*"([^"]*)"\s*(?=,|$)/g)].flatMap(([, tag]) => tag ?? [])
}

/** RFC 9110, section 15.5.13. */
export const PRECONDITION_FAILED: FailureResult = fail({
  type: 'precondition-failed',
  message: "The resource changed. Fetch it and send its new 'ETag' in 'If-Match'",
})

export function notFound(kind: string, id: string): FailureResult {
  return fail({ type: 'not-found', message: `Cannot find the ${kind} '${id.slice(0, 200)}'` })
}

export const NO_INPUT = { query: NO_QUERY, body: NO_BODY }
export const ADMIN_ROUTE = { scope: 'admin', ...NO_INPUT } as const
export const READER_ROUTE = { scope: 'tools:read', ...NO_INPUT } as const
export const CALLER_ROUTE = { scope: 'tools:call', ...NO_INPUT } as const
export const PUBLISHER_ROUTE = { scope: 'tools:publish', ...NO_INPUT } as const

interface RouteOperation<Path extends string, Q, B> extends Operation<Q> {
  readonly body: Body<B>
  readonly path?: PathReaders<Path>
  readonly findDenial?: (principal: Principal, path: PathParameters<Path>) => Failure | undefined
}

/**
 * Used as `on('GET /keys/:id', summary, declaration)(handler)`. For each request: authorize → memory → query → path →
 * `findDenial` → body → handler → response → audit event. A private route rejects anonymous callers, and its responses are
 * not cached. `Answers` has the types of the bodies that the console reads. The handler is passed in a second call, so that
 * its types come from the declaration.
 */
export function createRouter<Answers extends object = Record<never, unknown>>(
  { authorize, respond, writeAuditEntry }: RouteDeps,
  { access = 'private' }: { readonly access?: 'private' | 'public' } = {},
) {
  type Handle<R extends string, Q, B> = (
    request: RouteRequest<R, Q, B>,
  ) => Promise<RouteResult<R extends keyof Answers ? Answers[R] : unknown> | Response | FailureResult>
  const router = new Hono()

  function defineHandler<R extends string, Q, B>(route: R, summary: string, operation: RouteOperation<R, Q, B>) {
    const { scope, auditAction, isPrivate = access === 'private' } = operation
    const readPath = pathReader<R>(route, operation.path)

    async function runHandler(
      handle: Handle<R, Q, B>,
      request: Pick<RouteRequest<R, Q, B>, 'c' | 'principal' | 'addAuditDetails' | 'memory'>,
    ) {
      const { c, principal, memory } = request
      const query = readQuery(operation.query, c.req.url)
      if (!query.ok) return query
      const path = readPath(c.req.url)
      if (!path.ok) return path
      const denial = operation.findDenial?.(principal, path.value)
      if (denial) return fail(denial)
      const body = await operation.body.read(c.req.raw, path.value, memory)
      if (!body.ok) return body
      const precondition = operation.supportsIfMatch && ifMatch(c.req.raw)
      const fetchCapability = principal.kind === 'anonymous' ? undefined : new FetchCapability(principal.id)
      return handle({
        ...request,
        fetchCapability,
        path: path.value,
        query: query.value,
        body: body.value,
        precondition,
      })
    }

    return (handle: Handle<R, Q, B>) =>
      declareOperation({ responses: DONE, ...operation, summary, isPrivate }, async (c: Context) => {
        const caller = await authorize(c, scope)
        if (!caller.ok) return respond(caller.failure)
        const principal = caller.value
        if (isPrivate && principal.kind === 'anonymous') return respond(NEEDS_CREDENTIAL)
        const owner = { principal, request: c.req.raw, background: getBackground(c) }
        if (requestMemory.isFull(owner)) return respond(MEMORY_FULL.failure)
        let auditDetails: JsonObject | null | undefined
        const memory = requestMemory.open(owner, operation.body.copies ?? PUBLICATION_COPIES)
        const addAuditDetails: AddAuditDetails = (details) =>
          void (auditDetails = details && { ...auditDetails, ...details })
        const result = await runHandler(handle, { c, principal, addAuditDetails, memory }).finally(memory.release)
        const response = toResponse(result, (failure) => respond(tailorFailure(principal, failure)))
        if (isPrivate) response.headers.set('cache-control', 'no-store')
        if (auditAction !== undefined && auditDetails !== null) {
          const outcome = result instanceof Response || result.ok ? 'success' : result.failure.type
          writeAudit(c, writeAuditEntry, Date.now(), {
            act: auditAction,
            principal,
            outcome,
            status: response.status,
            about: auditDetails,
          })
        }
        return memory.untilRead(response)
      })
  }

  function on<R extends string, Q, B>(route: R, summary: string, operation: RouteOperation<R, Q, B>) {
    const [method = '', path = ''] = route.split(' ')
    const createHandler = defineHandler(route, summary, operation)
    return (handle: Handle<R, Q, B>) => void router.on(method, path, createHandler(handle))
  }

  return { router, on, defineHandler }
}

function toResponse(
  result: RouteResult<unknown> | Response | FailureResult,
  respondToFailure: (failure: Failure) => Response,
) {
  if (result instanceof Response) return result
  if (!result.ok) return respondToFailure(result.failure)
  const { value, status, headers } = result
  if (value === undefined) return new Response(null, { status: status ?? 204, headers: { ...headers } })
  return jsonTextResponse(JSON.stringify(value), status, headers && { ...headers })
}
