import { MAY_HAVE_RUN } from '../../core/failure/failure-text.ts'
import type { Invocation } from '../../core/call/invocation.ts'
import type { Runnable, RunContext, RunResult } from '../../core/call/runner.ts'
import type { Signal } from '../../core/tool/platform.ts'
import { raceAbort } from '../../outbound/until-aborted.ts'
import type { CredentialPlacement } from './credential.ts'
import { isHeaderValue } from './header-rules.ts'

export interface RetryClock {
  readonly now: () => number
  readonly sleep: (ms: number, signal: Signal) => Promise<void>
  readonly random: () => number
}

export interface UpstreamResult {
  readonly result: RunResult
  /** Milliseconds, if a retry may succeed; 'backoff' if the server did not say when. */
  readonly retryAfter?: number | 'backoff'
  /** The server may have carried out the request without confirming it. */
  readonly isUncertain?: boolean
  readonly isUnauthorized?: boolean
}

interface UpstreamTool {
  readonly ask: (invocation: Invocation, context: RunContext) => UpstreamResult | Promise<UpstreamResult>
  readonly credentials: readonly Pick<CredentialPlacement, 'source' | 'id'>[]
  readonly isRetrySafe: boolean
  readonly retries: number
  readonly timeoutMs: number
  readonly hosts: readonly string[]
}

export const MAX_RETRIES = 2

/** In milliseconds; doubles with each attempt. */
const FIRST_BACKOFF_MS = 250
const MAX_JITTER_MS = 1_000

export function createUpstreamTool(
  { ask, credentials, isRetrySafe, retries, timeoutMs, hosts }: UpstreamTool,
  { now, sleep, random }: RetryClock,
): Extract<Runnable, { readonly ok: true }> {
  return { ok: true, timeoutMs, isRetrySafe, hosts, run }

  async function run(first: Invocation, context: RunContext): Promise<RunResult> {
    const deadline = now() + timeoutMs
    for (let invocation = first; ;) {
      const outcome = await askWithRetries(invocation, context, deadline)
      const renewal = outcome.isUnauthorized ? await renewTokens(invocation, context, credentials) : undefined
      if (!renewal) return isRetrySafe ? outcome.result : withoutRetryAdvice(outcome)
      invocation = renewal
    }
  }

  async function askWithRetries(
    invocation: Invocation,
    context: RunContext,
    deadline: number,
  ): Promise<UpstreamResult> {
    for (let attempts = 0; ; attempts++) {
      const outcome = await ask(invocation, context)
      const { retryAfter } = outcome
      if (retryAfter === undefined || !isRetrySafe || attempts === retries) return outcome
      // Random, because calls that failed together would otherwise be repeated together
      const wait =
        retryAfter === 'backoff'
          ? FIRST_BACKOFF_MS * 2 ** attempts * (0.5 + random() / 2)
          : retryAfter + Math.min(retryAfter / 10, MAX_JITTER_MS) * random()
      // A wait past the deadline would only turn this outcome into a timeout
      if (now() + wait >= deadline) return outcome
      await raceAbort(() => sleep(wait, context.deadline.signal), context.deadline.signal)
    }
  }
}

/** Advises against a retry if the call must not be repeated and its effect on the server is unknown. */
function withoutRetryAdvice({ result, isUncertain }: UpstreamResult): RunResult {
  if (result.ok || !result.failure || !isUncertain) return result
  const { retry_after_ms: _, ...failure } = result.failure
  return { ok: false, failure: { ...failure, can_retry: false, additional_prompt_content: MAY_HAVE_RUN } }
}

async function renewTokens(invocation: Invocation, { renew }: RunContext, credentials: UpstreamTool['credentials']) {
  if (!renew) return undefined
  const sentProviders = new Set(credentials.flatMap(({ source, id }) => (source === 'authorization' ? [id] : [])))
  const tokens = new Map(invocation.tokens)
  let isRenewed = false
  for (const provider of sentProviders) {
    const token = tokens.get(provider)
    if (token?.from !== 'deployment') continue
    const value = await renew(provider, token.value)
    if (value === undefined) continue
    tokens.set(provider, { ...token, value })
    isRenewed = true
  }
  return isRenewed ? { ...invocation, tokens } : undefined
}

export function requestHeaders({ traceparent }: Pick<RunContext, 'traceparent'>): Headers {
  const headers = new Headers({ 'user-agent': 'switchboard' })
  if (traceparent !== undefined && isHeaderValue(traceparent)) headers.set('traceparent', traceparent)
  return headers
}

export function requestBuildFailure(problems: readonly string[]) {
  return { ok: false as const, failure: { message: `Cannot build the request: ${problems.join('; ')}` } }
}
