/**
 * Executes one tool call, for every dialect (OXP 1.0, "Calls"). Its stages, the first failure of which ends the call:
 *
 * 1. find the tool, hide it from callers who may not know of it, and authorize the call
 * 2. read `select` and the size of an inline answer
 * 3. check what the tool requires (user, credentials), and complete and validate the input
 * 4. run at most once, if the call has an id, the caller has a credential, and the tool is not safe to repeat
 * 5. take a permit of the rate limits
 * 6. locate files, get a person's approval, read the files, and run the tool
 * 7. validate the output, apply `select`, and store large parts (`process-output.ts`)
 * 8. write the call's record, even if the call failed
 *
 * Neither the outcome nor the record contains a secret that the tool received. A call that fails before the limits does not
 * count against them. Limits and memory are released however the call ends. An error that a stage throws becomes
 * `internal`, with the call's id as its reference; an unreachable store becomes `unavailable`. (An error that the tool
 * throws becomes `tool-failed`, see `run.ts`.) A call that runs at most once (`runsOnce`) continues if its caller
 * disconnects, unless the dialect cancels on disconnect.
 */
import { mayActFor } from '../access/principal.ts'
import type { WaitUntil } from '../tool/platform.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { authorizeCall, type CalledToolDeps, findCalledTool, type CalledTool, resolveUserId } from './authorize-call.ts'
import { readInlineBytes, readOption, SELECT } from './call-options.ts'
import type { Caller, CallOutcome, CallRequest, CallTool } from './call-request.ts'
import { type CallState, createState, type StateDeps } from './call-state.ts'
import { processOutput } from './process-output.ts'
import { type FailureResult, type Failure, fail, isUnknownTool, UnreachableError } from '../failure/failure.ts'
import { abortFailure } from './deadline.ts'
import { completeInput } from './input.ts'
import { fingerprintInvocation, sensitiveValues } from './invocation.ts'
import { type IdempotencyRecords, runIdempotently } from './idempotency.ts'
import type { EndedCall } from './call-content.ts'
import { type CallRecord, type CallFacts, toLoggedToolId, createCallRecord } from './call-record.ts'
import { type RunDeps, toErrorMessage, runTool } from './run.ts'
import type { ToolSuccess } from './runner.ts'
import { parseSelect } from './select.ts'
import type { Stage, StageDeps } from './stage.ts'
import { tailorFailure } from '../failure/operator-failure.ts'
import { limitsFor, type CallLimiter } from './call-limiter.ts'

export interface CallDeps extends CalledToolDeps, RunDeps, StageDeps, StateDeps {
  readonly artifacts: ArtifactStore
  readonly callLimiter: CallLimiter
  readonly idempotencyRecords: IdempotencyRecords
  readonly newId: () => string
  readonly recordsContent?: boolean
  readonly writeRecord: (record: CallRecord, background: WaitUntil, forOperator?: string, endedCall?: EndedCall) => void
}

/** Creates the function that every call of every dialect goes through. */
export function createCallTool(deps: CallDeps): CallTool {
  const { now, newId, defect, writeRecord, recordsContent } = deps
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
      defect(callId, toLoggedToolId(call.toolRef, facts.knownTool), toErrorMessage(error))
      result = fail(toFailure(error, callId))
    }
    facts.release?.()
    facts.releaseFiles?.()
    const forOperator = !result.ok && 'forOperator' in result.failure ? result.failure.forOperator : undefined
    if (!result.ok) result = { ok: false, failure: tailorFailure(caller.principal, result.failure) }
    const { finished, limitStatuses, status } = facts
    const durationMs = now() - startedAt
    const record = createCallRecord(callId, call, caller, facts, result, { at: startedAt, durationMs })
    const endedCall = recordsContent ? { request: call, caller, facts, result } : undefined
    writeRecord(record, caller.background, forOperator, endedCall)
    const outcome = { callId, durationMs: finished?.durationMs ?? durationMs, result, tool: facts.authorizedTool }
    if (!finished && !limitStatuses && !status) return outcome
    const finishedAt = finished && { finishedAt: finished.finishedAt }
    return { ...outcome, ...finishedAt, ...(limitStatuses && { limitStatuses }), ...(status && { status }) }
  }
}

function toFailure(error: unknown, reference: string): Failure {
  if (error instanceof UnreachableError) return { type: 'unavailable', message: error.message }
  return { type: 'internal', reference }
}

type ToolCallResult = ToolSuccess | FailureResult

async function executeCall(
  callId: string,
  request: CallRequest,
  caller: Caller,
  startedAt: number,
  facts: CallFacts,
  deps: CallDeps,
): Promise<ToolCallResult> {
  const foundTool = await findCalledTool(request, caller, deps)
  if (!foundTool.ok) return foundTool
  const { record, runnable } = foundTool.tool
  const userId = resolveUserId(caller.principal, request.context.userId)
  const denial = authorize(foundTool, userId, caller, facts)
  if (denial) return denial
  if (!runnable.ok) {
    const { ok: _, ...why } = runnable
    return fail({ type: 'tool-not-executable', id: record.id, ...why })
  }
  const state = createState(callId, request, { ...foundTool, runnable, userId }, caller, startedAt, facts, deps)
  if (deps.recordsContent) facts.credentials = () => sensitiveValues(state.invocation)
  const failure =
    (await readOptions(state)) ??
    (await runStages(state.tool.stages.requirements, state, deps)) ??
    completeInvocation(state)
  if (failure) return failure
  return state.runsOnce ? runUnderCallId(state, deps) : runWithinLimits(state, deps)
}

function authorize(
  { tool: { record }, toolRef, status }: CalledTool,
  userId: string | undefined,
  { principal }: Caller,
  facts: CallFacts,
): FailureResult | undefined {
  // Store nothing under a user for whom the caller may not act
  if (userId !== undefined && mayActFor(principal, userId)) facts.userId = userId
  const denial = authorizeCall(principal, toolRef, record, userId)
  // Callers read their own records, which name no tool that the caller may not know
  if (denial?.failure.type !== 'tool-unknown') facts.knownTool = record
  if (!denial) facts.authorizedTool = record
  if (!denial && status.state !== 'active') facts.status = status
  return denial
}

/** Reads `select` and the size of an inline answer, from the request or from parameters of its context. */
async function readOptions(state: CallState): Promise<FailureResult | undefined> {
  const { request, tool } = state
  const { values } = request.context
  const select =
    request.select === undefined ? values && readOption(SELECT, values, tool.contextParameters) : request.select
  if (select !== undefined) {
    const parsedSelect = await parseSelect(select)
    if (!parsedSelect.ok) return parsedSelect
    state.select = select
    state.selector = parsedSelect.value
  }
  if (!values) return undefined
  const inlineBytes = readInlineBytes(values, tool.contextParameters)
  if (!inlineBytes.ok) return inlineBytes
  state.inlineBytes = inlineBytes.value ?? state.inlineBytes
  return undefined
}

/** Runs stages in order, within the call's deadline, until one fails. */
async function runStages(stages: readonly Stage[], state: CallState, deps: StageDeps) {
  for (const stage of stages) {
    const result = await state.deadline().race(stage(state, deps))
    if (result) return typeof result === 'string' ? abortFailure(result, state.runnable.timeoutMs) : result
  }
  return undefined
}

/** Validates the input, and completes it from the context and its `null` values. */
function completeInvocation(state: CallState): FailureResult | undefined {
  const { request, tool, invocation, caller } = state
  const completedInput = completeInput(request, tool, invocation.userId, caller.budget)
  if (!completedInput.ok) return completedInput
  if (completedInput.value !== invocation.input) state.invocation = { ...invocation, input: completedInput.value }
  return undefined
}

async function runUnderCallId(state: CallState, deps: CallDeps): Promise<ToolCallResult> {
  const { callId, select, caller, facts } = state
  const { timeoutMs } = state.runnable
  const { fingerprint } = await fingerprintInvocation(state, deps.fingerprint)
  const idempotentCall = { principal: caller.principal.id, callId, fingerprint, select, timeoutMs }
  const run = (onBegin: () => void) => {
    state.onBegin = onBegin
    return runWithinLimits(state, deps)
  }
  const running = runIdempotently(idempotentCall, run, deps)
  // Store the outcome even if nobody waits for it anymore
  caller.background(running.catch(() => undefined))
  facts.finished = await running
  return facts.finished.result
}

/** Takes a permit if limits apply. Calls that failed earlier, or that repeat another call, take none. */
async function runWithinLimits(state: CallState, deps: CallDeps): Promise<ToolCallResult> {
  const { tool, record, runnable, caller, facts } = state
  if (tool.limits.length === 0 && !caller.principal.limits) return prepareAndRun(state, deps)
  const permit = deps.callLimiter.take(limitsFor(caller.principal, record, tool.limits), runnable.timeoutMs)
  if ('ok' in permit) return permit
  try {
    return await prepareAndRun(state, deps)
  } finally {
    facts.limitStatuses = permit.end()
  }
}

/** Locates the files, gets the approval, reads the files, and runs the tool. */
async function prepareAndRun(state: CallState, deps: CallDeps): Promise<ToolCallResult> {
  const failure = await runStages(state.tool.stages.beforeRun, state, deps)
  if (failure) return failure
  state.onBegin?.()
  const outcome = await runTool(state, deps)
  state.facts.redactor = outcome.redactor
  return outcome.ok ? processOutput(outcome, state, deps.artifacts) : fail(outcome.failure)
}
