import type { ToolLimits } from '../access/limits.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { ToolName } from '../tool/tool-id.ts'
import { covers, type Principal } from '../access/principal.ts'
import type { Approvals } from '../consent/approvals.ts'
import { givesArtifacts } from '../tool/metadata.ts'
import type { Validate } from '../schema/validator.ts'
import type { Json } from '../tool/json.ts'
import type { Background, Signal } from '../tool/platform.ts'
import { isIdempotent, type ToolRecord } from '../tool/tool.ts'
import { claimApproval } from './approval.ts'
import { type BareName, type FindCandidates, meantBy } from './bare-name.ts'
import { isInPlace, readArtifact } from './artifact-output.ts'
import type { ArtifactStore } from './artifact-store.ts'
import { authorise, hideSuggestions, isHidden, refuseHidden, refuseUncovered, userOf } from './authorise.ts'
import { checkGivenInput, type GivenInput, userInfoOf } from './context-input.ts'
import { type Deadline, endedEarly } from './deadline.ts'
import { type Failing, fail, Unreachable } from './failure.ts'
import { findFiles, readFiles } from './files.ts'
import { keepWhole, needsPlace, placeOutput } from './large-output.ts'
import { checkOutput } from './output.ts'
import { type CallRecord, type Findings, loggedTool, recordOf } from './record.ts'
import { type Ledger, runOnce } from './ledger.ts'
import { accountOf, meetRequirements, withoutAnyToken } from './requirements.ts'
import type { Resolved, Resolver } from './resolve.ts'
import type { Allowance, Limited, Turns } from './turns.ts'
import type { UploadStore } from './upload-store.ts'
import { toldTo } from './told-to.ts'
import { messageOf, type RunCaller, type RunDeps, type RunOptions, runTool } from './run.ts'
import type { Success } from './runner.ts'
import { readSelect, type Select, selectOf } from './select.ts'

/** A call in no dialect's words. */
export interface Call extends GivenInput {
  /** The tool's id as the caller wrote it. */
  readonly asked: string
  /** The same where it is a name without a toolkit: it must be one tool's, which is given no token of no provider. */
  readonly bareName?: BareName
  /** The same as an address of a document's tool, which is tried first (`askedByDocument`). */
  readonly address?: string
  readonly callId?: string
  readonly traceId?: string
  /** Which part of the output is wanted, in a dialect that has a place for it beside the context. */
  readonly select?: Json
}

/** Who makes a call, and what the way it came in allows. */
export interface Caller extends RunCaller {
  readonly principal: Principal
  readonly background: Background
  /** Which dialect the call is in, for its record. */
  readonly dialect: string
  /** Aborts when the caller goes away. */
  readonly signal: () => Signal | undefined
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

export interface CallDeps extends RunDeps {
  readonly resolver: Resolver
  readonly findCandidates: FindCandidates
  readonly toolSecrets: ToolSecrets
  readonly approvals: Approvals
  readonly artifacts: ArtifactStore
  readonly uploads: UploadStore
  readonly turns: Turns
  /** How often a tool may be called, where that is limited. */
  readonly limitsOf: (tool: ToolName) => readonly ToolLimits[]
  readonly startDeadline: (timeoutMs: number, caller: () => Signal | undefined) => Deadline
  readonly ledger: Ledger
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly newId: () => string
  readonly writeRecord: (record: CallRecord, background: Background) => void
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
    if (!result.ok) result = { ok: false, failure: toldTo(caller.principal, result.failure) }
    const { finished, allowances } = findings
    const durationMs = finished?.durationMs ?? now() - started
    writeRecord(recordOf(callId, call, caller, findings, result, { at: started, durationMs }), caller.background)
    const outcome = { callId, durationMs, result, tool: findings.called }
    if (!finished && !allowances) return outcome
    return {
      ...outcome,
      ...(finished ? { finishedAt: finished.finishedAt } : {}),
      ...(allowances ? { allowances } : {}),
    }
  }
}

/** There is no value for an output schema to judge. */
const NOT_JUDGED: Validate = () => []

/** A caller who may come back for the call, by its id, does not end it by going away. */
const NOBODY_LEAVES = () => undefined

/** To find a tool takes no longer than this, in milliseconds, and leaves it as much as this of its time. */
const RESOLVE_MS = 15_000
const OWN_MS = 1_000

/** The tool that is asked for: at once where it is known, which most calls are. */
function resolveInTime(
  asked: string,
  { background, signal }: Caller,
  { resolver, startDeadline }: Pick<CallDeps, 'resolver' | 'startDeadline'>,
): Resolved | Failing | Promise<Resolved | Failing> {
  const resolving = resolver.resolve(asked, background)
  return resolving instanceof Promise ? inTime(resolving, startDeadline(RESOLVE_MS, signal)) : resolving
}

async function inTime(resolving: Promise<Resolved | Failing>, deadline: Deadline): Promise<Resolved | Failing> {
  const resolved = await deadline.race(resolving)
  if (resolved === 'cancelled') return endedEarly(resolved, RESOLVE_MS)
  return resolved === 'expired' ? fail({ type: 'unavailable', message: 'Cannot look up the tool in time' }) : resolved
}

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
  const addressed = call.address === undefined ? undefined : await resolveInTime(call.address, caller, deps)
  // A document's tool that the caller may not know of is as good as none
  const isAddressed = addressed?.ok && covers(principal, addressed.tool.record)
  const { bareName } = call
  const meant = bareName && meantBy(bareName, principal, await deps.findCandidates(bareName.name, background))
  if (typeof meant === 'object') return meant
  const asked = meant ?? call.asked
  const uncovered = isAddressed ? undefined : refuseUncovered(principal, asked)
  if (uncovered) return uncovered
  const resolved = isAddressed ? addressed : await resolveInTime(asked, caller, deps)
  if (!resolved.ok) return hideSuggestions(principal, asked, resolved, deps.resolver, background)
  const { record, runnable, validateInput, validateOutput } = resolved.tool
  findings.found = record
  if (isHidden(principal, record)) return refuseHidden(principal, asked, deps.resolver, background)

  const userId = userOf(principal, call.context.userId)
  findings.userId = userId
  const refused = authorise(principal, asked, record, userId)
  if (refused) return refused
  findings.called = record
  if (!runnable.ok) {
    const { ok: _, ...why } = runnable
    return fail({ type: 'tool-not-executable', id: record.id, ...why })
  }
  const wanted = selectOf(call, record)
  const read = wanted === undefined ? undefined : await readSelect(wanted)
  if (read?.ok === false) return read
  const select = read?.value
  const { timeoutMs } = runnable
  // What it took to find the tool counts, though a tool has a moment of its own
  const left = Math.max(timeoutMs - (deps.now() - started), Math.min(timeoutMs, OWN_MS))
  // Callers without a credential are nobody in particular: their ids are no keys
  const isOnce = call.callId !== undefined && principal.kind !== 'anonymous' && !isIdempotent(record)
  const deadline = deps.startDeadline(left, isOnce && !caller.leavingCancels ? NOBODY_LEAVES : caller.signal)

  const given = bareName ? withoutAnyToken(call.context) : call.context
  const asking = { reachedAt, hosts: runnable.hosts }
  const meet = () => meetRequirements(record, resolved.publisher, given, userId, asking, deps)
  const met = await deadline.race(
    record.requirements.authorization.length > 0
      ? deps.span('requirements', { tool: record.id, call_id: callId }, meet)
      : meet(),
  )
  if (typeof met === 'string') return endedEarly(met, timeoutMs)
  if (!met.ok) return met

  const checked = checkGivenInput(call, record, userId, validateInput)
  if (!checked.ok) return checked
  const input = checked.value

  const answered = (status: number) => void (findings.upstreamStatus = status)
  const run = { callId, record, runnable, input, userId, met, deadline, caller, select, findings, answered }
  if (!isOnce) return runApproved(run, call, validateOutput, deps)
  const once = { principal: principal.id, callId, userId, tool: record, input, select: wanted, timeoutMs }
  const running = runOnce(once, (begins) => runApproved({ ...run, begins }, call, validateOutput, deps), deps)
  // It is written down what came of it also where nobody waits any more
  background(running.catch(() => undefined))
  const finished = await running
  findings.finished = finished
  return finished.result
}

type ApprovedRun = Omit<RunOptions, 'userInfo' | 'account'> & {
  readonly caller: Caller
  readonly select: Select | undefined
  readonly findings: Findings
  /** Told as the tool begins, where it matters whether it did. */
  readonly begins?: () => void
}

/**
 * What is left of a call once its input is known, where it is its turn. Calls that fail before, and those that were made
 * before, take none.
 */
function runApproved(
  run: ApprovedRun,
  call: Call,
  validateOutput: Validate,
  deps: CallDeps,
): Promise<Success | Failing> {
  const { record, runnable, caller } = run
  const limits = deps.limitsOf(record)
  if (limits.length === 0 && !caller.principal.limits) return runInTurn(run, call, validateOutput, deps)
  const turn = deps.turns.take(limitedBy(caller.principal, record, limits), runnable.timeoutMs)
  if ('ok' in turn) return Promise.resolve(turn)
  return runInTurn(run, call, validateOutput, deps).finally(() => {
    run.findings.allowances = turn.end()
  })
}

function limitedBy(
  { id, limits: own, limitsOf = id }: Principal,
  record: ToolRecord,
  limits: readonly ToolLimits[],
): Limited[] {
  const tool = `tool:${record.toolkit}.${record.tool}`.toLowerCase()
  return [
    ...(own ? [{ id: limitsOf, name: 'credential', limits: own } as const] : []),
    ...limits.map(({ of, limits: each }) => ({ id: `${tool} ${of}`, name: 'tool', limits: each }) as const),
  ]
}

/** A person's approval of a call, its run, and what came out of it. */
async function runInTurn(
  run: ApprovedRun,
  { context }: Call,
  validateOutput: Validate,
  deps: CallDeps,
): Promise<Success | Failing> {
  const { callId, record, input, userId, deadline, caller, runnable, select } = run
  const asBase64 = runnable.takesFiles !== true
  const sender = { principal: caller.principal.id, userId }
  const looked = findFiles(record, input, asBase64, sender, deps)
  const named = looked && (await deadline.race(looked))
  if (typeof named === 'string') return endedEarly(named, runnable.timeoutMs)
  if (named?.ok === false) return named
  // A person is asked to approve only what could then run
  const unapproved = await deadline.race(claimApproval(record, input, userId, caller, deps.approvals))
  if (typeof unapproved === 'string') return endedEarly(unapproved, runnable.timeoutMs)
  if (unapproved) return unapproved

  const given = named?.value && (await deadline.race(readFiles(named.value, input, asBase64)))
  if (typeof given === 'string') return endedEarly(given, runnable.timeoutMs)
  if (given?.ok === false) return given

  run.begins?.()
  const about = { userInfo: userInfoOf(context), account: accountOf(context) }
  const ran = await runTool({ ...run, ...given?.value, ...about }, deps)
  if (!ran.ok) return ran
  const { result, redactor } = ran
  run.findings.redactor = redactor
  const read = result.ok && givesArtifacts(record) ? readArtifact(result) : undefined
  if (read?.ok === false) return read
  const came = read?.value ?? result
  const hasNoValue = came.ok && isInPlace(record, came)
  const output = checkOutput(came, hasNoValue ? NOT_JUDGED : validateOutput, redactor)
  if (!output.ok) return output
  const selected = select ? select(output) : output
  if (selected.ok && !needsPlace(selected, record)) return selected
  const owner = { callId, tool: record.id, principal: caller.principal.id, userId, reachedAt: caller.reachedAt }
  // No schema says what a part of an output is
  const placing = { record, validateOutput: select ? NOT_JUDGED : validateOutput, owner, artifacts: deps.artifacts }
  if (selected.ok) return placeOutput(selected, placing)
  const artifact = await keepWhole(output, placing)
  return fail({ type: 'select-failed', why: selected.why, ...(artifact ? { artifact } : {}) })
}
