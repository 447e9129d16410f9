import type { JsonObject } from '../../core/tool/json.ts'
import type { Signal } from '../../core/tool/platform.ts'
import type { RunContext, RunResult, Runner } from '../../core/call/runner.ts'
import type { Definition } from '../../core/tool/tool.ts'
import type { GuardedFailure, GuardedFetch, GuardedResult } from '../../outbound/guarded-fetch.ts'
import { withNewTokens } from '../../outbound/renewed-tokens.ts'
import { isIdempotent, type RetryClock, withRetries } from '../../outbound/retry.ts'
import { checkHttpImplementation } from './publication-rules.ts'
import type { HttpImplementation } from './implementation.ts'
import { redact } from '../../outbound/redaction.ts'
import { prepareRequest } from './request.ts'
import type { BuiltRequest } from './request.ts'
import { isExpected, readResponse } from './response.ts'
import { isBusy, retryAfterMs } from '../../outbound/status.ts'

export interface HttpRunnerOptions extends RetryClock {
  readonly guardedFetch: GuardedFetch
}

/** Methods that may be sent twice (RFC 9110 section 9.2.2). */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

/** Makes the runner of `http` implementations: one request a call, for idempotent tools up to two more, and once more with a new token. */
export function createHttpRunner({ guardedFetch, ...clock }: HttpRunnerOptions): Runner {
  return {
    kind: 'http',

    check(implementation, definition) {
      const checked = checkHttpImplementation(implementation, definition)
      return checked.ok ? [] : checked.problems
    },

    prepare(record) {
      const checked = checkHttpImplementation(record.implementation, record)
      if (!checked.ok) {
        const problems = checked.problems.map(({ path, message }) => `"${path}": ${message}`)
        return { ok: false, reason: `The implementation is not valid: ${problems.join('; ')}` }
      }
      const implementation = checked.value
      const build = prepareRequest(implementation)
      const attempts = mayRepeat(implementation, record) ? implementation.retry.attempts : 0

      /** Sends a request; when its token is refused, once more with the one that takes its place. */
      async function answered(first: BuiltRequest, input: JsonObject, given: RunContext): Promise<RunResult> {
        const deadline = clock.now() + implementation.timeout_ms
        let request = first
        let context = given
        for (;;) {
          const result = await send(request, implementation, attempts, deadline, given.signal)
          const renewed = isRefused(result, request, implementation)
            ? await withNewTokens(context, implementation.credentials)
            : undefined
          if (!renewed) return conclude(result, request, implementation)
          const built = build(input, renewed)
          if (!built.ok) return built
          request = built.request
          context = renewed
        }
      }

      return {
        ok: true,
        timeoutMs: implementation.timeout_ms,
        run(input, context) {
          const built = build(input, context)
          return built.ok ? answered(built.request, input, context) : built
        },
      }
    },
  }

  function send(
    request: BuiltRequest,
    implementation: HttpImplementation,
    attempts: number,
    deadline: number,
    signal: Signal,
  ): Promise<GuardedResult> {
    return withRetries(
      () => guardedFetch({ ...request, signal }),
      (result) => retryWait(result, implementation),
      { attempts, withinMs: deadline - clock.now(), signal },
      clock,
    )
  }

  /** How long to wait before another attempt; undefined where there is no use in one. */
  function retryWait(result: GuardedResult, { response }: HttpImplementation): number | 'backoff' | undefined {
    if (!result.ok) return result.kind === 'unreachable' ? 'backoff' : undefined
    const { status, headers } = result.response
    if (!isBusy(status) || isExpected(status, response)) return undefined
    return retryAfterMs(headers, clock.now()) ?? 'backoff'
  }

  function conclude(result: GuardedResult, request: BuiltRequest, { response }: HttpImplementation): RunResult {
    return result.ok ? readResponse(result.response, response, request, clock.now()) : unanswered(result, request)
  }
}

/** Whether the server that a request was for did not take its credentials (RFC 9110 section 15.5.2). */
function isRefused(result: GuardedResult, { url }: BuiltRequest, { response }: HttpImplementation): boolean {
  if (!result.ok || result.response.status !== 401 || isExpected(401, response)) return false
  // Another origin, where a redirect led, was not shown them
  return URL.parse(result.response.url)?.origin === new URL(url).origin
}

function mayRepeat({ method }: HttpImplementation, definition: Definition): boolean {
  return IDEMPOTENT_METHODS.has(method) || isIdempotent(definition)
}

function unanswered({ kind, message }: GuardedFailure, { method, shown, sensitive }: BuiltRequest): RunResult {
  return {
    ok: false,
    failure: {
      message: redact(message, sensitive),
      developer_message: redact(`${method} ${shown.url} had no answer (${kind})`, sensitive),
      can_retry: kind === 'unreachable',
    },
  }
}
