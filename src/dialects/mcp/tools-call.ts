import { hasScope, type Principal } from '../../core/access/principal.ts'
import type { Caller, CallTool } from '../../core/call/call.ts'
import type { Failure } from '../../core/call/failure.ts'
import type { CallerContext } from '../../core/call/requirements.ts'
import type { Resolver } from '../../core/call/resolve.ts'
import type { Background } from '../../core/tool/platform.ts'
import type { Seal } from '../../core/call/seal.ts'
import { askedByName } from '../../core/tool/tool-id.ts'
import { failureHeaders } from '../../http/json-response.ts'
import { askable, challenged, inputRequired } from './revisions/2026-07-28/input-required.ts'
import { type McpError, notificationText } from './json-rpc.ts'
import { answersOf, boundTo, NOTHING_KEPT, readKept, sealKept } from './revisions/2026-07-28/request-state.ts'
import type { Revision } from './revisions/revision.ts'
import type { Messages } from './stream.ts'
import { type Chosen, isChosen } from './toolset.ts'
import { encodeErrorResult, encodeFailure, encodeSuccess, invalid, type ToolCall } from './wire.ts'
import { isTraceparent } from '../../http/traceparent.ts'

export interface CallDeps {
  readonly callTool: CallTool
  readonly resolver: Resolver
  readonly seal: Seal
}

/** Who calls, and how. */
export interface Asker {
  readonly request: Request
  readonly principal: Principal
  readonly background: Background
  readonly chosen: Chosen
}

const NO_VALUES: ReadonlyMap<string, string> = new Map()
const NO_CONTEXT: CallerContext = { tokens: NO_VALUES, secrets: NO_VALUES }

/**
 * Calls a tool by its exposed name. Gives the result as a text; what the protocol calls an error, as one. `messages` takes
 * progress and logs, where the caller asked for them.
 */
export async function answerCall(
  call: ToolCall,
  as: Revision,
  asker: Asker,
  messages: Messages | undefined,
  deps: CallDeps,
): Promise<string | McpError> {
  const { request, principal, background, chosen } = asker
  const asked = askedByName(call.name, call.selector)
  const { headers } = request
  const userId = headers.get('x-user-id')
  if (userId !== null && (userId === '' || userId.length > 256)) {
    return invalid("The header 'X-User-Id' must be of 1 to 256 characters")
  }
  if (chosen.tools !== undefined) {
    const resolved = await deps.resolver.resolve(asked, background)
    if (!resolved.ok || !isChosen(chosen, resolved.tool.record)) return failed(unknown(call.name), as)
  }
  const bound = () => boundTo(principal.id, userId, asked, call.input)
  const kept = as.inputRequired ? await readKept(call, bound, deps.seal) : NOTHING_KEPT
  if ('code' in kept) return kept
  const answers = as.inputRequired && answersOf(call, kept)

  const traceparent = call.traceparent ?? headers.get('traceparent')
  const caller: Caller = {
    principal,
    background,
    signal: () => (as.disconnectCancels ? (messages?.signal ?? request.signal) : undefined),
    reachedAt: () => request.url,
    ...(traceparent !== null && isTraceparent(traceparent) ? { traceparent } : {}),
    ...(messages ? reporting(call, messages) : {}),
    ...(answers ? { answers } : {}),
  }
  const { result, tool } = await deps.callTool(
    {
      asked,
      ...(call.callId === undefined ? {} : { callId: call.callId }),
      input: call.input,
      context: userId === null ? NO_CONTEXT : { ...NO_CONTEXT, userId },
    },
    caller,
  )
  if (result.ok) return encodeSuccess(result, tool ? tool.output : {}, as)
  const { failure } = result
  if (failure.type === 'requirements-missing' || failure.type === 'approval-required') {
    const challenge = challenged(failure, call, kept, as)
    if (typeof challenge === 'string' || !('requests' in challenge)) return challenge
    // What the tool was told is kept for when the person is done
    const keep = { ...answers, asked: [...kept.asked, ...Object.keys(challenge.requests)] }
    return challenge.ask(inputRequired(challenge.requests, await sealKept(keep, bound(), deps.seal)))
  }
  if (failure.type !== 'input-required' || !as.inputRequired) return failed(failure, as)
  const { state } = failure
  const can = askable(failure, call.capabilities)
  if (can === undefined) return encodeErrorResult('The tool asks for something that MCP has no request for', as)
  if ('error' in can) return can.error
  const sealed = await sealKept(state === undefined ? {} : { state }, bound(), deps.seal)
  return as.inputRequired(inputRequired(can.requests, sealed))
}

/** A failure by the table, with the headers HTTP wants with it. */
export function failed(failure: Failure, as: Revision): string | McpError {
  const encoded = encodeFailure(failure, as)
  return typeof encoded === 'string' ? encoded : { ...encoded, headers: failureHeaders(failure) }
}

/** What a principal may not do for want of a scope. */
export function lacks(principal: Principal, scope: 'tools:read'): Failure | undefined {
  return hasScope(principal, scope) ? undefined : { type: 'forbidden', reason: `This needs the scope '${scope}'` }
}

export function unknown(name: string): Failure {
  return { type: 'tool-unknown', asked: name, suggestions: [] }
}

/** Passes on what a running tool tells. "The progress value MUST increase with each notification": others are dropped. */
function reporting({ name, progressToken, logs }: ToolCall, messages: Messages): Pick<Caller, 'progress' | 'log'> {
  let last = -Infinity
  return {
    ...(progressToken === undefined
      ? {}
      : {
          progress(progress, total, message) {
            if (!Number.isFinite(progress) || progress <= last) return
            last = progress
            const more = message === undefined ? {} : { message }
            const of = total === undefined || !Number.isFinite(total) ? {} : { total }
            messages.send(notificationText('notifications/progress', { progressToken, progress, ...of, ...more }))
          },
        }),
    ...(logs
      ? {
          log: (data) =>
            messages.send(notificationText('notifications/message', { level: 'info', logger: name, data })),
        }
      : {}),
  }
}
