/**
 * Runs a prepared tool once. The outcome is the first of these that occurred: the call was cancelled; the provider refused
 * a token, unless the tool succeeded; the deadline passed; the runner's own timeout passed; the runner threw an error,
 * which is logged as a defect and becomes `tool-failed`; the runner returned a result. Progress and errors are redacted
 * here, and results in `output.ts`.
 */
import { shareOwner } from '../access/principal.ts'
import type { Span } from '../tool/platform.ts'
import { isIdempotent, type ToolRecord } from '../tool/tool.ts'
import type { Caller } from './call-request.ts'
import { type Deadline, type AbortReason, abortFailure } from './deadline.ts'
import { type FailureResult, fail } from '../failure/failure.ts'
import { createProgressReporter } from './progress.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { createTokenRenewer } from './renewal.ts'
import { type Invocation, sensitiveValues } from './invocation.ts'
import type { UserTokens } from './user-tokens.ts'
import type { Runnable, RunContext, RunResult, ToolResult } from './runner.ts'

export interface RunOptions extends Pick<RunContext, 'traceId' | 'idempotencyKey'> {
  readonly callId: string
  readonly record: ToolRecord
  readonly runnable: Extract<Runnable, { readonly ok: true }>
  readonly invocation: Invocation
  readonly deadline: () => Deadline
  readonly caller: RunCaller
  readonly answered?: RunContext['answered']
  readonly deferRelease?: RunContext['deferRelease']
}

type RunCaller = Pick<
  Caller,
  'principal' | 'requestUrl' | 'traceparent' | 'progress' | 'log' | 'background' | 'budget' | 'lacksTasks'
>

export interface RunDeps {
  readonly userTokens: UserTokens
  readonly base64: (text: string) => string
  readonly span: Span
  readonly defect: (callId: string, tool: string, message: string, place?: string) => void
}

export interface RunOutcome {
  readonly ok: true
  readonly result: ToolResult
  readonly redactor: Redactor | undefined
}

/** `redactor` redacts the call's record. */
type FailedRun = FailureResult & Pick<RunOutcome, 'redactor'>

export async function runTool(options: RunOptions, deps: RunDeps): Promise<RunOutcome | FailedRun> {
  const { callId, record, runnable, invocation, caller } = options
  const { timeoutMs } = runnable
  const { userId, secrets, tokens } = invocation
  const renewals =
    tokens.size === 0 || userId === undefined
      ? undefined
      : createTokenRenewer(record, tokens, {
          userId,
          hosts: runnable.hosts ?? [],
          requestUrl: caller.requestUrl,
          chargedTo: shareOwner(caller.principal),
          userTokens: deps.userTokens,
          defect: (error) => deps.defect(callId, record.id, toErrorMessage(error)),
        })
  const credentials = () => [...sensitiveValues(invocation), ...(renewals?.renewedTokens ?? [])]
  const progress =
    caller.progress && createProgressReporter(caller.progress, createProgressRedactor(credentials, deps.base64))
  const context: RunContext = {
    deadline: options.deadline(),
    callId,
    traceId: options.traceId,
    idempotencyKey: options.idempotencyKey,
    principal: caller.principal.id,
    renew: renewals?.renew,
    traceparent: caller.traceparent,
    progress: progress?.report,
    log: caller.log,
    background: caller.background,
    answered: options.answered,
    deferRelease: options.deferRelease,
    budget: caller.budget,
  }

  const run = () => runnable.run(invocation, context)
  let outcome: RunResult | AbortReason | { readonly thrown: unknown }
  try {
    const running = runnable.hosts ? deps.span('run', { tool: record.id, call_id: callId }, run) : run()
    // The deadline sets no timer if the result is not a promise
    outcome = await options.deadline().race(running)
  } catch (thrown) {
    outcome = { thrown }
  }
  progress?.end()
  const redactor = secrets.size + tokens.size > 0 ? createRedactor(credentials(), deps.base64) : undefined
  const abort = (reason: AbortReason, ms = timeoutMs) => ({
    ...abortFailure(reason, ms, mayHaveSideEffects(options)),
    redactor,
  })

  if (outcome === 'cancelled') return abort(outcome)
  const refusal = isAnswer(outcome) ? undefined : renewals?.failure()
  if (refusal) return { ...fail(refusal), redactor }
  if (outcome === 'expired') return abort(outcome)
  if ('timedOutMs' in outcome) return abort('expired', outcome.timedOutMs)
  if (!('thrown' in outcome)) return { ok: true, result: outcome, redactor }
  const message = toErrorMessage(outcome.thrown)
  const redactedMessage = redactor?.text(message) ?? message
  const frame = stackFrame(outcome.thrown)
  deps.defect(callId, record.id, redactedMessage, frame && (redactor?.text(frame) ?? frame))
  const text = `The tool '${record.id}' failed unexpectedly`
  return { ...fail({ type: 'tool-failed', message: text, developer_message: redactedMessage }), redactor }
}

/** Checks whether the tool succeeded or asks for input, so that a refused token did not matter. */
function isAnswer(outcome: RunResult | AbortReason | { readonly thrown: unknown }): boolean {
  return typeof outcome === 'object' && 'ok' in outcome && (outcome.ok || 'asks' in outcome)
}

function createProgressRedactor(
  credentials: () => readonly string[],
  base64: RunDeps['base64'],
): (text: string) => string {
  let secretCount = 0
  let redactor: Redactor | undefined
  return (text) => {
    const secrets = credentials()
    if (secrets.length !== secretCount) redactor = createRedactor(secrets, base64)
    secretCount = secrets.length
    return redactor?.text(text) ?? text
  }
}

function mayHaveSideEffects({ runnable, record }: Pick<RunOptions, 'runnable' | 'record'>): boolean {
  return runnable.isRetrySafe !== true && !isIdempotent(record)
}

function stackFrame(error: unknown): string | undefined {
  return error instanceof Error ? /^ {4}at (.{1,300})$/m.exec(error.stack ?? '')?.[1] : undefined
}

export function toErrorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
