import type { Principal } from '../../core/access/principal.ts'
import type { Caller } from '../../core/call/call.ts'
import { type Failing, fail, ok, type Result } from '../../core/failure/failure.ts'
import { type CallerContext, NO_CONTEXT } from '../../core/call/requirements.ts'
import type { Background } from '../../core/tool/platform.ts'
import { readJson } from '../request/body.ts'
import { backgroundOf, type Gate, type RouteContext } from './gate.ts'

/** The largest body of a call, in bytes, in whichever dialect. */
export const CALL_LIMIT = 4 * 1024 * 1024

/** W3C Trace Context, section 3.2. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

/** A request to call a tool, of somebody who was let in. */
export interface IncomingCall {
  readonly caller: Caller
  /** Parsed, and in no dialect yet. */
  readonly body: unknown
}

/**
 * Takes in a request to call a tool. Whoever may not call is refused before anything else is looked at; `check` then says
 * what of the URL and the headers the dialect refuses; the body comes last, so that it is read only for who is let in.
 */
export async function receiveCall(
  c: RouteContext,
  gate: Gate,
  dialect: string,
  check?: () => Failing | undefined,
): Promise<Result<IncomingCall>> {
  const admitted = await gate(c, 'tools:call')
  if (!admitted.ok) return admitted
  const refused = check?.()
  if (refused) return refused
  const body = await readJson(c.req.raw, CALL_LIMIT)
  if (!body.ok) return body
  return ok({ caller: callerOf(admitted.value, c.req.raw, backgroundOf(c), dialect), body: body.value })
}

const MAX_USER_ID = 256
const MAX_CALL_ID = 256

/** The context of a call in a dialect that has no word for the user: the header `X-User-Id` names one, if any. */
export function contextOf({ headers }: Request): Result<CallerContext> {
  const userId = headers.get('x-user-id')
  if (userId === null) return ok(NO_CONTEXT)
  if (userId !== '' && userId.length <= MAX_USER_ID) return ok({ ...NO_CONTEXT, userId })
  const message = `The header 'X-User-Id' must be of 1 to ${MAX_USER_ID} characters`
  return fail({ type: 'request-malformed', message })
}

/** The id of a call in a dialect that has no word for it: the header `Idempotency-Key`, if there is one. */
export function callIdOf({ headers }: Request): Result<{ readonly callId?: string }> {
  const callId = headers.get('idempotency-key')
  if (callId === null) return ok({})
  if (callId !== '' && callId.length <= MAX_CALL_ID) return ok({ callId })
  const message = `The header 'Idempotency-Key' must be of 1 to ${MAX_CALL_ID} characters`
  return fail({ type: 'request-malformed', message })
}

/** The caller of a call that was let in. A malformed `traceparent` is passed over. */
export function callerOf(
  principal: Principal,
  request: Request,
  background: Background,
  dialect: string,
  traceparent = request.headers.get('traceparent'),
): Caller {
  return {
    principal,
    background,
    dialect,
    signal: () => request.signal,
    reachedAt: () => request.url,
    ...(traceparent !== null && TRACEPARENT.test(traceparent) ? { traceparent } : {}),
  }
}

/** Whether a request names server-sent events among what it takes; `*\/*` does not. */
export function acceptsEvents({ headers }: Request): boolean {
  const accept = headers.get('accept')
  if (accept === null || !/text\/event-stream/i.test(accept)) return false
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/event-stream' && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each))
  })
}
