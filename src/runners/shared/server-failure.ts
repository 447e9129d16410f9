import { isObject } from '../../core/tool/json.ts'
import type { ToolFailure } from '../../core/tool/content.ts'
import type { GuardedFailure } from '../../outbound/guarded-fetch.ts'
import type { Redact } from '../../outbound/redaction.ts'
import { isTransient, retryAfterMs } from '../../outbound/status.ts'
import type { UpstreamResult } from './retrying-call.ts'

const EXCERPT = 1_000
const NOT_QUOTED =
  'its answer is not shown, since it was sent a credential; what "response.error" of an HTTP tool names would be'

export interface UpstreamError {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** Limits how a server's response may be quoted. */
export interface Secrecy {
  readonly redact: Redact
  readonly carriesCredential: boolean
}

export type UpstreamFailure = UpstreamResult & {
  readonly result: { readonly ok: false; readonly failure: ToolFailure }
}

/** Only an unreachable server is worth a quick retry. `request` is for developers. */
export function noResponseFailure(
  { kind, message, retryAfterMs, remedy }: GuardedFailure,
  request: string,
  redact: Redact,
): UpstreamFailure {
  const isUnreachable = kind === 'unreachable'
  const why = redact(
    kind === 'refused' ? `${request} was blocked by Switchboard` : `${request} had no answer (${kind})`,
  )
  const failure = {
    message: redact(message),
    developer_message: why,
    ...(remedy === undefined ? {} : { forOperator: `${why}. ${remedy}` }),
    can_retry: isUnreachable || retryAfterMs !== undefined,
    ...(retryAfterMs === undefined ? {} : { retry_after_ms: retryAfterMs }),
  }
  return {
    result: { ok: false, failure },
    // The platform does not distinguish an unreachable server from a connection lost after the request
    ...(isUnreachable || kind === 'broken' || kind === 'too-large' ? { isUncertain: true } : {}),
    ...(isUnreachable ? { retryAfter: 'backoff' } : {}),
  }
}

export function statusFailure(
  message: string,
  { status, headers, text }: UpstreamError,
  request: string,
  secrecy: Secrecy,
  now: number,
): ToolFailure {
  const { redact } = secrecy
  const plainText = unstructured(text, secrecy)
  const wait = isTransient(status) ? retryAfterMs(headers, now) : undefined
  return {
    message: redact(message),
    developer_message: `${redact(request)} answered ${status}${plainText && `: ${plainText}`}`,
    can_retry: isTransient(status),
    ...(wait === undefined ? {} : { retry_after_ms: wait }),
  }
}

/** Hides the text after a request with a credential, which a server may repeat in a form that cannot be recognized. */
export function unstructured(text: string, { redact, carriesCredential }: Secrecy): string {
  return carriesCredential ? NOT_QUOTED : excerpt(text, redact)
}

/** Redacts before cutting, because half a secret would not be recognized. */
export function excerpt(text: string, redact: Redact): string {
  const safe = redact(text).trim()
  return safe.length > EXCERPT ? `${safe.slice(0, EXCERPT)}…` : safe
}

const ERROR_KEY = 'dev.switchboard/error'

/** OXP 1.0, "Tool error". Ignores wrong types, because a tool's failure should not fail again over its format. */
export function failureFields(fields: unknown): Omit<ToolFailure, 'message'> {
  if (!isObject(fields)) return {}
  const { developer_message, can_retry, additional_prompt_content, retry_after_ms } = fields
  return {
    ...(typeof developer_message === 'string' ? { developer_message } : {}),
    ...(typeof can_retry === 'boolean' ? { can_retry } : {}),
    ...(typeof additional_prompt_content === 'string' ? { additional_prompt_content } : {}),
    ...(typeof retry_after_ms === 'number' && retry_after_ms >= 0 && Number.isFinite(retry_after_ms)
      ? { retry_after_ms }
      : {}),
  }
}

export function failureMeta(meta: unknown): Partial<ToolFailure> {
  const fields = isObject(meta) ? meta[ERROR_KEY] : undefined
  const message = isObject(fields) ? fields.message : undefined
  return { ...failureFields(fields), ...(typeof message === 'string' && message !== '' ? { message } : {}) }
}
