import { type Context, Hono } from 'hono'
import type { WriteAuditEntry } from '../../core/access/audit-entry.ts'
import { Admission, NEEDS_CREDENTIAL, type Principal } from '../../core/access/principal.ts'
import { type Failing, type Failure, fail } from '../../core/failure/failure.ts'
import { failureFor } from '../../core/failure/for-operator.ts'
import { createMeter, type Meter } from '../../core/tool/budget.ts'
import type { JsonObject } from '../../core/tool/json.ts'
import { type Expected, revisionOf } from '../../core/tool/revision.ts'
import { jsonText } from '../answer/json-response.ts'
import { type BodyMemory, FULL, PUBLICATION_COPIES, requestMemory } from '../request/request-memory.ts'
import { type Body, NO_BODY } from '../request/json-body.ts'
import { type PathOf, type PathReaders, pathReader } from '../request/path-segment.ts'
import { NO_QUERY, readQuery } from '../request/query.ts'
import { writeAudit } from './audit.ts'
import { DONE } from './answers.ts'
import { backgroundOf, type Gate } from './gate.ts'
import { declare, type Operation } from './operation.ts'

export interface RouteDeps {
  readonly gate: Gate
  readonly respond: (failure: Failure) => Response
  readonly writeAuditEntry?: WriteAuditEntry
}

export type Note = (about: JsonObject) => void

interface RouteRequest<Path extends string, Q, B> {
  readonly c: Context
  readonly principal: Principal
  /** None for the anonymous. */
  readonly admission: Admission | undefined
  readonly path: PathOf<Path>
  readonly query: Q
  readonly body: B
  readonly expected: Expected | undefined
  readonly note: Note
  readonly meter: Meter
  readonly memory: BodyMemory
}

export interface RouteAnswer<T> {
  readonly ok: true
  readonly value: T
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
}

export function etag(stored: object): Readonly<Record<string, string>> {
  return { etag: `"${revisionOf(stored)}"` }
}

/** The entity tags, unquoted (RFC 9110, section 13.1.1). Weak ones are left out, as the comparison is strong. */
export function ifMatch({ headers }: Request): Expected | undefined {
  const value = headers.get('if-match')?.trim()
  if (value === undefined || value === '*') return value
  return [...value.matchAll(/(?:^|,)\s*"([^"]*)"\s*(?=,|$)/g)].flatMap(([, tag]) => tag ?? [])
}

/** RFC 9110, section 15.5.13. */
export const STALE: Failing = fail({
  type: 'precondition-failed',
  message: "The resource changed. Fetch it and send its new 'ETag' in 'If-Match'",
})

export function notFound(what: string, id: string): Failing {
  return fail({ type: 'not-found', message: `Cannot find the ${what} '${id.slice(0, 200)}'` })
}

export const PLAIN = { query: NO_QUERY, body: NO_BODY }
export const ADMIN = { scope: 'admin', ...PLAIN } as const
export const READER = { scope: 'tools:read', ...PLAIN } as const
export const CALLER = { scope: 'tools:call', ...PLAIN } as const
export const PUBLISHER = { scope: 'tools:publish', ...PLAIN } as const

interface RouteOperation<Path extends string, Q, B> extends Operation<Q> {
  readonly body: Body<B>
  readonly path?: PathReaders<Path>
  readonly denial?: (principal: Principal, path: PathOf<Path>) => Failing | undefined
}

/**
 * Used as `on('GET /keys/:id', summary, declaration)(handler)`; `A` has the answers that the console reads. Unless `open`,
 * anonymous callers and caches are kept out.
 */
export function createFace<A extends object = Record<never, unknown>>(
  { gate, respond, writeAuditEntry }: RouteDeps,
  access: 'own' | 'open' = 'own',
) {
  type Handle<R extends string, Q, B> = (
    request: RouteRequest<R, Q, B>,
  ) => Promise<RouteAnswer<R extends keyof A ? A[R] : unknown> | Response | Failing>
  const face = new Hono()

  function handler<R extends string, Q, B>(route: R, summary: string, operation: RouteOperation<R, Q, B>) {
    const { scope, act, isPrivate = access === 'own' } = operation
    const readPath = pathReader<R>(route, operation.path)

    async function answer(
      handle: Handle<R, Q, B>,
      sent: Pick<RouteRequest<R, Q, B>, 'c' | 'principal' | 'note' | 'memory'>,
    ) {
      const { c, principal, memory } = sent
      const query = readQuery(operation.query, c.req.url)
      if (!query.ok) return query
      const path = readPath(c.req.url)
      if (!path.ok) return path
      const denied = operation.denial?.(principal, path.value)
      if (denied) return denied
      const meter = createMeter()
      const body = await operation.body.read(c.req.raw, path.value, meter, memory)
      if (!body.ok) return body
      const expected = operation.conditional && ifMatch(c.req.raw)
      const admission = principal.kind === 'anonymous' ? undefined : new Admission(principal.id)
      return handle({ ...sent, admission, path: path.value, query: query.value, body: body.value, expected, meter })
    }

    return (handle: Handle<R, Q, B>) =>
      declare({ answers: DONE, ...operation, summary, isPrivate }, async (c: Context) => {
        const caller = await gate(c, scope)
        if (!caller.ok) return respond(caller.failure)
        const principal = caller.value
        if (isPrivate && principal.kind === 'anonymous') return respond(NEEDS_CREDENTIAL)
        const owner = { principal, request: c.req.raw, background: backgroundOf(c) }
        if (requestMemory.isFull(owner)) return respond(FULL.failure)
        let about: JsonObject | undefined
        const memory = requestMemory.open(owner, PUBLICATION_COPIES)
        const note: Note = (more) => void (about = { ...about, ...more })
        const result = await answer(handle, { c, principal, note, memory }).finally(memory.release)
        const response = responseOf(result, (failure) => respond(failureFor(principal, failure)))
        if (isPrivate) response.headers.set('cache-control', 'no-store')
        if (act !== undefined) {
          const outcome = result instanceof Response || result.ok ? 'success' : result.failure.type
          writeAudit(c, writeAuditEntry, Date.now(), { act, principal, outcome, status: response.status, about })
        }
        return memory.untilRead(response)
      })
  }

  function on<R extends string, Q, B>(route: R, summary: string, operation: RouteOperation<R, Q, B>) {
    const [method = '', path = ''] = route.split(' ')
    const make = handler(route, summary, operation)
    return (handle: Handle<R, Q, B>) => void face.on(method, path, make(handle))
  }

  return { face, on, handler }
}

function responseOf(result: RouteAnswer<unknown> | Response | Failing, refuse: (failure: Failure) => Response) {
  if (result instanceof Response) return result
  if (!result.ok) return refuse(result.failure)
  const { value, status, headers } = result
  if (value === undefined) return new Response(null, { status: status ?? 204, headers: { ...headers } })
  return jsonText(JSON.stringify(value), status, headers && { ...headers })
}
