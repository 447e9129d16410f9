import type { RunOptions } from './run.ts'
import type { Span } from '../tool/platform.ts'
import type { ApprovalLooks, Approvals } from '../consent/authorization.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import { type Fingerprint, identify } from './invocation.ts'
import { fail, type Failing, type Failure } from '../failure/failure.ts'
import { isToldByKey } from '../access/approver.ts'
import { approvalReason, type Principal } from '../access/principal.ts'
import type { ToolLimits } from '../access/call-limits.ts'
import { governed, NO_RULE, type ToolRule } from '../access/policy.ts'
import type { Validate } from '../schema/validator.ts'
import { givesArtifacts, nonInferrable } from '../tool/metadata.ts'
import { isIdempotent, needsApproval, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { endedEarly } from './deadline.ts'
import { describeFiles, type FileStores, findFiles, mayHoldFiles, type NamedFiles, readFiles } from './files.ts'
import { type CallerContext, type GrantLooks, meetRequirements, NO_CONTEXT, type UserTokens } from './requirements.ts'
import type { Runnable } from './runner.ts'

export interface CallableTool {
  readonly record: ToolRecord
  readonly validateInput: Validate
  readonly validateOutput: Validate
  readonly runnable: Runnable
  readonly stages: Stages
  readonly contextInputs: readonly string[]
  readonly givesArtifacts: boolean
  readonly isIdempotent: boolean
  readonly limits: readonly ToolLimits[]
}

export interface Stages {
  readonly requirements: readonly Stage[]
  readonly ready: readonly Stage[]
}

export function callableTool(
  tool: Pick<CallableTool, 'record' | 'validateInput' | 'validateOutput' | 'runnable'>,
  limits: readonly ToolLimits[] = [],
): CallableTool {
  const { record } = tool
  return {
    ...tool,
    stages: stagesOf(record),
    contextInputs: nonInferrable(record),
    givesArtifacts: givesArtifacts(record),
    isIdempotent: isIdempotent(record),
    limits,
  }
}

export function governedTool(tool: CallableTool, rule: ToolRule): CallableTool {
  if (rule === NO_RULE) return tool
  const { timeoutMs = Infinity, limits } = rule
  const { runnable } = tool
  const isShorter = runnable.ok && timeoutMs < runnable.timeoutMs
  return callableTool(
    { ...tool, record: governed(tool.record, rule), runnable: isShorter ? { ...runnable, timeoutMs } : runnable },
    [...tool.limits, ...limits],
  )
}

export function stagesOf(record: ToolRecord): Stages {
  const { authorization, secrets, user_id } = record.requirements
  const isRequiring = authorization.length > 0 || secrets.length > 0 || user_id
  const takesFiles = mayHoldFiles(record.input)
  return {
    requirements: isRequiring ? [REQUIREMENTS] : [],
    // A person is asked only for a call that could then run, and no file waits in memory for that
    ready: [
      ...(takesFiles ? [FIND_FILES] : []),
      ...(needsApproval(record) ? [APPROVAL] : []),
      ...(takesFiles ? [READ_FILES] : []),
    ],
  }
}

export async function passStages(
  stages: readonly Stage[],
  open: OpenCall,
  deps: StageDeps,
): Promise<Failing | undefined> {
  for (const stage of stages) {
    const ended = await open.deadline().race(stage.pass(open, deps))
    if (ended) return typeof ended === 'string' ? endedEarly(ended, open.runnable.timeoutMs) : ended
  }
  return undefined
}

const REQUIREMENTS: Stage = {
  async pass(call, deps) {
    const { callId, record, publisher, context, invocation, runnable, caller } = call
    const way = { reachedAt: caller.reachedAt, hosts: runnable.hosts, requestedBy: caller.principal.name }
    const meet = () => meetRequirements(record, publisher, context, invocation.userId, way, deps)
    const isTraced = record.requirements.authorization.length > 0
    const met = await (isTraced ? deps.span('requirements', { tool: record.id, call_id: callId }, meet) : meet())
    if (!met.ok) return met
    const { secrets, tokens } = met
    call.invocation = { ...invocation, secrets, tokens }
    return undefined
  },
  async look({ record, publisher, userId, ...way }, { toolSecrets, grants }) {
    const userTokens: Pick<UserTokens, 'tokenFor'> = { tokenFor: (required) => grants.look(required) }
    try {
      const met = await meetRequirements(record, publisher, NO_CONTEXT, userId, way, { toolSecrets, userTokens })
      return met.ok ? undefined : met.failure
    } catch {
      return { type: 'unavailable', message: "Cannot look up the user's grants right now" }
    }
  },
}

const FIND_FILES: Stage = {
  pass(call, stores) {
    const { record, runnable, caller } = call
    const { input, userId } = call.invocation
    const owner = { principal: caller.principal.id, userId }
    const finding = findFiles(record, input, runnable.takesFiles !== true, owner, stores, caller.meter)
    if (!(finding instanceof Promise)) return finding
    return finding.then((found) => {
      if (!found.ok) return found
      call.namedFiles = found.value
      return undefined
    })
  },
}

const READ_FILES: Stage = {
  pass(call) {
    const { namedFiles, invocation, runnable } = call
    return (
      namedFiles &&
      readFiles(namedFiles, invocation.input, runnable.takesFiles !== true).then((read) => {
        if (!read.ok) return read
        call.invocation = { ...invocation, ...read.value }
        return undefined
      })
    )
  },
}

/** A person approves all that the tool is given, and nothing else runs by it. */
export const APPROVAL: Stage = {
  async pass(call, { approvals, fingerprint }) {
    const { record, caller, namedFiles } = call
    const files = namedFiles && (await describeFiles(namedFiles))
    if (files?.ok === false) return files
    const identity = await identify(call, fingerprint, files?.value)
    const claimed = await approvals.claim({
      ...identity,
      tool: record,
      isToldByKey: isToldByKey(caller.principal),
      requestedBy: caller.principal.name,
      reachedAt: caller.reachedAt,
    })
    if ('approved' in claimed) return undefined
    if ('refused' in claimed) {
      return fail({ type: 'forbidden', reason: claimed.refused, forOperator: claimed.forOperator })
    }
    return fail({ type: 'approval-required', id: record.id, reason: claimed.reason, challenge: claimed.challenge })
  },
  look({ record, principal, reachedAt }, { approvals }) {
    const level = approvalReason(record)
    if (!approvals.canBeApproved(reachedAt(), isToldByKey(principal))) {
      const reason = `${level}, and nobody who could approve a call can be told from its caller here`
      return { type: 'forbidden', reason }
    }
    const challenge = { id: 'approval', url: '', scopes: [], status: 'not_started' } as const
    const reason = `${level}: the answer to a call has the link to its page`
    return { type: 'approval-required', id: record.id, reason, challenge }
  },
}

/** A step of a call that only some tools need, known when the tool is resolved. */
export interface Stage {
  readonly pass: (call: OpenCall, deps: StageDeps) => Failing | undefined | Promise<Failing | undefined>
  readonly look?: (tool: LookedAt, deps: LookDeps) => Failure | undefined | Promise<Failure | undefined>
}

/** Stages complete the invocation, each with another one in its place. */
export interface OpenCall extends RunOptions {
  readonly publisher: Publisher
  readonly context: CallerContext
  invocation: RunOptions['invocation']
  namedFiles?: NamedFiles
}

export interface StageDeps extends FileStores {
  readonly toolSecrets: ToolSecrets
  readonly userTokens: UserTokens
  readonly approvals: Approvals
  readonly fingerprint: Fingerprint
  readonly span: Span
}

export interface LookedAt {
  readonly record: ToolRecord
  readonly publisher: Publisher
  readonly hosts: readonly string[] | undefined
  readonly userId: string | undefined
  readonly principal: Principal
  readonly reachedAt: () => string
}

export interface LookDeps {
  readonly toolSecrets: ToolSecrets
  readonly grants: GrantLooks
  readonly approvals: ApprovalLooks
}
