import type { Runner } from '../../core/call/runner.ts'
import type { Definition } from '../../core/tool/tool.ts'
import type { GuardedFetch, GuardedResult } from '../../outbound/guarded-fetch.ts'
import { isBusy, retryAfterMs } from '../../outbound/status.ts'
import { checkedRunner } from '../shared/checked-runner.ts'
import { callServer, isIdempotent, type RetryClock, type ServerOutcome } from '../shared/server-call.ts'
import { unanswered } from '../shared/server-failure.ts'
import type { HttpImplementation, HttpResponseMapping } from './implementation.ts'
import { checkHttpImplementation } from './publication-rules.ts'
import { type BuiltRequest, prepareRequest } from './request.ts'
import { isExpected, readResponse } from './response.ts'

export interface HttpRunnerOptions extends RetryClock {
  readonly guardedFetch: GuardedFetch
}

/** Methods that may be sent twice (RFC 9110 section 9.2.2). */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

/** Makes the runner of `http` implementations: one request a call, for idempotent tools up to two more, and once more with a new token. */
export function createHttpRunner({ guardedFetch, ...clock }: HttpRunnerOptions): Runner {
  return checkedRunner('http', checkHttpImplementation, (implementation, record) => {
    const { credentials, response: mapping, retry, timeout_ms: timeoutMs } = implementation
    const retries = mayRepeat(implementation, record) ? retry.attempts : 0
    const build = prepareRequest(implementation)
    return {
      ok: true,
      timeoutMs,
      run(input, given) {
        const ask = async (context: typeof given): Promise<ServerOutcome> => {
          const built = build(input, context)
          if (!built.ok) return { result: built }
          const result = await guardedFetch({ ...built.request, signal: given.signal })
          return outcomeOf(result, built.request, mapping, clock.now())
        }
        return callServer({ ask, credentials, retries, timeoutMs }, given, clock)
      },
    }
  })
}

function mayRepeat({ method }: HttpImplementation, definition: Definition): boolean {
  return IDEMPOTENT_METHODS.has(method) || isIdempotent(definition)
}

function outcomeOf(
  answer: GuardedResult,
  request: BuiltRequest,
  mapping: HttpResponseMapping,
  now: number,
): ServerOutcome {
  if (!answer.ok) return unanswered(answer, `${request.method} ${request.shown.url}`, request.redact)
  const { status, headers, url } = answer.response
  const result = readResponse(answer.response, mapping, request, now)
  if (isExpected(status, mapping)) return { result }
  if (isBusy(status)) return { result, retryAfter: retryAfterMs(headers, now) ?? 'backoff' }
  // Another origin, where a redirect led, was not shown the credentials
  return { result, isUnauthorized: status === 401 && URL.parse(url)?.origin === new URL(request.url).origin }
}
