import type { JsonObject } from '../../core/json.ts'
import type { Signal } from '../../core/platform.ts'
import type { RunContext, RunResult, Runner } from '../../core/runner.ts'
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

/** Makes the runner of `http` implementations: one request a call, for idempotent tools up to two more, and once more with a new token. */
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

      /** Sends a request; when its token is refused, once more with the one that takes its place. */
      async function answered(first: BuiltRequest, input: JsonObject, given: RunContext): Promise<RunResult> {
        const deadline = now() + implementation.timeout_ms
        let request = first
        let context = given
        for (;;) {
          const result = await send(request, implementation, attempts, deadline, given.signal)
          const renewed = isRefused(result, request, implementation)
            ? await withNewTokens(context, implementation)
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

  async function send(
    request: BuiltRequest,
    implementation: HttpImplementation,
    attempts: number,
    deadline: number,
    signal: Signal,
  ): Promise<GuardedResult> {
    for (let attempt = 0; ; attempt++) {
      const result = await guardedFetch({ ...request, signal })
      const wait = attempt < attempts ? retryWait(result, implementation, attempt) : undefined
      // A wait past the deadline would only turn this answer into a timeout.
      if (wait === undefined || now() + wait >= deadline) return result
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

/** Whether the server that a request was for did not take its credentials (RFC 9110 section 15.5.2). */
function isRefused(result: GuardedResult, { url }: BuiltRequest, { response }: HttpImplementation): boolean {
  if (!result.ok || result.response.status !== 401 || isExpected(401, response)) return false
  // Another origin, where a redirect led, was not shown them
  return URL.parse(result.response.url)?.origin === new URL(url).origin
}

/** The context with new tokens for those of the deployment's that are sent; undefined when there are none. */
async function withNewTokens(
  context: RunContext,
  { credentials }: HttpImplementation,
): Promise<RunContext | undefined> {
  const { renew } = context
  if (!renew) return undefined
  const sent = new Set(credentials.flatMap(({ source, id }) => (source === 'authorization' ? [id] : [])))
  const tokens = new Map(context.tokens)
  let changed = false
  for (const provider of sent) {
    const token = tokens.get(provider)
    if (token?.from !== 'deployment') continue
    const value = await renew(provider, token.value)
    if (value === undefined) continue
    tokens.set(provider, { value, from: 'deployment' })
    changed = true
  }
  return changed ? { ...context, tokens } : undefined
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
