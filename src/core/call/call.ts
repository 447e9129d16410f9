import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { Approvals } from '../consent/approvals.ts'
import type { Validate } from '../schema/validator.ts'
import type { Json } from '../tool/json.ts'
import type { Background } from '../tool/platform.ts'
import { isIdempotent, type ToolRecord } from '../tool/tool.ts'
import { claimApproval } from './approval.ts'
import { checkGivenOutput } from './artifact-output.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { type AskedTool, type AskedToolDeps, type Asker, findAsked } from './asked-tool.ts'
import { authorise, hideSuggestions, isHidden, refuseHidden, userOf } from './authorise.ts'
import { type FindCandidates, meantBy } from './bare-name.ts'
import { checkGivenInput, type GivenInput, userInfoOf } from './context-input.ts'
import { orEarlyEnd } from './deadline.ts'
import { type Failing, fail, Unreachable } from '../failure/failure.ts'
import { findFiles, readFiles } from './files.ts'
import { keepWhole, needsPlace, placeOutput } from './large-output.ts'
import { type Ledger, runOnce } from './ledger.ts'
import { NOT_JUDGED } from './output.ts'
import { type CallRecord, type Findings, loggedTool, recordOf } from './record.ts'
import { accountOf, type CallerContext, meetRequirements, withoutAnyToken } from './requirements.ts'
import { messageOf, type RunCaller, type RunDeps, type RunOptions, runTool } from './run.ts'
import type { Success } from './runner.ts'
import { readSelect, type Select, selectOf } from './select.ts'
import { operatorsPart, toldTo } from '../failure/told-to.ts'
import { type Allowance, takeTurn, type TurnsDeps } from './turns.ts'
import type { UploadStore } from './upload-store.ts'

/** A call in no dialect's words. */
export interface Call extends AskedTool, GivenInput {
  readonly callId?: string
  readonly traceId?: string
  /** Which part of the output is wanted, in a dialect that has a place for it beside the context. */
  readonly select?: Json
}

/** Who makes a call, and what the way it came in allows. */
export interface Caller extends Asker, RunCaller {
  readonly background: Background
  /** Which dialect the call is in, for its record. */
  readonly dialect: string
  /** Whether to go away is to cancel the call, also where it could be asked for again under its id. */
  readonly leavingCancels?: boolean
}

/** What a call came to. */
export interface Outcome {
  readonly callId: string
  readonly durationMs: number
  readonly result: Success | Failing
  /** When it was over, in milliseconds since 1970, where whoever repeats the call is told the same. */
  readonly finishedAt?: number
  /** The tool that was called; absent when there is none that the caller may call. */
  readonly tool?: ToolRecord | undefined
  /** What is left of the limits that it counted towards, where there are any. */
  readonly allowances?: readonly Allowance[]
}

/** Calls a tool. Never throws: whatever happens is an outcome. */
export type CallTool = (call: Call, caller: Caller) => Promise<Outcome>

export interface CallDeps extends AskedToolDeps, RunDeps, TurnsDeps {
  readonly findCandidates: FindCandidates
  readonly toolSecrets: ToolSecrets
  readonly approvals: Approvals
  readonly artifacts: ArtifactStore
  readonly uploads: UploadStore
  readonly ledger: Ledger
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  /** Writes a call down; in the log, which callers cannot read, with what of its failure is for whoever runs the deployment. */
  readonly writeRecord: (record: CallRecord, background: Background, forOperator: string | undefined) => void
}

/**
 * The one door that every call goes through: resolve, authorise, requirements, input, ledger, files, approval, run, output, the part
 * of it that is wanted, its place, record. What comes out, and what is kept, holds no secret that the tool was given.
 */
export function createCallTool(deps: CallDeps): CallTool {
  const { now, newId, defect, writeRecord } = deps
  return async (call, caller) => {
    const callId = call.callId ?? newId()
    const started = now()
    const findings: Findings = {}
    let result: Outcome['result']
    try {
      result = await goThrough(callId, call, caller, started, findings, deps)
    } catch (error) {
      // Storage that cannot be reached, or a defect of ours: it is written down like any other call
      defect(callId, loggedTool(call.asked, findings.found), messageOf(error))
      result = fail(
        error instanceof Unreachable
          ? { type: 'unavailable', message: error.message }
          : { type: 'internal', reference: callId },
      )
    }
    const forOperator = result.ok ? undefined : operatorsPart(result.failure)
    if (!result.ok) result = { ok: false, failure: toldTo(caller.principal, result.failure) }
    const { finished, allowances } = findings
    const durationMs = finished?.durationMs ?? now() - started
    const record = recordOf(callId, call, caller, findings, result, { at: started, durationMs })
    writeRecord(record, caller.background, forOperator)
    const outcome = { callId, durationMs, result, tool: findings.called }
    if (!finished && !allowances) return outcome
    return {
      ...outcome,
      ...(finished ? { finishedAt: finished.finishedAt } : {}),
      ...(allowances ? { allowances } : {}),
    }
  }
}

/** A caller who may come back for the call, by its id, does not end it by going away. */
const NOBODY_LEAVES = () => undefined

/** What a tool has of its time at the least, however long it took to find it, in milliseconds. */
const OWN_MS = 1_000

/** Every stage but the record, in order: each ends the call, or leads to the next. */
async function goThrough(
  callId: string,
  call: Call,
  caller: Caller,
  started: number,
  findings: Findings,
  deps: CallDeps,
): Promise<Success | Failing> {
  const { principal, background, reachedAt } = caller
  const { bareName } = call

  // Resolve
  const meant = bareName && meantBy(bareName, principal, await deps.findCandidates(bareName.name, background))
  if (typeof meant === 'object') return meant
  const asked = meant ?? call.asked
  const resolved = await findAsked(asked, call.address, caller, deps)
  if (!resolved.ok) return hideSuggestions(principal, asked, resolved, deps.resolver, background)
  const { record, runnable, validateInput, validateOutput } = resolved.tool
  findings.found = record
  if (isHidden(principal, record)) return refuseHidden(principal, asked, deps.resolver, background)

  // Authorise
  const userId = userOf(principal, call.context.userId)
  findings.userId = userId
  const refused = authorise(principal, asked, record, userId)
  if (refused) return refused
  findings.called = record

  // What it takes to run: a way to, a part that can be selected, time
  if (!runnable.ok) {
    const { ok: _, ...why } = runnable
    return fail({ type: 'tool-not-executable', id: record.id, ...why })
  }
  const wanted = selectOf(call, record)
  const read = wanted === undefined ? undefined : await readSelect(wanted)
  if (read?.ok === false) return read
  const { timeoutMs } = runnable
  const left = Math.max(timeoutMs - (deps.now() - started), Math.min(timeoutMs, OWN_MS))
  // Callers without a credential are nobody in particular: their ids are no keys
  const isOnce = call.callId !== undefined && principal.kind !== 'anonymous' && !isIdempotent(record)
  const deadline = deps.startDeadline(left, isOnce && !caller.leavingCancels ? NOBODY_LEAVES : caller.signal)

  // Requirements
  const given = bareName ? withoutAnyToken(call.context) : call.context
  const asking = { reachedAt, hosts: runnable.hosts }
  const meet = () => meetRequirements(record, resolved.publisher, given, userId, asking, deps)
  const isAsking = record.requirements.authorization.length > 0
  const meeting = isAsking ? deps.span('requirements', { tool: record.id, call_id: callId }, meet) : meet()
  const met = orEarlyEnd(await deadline.race(meeting), timeoutMs)
  if (!met.ok) return met

  // Input
  const checked = checkGivenInput(call, record, userId, validateInput)
  if (!checked.ok) return checked
  const input = checked.value

  // Ledger, for what is to run once
  const answered = (status: number) => void (findings.upstreamStatus = status)
  const select = read?.value
  const ready = { callId, record, runnable, input, userId, met, deadline, caller, answered, select, findings }
  if (!isOnce) return runInTurn(ready, call.context, validateOutput, deps)
  const once = { principal: principal.id, callId, userId, tool: record, input, select: wanted, timeoutMs }
  const running = runOnce(once, (begins) => runInTurn(ready, call.context, validateOutput, deps, begins), deps)
  // It is written down what came of it also where nobody waits any more
  background(running.catch(() => undefined))
  findings.finished = await running
  return findings.finished.result
}

/** A call whose requirements are met, and whose input is known. */
interface ReadyCall extends Omit<RunOptions, 'userInfo' | 'account' | 'files'> {
  readonly caller: Caller
  readonly select: Select | undefined
  readonly findings: Findings
}

/** The stages of a call once it is its turn. Calls that fail before, and those that were made before, take none. */
function runInTurn(
  ready: ReadyCall,
  context: CallerContext,
  validateOutput: Validate,
  deps: CallDeps,
  begins?: () => void,
): Promise<Success | Failing> {
  const { record, runnable, caller, findings } = ready
  const turn = takeTurn(caller.principal, record, runnable.timeoutMs, deps)
  if (turn && 'ok' in turn) return Promise.resolve(turn)
  const ran = runReady(ready, context, validateOutput, deps, begins)
  return turn ? ran.finally(() => void (findings.allowances = turn.end())) : ran
}

/** The files that the input names, a person's approval, the run, and what comes of it. `begins` is told as the tool begins. */
async function runReady(
  ready: ReadyCall,
  context: CallerContext,
  validateOutput: Validate,
  deps: CallDeps,
  begins?: () => void,
): Promise<Success | Failing> {
  const { callId, record, input, userId, deadline, caller, runnable, select, findings } = ready
  const { timeoutMs } = runnable
  const principal = caller.principal.id

  // Files
  const asBase64 = runnable.takesFiles !== true
  const finding = findFiles(record, input, asBase64, { principal, userId }, deps)
  const named = finding && orEarlyEnd(await deadline.race(finding), timeoutMs)
  if (named?.ok === false) return named

  // Approval: a person is asked for it only of what could then run
  const claiming = claimApproval(record, input, userId, caller, deps.approvals)
  const unapproved = orEarlyEnd(await deadline.race(claiming), timeoutMs)
  if (unapproved) return unapproved

  const files = named?.value && orEarlyEnd(await deadline.race(readFiles(named.value, input, asBase64)), timeoutMs)
  if (files?.ok === false) return files

  // Run
  begins?.()
  const about = { userInfo: userInfoOf(context), account: accountOf(context) }
  const ran = await runTool({ ...ready, ...files?.value, ...about }, deps)
  if (!ran.ok) return ran
  findings.redactor = ran.redactor

  // Output, the part of it that is wanted, its place
  const output = checkGivenOutput(ran.result, record, validateOutput, ran.redactor)
  if (!output.ok) return output
  const selected = select ? select(output) : output
  if (selected.ok && !needsPlace(selected, record)) return selected
  const owner = { callId, tool: record.id, principal, userId, reachedAt: caller.reachedAt }
  // No schema says what a part of an output is
  const placing = { record, validateOutput: select ? NOT_JUDGED : validateOutput, owner, artifacts: deps.artifacts }
  if (selected.ok) return placeOutput(selected, placing)
  const artifact = await keepWhole(output, placing)
  return fail({ type: 'select-failed', why: selected.why, ...(artifact ? { artifact } : {}) })
}
