import type { Signal } from '../../core/platform.ts'
import type { RunResult, Runner } from '../../core/runner.ts'
import type { Definition } from '../../core/tool.ts'
import type { GuardedFailure, GuardedFetch, GuardedResult } from '../guarded-fetch.ts'
import { untilAborted } from '../until-aborted.ts'
import { checkHttpImplementation } from './implementation.ts'
import type { HttpImplementation } from './implementation.ts'
import { redact } from './redaction.ts'
import { prepareRequest } from './request.ts'
import type { BuiltRequest } from './request.ts'
import { isExpected, readResponse, retryAfterMs } from './response.ts'

export interface HttpRunnerOptions {
  readonly guardedFetch: GuardedFetch
  /** The time in milliseconds. */
  readonly now: () => number
  /** Resolves after so many milliseconds, and may do so as soon as the signal aborts. */
  readonly sleep: (ms: number, signal: Signal) => Promise<void>
}

/** The wait before the first further attempt, in milliseconds; it doubles with each. */
const FIRST_BACKOFF_MS = 250

/** Methods that may be sent twice (RFC 9110 section 9.2.2). */
const IDEMPOTENT_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE'])

/** Makes the runner of `http` implementations: one request a call, and for idempotent tools up to two more. */
export function createHttpRunner({ guardedFetch, now, sleep }: HttpRunnerOptions): Runner {
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
      const attempts = isIdempotent(implementation, record) ? implementation.retry.attempts : 0

      return {
        ok: true,
        timeoutMs: implementation.timeout_ms,
        run(input, context) {
          const built = build(input, context)
          return built.ok ? send(built.request, implementation, attempts, context.signal) : built
        },
      }
    },
  }

  async function send(
    request: BuiltRequest,
    implementation: HttpImplementation,
    attempts: number,
    signal: Signal,
  ): Promise<RunResult> {
    const deadline = now() + implementation.timeout_ms
    for (let attempt = 0; ; attempt++) {
      const result = await guardedFetch({ ...request, signal })
      const wait = attempt < attempts ? retryWait(result, implementation, attempt) : undefined
      // A wait past the deadline would only turn this answer into a timeout.
      if (wait === undefined || now() + wait >= deadline) return conclude(result, request, implementation)
      await untilAborted(() => sleep(wait, signal), signal)
    }
  }

  /** How long to wait before another attempt, in milliseconds; undefined where there is no use in one. */
  function retryWait(result: GuardedResult, { response }: HttpImplementation, attempt: number): number | undefined {
    const backoff = FIRST_BACKOFF_MS * 2 ** attempt
    if (!result.ok) return result.kind === 'unreachable' ? backoff : undefined
    const { status, headers } = result.response
    if ((status !== 429 && status !== 503) || isExpected(status, response)) return undefined
    return retryAfterMs(headers, now()) ?? backoff
  }

  function conclude(result: GuardedResult, request: BuiltRequest, { response }: HttpImplementation): RunResult {
    return result.ok ? readResponse(result.response, response, request, now()) : unanswered(result, request)
  }
}

function isIdempotent({ method }: HttpImplementation, { annotations }: Definition): boolean {
  if (IDEMPOTENT_METHODS.has(method)) return true
  return annotations?.['idempotentHint'] === true || annotations?.['readOnlyHint'] === true
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
