import {
  formatApprovalReason,
  hasScope,
  isDistinguishableByKey,
  type Principal,
  shareOwner,
} from '../access/principal.ts'
import type { ToolSecrets } from '../access/tool-secrets.ts'
import {
  type ApprovalAvailability,
  type AuthorizationChallenge,
  NO_APPROVER_SETUP,
  NO_APPROVER,
} from '../consent/authorization.ts'
import { getAppearance } from '../tool/appearance.ts'
import { listContextParameters } from '../tool/metadata.ts'
import { toIdRef } from '../tool/tool-ref.ts'
import type { Implementation, Publisher, ToolRecord } from '../tool/tool.ts'
import { omitEmptyRequirements, needsApproval } from '../tool/tool.ts'
import { formatToolId } from '../tool/tool-id.ts'
import type { ToolStatus } from '../tool/version.ts'
import { authorizeCall } from './authorize-call.ts'
import { type FailureResult, type Failure, fail } from '../failure/failure.ts'
import {
  formatDetail,
  type FailureText,
  NO_USER,
  formatNotSetUp,
  formatSecretNotSet,
  describeFailure,
} from '../failure/failure-text.ts'
import { findNeed } from './readiness-need.ts'
import { meetRequirements, NO_CONTEXT } from './requirements.ts'
import type { GrantPreview, UserTokens } from './user-tokens.ts'
import type { RequirementsMissing, Runnable } from './runner.ts'
import { tailorFailure } from '../failure/operator-failure.ts'

export interface ToolWithStatus {
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
  readonly grants: GrantPreview
  readonly approvals: ApprovalAvailability
  readonly unreachable: (implementation: Implementation) => Promise<string | undefined>
  readonly getHealth: (host: string, toolkit: string, caller: string) => Omit<UpstreamHealth, 'host'>
}

export type CheckReadiness = ReturnType<typeof createReadinessCheck>
export type Readiness = Awaited<ReturnType<CheckReadiness>>

interface ReadinessQuery {
  readonly principal: Principal
  readonly userId: string | undefined
  readonly requestUrl: () => string
}

/** Creates the check of whether a call would pass its stages. It runs, refreshes, requests and uses up nothing. */
export function createReadinessCheck({ getHealth, unreachable, toolSecrets, grants, approvals }: ReadinessDeps) {
  const userTokens: Pick<UserTokens, 'tokenFor'> = { tokenFor: (required) => grants.look(required) }
  return async (
    { record, status, publisher, runnable }: ToolWithStatus,
    { principal, userId, requestUrl }: ReadinessQuery,
  ) => {
    // Reveal nothing about the user or the deployment to callers who may not call the tool
    const denial = findWithdrawal(record, status) ?? authorizeCall(principal, toIdRef(record.id), record, userId)
    if (denial) return summarizeReadiness([denial.failure], [])

    const failures: Failure[] = []
    if (!runnable?.ok) {
      const { ok: _, ...why } = runnable ?? { ok: false, reason: 'It is not ready to run yet' }
      failures.push({ type: 'tool-not-executable', id: record.id, ...why })
    }
    const hosts = runnable?.ok ? runnable.hosts : undefined
    const reason = hosts && record.implementation && (await unreachable(record.implementation))
    if (reason !== undefined) failures.push({ type: 'tool-not-executable', id: record.id, reason })
    const way = { requestUrl, hosts, chargedTo: shareOwner(principal) }
    const deps = { toolSecrets, userTokens, findSetupRefusal: grants.findSetupRefusal }
    const met = await meetRequirements(record, publisher, NO_CONTEXT, userId, way, deps).catch(() =>
      fail({ type: 'unavailable', message: "Cannot look up the user's grants right now" }),
    )
    if (!met.ok) failures.push(met.failure)
    if (needsApproval(record))
      failures.push(toApprovalFailure(record, approvals.canBeApproved(requestUrl(), isDistinguishableByKey(principal))))
    const upstreams = (hosts ?? []).map((host) => ({ host, ...getHealth(host, record.toolkit, principal.id) }))
    const [silent] = upstreams.filter(({ state }) => state === 'open')
    if (silent && upstreams.every(({ state }) => state === 'open')) {
      const message = `'${silent.host}' does not answer, and is not called for a while`
      failures.push({ type: 'tool-failed', message, can_retry: true })
    }
    return summarizeReadiness(failures, upstreams)

    function summarizeReadiness(causes: readonly Failure[], health: readonly UpstreamHealth[]) {
      const requirementsFailure = causes.find((each) => each.type === 'requirements-missing')
      const missingRequirements =
        requirementsFailure &&
        omitEmptyRequirements(requirementsFailure.authorization.map(encodeChallenge), requirementsFailure)
      const context = listContextParameters(record)
      return {
        tool: record.id,
        ...getAppearance(record),
        ready: causes.length === 0,
        status: { ...status },
        security_level: record.securityLevel,
        ...(needsApproval(record) ? { approval: true } : {}),
        ...(record.implementation?.shared === true ? { shared: true } : {}),
        ...(userId === undefined ? {} : { user_id: userId }),
        problems: causes.map((failure) =>
          toReadinessProblem(tailorFailure(principal, failure), hasScope(principal, 'admin')),
        ),
        ...(missingRequirements && Object.keys(missingRequirements).length > 0
          ? { missing_requirements: missingRequirements }
          : {}),
        ...(context.length > 0 ? { context: [...context] } : {}),
        ...(health.length > 0 ? { upstreams: health.map((upstream) => ({ ...upstream })) } : {}),
      }
    }
  }
}

function findWithdrawal(record: ToolRecord, { state }: ToolStatus): FailureResult | undefined {
  const { id, name, version: range } = record
  if (state === 'disabled') return fail({ type: 'tool-disabled', id })
  if (state !== 'pending') return undefined
  return fail({ type: 'version-unavailable', tool: formatToolId(record), name, range, available: [] })
}

function toApprovalFailure(record: ToolRecord, canBeApproved: boolean): Failure {
  const level = formatApprovalReason(record)
  if (!canBeApproved) {
    return {
      type: 'forbidden',
      reason: `${level}, and ${NO_APPROVER}`,
      forOperator: `${level}, and ${NO_APPROVER_SETUP}`,
    }
  }
  const challenge = { id: 'approval', url: '', scopes: [], status: 'not_started' } as const
  const reason = `${level}: the answer to a call has the link to its page`
  return { type: 'approval-required', id: record.id, reason, challenge }
}

/** Explains what keeps a call from succeeding and who must act. Only operators see what an operator must fix. */
export function toReadinessProblem(failure: Failure, isOperator: boolean) {
  const { message, detail } = problemWords(failure, isOperator)
  const details = detail === undefined ? {} : { developer_message: detail }
  return { type: failure.type, needs: findNeed(failure), message, ...details }
}

function problemWords(failure: Failure, isOperator: boolean): FailureText {
  if (failure.type === 'tool-failed') return { message: failure.message }
  if (failure.type === 'id-malformed' || failure.type === 'input-invalid' || failure.type === 'input-required')
    return { message: 'It cannot be called' }
  const words = describeFailure(failure)
  if (failure.type === 'requirements-missing') return isOperator ? words : { ...words, detail: formatMissing(failure) }
  if (failure.type !== 'tool-not-executable' && failure.type !== 'tool-untrusted') return words
  return { ...words, detail: isOperator ? formatDetail(words) : 'The operator must fix this' }
}

function formatMissing(failure: RequirementsMissing): string {
  const { authorization, secrets, tokens = [], user_id } = failure
  return [
    ...authorization.flatMap(({ id, authorization: authorizationId, needsSetup }) => {
      if (needsSetup) return formatNotSetUp(id)
      if (user_id) return []
      const page =
        authorizationId === undefined ? ': the answer to a call has the link to the page' : ' by opening its link'
      return `The user must connect '${id}'${page}`
    }),
    ...tokens.map(({ id }) => `The caller must send the token that the tool calls '${id}'`),
    ...secrets.map(({ id }) => formatSecretNotSet(id)),
    ...(user_id ? [NO_USER] : []),
  ].join('; ')
}

function encodeChallenge({ id, authorization, url, check_url, scopes, status, needsSetup }: AuthorizationChallenge) {
  const link = authorization === undefined || needsSetup ? {} : { url, check_url }
  return { id, scopes: [...scopes], status, ...link, ...(needsSetup ? { needs_setup: needsSetup } : {}) }
}
