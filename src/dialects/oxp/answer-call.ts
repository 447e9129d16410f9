import type { CallRequest, Caller, CallTool, CallOutcome } from '../../core/call/call-request.ts'
import { type Failure, fail } from '../../core/failure/failure.ts'
import { respondOrStream, createEventStream, type StreamEvent } from '../../http/response/event-stream.ts'
import {
  callHeaders,
  failureHeaders,
  jsonFailure,
  jsonTextResponse,
  PRIVATE,
} from '../../http/response/json-response.ts'
import { STATUS } from './failure.ts'
import { encodeFailure, encodeOutcome, type OxpForm, versionHeader } from './wire.ts'

/**
 * Answers with JSON, or with a stream once the tool reports progress. A disconnect cancels the call, unless it runs at most
 * once under its id.
 */
export function respondWithStream(
  { signal }: Request,
  call: CallRequest,
  caller: Caller,
  form: OxpForm,
  callTool: CallTool,
) {
  const stream = createEventStream(signal)
  const work = callTool(call, {
    ...caller,
    progress: (progress) => stream.send({ event: 'progress', data: JSON.stringify(progress) }),
  })
  return respondOrStream(work, {
    stream,
    background: caller.background,
    toResponse: (outcome) => respondToCall(outcome, form),
    toLastEvents: (outcome) => toFinalEvents(outcome.result, encodeOutcome(outcome, form)),
    toErrorEvents(reference) {
      const failure: Failure = { type: 'internal', reference }
      return toFinalEvents(fail(failure), encodeFailure(failure, form))
    },
    headers: { ...PRIVATE, ...versionHeader(form) },
  })
}

export function respondToCall(outcome: CallOutcome, form: OxpForm): Response {
  const { result } = outcome
  const text = JSON.stringify(encodeOutcome(outcome, form))
  const headers = callHeaders(outcome, versionHeader(form))
  if (!result.ok) return jsonFailure(result.failure, text, STATUS[result.failure.type], headers)
  return jsonTextResponse(text, 200, headers)
}

function toFinalEvents(result: CallOutcome['result'], body: object): StreamEvent[] {
  const resultEvent = { event: 'result', data: JSON.stringify(body) }
  const status = result.ok ? 200 : STATUS[result.failure.type]
  if (result.ok || status === 200) return [resultEvent]
  const retryAfter = failureHeaders(result.failure)?.['retry-after']
  const statusData = { status, ...(retryAfter === undefined ? {} : { retry_after: Number(retryAfter) }) }
  return [{ event: 'status', data: JSON.stringify(statusData) }, resultEvent]
}
