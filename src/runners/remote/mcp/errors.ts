import { isObject } from '../../../core/tool/json.ts'
import { type UpstreamFailure, noResponseFailure, unstructured } from '../../shared/server-failure.ts'
import type { Endpoint } from '../endpoint.ts'
import { toFailedCall, toRejectedCall } from '../failed-call.ts'
import { readPersonUrl, toPersonText } from '../person-facing.ts'
import type { TransportFailures } from './session-fetch.ts'

/** The error if a stream ends without an answer. Servers may not use this code. */
export const STREAM_ENDED = -32099
/** Replaces the code of any error while a task is polled: the server's own code could claim that nothing was run. */
export const TASK_LOST = -32098
/** MCP 2025-11-25, `URLElicitationRequiredError`. */
const URL_ELICITATION_REQUIRED = -32042
/** JSON-RPC, MCP 2026-07-28 ("error codes"), and the SDK's: the server did not process the request. */
const NOT_RUN: ReadonlySet<unknown> = new Set([-32700, -32600, -32601, -32022, 'ERA_NEGOTIATION_FAILED'])
const NOT_RUN_STATUSES = new Set([400, 404, 405, 406, 415])

/** Checks whether an error shows that the server has run nothing. */
export function provesNotRun(error: unknown): boolean {
  const { code, status } = readErrorParts(error)
  return status === undefined ? NOT_RUN.has(code) : NOT_RUN_STATUSES.has(status)
}

export function toUpstreamFailure(
  error: unknown,
  failures: TransportFailures,
  endpoint: Endpoint,
  now: number,
): UpstreamFailure {
  const { host, redact } = endpoint
  if (failures.lost) return noResponseFailure(failures.lost, host, redact)
  const { code, data, status } = readErrorParts(error)
  if (status !== undefined && failures.refusal) return toRejectedCall(failures.refusal, endpoint, now)
  const message = error instanceof Error ? error.message : String(error)
  if (code === STREAM_ENDED) {
    const endedFailure = toFailedCall(`${host} ended its answer before it was complete`, endpoint, {
      can_retry: true,
    })
    return { ...endedFailure, retryAfter: 'backoff', isUncertain: true }
  }
  if (code === TASK_LOST)
    return toFailedCall(`${host} started a task but did not report how it ended`, endpoint, {
      developer_message: unstructured(message, endpoint),
    })
  if (code === 'REQUEST_TIMEOUT') return toFailedCall(`${host} did not answer in time`, endpoint, { can_retry: true })
  if (code === URL_ELICITATION_REQUIRED) {
    const links = Array.isArray(data['elicitations']) ? data['elicitations'] : []
    return toFailedCall(`${host} needs a person first: ${describeElicitations(links) || message}`, endpoint, {
      developer_message: `It answered ${code}`,
    })
  }
  if (typeof code === 'number')
    return toFailedCall(`${host} answered with an error: ${message}`, endpoint, {
      developer_message: `Its code is ${code}`,
    })
  return toFailedCall(`${host} answered what is not MCP`, endpoint, {
    developer_message: unstructured(message, endpoint),
  })
}

export function describeElicitations(elicitations: readonly unknown[]): string {
  const words = elicitations.map((params) => {
    const { message, url } = isObject(params) ? params : {}
    return [toPersonText(message), readPersonUrl(url) ?? ''].filter((text) => text !== '').join(' ')
  })
  return words.filter((text) => text !== '').join('; ')
}

/** A numeric code is the server's (JSON-RPC 2.0, "Error object"). The SDK uses strings, with any HTTP status in `data`. */
function readErrorParts(error: unknown) {
  const { code, data: details }: Readonly<Record<string, unknown>> = isObject(error) ? error : {}
  const data = isObject(details) ? details : {}
  const status = typeof code !== 'number' && typeof data['status'] === 'number' ? data['status'] : undefined
  return { code, data, status }
}
