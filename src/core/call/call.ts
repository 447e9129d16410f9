/**
 * Executes one tool call, for every dialect (OXP 1.0, "Calls"). The first failure ends it:
 *
 *   resolve → hide → authorize → parse `select` → requirements → input → idempotency (a call with an id, by a
 *   caller with a credential, of a tool that is not safe to repeat) → rate limits → files, approval → run → check the output → select → offload →
 *   record
 *
 * Neither the outcome nor the record holds a secret that the tool received. A call that fails before the limits does not
 * count against them. Limits and memory are released however the call ends. What is thrown becomes `internal`, with the
 * call's id as its reference; an unreachable store becomes `unavailable`, and a used-up work budget `request-malformed`.
 * A call that runs at most once (`runsOnce`) continues if its caller goes away, unless the dialect cancels on disconnect.
 */
import type { ToolRecord } from '../tool/tool.ts'
import { isBudgetError } from '../tool/budget.ts'
import type { NameRef, ToolRef } from '../tool/tool-ref.ts'
import { isJsonObject, type Json } from '../tool/json.ts'
import { mayActFor } from '../access/principal.ts'
import type { WaitUntil } from '../tool/platform.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { type ResolveRefDeps, type RequestContext, authorizeCall, resolveToolRef } from './authorize-call.ts'
import { resolveUserId } from './authorize-call.ts'
import { hideFromViewer, hideTool, isHidden } from './hide-tools.ts'
import { readInlineBytes, readOption, SELECT } from './call-options.ts'
import { type FindCandidates, chooseCandidate } from './tool-candidates.ts'
import type { CallableTool } from './callable-tool.ts'
import type { Deadline } from './deadline.ts'
import { type FailureResult, type Failure, fail, isUnknownTool, UnreachableError } from '../failure/failure.ts'
import { completeInput, type CallInput } from './input.ts'
import { fingerprintInvocation, type Invocation } from './invocation.ts'
import { type FindArtifact, storeWholeOutput, offloadOutput } from './large-output.ts'
import { type IdempotencyStore, runIdempotently } from './idempotency.ts'
import type { ResolvedTool } from './resolve-tool.ts'
import { checkArtifactOutput } from './artifact-output.ts'
import { type CallRecord, type CallFacts, toLoggedToolId, createCallRecord } from './call-record.ts'
import { NO_CREDENTIALS, withoutUnnamedToken } from './requirements.ts'
import { checkOutput, fitsInline, toErrorMessage, ACCEPT_ALL, type RunOutcome, runTool } from './run.ts'
import type { RunCaller, RunDeps, RunOptions } from './run.ts'
import type { ToolSuccess } from './runner.ts'
import { parseSelect, type OutputSelector } from './select.ts'
import { runStages, type StageDeps, type StageInput } from './stage.ts'
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

/** Creates the function that every call of every dialect goes through. */
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

/** A call under way, from the moment it is authorized. Its stages set what is not `readonly`. */
interface CallState extends StageInput, Pick<RunOptions, 'traceId' | 'idempotencyKey'> {
  readonly request: CallRequest
  readonly caller: Caller
  readonly tool: CallableTool
  readonly facts: CallFacts
  readonly findArtifact: FindArtifact | undefined
  /** Whether the call has an id under which it runs at most once. */
  readonly runsOnce: boolean
  /** The selection as requested, and parsed; set by `readOptions`. */
  select?: Json | undefined
  selector?: OutputSelector
  /** The default, until `readOptions`. */
  inlineBytes: number
  /** Called before the tool begins; set by `runOnce`. */
  onBegin?: () => void
}

type ToolCallResult = ToolSuccess | FailureResult

/** The signal of a caller who may come back for the call by its id: going away does not end the call. */
const NO_DISCONNECT = () => undefined

/** A tool gets at least this time, however long the stages before took. */
const MIN_RUN_MS = 1_000

async function executeCall(
  callId: string,
  request: CallRequest,
  caller: Caller,
  startedAt: number,
  facts: CallFacts,
  deps: CallDeps,
): Promise<ToolCallResult> {
  const found = await findTool(request, caller, deps)
  if (!found.ok) return found
  const { record, runnable } = found.tool
  const userId = resolveUserId(caller.principal, request.context.userId)
  const denial = authorize(found, userId, caller, facts)
  if (denial) return denial
  if (!runnable.ok) {
    const { ok: _, ...why } = runnable
    return fail({ type: 'tool-not-executable', id: record.id, ...why })
  }
  const state = createState(callId, request, { ...found, runnable, userId }, caller, startedAt, facts, deps)
  const failure =
    (await readOptions(state)) ??
    (await runStages(state.tool.stages.requirements, state, deps)) ??
    completeInvocation(state)
  if (failure) return failure
  return state.runsOnce ? runOnce(state, deps) : runWithinLimits(state, deps)
}

type FoundTool = ResolvedTool & { readonly toolRef: ToolRef }

/** Finds the tool that the request names. A tool that is hidden from the caller is answered as an unknown one. */
async function findTool(request: CallRequest, caller: Caller, deps: CallDeps): Promise<FoundTool | FailureResult> {
  const { principal, background } = caller
  const { bareName, documentRef } = request
  const chosen = bareName && chooseCandidate(bareName, principal, await deps.findCandidates(bareName.name, background))
  if (chosen && 'failure' in chosen) return chosen
  const toolRef = chosen ?? request.toolRef
  const resolved = await resolveToolRef(toolRef, documentRef, caller, deps)
  if (!resolved.ok) return hideFromViewer(toolRef, resolved, caller, deps.resolver)
  if (isHidden(principal, resolved.tool.record)) return hideTool(toolRef, caller, deps.resolver)
  return { ...resolved, toolRef }
}

function authorize(
  { tool: { record }, toolRef }: FoundTool,
  userId: string | undefined,
  { principal }: Caller,
  facts: CallFacts,
): FailureResult | undefined {
  // Nothing is stored under a user for whom the caller may not act
  if (userId !== undefined && mayActFor(principal, userId)) facts.userId = userId
  const denial = authorizeCall(principal, toolRef, record, userId)
  // Callers read their own records, which name no tool that the caller may not know
  if (denial?.failure.type !== 'tool-unknown') facts.knownTool = record
  if (!denial) facts.authorizedTool = record
  return denial
}

function createState(
  callId: string,
  request: CallRequest,
  found: Omit<ResolvedTool, 'ok'> & { readonly runnable: RunOptions['runnable']; readonly userId: string | undefined },
  caller: Caller,
  startedAt: number,
  facts: CallFacts,
  deps: CallDeps,
): CallState {
  const { tool, publisher, runnable, userId } = found
  const { context, traceId } = request
  const { timeoutMs } = runnable
  const userInfo = context.values?.user_info
  // Ids of callers without a credential are no keys: anybody could repeat them
  const runsOnce = request.callId !== undefined && caller.principal.kind !== 'anonymous' && !tool.isIdempotent
  let deadline: Deadline | undefined
  return {
    callId,
    request,
    tool,
    record: tool.record,
    runnable,
    publisher,
    caller,
    facts,
    runsOnce,
    traceId,
    findArtifact: caller.findArtifact,
    idempotencyKey: runsOnce ? () => deps.fingerprint([caller.principal.id, callId]) : undefined,
    inlineBytes: deps.inlineBytes[caller.audience],
    context: request.bareName ? withoutUnnamedToken(context) : context,
    invocation: {
      input: request.input,
      userId,
      userInfo: isJsonObject(userInfo) ? userInfo : undefined,
      method: request.method,
      answers: request.answers,
      secrets: NO_CREDENTIALS,
      tokens: NO_CREDENTIALS,
      files: undefined,
    },
    // Started at its first use: most tools end at once and need no timer
    deadline() {
      const remainingMs = Math.max(timeoutMs - (deps.now() - startedAt), Math.min(timeoutMs, MIN_RUN_MS))
      const signal = runsOnce && !caller.cancelOnDisconnect ? NO_DISCONNECT : caller.signal
      return (deadline ??= deps.startDeadline(remainingMs, signal))
    },
    answered: (status) => void (facts.upstreamStatus = status),
    deferFileRelease: (release) => void (facts.releaseFiles = release),
    deferRelease(release) {
      facts.release?.()
      facts.release = release
    },
  }
}

/** Reads `select` and the size of an inline answer, from the request or from parameters of its context. */
async function readOptions(state: CallState): Promise<FailureResult | undefined> {
  const { request, tool } = state
  const { values } = request.context
  const { select = values && readOption(SELECT, values, tool.contextParameters) } = request
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

/** Validates the input, and completes it from the context and its `null` values. */
function completeInvocation(state: CallState): FailureResult | undefined {
  const { request, tool, invocation, caller } = state
  const completed = completeInput(request, tool, invocation.userId, caller.meter)
  if (!completed.ok) return completed
  if (completed.value !== invocation.input) state.invocation = { ...invocation, input: completed.value }
  return undefined
}

async function runOnce(state: CallState, deps: CallDeps): Promise<ToolCallResult> {
  const { callId, select, caller, facts } = state
  const { timeoutMs } = state.runnable
  const { fingerprint } = await fingerprintInvocation(state, deps.fingerprint)
  const idempotentCall = { principal: caller.principal.id, callId, fingerprint, select, timeoutMs }
  const run = (onBegin: () => void) => {
    state.onBegin = onBegin
    return runWithinLimits(state, deps)
  }
  const running = runIdempotently(idempotentCall, run, deps)
  // The outcome is stored even if nobody waits for it anymore
  caller.background(running.catch(() => undefined))
  facts.finished = await running
  return facts.finished.result
}

/** Takes the call's turn, if anything limits it. Calls that failed before, or that repeat another, take none. */
async function runWithinLimits(state: CallState, deps: CallDeps): Promise<ToolCallResult> {
  const { tool, record, runnable, caller, facts } = state
  if (tool.limits.length === 0 && !caller.principal.limits) return runReady(state, deps)
  const permit = deps.callLimiter.take(limitsFor(caller.principal, record, tool.limits), runnable.timeoutMs)
  if ('ok' in permit) return permit
  try {
    return await runReady(state, deps)
  } finally {
    facts.limitStatuses = permit.end()
  }
}

/** Locates the files, gets the approval, reads the files, and runs the tool. */
async function runReady(state: CallState, deps: CallDeps): Promise<ToolCallResult> {
  const failure = await runStages(state.tool.stages.ready, state, deps)
  if (failure) return failure
  state.onBegin?.()
  const outcome = await runTool(state, deps)
  return outcome.ok ? processOutput(outcome, state, deps) : outcome
}

/** Validates the output, applies `select`, and replaces what is too large by a link. */
async function processOutput(
  { result, redactor }: RunOutcome,
  state: CallState,
  { artifacts }: CallDeps,
): Promise<ToolCallResult> {
  const { callId, record, tool, selector, inlineBytes, facts, caller, findArtifact } = state
  const { validateOutput, givesArtifacts } = tool
  facts.redactor = redactor
  const output = givesArtifacts
    ? checkArtifactOutput(result, record, validateOutput, redactor, caller.meter)
    : checkOutput(result, validateOutput, redactor, caller.meter)
  if (!output.ok) return output
  const selected = selector ? selector(output, caller.meter) : output
  const isSmall = selected.ok && fitsInline(selected, inlineBytes)
  if (isSmall && !givesArtifacts && !selected.artifact && !(findArtifact && selected.content)) return selected
  const { userId } = state.invocation
  const offloadOptions = {
    record,
    inlineBytes,
    isSmall,
    findArtifact,
    validateOutput: selector ? ACCEPT_ALL : validateOutput,
    owner: { callId, tool: record.id, principal: caller.principal.id, userId, requestUrl: caller.requestUrl },
    artifacts,
  }
  if (selected.ok) return offloadOutput(selected, offloadOptions)
  const artifact = await storeWholeOutput(output, offloadOptions)
  return fail({ type: 'select-failed', why: selected.why, ...(artifact ? { artifact } : {}) })
}
