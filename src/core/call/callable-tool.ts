import type { RunOptions } from './run.ts'
import type { Signal, Span } from '../tool/platform.ts'
import type { Approvals } from '../consent/authorization.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import { type Fingerprint, fingerprintInvocation } from './invocation.ts'
import { fail, type FailureResult } from '../failure/failure.ts'
import { isDistinguishableByKey, shareOwner } from '../access/principal.ts'
import type { ToolLimits } from '../access/call-limits.ts'
import { applyPolicyToRecord, NO_EFFECTIVE_POLICY, type EffectivePolicy } from '../access/policy.ts'
import type { Validate } from '../schema/validator.ts'
import { givesArtifacts, listContextParameters } from '../tool/metadata.ts'
import { isIdempotent, needsApproval, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { abortFailure } from './deadline.ts'
import {
  describeFiles,
  type FileStores,
  locateFiles,
  mayContainFiles,
  measureFiles,
  type FileRefs,
  readFiles,
} from './files.ts'
import { type CallContext, meetRequirements, type UserTokens } from './requirements.ts'
import type { Runnable } from './runner.ts'

export interface CallableTool {
  readonly record: ToolRecord
  readonly validateInput: Validate
  readonly validateOutput: Validate
  readonly runnable: Runnable
  readonly stages: Stages
  readonly contextParameters: readonly string[]
  readonly givesArtifacts: boolean
  readonly isIdempotent: boolean
  readonly limits: readonly ToolLimits[]
}

export interface Stages {
  readonly requirements: readonly Stage[]
  readonly ready: readonly Stage[]
}

export function createCallableTool(
  tool: Pick<CallableTool, 'record' | 'validateInput' | 'validateOutput' | 'runnable'>,
  limits: readonly ToolLimits[] = [],
): CallableTool {
  const { record } = tool
  return {
    ...tool,
    stages: selectStages(record),
    contextParameters: listContextParameters(record),
    givesArtifacts: givesArtifacts(record),
    isIdempotent: isIdempotent(record),
    limits,
  }
}

export function applyPolicyToTool(tool: CallableTool, policy: EffectivePolicy): CallableTool {
  if (policy === NO_EFFECTIVE_POLICY) return tool
  const { timeoutMs = Infinity, limits } = policy
  const { runnable } = tool
  const isShorter = runnable.ok && timeoutMs < runnable.timeoutMs
  return createCallableTool(
    {
      ...tool,
      record: applyPolicyToRecord(tool.record, policy),
      runnable: isShorter ? { ...runnable, timeoutMs } : runnable,
    },
    [...tool.limits, ...limits],
  )
}

export function selectStages(record: ToolRecord): Stages {
  const { authorization, secrets, user_id } = record.requirements
  const hasRequirements = authorization.length > 0 || secrets.length > 0 || user_id
  const acceptsFiles = mayContainFiles(record.input)
  return {
    requirements: hasRequirements ? [meetRequirementsStage] : [],
    // A person is asked only for a call that could then run, and no file waits in memory for that
    ready: [
      ...(acceptsFiles ? [locateFilesStage] : []),
      ...(needsApproval(record) ? [claimApprovalStage] : []),
      ...(acceptsFiles ? [readFilesStage] : []),
    ],
  }
}

export async function runStages(stages: readonly Stage[], call: StageInput, deps: StageDeps) {
  for (const stage of stages) {
    const result = await call.deadline().race(stage(call, deps))
    if (result) return typeof result === 'string' ? abortFailure(result, call.runnable.timeoutMs) : result
  }
  return undefined
}

/** A step of a call that only some tools need, known when the tool is resolved. */
type Stage = (call: StageInput, deps: StageDeps) => FailureResult | undefined | Promise<FailureResult | undefined>

const meetRequirementsStage: Stage = async (call, deps) => {
  const { callId, record, publisher, context, invocation, runnable, caller } = call
  const { principal, requestUrl } = caller
  const who = { requestedBy: principal.name, chargedTo: shareOwner(principal) }
  const way = { requestUrl, hosts: runnable.hosts, ...who }
  const meet = () => meetRequirements(record, publisher, context, invocation.userId, way, deps)
  const isTraced = record.requirements.authorization.length > 0
  const met = await (isTraced ? deps.span('requirements', { tool: record.id, call_id: callId }, meet) : meet())
  if (!met.ok) return met
  const { secrets, tokens } = met
  call.invocation = { ...invocation, secrets, tokens }
  return undefined
}

const locateFilesStage: Stage = (call, stores) => {
  const { record, runnable, caller } = call
  const { input, userId } = call.invocation
  const owner = { principal: caller.principal.id, userId }
  const locating = locateFiles(record, input, runnable.acceptsFiles !== true, owner, stores, caller.meter)
  if (!(locating instanceof Promise)) return locating
  return locating.then((locatedFiles) => {
    if (!locatedFiles.ok) return locatedFiles
    call.fileRefs = locatedFiles.value
    return undefined
  })
}

const readFilesStage: Stage = async (call, { holdFiles }) => {
  const { fileRefs, invocation, runnable, caller } = call
  if (!fileRefs) return undefined
  const bytes = measureFiles(fileRefs, runnable.acceptsFiles !== true)
  const release = await holdFiles(caller.principal.id, bytes, call.deadline().signal)
  if (!release) return fail({ type: 'rate-limited', retry_after_ms: FULL_MS })
  call.deferFileRelease(release)
  const fileContents = await readFiles(fileRefs, invocation.input, runnable.acceptsFiles !== true)
  if (!fileContents.ok) return fileContents
  call.invocation = { ...invocation, ...fileContents.value }
  return undefined
}

/** A person approves all that the tool is given, and nothing else runs by it. */
export const claimApprovalStage: Stage = async (call, { approvals, fingerprint }) => {
  const { record, caller, fileRefs } = call
  const files = fileRefs && (await describeFiles(fileRefs))
  if (files?.ok === false) return files
  const identity = await fingerprintInvocation(call, fingerprint, files?.value)
  const claim = await approvals.claim({
    ...identity,
    tool: record,
    isDistinguishableByKey: isDistinguishableByKey(caller.principal),
    requestedBy: caller.principal.name,
    chargedTo: shareOwner(caller.principal),
    requestUrl: caller.requestUrl,
  })
  if ('approved' in claim) return undefined
  if ('refused' in claim) return fail({ type: 'forbidden', reason: claim.refused, forOperator: claim.forOperator })
  return fail({ type: 'approval-required', id: record.id, reason: claim.reason, challenge: claim.challenge })
}

/** Stages complete the invocation, each with another one in its place. */
export interface StageInput extends RunOptions {
  readonly publisher: Publisher
  readonly context: CallContext
  invocation: RunOptions['invocation']
  fileRefs?: FileRefs
  /** Takes what gives back memory at the end of the call. */
  readonly deferFileRelease: (release: () => void) => void
}

/** In milliseconds: when there may be memory for files again. */
const FULL_MS = 5_000

/** Waits for memory, in bytes, of one principal. Undefined where there is none in time. */
export type HoldFiles = (principal: string, bytes: number, signal: Signal) => Promise<(() => void) | undefined>

export interface StageDeps extends FileStores {
  readonly toolSecrets: ToolSecrets
  readonly userTokens: UserTokens
  readonly approvals: Approvals
  readonly fingerprint: Fingerprint
  readonly holdFiles: HoldFiles
  readonly span: Span
}
