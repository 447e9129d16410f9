import type { ToolRecord } from '../tool/tool.ts'
import { isExhausted } from '../tool/budget.ts'
import type { AskedName } from '../tool/tool-id.ts'
import { isJsonObject, type Json } from '../tool/json.ts'
import { mayActFor } from '../access/principal.ts'
import type { Background } from '../tool/platform.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { type AskedToolDeps, type Asker, authorise, findAsked } from './authorise.ts'
import { hideSuggestions, isHidden, refuseHidden, userOf } from './authorise.ts'
import { inlineBytesOf, optionOf, SELECT } from './call-fields.ts'
import { type FindCandidates, meantBy } from './bare-name.ts'
import { type CallableTool, type OpenCall, passStages, type StageDeps } from './callable-tool.ts'
import type { Deadline } from './deadline.ts'
import { type Failing, type Failure, fail, isUnknownTool, Unreachable } from '../failure/failure.ts'
import { checkGivenInput, type GivenInput } from './input.ts'
import { identify, type Invocation } from './invocation.ts'
import { type FindArtifact, keepWhole, placeOutput } from './large-output.ts'
import { type Ledger, runOnce } from './ledger.ts'
import { checkGivenOutput } from './artifact-output.ts'
import { type CallRecord, type Findings, loggedTool, recordOf } from './call-record.ts'
import { NO_CREDENTIALS, withoutUnnamedToken } from './requirements.ts'
import { checkOutput, fits, messageOf, NOT_JUDGED, type Ran, runTool } from './run.ts'
import type { RunCaller, RunDeps, RunOptions } from './run.ts'
import type { Success } from './runner.ts'
import { readSelect, type Select } from './select.ts'
import { failureFor } from '../failure/for-operator.ts'
import { type Allowance, limitedBy, type Turns } from './count-calls.ts'

export interface Call extends GivenInput, Partial<Pick<Invocation, 'answers' | 'method'>> {
  readonly asked: string
  readonly bareName?: AskedName
  /** Asked where there is no such tool. */
  readonly otherwise?: Partial<Pick<Call, 'asked' | 'bareName'>>
  readonly address?: string
  readonly callId?: string | undefined
  readonly traceId?: string | undefined
  readonly select?: Json | undefined
}

export interface Caller extends Asker, RunCaller {
  readonly background: Background
  readonly dialect: string
  /** Whether a caller who goes away cancels the call even if it could come back for it by its id. */
  readonly leavingCancels?: boolean
  readonly audience: Audience
  readonly findArtifact?: FindArtifact
}

/** Who reads the answers of a dialect. */
export type Audience = 'model' | 'program'

export interface Outcome {
  readonly callId: string
  readonly durationMs: number
  readonly result: Success | Failing
  /** Milliseconds since 1970. Repetitions of a call under an id are told the same. */
  readonly finishedAt?: number
  readonly tool?: ToolRecord | undefined
  readonly allowances?: readonly Allowance[]
}

export type CallTool = (call: Call, caller: Caller) => Promise<Outcome>

export interface CallDeps extends AskedToolDeps, RunDeps, StageDeps {
  readonly findCandidates: FindCandidates
  readonly artifacts: ArtifactStore
  readonly turns: Turns
  readonly ledger: Ledger
  /** Bytes of JSON that an answer holds before its value becomes a link, unless its call says otherwise. */
  readonly inlineBytes: Readonly<Record<Audience, number>>
  readonly now: () => number
  readonly newId: () => string
  readonly writeRecord: (record: CallRecord, background: Background, forOperator: string | undefined) => void
}

/** The one door of every call. Neither the outcome nor the record holds a secret that the tool was given. */
export function createCallTool(deps: CallDeps): CallTool {
  const { now, newId, defect, writeRecord } = deps
  return async (call, caller) => {
    const callId = call.callId ?? newId()
    const started = now()
    const findings: Findings = {}
    let result: Outcome['result']
    try {
      result = await goThrough(callId, call, caller, started, findings, deps)
      if (!result.ok && call.otherwise && isUnknownTool(result.failure))
        result = await goThrough(callId, { ...call, ...call.otherwise }, caller, started, findings, deps)
    } catch (error) {
      if (!isExhausted(error)) defect(callId, loggedTool(call.asked, findings.found), messageOf(error))
      result = fail(failureOf(error, callId))
    }
    findings.release?.()
    findings.releaseFiles?.()
    const forOperator = !result.ok && 'forOperator' in result.failure ? result.failure.forOperator : undefined
    if (!result.ok) result = { ok: false, failure: failureFor(caller.principal, result.failure) }
    const { finished, allowances } = findings
    const durationMs = finished?.durationMs ?? now() - started
    const record = recordOf(callId, call, caller, findings, result, { at: started, durationMs })
    writeRecord(record, caller.background, forOperator)
    const outcome = { callId, durationMs, result, tool: findings.called }
    if (!finished && !allowances) return outcome
    return { ...outcome, ...(finished && { finishedAt: finished.finishedAt }), ...(allowances && { allowances }) }
  }
}

function failureOf(error: unknown, reference: string): Failure {
  if (error instanceof Unreachable) return { type: 'unavailable', message: error.message }
  if (!isExhausted(error)) return { type: 'internal', reference }
  const message = 'The request exceeds the work limit. Send less per request'
  return { type: 'request-malformed', message }
}

interface RunningCall extends OpenCall, Pick<RunOptions, 'traceId' | 'onceId'> {
  readonly findArtifact: FindArtifact | undefined
  readonly tool: CallableTool
  readonly select: Select | undefined
  inlineBytes: number
  readonly findings: Findings
  readonly begins?: () => void
}

type Ended = Success | Failing

/** A caller who may come back for the call, by its id, does not end it by going away. */
const NOBODY_LEAVES = () => undefined

const OWN_MS = 1_000

async function goThrough(
  callId: string,
  call: Call,
  caller: Caller,
  started: number,
  findings: Findings,
  deps: CallDeps,
): Promise<Ended> {
  const { principal, background } = caller
  const { bareName, context } = call

  const meant = bareName && meantBy(bareName, principal, await deps.findCandidates(bareName.name, background))
  if (typeof meant === 'object') return meant
  const asked = meant ?? call.asked
  // An await costs a turn of the queue even where nothing has to be waited for
  const finding = findAsked(asked, call.address, caller, deps)
  const resolved = finding instanceof Promise ? await finding : finding
  if (!resolved.ok) return hideSuggestions(asked, resolved, caller, deps.resolver)
  const { tool, publisher } = resolved
  const { record, runnable, stages } = tool
  if (isHidden(principal, record)) return refuseHidden(asked, caller, deps.resolver)

  const userId = userOf(principal, context.userId)
  // Nothing is stored under a user for whom the caller may not act
  if (userId !== undefined && mayActFor(principal, userId)) findings.userId = userId
  const refused = authorise(principal, asked, record, userId)
  // Callers read their own records, which name no tool that they may not know of
  if (refused?.failure.type !== 'tool-unknown') findings.found = record
  if (refused) return refused
  findings.called = record

  if (!runnable.ok) {
    const { ok: _, ...why } = runnable
    return fail({ type: 'tool-not-executable', id: record.id, ...why })
  }
  const { select = context.values && optionOf(SELECT, context.values, tool.contextInputs) } = call
  const read = select === undefined ? undefined : await readSelect(select)
  if (read?.ok === false) return read
  const { timeoutMs } = runnable
  const userInfo = context.values?.user_info
  // Ids of callers without a credential are no keys: anybody could repeat them
  const isOnce = call.callId !== undefined && principal.kind !== 'anonymous' && !tool.isIdempotent
  let deadline: Deadline | undefined
  const open: RunningCall = {
    callId,
    tool,
    record,
    runnable,
    publisher,
    caller,
    findings,
    select: read?.value,
    traceId: call.traceId,
    findArtifact: caller.findArtifact,
    onceId: isOnce ? () => deps.fingerprint([principal.id, callId]) : undefined,
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
      const left = Math.max(timeoutMs - (deps.now() - started), Math.min(timeoutMs, OWN_MS))
      return (deadline ??= deps.startDeadline(left, isOnce && !caller.leavingCancels ? NOBODY_LEAVES : caller.signal))
    },
    answered: (status) => void (findings.upstreamStatus = status),
    holds: (release) => void (findings.releaseFiles = release),
    atEnd(release) {
      findings.release?.()
      findings.release = release
    },
  }

  if (context.values) {
    const inline = inlineBytesOf(context.values, tool.contextInputs)
    if (!inline.ok) return inline
    open.inlineBytes = inline.value ?? open.inlineBytes
  }

  const unmet = stages.requirements.length > 0 && (await passStages(stages.requirements, open, deps))
  if (unmet) return unmet

  const checked = checkGivenInput(call, tool, userId, caller.meter)
  if (!checked.ok) return checked
  // Only what the context or a `null` completes is another input
  if (checked.value !== call.input) open.invocation = { ...open.invocation, input: checked.value }

  if (!isOnce) return runInTurn(open, deps)
  const { fingerprint } = await identify(open, deps.fingerprint)
  const once = { principal: principal.id, callId, fingerprint, select, timeoutMs }
  const running = runOnce(once, (begins) => runInTurn({ ...open, begins }, deps), deps)
  // The outcome is settled also when nobody waits for it any more
  background(running.catch(() => undefined))
  findings.finished = await running
  return findings.finished.result
}

/** Takes the call's turn, if anything limits it. Calls that fail before, or were made before, take none. */
function runInTurn(call: RunningCall, deps: CallDeps): Ended | Promise<Ended> {
  const { tool, record, runnable, caller } = call
  if (tool.limits.length === 0 && !caller.principal.limits) return runReady(call, deps)
  const turn = deps.turns.take(limitedBy(caller.principal, record, tool.limits), runnable.timeoutMs)
  return 'ok' in turn ? turn : inTurn(call, turn, deps)
}

async function inTurn(call: RunningCall, turn: { end(): readonly Allowance[] }, deps: CallDeps): Promise<Ended> {
  try {
    return await runReady(call, deps)
  } finally {
    call.findings.allowances = turn.end()
  }
}

function runReady(call: RunningCall, deps: CallDeps): Ended | Promise<Ended> {
  const { ready } = call.tool.stages
  return ready.length === 0
    ? runNow(call, deps)
    : passStages(ready, call, deps).then((unready) => unready ?? runNow(call, deps))
}

function runNow(call: RunningCall, deps: CallDeps): Ended | Promise<Ended> {
  call.begins?.()
  const ran = runTool(call, deps)
  return ran instanceof Promise ? ran.then((result) => check(result, call, deps)) : check(ran, call, deps)
}

function check(ran: Ran | Failing, call: RunningCall, { artifacts }: CallDeps): Ended | Promise<Ended> {
  if (!ran.ok) return ran
  const { callId, record, tool, select, inlineBytes, findings, caller, findArtifact } = call
  const { validateOutput, givesArtifacts } = tool
  findings.redactor = ran.redactor
  const output = givesArtifacts
    ? checkGivenOutput(ran.result, record, validateOutput, ran.redactor, caller.meter)
    : checkOutput(ran.result, validateOutput, ran.redactor, caller.meter)
  if (!output.ok) return output
  const selected = select ? select(output, caller.meter) : output
  const isSmall = selected.ok && fits(selected, inlineBytes)
  if (isSmall && !givesArtifacts && !selected.artifact && !(findArtifact && selected.content)) return selected
  const { userId } = call.invocation
  const owner = { callId, tool: record.id, principal: caller.principal.id, userId, reachedAt: caller.reachedAt }
  const placing = {
    record,
    inlineBytes,
    isSmall,
    findArtifact,
    validateOutput: select ? NOT_JUDGED : validateOutput,
    owner,
    artifacts,
  }
  if (selected.ok) return placeOutput(selected, placing)
  const { why } = selected
  return keepWhole(output, placing).then((artifact) =>
    fail({ type: 'select-failed', why, ...(artifact ? { artifact } : {}) }),
  )
}
