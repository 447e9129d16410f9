/**
 * Runs a prepared tool once, then checks and redacts what comes back. How it ended, by precedence: cancelled; a
 * token that the provider refused, unless the tool succeeded; the deadline; the runner's own timeout; a thrown
 * error; the result. Progress, errors and the paths of problems are redacted too. An error that the runner throws
 * is `tool-failed`, and logged as a defect.
 */
import { type Principal, shareOwner } from '../access/principal.ts'
import type { Validate } from '../schema/validator.ts'
import { contentText } from '../tool/content.ts'
import { jsonSize } from '../tool/json.ts'
import type { Span } from '../tool/platform.ts'
import { isIdempotent, type ToolRecord } from '../tool/tool.ts'
import { type Deadline, type AbortReason, abortFailure } from './deadline.ts'
import { type FailureResult, fail, type Result } from '../failure/failure.ts'
import { createProgressReporter, type Progress } from './progress.ts'
import { createRedactor, type Redactor } from './redact.ts'
import { createTokenRenewer } from './renewal.ts'
import { type Invocation, sensitiveValues } from './invocation.ts'
import type { UserTokens } from './requirements.ts'
import type { Runnable, RunContext, RunResult, ToolSuccess, ToolResult } from './runner.ts'

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

export interface RunCaller extends Pick<RunContext, 'traceparent' | 'log' | 'background' | 'budget'> {
  readonly progress?: ((progress: Progress) => void) | undefined
  readonly principal: Principal
  readonly requestUrl: () => string
}

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

export async function runTool(options: RunOptions, deps: RunDeps): Promise<RunOutcome | FailureResult> {
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
    // The deadline sets no timer for a result that is no promise
    outcome = await options.deadline().race(running)
  } catch (thrown) {
    outcome = { thrown }
  }
  progress?.end()

  if (outcome === 'cancelled') return abortFailure(outcome, timeoutMs, mayHaveSideEffects(options))
  const succeeded = typeof outcome === 'object' && 'ok' in outcome && (outcome.ok || 'asks' in outcome)
  const refusal = succeeded ? undefined : renewals?.failure()
  if (refusal) return fail(refusal)
  if (outcome === 'expired') return abortFailure(outcome, timeoutMs, mayHaveSideEffects(options))
  if ('timedOutMs' in outcome) return abortFailure('expired', outcome.timedOutMs, mayHaveSideEffects(options))
  const redactor = secrets.size + tokens.size > 0 ? createRedactor(credentials(), deps.base64) : undefined
  if (!('thrown' in outcome)) return { ok: true, result: outcome, redactor }
  const message = toErrorMessage(outcome.thrown)
  const redacted = redactor?.text(message) ?? message
  const frame = stackFrame(outcome.thrown)
  deps.defect(callId, record.id, redacted, frame && (redactor?.text(frame) ?? frame))
  const text = `The tool '${record.id}' failed unexpectedly`
  return fail({ type: 'tool-failed', message: text, developer_message: redacted })
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

export const ACCEPT_ALL: Validate = () => []

/** In bytes of JSON. A model reads all that stands in an answer. */
export const MODEL_INLINE_BYTES = 262_144

const MAX_OUTPUT_DEPTH = 500

export function checkOutput(
  result: ToolResult,
  validateOutput: Validate,
  redactor: Redactor | undefined,
): ToolSuccess | FailureResult {
  if ('asks' in result) {
    const { requests } = result.asks
    // Its state goes back to the tool, and is sealed on the way
    return fail({ ...result.asks, type: 'input-required', requests: redactor ? redactor.value(requests) : requests })
  }
  if ('missing' in result) return fail(redactor ? redactor.fields(result.missing) : result.missing)
  if (!result.ok) {
    const { failure } = result
    return fail({ ...(redactor ? redactor.fields(failure) : failure), type: 'tool-failed' })
  }
  const value = result.value === undefined ? null : result.value
  const jsonProblem = findJsonProblem(value, MAX_OUTPUT_DEPTH)
  if (jsonProblem !== undefined) return fail({ type: 'output-invalid', problems: [{ path: '', message: jsonProblem }] })
  const problems = validateOutput(value)
  if (problems.length > 0) {
    // Paths hold property names, which the tool chose
    const safe = problems.map(({ path, message }) => ({ path: redactor?.text(path) ?? path, message }))
    return fail({ type: 'output-invalid', problems: safe })
  }
  const { content, artifact, usage } = result
  const safe = redactor ? redactor.value(value) : value
  if (!content && !artifact && !usage) return { ok: true, value: safe }
  const contentFields = { ...(content && { content }), ...(artifact && { artifact }) }
  return {
    ok: true,
    value: safe,
    ...(redactor ? redactor.fields(contentFields) : contentFields),
    ...(usage && { usage }),
  }
}

/** JSON writes infinite numbers as null, and validating, redacting and serializing recurse, so depth is bounded. */
function findJsonProblem(value: unknown, levels: number): string | undefined {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'Must not hold a number that is not finite'
  if (typeof value !== 'object' || value === null) return undefined
  if (levels === 0) return `Must not nest deeper than ${MAX_OUTPUT_DEPTH} levels`
  if (Array.isArray(value)) {
    for (const item of value) {
      const reason = findJsonProblem(item, levels - 1)
      if (reason !== undefined) return reason
    }
    return undefined
  }
  // Listing what an object holds takes several times as long
  for (const key in value) {
    const reason = findJsonProblem(Reflect.get(value, key), levels - 1)
    if (reason !== undefined) return reason
  }
  return undefined
}

/** Bytes of JSON that a character takes at most. */
const MAX_BYTES_PER_CHARACTER = 6

export function fitsInline({ value, content, artifact }: ToolSuccess, maxBytes: number): boolean {
  const isShort =
    typeof value === 'string' ? MAX_BYTES_PER_CHARACTER * (value.length + 1) <= maxBytes : typeof value !== 'object'
  if (isShort && !content && !artifact) return true
  let remaining = maxBytes - jsonSize(value, maxBytes)
  if (content && remaining >= 0) remaining -= jsonSize(content, remaining)
  if (artifact && remaining >= 0) remaining -= jsonSize(artifact, remaining)
  return remaining >= 0
}

export function toSingleValue({
  value,
  content = [],
  artifact,
}: Pick<ToolSuccess, 'value' | 'content' | 'artifact'>): unknown {
  if (value !== null && value !== undefined) return value
  if (artifact) return content.length === 0 ? { artifact } : { artifact, content }
  if (content.length === 0) return null
  return content.every(({ type }) => type === 'text') ? content.map(contentText).join('\n') : { content }
}

export function toValueResult(success: ToolSuccess): Result<unknown> {
  const { value, elsewhere } = success
  if (elsewhere && value === undefined) return fail({ type: 'output-elsewhere', artifact: elsewhere })
  return { ok: true, value: toSingleValue(success) }
}
