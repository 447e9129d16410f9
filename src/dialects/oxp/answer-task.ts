import type { Task } from '../../core/task/task.ts'
import { jsonTextResponse, PRIVATE } from '../../http/response/json-response.ts'
import { encodeOutcome, type OxpForm, versionHeader } from './wire.ts'

export function respondWithTask(task: Task, form: OxpForm): Response {
  const location = `/calls/${task.id}`
  const headers = { location, 'preference-applied': 'respond-async', ...versionHeader(form), ...PRIVATE }
  return jsonTextResponse(JSON.stringify(encodeTask(task)), 202, headers)
}

/** The state of an asynchronous call. Once it has ended, `result` contains its outcome, even for a failed request. */
export function encodeTask(task: Task): object {
  const { id, status, statusMessage, createdAt, lastUpdatedAt, pollIntervalMs, inputRequests, outcome } = task
  const encodedOutcome = outcome && encodeOutcome(outcome, 'enveloped')
  const failure = encodedOutcome &&
    !('result' in encodedOutcome) && { call_id: id, success: false, duration: 0, error: encodedOutcome }
  return {
    ...(failure ? { result: failure } : encodedOutcome),
    call_id: id,
    status,
    status_message: statusMessage,
    created_at: createdAt,
    updated_at: lastUpdatedAt,
    poll_interval_ms: pollIntervalMs,
    input_requests: inputRequests,
  }
}
