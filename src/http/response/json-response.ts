import type { CallOutcome } from '../../core/call/call-request.ts'
import type { Failure } from '../../core/failure/failure.ts'
import type { LimitStatus } from '../../core/call/call-limiter.ts'
import type { ToolStatus } from '../../core/tool/version.ts'
import { SMALL } from '../../outbound/memory-budget.ts'
import { createTextResponse } from './unread-text.ts'

const JSON_TYPE = { 'content-type': 'application/json' }
/** Copying the status and headers of a response takes the platform a third of the time of reading an object. */
const JSON_OK = new Response(null, { headers: JSON_TYPE })

export function jsonTextResponse(text: string, status = 200, headers?: Record<string, string>): Response {
  if (text.length > SMALL) return createTextResponse(text, { status, headers: { ...JSON_TYPE, ...headers } })
  if (status === 200 && !headers) return new Response(text, JSON_OK)
  return new Response(text, { status, headers: { ...JSON_TYPE, ...headers } })
}

/** RFC 9110, sections 10.2.3, 11.6.1, 12.5.3 and 15.5.6. */
export function failureHeaders(failure: Failure): Record<string, string> | undefined {
  if (failure.type === 'unauthenticated') return { 'www-authenticate': 'Bearer realm="switchboard"' }
  if (failure.type === 'unavailable') return { 'retry-after': '1' }
  if (failure.type === 'method-not-allowed') return { allow: failure.allowed.join(', ') }
  if (failure.type === 'media-type-unsupported' && failure.isEncoded) return { 'accept-encoding': 'identity' }
  if (failure.type !== 'rate-limited') return undefined
  const retryAfter = String(Math.ceil(failure.retry_after_ms / 1000))
  if (!failure.policy) return { 'retry-after': retryAfter }
  const limit = { ...failure.policy, remaining: 0, resetMs: failure.retry_after_ms }
  return { 'retry-after': retryAfter, ...toRateLimitHeaders([limit]) }
}

export function callHeaders(
  { limitStatuses, status, tool }: Pick<CallOutcome, 'limitStatuses' | 'status' | 'tool'>,
  headers?: Record<string, string>,
): Record<string, string> | undefined {
  if (!limitStatuses && !status) return headers
  const callerHeaders = { ...headers, ...(limitStatuses && toRateLimitHeaders(limitStatuses)) }
  return status
    ? { ...callerHeaders, ...statusHeaders(status), ...noteHeader(formatStatus(tool, status)) }
    : callerHeaders
}

function formatStatus(tool: CallOutcome['tool'], status: ToolStatus): string {
  const message = 'message' in status && status.message !== undefined ? `: ${status.message}` : ''
  const successor = status.state === 'deprecated' && status.successor !== undefined ? `; use ${status.successor}` : ''
  return `'${tool?.id}' is ${status.state}${message}${successor}`
}

/** The status of a tool that is not active, and its successor (RFC 8288, RFC 5829). */
export function statusHeaders(status: ToolStatus): Record<string, string> {
  if (status.state === 'active') return {}
  const successor = status.state === 'deprecated' ? status.successor : undefined
  return {
    'switchboard-status': status.state,
    ...(successor === undefined ? {} : { link: `</tools/${encodeURIComponent(successor)}>; rel="successor-version"` }),
  }
}

/** draft-ietf-httpapi-ratelimit-headers, sections 3 and 4. */
function toRateLimitHeaders(limitStatuses: readonly LimitStatus[]): Record<string, string> {
  const policies = limitStatuses.map((limit) => {
    const { quota, seconds } = limit
    return `"${formatPolicyName(limit)}";q=${quota}${seconds === undefined ? ';qu="concurrent-requests"' : `;w=${seconds}`}`
  })
  const states = limitStatuses.map((limit) => {
    const { remaining, resetMs } = limit
    return `"${formatPolicyName(limit)}";r=${remaining}${resetMs === undefined ? '' : `;t=${Math.ceil(resetMs / 1000)}`}`
  })
  return { 'ratelimit-policy': policies.join(', '), 'ratelimit': states.join(', ') }
}

function formatPolicyName({ name, seconds }: LimitStatus): string {
  return seconds === undefined ? `${name}-at-once` : name
}

export function jsonFailure(
  failure: Failure,
  text: string,
  status: number,
  headers?: Readonly<Record<string, string>>,
): Response {
  return jsonTextResponse(text, status, { ...PRIVATE, ...failureHeaders(failure), ...headers })
}

/** Returns 304 if the request has this entity tag (RFC 9110, section 13.1.2); never for a POST. */
export function notModified(
  request: Request,
  headers: Readonly<Record<string, string>> & { readonly etag: string },
): Response | undefined {
  const tags = request.headers.get('if-none-match')
  if (tags === null || request.method === 'POST') return undefined
  const matches = tags.trim() === '*' || tags.split(',').some((tag) => tag.trim().replace(/^W\//, '') === headers.etag)
  return matches ? new Response(null, { status: 304, headers }) : undefined
}

/** Every response depends on the caller, and changes with each publication. */
export const PRIVATE = { 'cache-control': 'private, no-cache', 'vary': 'Authorization, OXP-API-Key, OXP-Version' }

/** `Switchboard-Note`: information that has no field in the body. Characters not allowed in headers become `?`. */
export function noteHeader(note: string): Readonly<Record<string, string>> {
  return { [NOTE_HEADER]: note.replace(/[^\x20-\x7e]/g, '?').slice(0, MAX_NOTE_CHARACTERS) }
}

const NOTE_HEADER = 'switchboard-note'
const MAX_NOTE_CHARACTERS = 1_000
