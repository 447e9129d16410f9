/**
 * Executes one tool call, for every dialect (OXP 1.0, "Calls"). The first failure ends it:
 *
 *   resolve → hide → authorize → parse `select` → requirements → input → idempotency (a call with an id, of a tool
 *   that is not safe to repeat) → rate limits → files, approval → run → check the output → select → offload →
 *   record
 *
 * Neither the outcome nor the record holds a secret that the tool was given. A call that fails before the limits
 * does not count against them; limits and memory are released however it ends. What is thrown becomes `internal`,
 * with the call's id as its reference. A call with an id outlives its caller, unless the dialect cancels on
 * disconnect.
 */
import type { ToolRecord } from '../tool/tool.ts'
import { isBudgetError } from '../tool/budget.ts'
import type { NameRef, ToolRef } from '../tool/tool-ref.ts'
import { isJsonObject, type Json } from '../tool/json.ts'
import { mayActFor } from '../access/principal.ts'
import type { WaitUntil } from '../tool/platform.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { type ResolveRefDeps, type RequestContext, authorizeCall, resolveToolRef } from './authorize-call.ts'
import { filterSuggestions, isHidden, maskHiddenTool, resolveUserId } from './authorize-call.ts'
import { readInlineBytes, readOption, SELECT } from './call-options.ts'
import { type FindCandidates, chooseCandidate } from './tool-candidates.ts'
import { type CallableTool, type StageInput, runStages, type StageDeps } from './callable-tool.ts'
import type { Deadline } from './deadline.ts'
import { type FailureResult, type Failure, fail, isUnknownTool, UnreachableError } from '../failure/failure.ts'
import { completeInput, type CallInput } from './input.ts'
import { fingerprintInvocation, type Invocation } from './invocation.ts'
import { type FindArtifact, storeWholeOutput, offloadOutput } from './large-output.ts'
import { type IdempotencyStore, runIdempotently } from './idempotency.ts'
import { checkArtifactOutput } from './artifact-output.ts'
import { type CallRecord, type CallFacts, toLoggedToolId, createCallRecord } from './call-record.ts'
import { NO_CREDENTIALS, withoutUnnamedToken } from './requirements.ts'
import { checkOutput, fitsInline, toErrorMessage, ACCEPT_ALL, type RunOutcome, runTool } from './run.ts'
import type { RunCaller, RunDeps, RunOptions } from './run.ts'
import type { ToolSuccess } from './runner.ts'
import { parseSelect, type OutputSelector } from './select.ts'
import { tailorFailure } from '../failure/operator-failure.ts'
import { type LimitStatus, limitsFor, type CallLimiter } from './call-limiter.ts'

export interface CallRequest extends CallInput, Partial<Pick<Invocation, 'answers' | 'method'>> {
  readonly toolRef: ToolRef
  readonly bareName?: NameRef
  /** In place of these where there is no such tool. */
  readonly fallback?: Partial<Pick<CallRequest, 'toolRef' | 'bareName'>>
  /** Tried first: a document's id may look like a tool's. */
  readonly documentRef?: ToolRef
  readonly callId?: string | undefined
  readonly traceId?: string | undefined
  readonly select?: Json | undefined
}

export interface Caller extends RequestContext, RunCaller {
  readonly background: WaitUntil
  readonly dialect: string
  /** Whether a caller who goes away cancels the call even if it could come back for it by its id. */
  readonly cancelOnDisconnect?: boolean
  readonly audience: Audience
  readonly findArtifact?: FindArtifact
}

/** Who reads the answers of a dialect. */
type Audience = 'model' | 'program'

export interface CallOutcome {
  readonly callId: string
  readonly durationMs: number
  readonly result: ToolSuccess | FailureResult
  /** Milliseconds since 1970. Repetitions of a call under an id are told the same. */
  readonly finishedAt?: number
  readonly tool?: ToolRecord | undefined
  readonly limitStatuses?: readonly LimitStatus[]
}

export type CallTool = (call: CallRequest, caller: Caller) => Promise<CallOutcome>

export interface CallDeps extends ResolveRefDeps, RunDeps, StageDeps {
  readonly findCandidates: FindCandidates
  readonly artifacts: ArtifactStore
  readonly callLimiter: CallLimiter
  readonly idempotencyStore: IdempotencyStore
  /** Bytes of JSON that an answer holds before its value becomes a link, unless its call says otherwise. */
  readonly inlineBytes: Readonly<Record<Audience, number>>
  readonly now: () => number
  readonly newId: () => string
  readonly writeRecord: (record: CallRecord, background: WaitUntil, forOperator: string | undefined) => void
}

/** Every call of every dialect goes through what this makes. */
export function createCallTool(deps: CallDeps): CallTool {
  const { now, newId, defect, writeRecord } = deps
  return async (call, caller) => {
    const callId = call.callId ?? newId()
    const startedAt = now()
    const facts: CallFacts = {}
    let result: CallOutcome['result']
    try {
      result = await executeCall(callId, call, caller, startedAt, facts, deps)
      if (!result.ok && call.fallback && isUnknownTool(result.failure))
        result = await executeCall(callId, { ...call, ...call.fallback }, caller, startedAt, facts, deps)
    } catch (error) {
      if (!isBudgetError(error)) defect(callId, toLoggedToolId(call.toolRef, facts.knownTool), toErrorMessage(error))
      result = fail(toFailure(error, callId))
    }
    facts.release?.()
    facts.releaseFiles?.()
    const forOperator = !result.ok && 'forOperator' in result.failure ? result.failure.forOperator : undefined
    if (!result.ok) result = { ok: false, failure: tailorFailure(caller.principal, result.failure) }
    const { finished, limitStatuses } = facts
    const durationMs = finished?.durationMs ?? now() - startedAt
    const record = createCallRecord(callId, call, caller, facts, result, { at: startedAt, durationMs })
    writeRecord(record, caller.background, forOperator)
    const outcome = { callId, durationMs, result, tool: facts.authorizedTool }
    if (!finished && !limitStatuses) return outcome
    return { ...outcome, ...(finished && { finishedAt: finished.finishedAt }), ...(limitStatuses && { limitStatuses }) }
  }
}

function toFailure(error: unknown, reference: string): Failure {
  if (error instanceof UnreachableError) return { type: 'unavailable', message: error.message }
  if (!isBudgetError(error)) return { type: 'internal', reference }
  const message = 'The request exceeds the work limit. Send less per request'
  return { type: 'request-malformed', message }
}

interface CallState extends StageInput, Pick<RunOptions, 'traceId' | 'idempotencyKey'> {
  readonly findArtifact: FindArtifact | undefined
  readonly tool: CallableTool
  readonly select: OutputSelector | undefined
  inlineBytes: number
  readonly facts: CallFacts
  readonly onBegin?: () => void
}

type ToolCallResult = ToolSuccess | FailureResult

/** A caller who may come back for the call, by its id, does not end it by going away. */
const NO_DISCONNECT = () => undefined

const MIN_RUN_MS = 1_000

async function executeCall(
  callId: string,
  call: CallRequest,
  caller: Caller,
  startedAt: number,
  facts: CallFacts,
  deps: CallDeps,
): Promise<ToolCallResult> {
  const { principal, background } = caller
  const { bareName, context } = call

  const chosen = bareName && chooseCandidate(bareName, principal, await deps.findCandidates(bareName.name, background))
  if (chosen && 'failure' in chosen) return chosen
  const toolRef = chosen ?? call.toolRef
  // An await costs a turn of the queue even where nothing has to be waited for
  const resolving = resolveToolRef(toolRef, call.documentRef, caller, deps)
  const resolved = resolving instanceof Promise ? await resolving : resolving
  if (!resolved.ok) return filterSuggestions(toolRef, resolved, caller, deps.resolver)
  const { tool, publisher } = resolved
  const { record, runnable, stages } = tool
  if (isHidden(principal, record)) return maskHiddenTool(toolRef, caller, deps.resolver)

  const userId = resolveUserId(principal, context.userId)
  // Nothing is stored under a user for whom the caller may not act
  if (userId !== undefined && mayActFor(principal, userId)) facts.userId = userId
  const denial = authorizeCall(principal, toolRef, record, userId)
  // Callers read their own records, which name no tool that they may not know of
  if (denial?.failure.type !== 'tool-unknown') facts.knownTool = record
  if (denial) return denial
  facts.authorizedTool = record

  if (!runnable.ok) {
    const { ok: _, ...why } = runnable
    return fail({ type: 'tool-not-executable', id: record.id, ...why })
  }
  const { select = context.values && readOption(SELECT, context.values, tool.contextParameters) } = call
  const parsedSelect = select === undefined ? undefined : await parseSelect(select)
  if (parsedSelect?.ok === false) return parsedSelect
  const { timeoutMs } = runnable
  const userInfo = context.values?.user_info
  // Ids of callers without a credential are no keys: anybody could repeat them
  const runsOnce = call.callId !== undefined && principal.kind !== 'anonymous' && !tool.isIdempotent
  let deadline: Deadline | undefined
  const state: CallState = {
    callId,
    tool,
    record,
    runnable,
    publisher,
    caller,
    facts,
    select: parsedSelect?.value,
    traceId: call.traceId,
    findArtifact: caller.findArtifact,
    idempotencyKey: runsOnce ? () => deps.fingerprint([principal.id, callId]) : undefined,
    inlineBytes: deps.inlineBytes[caller.audience],
    context: bareName ? withoutUnnamedToken(context) : context,
    invocation: {
      input: call.input,
      userId,
      userInfo: isJsonObject(userInfo) ? userInfo : undefined,
      method: call.method,
      answers: call.answers,
      secrets: NO_CREDENTIALS,
      tokens: NO_CREDENTIALS,
      files: undefined,
    },
    // Most tools end at once, and need none
    deadline: () => {
      const remainingMs = Math.max(timeoutMs - (deps.now() - startedAt), Math.min(timeoutMs, MIN_RUN_MS))
      return (deadline ??= deps.startDeadline(
        remainingMs,
        runsOnce && !caller.cancelOnDisconnect ? NO_DISCONNECT : caller.signal,
      ))
    },
    answered: (status) => void (facts.upstreamStatus = status),
    deferFileRelease: (release) => void (facts.releaseFiles = release),
    deferRelease(release) {
      facts.release?.()
      facts.release = release
    },
  }

  if (context.values) {
    const inline = readInlineBytes(context.values, tool.contextParameters)
    if (!inline.ok) return inline
    state.inlineBytes = inline.value ?? state.inlineBytes
  }

  const missingRequirements = stages.requirements.length > 0 && (await runStages(stages.requirements, state, deps))
  if (missingRequirements) return missingRequirements

  const completed = completeInput(call, tool, userId, caller.meter)
  if (!completed.ok) return completed
  // Only what the context or a `null` completes is another input
  if (completed.value !== call.input) state.invocation = { ...state.invocation, input: completed.value }

  if (!runsOnce) return runWithinLimits(state, deps)
  const { fingerprint } = await fingerprintInvocation(state, deps.fingerprint)
  const idempotentCall = { principal: principal.id, callId, fingerprint, select, timeoutMs }
  const running = runIdempotently(idempotentCall, (onBegin) => runWithinLimits({ ...state, onBegin }, deps), deps)
  // The outcome is settled also when nobody waits for it any more
  background(running.catch(() => undefined))
  facts.finished = await running
  return facts.finished.result
}

/** Takes the call's turn, if anything limits it. Calls that fail before, or were made before, take none. */
function runWithinLimits(call: CallState, deps: CallDeps): ToolCallResult | Promise<ToolCallResult> {
  const { tool, record, runnable, caller } = call
  if (tool.limits.length === 0 && !caller.principal.limits) return runReadyStages(call, deps)
  const permit = deps.callLimiter.take(limitsFor(caller.principal, record, tool.limits), runnable.timeoutMs)
  return 'ok' in permit ? permit : runThenRelease(call, permit, deps)
}

async function runThenRelease(
  call: CallState,
  permit: { end(): readonly LimitStatus[] },
  deps: CallDeps,
): Promise<ToolCallResult> {
  try {
    return await runReadyStages(call, deps)
  } finally {
    call.facts.limitStatuses = permit.end()
  }
}

function runReadyStages(call: CallState, deps: CallDeps): ToolCallResult | Promise<ToolCallResult> {
  const { ready } = call.tool.stages
  return ready.length === 0
    ? invokeTool(call, deps)
    : runStages(ready, call, deps).then((unready) => unready ?? invokeTool(call, deps))
}

function invokeTool(call: CallState, deps: CallDeps): ToolCallResult | Promise<ToolCallResult> {
  call.onBegin?.()
  const runOutcome = runTool(call, deps)
  return runOutcome instanceof Promise
    ? runOutcome.then((result) => processOutput(result, call, deps))
    : processOutput(runOutcome, call, deps)
}

function processOutput(
  runOutcome: RunOutcome | FailureResult,
  call: CallState,
  { artifacts }: CallDeps,
): ToolCallResult | Promise<ToolCallResult> {
  if (!runOutcome.ok) return runOutcome
  const { callId, record, tool, select, inlineBytes, facts, caller, findArtifact } = call
  const { validateOutput, givesArtifacts } = tool
  facts.redactor = runOutcome.redactor
  const output = givesArtifacts
    ? checkArtifactOutput(runOutcome.result, record, validateOutput, runOutcome.redactor, caller.meter)
    : checkOutput(runOutcome.result, validateOutput, runOutcome.redactor, caller.meter)
  if (!output.ok) return output
  const selected = select ? select(output, caller.meter) : output
  const isSmall = selected.ok && fitsInline(selected, inlineBytes)
  if (isSmall && !givesArtifacts && !selected.artifact && !(findArtifact && selected.content)) return selected
  const { userId } = call.invocation
  const owner = { callId, tool: record.id, principal: caller.principal.id, userId, requestUrl: caller.requestUrl }
  const offloadOptions = {
    record,
    inlineBytes,
    isSmall,
    findArtifact,
    validateOutput: select ? ACCEPT_ALL : validateOutput,
    owner,
    artifacts,
  }
  if (selected.ok) return offloadOutput(selected, offloadOptions)
  const { why } = selected
  return storeWholeOutput(output, offloadOptions).then((artifact) =>
    fail({ type: 'select-failed', why, ...(artifact ? { artifact } : {}) }),
  )
}
