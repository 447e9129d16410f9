import type { ToolFailure } from '../../core/tool/tool-failure.ts'
import type { RunResult } from '../../core/call/runner.ts'
import type { GuardedFailure } from '../../outbound/guarded-fetch.ts'
import { redact } from '../../outbound/redaction.ts'
import { isBusy, isTransient, retryAfterMs, statusWords } from '../../outbound/status.ts'
import type { Endpoint } from './endpoint.ts'

/** What one attempt to call a tool of another server came to, and after how long there is use in another. */
export interface Attempt {
  readonly result: RunResult
  readonly again?: number | 'backoff'
  /** Whether the server did not take the credentials it was sent (RFC 9110 section 15.5.2). */
  readonly unauthorized?: true
}

export type FailedAttempt = Attempt & { readonly result: { readonly ok: false; readonly failure: ToolFailure } }

/** The longest part of what a server says that is passed on to developers, in characters. */
const EXCERPT = 1_000
/** The longest message of a server's that is passed on as a failure's own, in characters. */
const MAX_MESSAGE = 10_000

/** What a server answered with where the protocol has no such answer. */
export interface Refusal {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

/** There was no answer, or none that could be read. */
export function unanswered({ kind, message }: GuardedFailure, endpoint: Endpoint): FailedAttempt {
  const passing = kind === 'unreachable'
  const said = failed(message, `${endpoint.host} had no answer (${kind})`, endpoint, { can_retry: passing })
  return passing ? { ...said, again: 'backoff' } : said
}

/** The answer was a status that means failure. `now` is the time in milliseconds. */
export function refused({ status, headers, text }: Refusal, endpoint: Endpoint, now: number): FailedAttempt {
  const { host } = endpoint
  const wait = isTransient(status) ? retryAfterMs(headers, now) : undefined
  const attempt = failed(wordsFor(status, host), `${host} answered ${status}: ${excerpt(text, endpoint)}`, endpoint, {
    can_retry: isTransient(status),
    ...(wait === undefined ? {} : { retry_after_ms: wait }),
  })
  if (status === 401) return { ...attempt, unauthorized: true }
  return isBusy(status) ? { ...attempt, again: wait ?? 'backoff' } : attempt
}

function wordsFor(status: number, host: string): string {
  if (status === 401) return `${host} wants other credentials: it answered ${statusWords(status)}`
  if (status === 403) return `${host} does not allow this with the credentials it was sent: ${statusWords(status)}`
  if (status >= 300 && status < 400) return `${host} redirects elsewhere, which is not followed: ${statusWords(status)}`
  return `${host} answered ${statusWords(status)}`
}

/** A failure in words; what the endpoint must not show is taken out of both. */
export function failed(
  message: string,
  developer_message: string | undefined,
  { sensitive }: Pick<Endpoint, 'sensitive'>,
  more: Omit<ToolFailure, 'message' | 'developer_message'> = {},
): FailedAttempt {
  const { additional_prompt_content: prompt } = more
  const failure: ToolFailure = {
    message: redact(message, sensitive).slice(0, MAX_MESSAGE),
    ...(developer_message === undefined ? {} : { developer_message: redact(developer_message, sensitive) }),
    can_retry: false,
    ...more,
    ...(prompt === undefined ? {} : { additional_prompt_content: redact(prompt, sensitive).slice(0, MAX_MESSAGE) }),
  }
  return { result: { ok: false, failure } }
}

/** The beginning of a text; redacted before it is cut, since half a secret would not be recognised. */
export function excerpt(text: string, { sensitive }: Pick<Endpoint, 'sensitive'>): string {
  const safe = redact(text, sensitive).trim()
  return safe.length > EXCERPT ? `${safe.slice(0, EXCERPT)}…` : safe
}
