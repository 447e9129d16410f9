import { approvalReason, hasScope, isToldByKey, type Principal, shareOwner } from '../access/principal.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import {
  type ApprovalLooks,
  type AuthorizationChallenge,
  NOBODY_IDENTIFIED,
  NOBODY_TOLD_APART,
} from '../consent/authorization.ts'
import { appearanceOf } from '../tool/appearance.ts'
import { nonInferrable } from '../tool/metadata.ts'
import type { Implementation, Publisher, ToolRecord } from '../tool/tool.ts'
import { listedRequirements, needsApproval } from '../tool/tool.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { ToolStatus } from '../tool/version.ts'
import { authorise } from './authorise.ts'
import { type Failing, type Failure, fail } from '../failure/failure.ts'
import { detailOf, type FailureWords, NO_USER, notSetUp, secretNotSet, wordsOf } from '../failure/failure-words.ts'
import { type GrantLooks, meetRequirements, NO_CONTEXT, type UserTokens } from './requirements.ts'
import type { Runnable } from './runner.ts'
import { failureFor } from '../failure/for-operator.ts'

export interface FoundTool {
  readonly record: ToolRecord
  readonly status: ToolStatus
  readonly publisher: Publisher
  readonly runnable?: Runnable
}

interface UpstreamHealth {
  readonly host: string
  readonly state: 'closed' | 'open' | 'half-open'
  readonly retry_after_ms?: number
}

interface ReadinessDeps {
  readonly toolSecrets: ToolSecrets
  readonly grants: GrantLooks
  readonly approvals: ApprovalLooks
  readonly unreachable: (implementation: Implementation) => Promise<string | undefined>
  readonly healthOf: (host: string, toolkit: string, caller: string) => Omit<UpstreamHealth, 'host'>
}

export type TellReadiness = ReturnType<typeof createReadiness>
export type Readiness = Awaited<ReturnType<TellReadiness>>

interface Reader {
  readonly principal: Principal
  readonly userId: string | undefined
  readonly reachedAt: () => string
}

/** Tells whether a call could pass its stages. Nothing is run, refreshed, asked for or used up. */
export function createReadiness({ healthOf, unreachable, toolSecrets, grants, approvals }: ReadinessDeps) {
  const userTokens: Pick<UserTokens, 'tokenFor'> = { tokenFor: (required) => grants.look(required) }
  return async ({ record, status, publisher, runnable }: FoundTool, { principal, userId, reachedAt }: Reader) => {
    // Callers who may not call it learn nothing of the user or the deployment
    const refused = withdrawn(record, status) ?? authorise(principal, record.id, record, userId)
    if (refused) return readinessOf([refused.failure], [])

    const failures: Failure[] = []
    if (!runnable?.ok) {
      const { ok: _, ...why } = runnable ?? { ok: false, reason: 'It is not ready to run yet' }
      failures.push({ type: 'tool-not-executable', id: record.id, ...why })
    }
    const hosts = runnable?.ok ? runnable.hosts : undefined
    const reason = hosts && record.implementation && (await unreachable(record.implementation))
    if (reason !== undefined) failures.push({ type: 'tool-not-executable', id: record.id, reason })
    const way = { reachedAt, hosts, chargedTo: shareOwner(principal) }
    const deps = { toolSecrets, userTokens, unset: grants.unset }
    const met = await meetRequirements(record, publisher, NO_CONTEXT, userId, way, deps).catch(() =>
      fail({ type: 'unavailable', message: "Cannot look up the user's grants right now" }),
    )
    if (!met.ok) failures.push(met.failure)
    if (needsApproval(record))
      failures.push(unapproved(record, approvals.canBeApproved(reachedAt(), isToldByKey(principal))))
    const upstreams = (hosts ?? []).map((host) => ({ host, ...healthOf(host, record.toolkit, principal.id) }))
    const [silent] = upstreams.filter(({ state }) => state === 'open')
    if (silent && upstreams.every(({ state }) => state === 'open')) {
      const message = `'${silent.host}' does not answer, and is not called for a while`
      failures.push({ type: 'tool-failed', message, can_retry: true })
    }
    return readinessOf(failures, upstreams)

    function readinessOf(found: readonly Failure[], health: readonly UpstreamHealth[]) {
      const lacking = found.find((each) => each.type === 'requirements-missing')
      const missing = lacking && listedRequirements(lacking.authorization.map(encodeChallenge), lacking)
      const context = nonInferrable(record)
      return {
        tool: record.id,
        ...appearanceOf(record),
        ready: found.length === 0,
        status: { ...status },
        security_level: record.securityLevel,
        ...(needsApproval(record) ? { approval: true } : {}),
        ...(record.implementation?.shared === true ? { shared: true } : {}),
        ...(userId === undefined ? {} : { user_id: userId }),
        problems: found.map((failure) => problemOf(failureFor(principal, failure), hasScope(principal, 'admin'))),
        ...(missing && Object.keys(missing).length > 0 ? { missing_requirements: missing } : {}),
        ...(context.length > 0 ? { context: [...context] } : {}),
        ...(health.length > 0 ? { upstreams: health.map((upstream) => ({ ...upstream })) } : {}),
      }
    }
  }
}

type RequirementsMissing = Extract<Failure, { type: 'requirements-missing' }>

function withdrawn(record: ToolRecord, { state }: ToolStatus): Failing | undefined {
  const { id, name, version: asked } = record
  if (state === 'disabled') return fail({ type: 'tool-disabled', id })
  if (state !== 'pending') return undefined
  return fail({ type: 'version-unavailable', tool: formatToolId(record), name, asked, available: [] })
}

function unapproved(record: ToolRecord, canBeApproved: boolean): Failure {
  const level = approvalReason(record)
  if (!canBeApproved) {
    return {
      type: 'forbidden',
      reason: `${level}, and ${NOBODY_TOLD_APART}`,
      forOperator: `${level}, and ${NOBODY_IDENTIFIED}`,
    }
  }
  const challenge = { id: 'approval', url: '', scopes: [], status: 'not_started' } as const
  const reason = `${level}: the answer to a call has the link to its page`
  return { type: 'approval-required', id: record.id, reason, challenge }
}

function problemOf(failure: Failure, isOperator: boolean) {
  const { message, detail } = problemWords(failure, isOperator)
  return { type: failure.type, message, ...(detail === undefined ? {} : { developer_message: detail }) }
}

function problemWords(failure: Failure, isOperator: boolean): FailureWords {
  if (failure.type === 'tool-failed') return { message: failure.message }
  if (failure.type === 'id-malformed' || failure.type === 'input-invalid' || failure.type === 'input-required')
    return { message: 'It cannot be called' }
  const words = wordsOf(failure)
  if (failure.type === 'requirements-missing') return isOperator ? words : { ...words, detail: lacking(failure) }
  if (failure.type !== 'tool-not-executable' && failure.type !== 'tool-untrusted') return words
  return { ...words, detail: isOperator ? detailOf(words) : 'The operator must fix this' }
}

function lacking(failure: RequirementsMissing): string {
  const { authorization, secrets, tokens = [], user_id } = failure
  return [
    ...authorization.flatMap(({ id, authorization: asked, needsSetup }) => {
      if (needsSetup) return notSetUp(id)
      if (user_id) return []
      const page = asked === undefined ? ': the answer to a call has the link to the page' : ' by opening its link'
      return `The user must connect '${id}'${page}`
    }),
    ...tokens.map(({ id }) => `The caller must send the token that the tool calls '${id}'`),
    ...secrets.map(({ id }) => secretNotSet(id)),
    ...(user_id ? [NO_USER] : []),
  ].join('; ')
}

function encodeChallenge({ id, authorization, url, check_url, scopes, status, needsSetup }: AuthorizationChallenge) {
  const link = authorization === undefined || needsSetup ? {} : { url, check_url }
  return { id, scopes: [...scopes], status, ...link, ...(needsSetup ? { needs_setup: needsSetup } : {}) }
}
