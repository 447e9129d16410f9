import { shareOwner } from '../access/principal.ts'
import type { FixedArguments } from '../access/view-record.ts'
import type { ToolLimits } from '../access/call-limits.ts'
import { applyPolicyToRecord, NO_EFFECTIVE_POLICY, type EffectivePolicy } from '../access/policy.ts'
import { fail } from '../failure/failure.ts'
import type { Validate } from '../schema/validator.ts'
import { givesArtifacts, listContextParameters } from '../tool/metadata.ts'
import { isIdempotent, needsApproval, type ToolRecord } from '../tool/tool.ts'
import { claimApprovalStage } from './approval.ts'
import { locateFiles, mayContainFiles, measureFiles, readFiles } from './files.ts'
import { meetRequirements } from './requirements.ts'
import type { Runnable } from './runner.ts'
import type { Stage } from './stage.ts'

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
  /** Set by the caller's toolset. */
  readonly fixedArguments?: FixedArguments
}

export interface Stages {
  readonly requirements: readonly Stage[]
  readonly beforeRun: readonly Stage[]
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
    requirements: [
      ...(record.taskSupport === 'required' ? [requireTaskStage] : []),
      ...(hasRequirements ? [meetRequirementsStage] : []),
    ],
    // Only calls that could then run are submitted for approval, and files are read only after the person has decided
    beforeRun: [
      ...(acceptsFiles ? [locateFilesStage] : []),
      ...(needsApproval(record) ? [claimApprovalStage] : []),
      ...(acceptsFiles ? [readFilesStage] : []),
    ],
  }
}

const requireTaskStage: Stage = ({ record: { id }, caller }) => {
  const reason = 'It runs only as a task, and this client does not support tasks'
  return caller.lacksTasks ? fail({ type: 'tool-not-executable', id, reason, needsTask: true }) : undefined
}

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

const locateFilesStage: Stage = async (call, stores) => {
  const { record, runnable, caller } = call
  const { input, userId } = call.invocation
  const owner = { principal: caller.principal.id, userId }
  const locatedFiles = await locateFiles(record, input, runnable.acceptsFiles !== true, owner, stores, caller.budget)
  if (locatedFiles?.ok) call.fileRefs = locatedFiles.value
  return locatedFiles?.ok === false ? locatedFiles : undefined
}

/** Memory for files may be free again after this time, in milliseconds. */
const FULL_MS = 5_000

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
