import type { ToolFailure } from '../../core/tool/content.ts'
import { isBusy, mayHaveRun, formatStatus } from '../../outbound/status.ts'
import { statusFailure, excerpt, type UpstreamError, type UpstreamFailure } from '../shared/server-failure.ts'
import type { Endpoint } from './endpoint.ts'

const MAX_MESSAGE = 10_000

/** Returns the failure of a call to which the server responded with a status other than success. */
export function toRejectedCall(answer: UpstreamError, endpoint: Endpoint, now: number): UpstreamFailure {
  const { status } = answer
  const { host } = endpoint
  const failure = statusFailure(describeRejection(status, host), answer, host, endpoint, now)
  const result = { ok: false, failure } as const
  if (status === 401) return { result, isUnauthorized: true }
  if (isBusy(status)) return { result, retryAfter: failure.retry_after_ms ?? 'backoff' }
  return mayHaveRun(status) ? { result, isUncertain: true } : { result }
}

function describeRejection(status: number, host: string): string {
  if (status === 401)
    return `${host} wants other credentials: it answered ${formatStatus(status)}. Set 'credentials' of the import or implementation`
  if (status === 403) return `${host} does not allow this with the credentials it was sent: ${formatStatus(status)}`
  if (status >= 300 && status < 400)
    return `${host} redirects elsewhere, which is not followed: ${formatStatus(status)}`
  return `${host} answered ${formatStatus(status)}`
}

/** Returns the failure of a call that the server or its response explains. All texts are redacted here. */
export function toFailedCall(
  message: string,
  { redact }: Pick<Endpoint, 'redact'>,
  { developer_message, ...fields }: Omit<ToolFailure, 'message'> = {},
): UpstreamFailure {
  const { additional_prompt_content: prompt } = fields
  const failure: ToolFailure = {
    message: redact(message).slice(0, MAX_MESSAGE),
    ...(developer_message === undefined ? {} : { developer_message: excerpt(developer_message, redact) }),
    can_retry: false,
    ...fields,
    ...(prompt === undefined ? {} : { additional_prompt_content: redact(prompt).slice(0, MAX_MESSAGE) }),
  }
  return { result: { ok: false, failure } }
}
