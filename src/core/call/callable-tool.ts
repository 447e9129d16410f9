import type { ToolLimits } from '../access/call-limits.ts'
import { governed, NO_RULE, type ToolRule } from '../access/policy.ts'
import { approvalReason, type Principal } from '../access/principal.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import type { ApprovalLooks, Approvals } from '../consent/authorization.ts'
import type { Validate } from '../schema/validator.ts'
import type { JsonObject } from '../tool/json.ts'
import { givesArtifacts, nonInferrable } from '../tool/metadata.ts'
import type { Span } from '../tool/platform.ts'
import { isIdempotent, needsApproval, type Publisher, type ToolRecord } from '../tool/tool.ts'
import { type Failing, type Failure, fail } from '../failure/failure.ts'
import { type FileStores, findFiles, mayHoldFiles, type NamedFiles, readFiles } from './files.ts'
import { type GrantLooks, meetRequirements, type MetRequirements, NO_CONTEXT, type UserTokens } from './requirements.ts'
import type { RunCaller, RunOptions } from './run.ts'
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

export interface Stage {
  readonly pass: (call: OpenCall, deps: StageDeps) => Failing | undefined | Promise<Failing | undefined>
  readonly look?: (tool: LookedAt, deps: LookDeps) => Failure | undefined | Promise<Failure | undefined>
}

export interface OpenCall extends RunOptions {
  readonly publisher: Publisher
  readonly caller: RunCaller & { readonly principal: Principal }
  input: JsonObject
  met: MetRequirements
  files?: RunOptions['files']
  namedFiles?: NamedFiles
}

export interface StageDeps extends FileStores {
  readonly toolSecrets: ToolSecrets
  readonly userTokens: UserTokens
  readonly approvals: Approvals
  readonly span: Span
}

export interface LookedAt {
  readonly record: ToolRecord
  readonly publisher: Publisher
  readonly hosts: readonly string[] | undefined
  readonly userId: string | undefined
  readonly reachedAt: () => string
}

export interface LookDeps {
  readonly toolSecrets: ToolSecrets
  readonly grants: GrantLooks
  readonly approvals: ApprovalLooks
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
    // A person is asked only for a call that could then run, and no file is read before that
    ready: [
      ...(takesFiles ? [FIND_FILES] : []),
      ...(needsApproval(record) ? [APPROVAL] : []),
      ...(takesFiles ? [READ_FILES] : []),
    ],
  }
}

const REQUIREMENTS: Stage = {
  async pass(call, deps) {
    const { callId, record, publisher, context, userId, runnable, caller } = call
    const way = { reachedAt: caller.reachedAt, hosts: runnable.hosts }
    const meet = () => meetRequirements(record, publisher, context, userId, way, deps)
    const isTraced = record.requirements.authorization.length > 0
    const met = await (isTraced ? deps.span('requirements', { tool: record.id, call_id: callId }, meet) : meet())
    if (!met.ok) return met
    call.met = met
    return undefined
  },
  async look({ record, publisher, userId, ...way }, { toolSecrets, grants }) {
    const userTokens: Pick<UserTokens, 'tokenFor'> = { tokenFor: (required) => grants.look(required) }
    try {
      const met = await meetRequirements(record, publisher, NO_CONTEXT, userId, way, { toolSecrets, userTokens })
      return met.ok ? undefined : met.failure
    } catch {
      return { type: 'unavailable', message: 'What the user has granted cannot be looked up right now' }
    }
  },
}

const FIND_FILES: Stage = {
  pass(call, stores) {
    const { record, input, userId, runnable, caller } = call
    const owner = { principal: caller.principal.id, userId }
    const finding = findFiles(record, input, runnable.takesFiles !== true, owner, stores)
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
    const { namedFiles, input, runnable } = call
    return (
      namedFiles &&
      readFiles(namedFiles, input, runnable.takesFiles !== true).then((read) => {
        if (!read.ok) return read
        Object.assign(call, read.value)
        return undefined
      })
    )
  },
}

const APPROVAL: Stage = {
  async pass({ record, input, userId, caller }, { approvals }) {
    const { principal, reachedAt } = caller
    const user = userId === undefined ? {} : { userId }
    const claimed = await approvals.claim({ principal: principal.id, ...user, tool: record, input, reachedAt })
    if ('approved' in claimed) return undefined
    if ('refused' in claimed) {
      return fail({ type: 'forbidden', reason: claimed.refused, forOperator: claimed.forOperator })
    }
    return fail({ type: 'approval-required', id: record.id, reason: claimed.reason, challenge: claimed.challenge })
  },
  look({ record, reachedAt }, { approvals }) {
    const level = approvalReason(record)
    if (!approvals.canBeApproved(reachedAt())) {
      const reason = `${level}, and nobody who could approve a call can be told from its caller here`
      return { type: 'forbidden', reason }
    }
    const challenge = { id: 'approval', url: '', scopes: [], status: 'not_started' } as const
    const reason = `${level}: the answer to a call has the link to its page`
    return { type: 'approval-required', id: record.id, reason, challenge }
  },
}
