import type { Principal } from '../../core/access/principal.ts'
import type { Caller } from '../../core/call/call.ts'
import { type Failing, fail, ok, type Result } from '../../core/failure/failure.ts'
import { type CallerContext, NO_CONTEXT } from '../../core/call/requirements.ts'
import type { Background } from '../../core/tool/platform.ts'
import { readJson } from '../request/body.ts'
import { backgroundOf, type Gate, type RouteContext } from './gate.ts'

export const CALL_LIMIT = 4 * 1024 * 1024

/** W3C Trace Context, section 3.2. */
const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/

export interface IncomingCall {
  readonly caller: Caller
  readonly body: unknown
}

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

const MAX_ID = 256

export function contextOf({ headers }: Request): Result<CallerContext> {
  const userId = idIn(headers, 'X-User-Id')
  if (userId === undefined) return ok(NO_CONTEXT)
  return userId.ok ? ok({ ...NO_CONTEXT, userId: userId.value }) : userId
}

export function callIdOf({ headers }: Request): Result<{ readonly callId?: string }> {
  const callId = idIn(headers, 'Idempotency-Key')
  if (callId === undefined) return ok({})
  return callId.ok ? ok({ callId: callId.value }) : callId
}

function idIn(headers: Headers, name: string): Result<string> | undefined {
  const id = headers.get(name)
  if (id === null) return undefined
  if (id !== '' && id.length <= MAX_ID) return ok(id)
  return fail({ type: 'request-malformed', message: `The header '${name}' must be of 1 to ${MAX_ID} characters` })
}

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

/** By name: a wildcard is not enough. */
export function acceptsEvents({ headers }: Request): boolean {
  const accept = headers.get('accept')
  if (accept === null || !/text\/event-stream/i.test(accept)) return false
  return accept.split(',').some((range) => {
    const [type = '', ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    return type === 'text/event-stream' && !parameters.some((each) => /^q=0(?:\.0*)?$/.test(each))
  })
}
