import type { Principal } from '../access/principal.ts'
import type { JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { ToolStatus } from '../tool/version.ts'
import { type ToolRef, toRefKey } from '../tool/tool-ref.ts'
import { type FailureResult, type FailureType, filterOpenChallenges } from '../failure/failure.ts'
import type { CompletedCall } from './idempotency.ts'
import { redactArguments } from './redact-arguments.ts'
import type { Redactor } from './redact.ts'
import type { LimitStatus } from './call-limiter.ts'

/** `consent-required`: the call lacks only an account that its user can connect. */
export type CallOutcomeType = 'success' | 'consent-required' | FailureType

/** These calls wait for a person, so they are not failures. */
export const WAITING_OUTCOMES = ['approval-required', 'consent-required', 'input-required'] as const

export function classifyOutcome(outcome: string): 'success' | 'waiting' | 'failure' {
  if (outcome === 'success') return outcome
  return WAITING_OUTCOMES.some((waiting) => waiting === outcome) ? 'waiting' : 'failure'
}

/** One line of the call log. A record contains no output or secrets, and arguments only if the caller's key records them. */
export interface CallRecord {
  /** Milliseconds since 1970. */
  readonly at: number
  readonly call_id: string
  readonly trace_id?: string | undefined
  readonly traceparent?: string | undefined
  readonly principal: string
  readonly principal_name?: string | undefined
  readonly user_id?: string | undefined
  readonly tool: string
  readonly digest?: string | undefined
  readonly dialect: string
  readonly upstream_status?: number | undefined
  readonly outcome: CallOutcomeType
  readonly duration_ms: number
  readonly arguments?: JsonObject | undefined
}

/** Facts that a call's stages collect for its record and answer, and functions that release memory at its end. */
export interface CallFacts {
  /** The tool, if its name may appear in the record, which the caller can read. */
  knownTool?: ToolRecord
  /** The tool, once the call is authorized. */
  authorizedTool?: ToolRecord
  /** The status of that tool, if it is not active. */
  status?: ToolStatus
  userId?: string | undefined
  upstreamStatus?: number
  redactor?: Redactor | undefined
  /** The credentials that the tool receives. Needed because calls that do not run have no redactor. */
  credentials?: () => readonly string[]
  finished?: CompletedCall
  limitStatuses?: readonly LimitStatus[]
  /** Releases the memory of the runner's response. */
  release?: () => void
  /** Releases the memory of the input's files. */
  releaseFiles?: () => void
}

/** An unknown name can be any text, so a record keeps only this many characters of it. */
const MAX_LOGGED_REF = 200

/**
 * Returns the id of the called tool, or the caller's reference if it leads to no tool that the caller may know. `result` is
 * undefined if the call threw an error.
 */
export function toLoggedToolId(
  toolRef: ToolRef,
  knownTool: ToolRecord | undefined,
  result?: { readonly ok: true } | FailureResult,
) {
  const failure = result?.ok === false ? result.failure : undefined
  if (failure?.type === 'tool-disabled') return failure.id
  return (
    knownTool?.id ??
    (failure?.type === 'version-unavailable' ? failure.tool : toRefKey(toolRef).slice(0, MAX_LOGGED_REF))
  )
}

function toFailedOutcome({ failure }: FailureResult): CallOutcomeType {
  if (failure.type !== 'requirements-missing') return failure.type
  const { authorization, tokens = [], secrets } = failure
  const openChallenges = filterOpenChallenges(failure)
  const isOnlyConsent = openChallenges.length === authorization.length && tokens.length + secrets.length === 0
  return isOnlyConsent && openChallenges.length > 0 ? 'consent-required' : failure.type
}

export function createCallRecord(
  callId: string,
  {
    toolRef,
    traceId,
    input,
  }: { readonly toolRef: ToolRef; readonly traceId?: string | undefined; readonly input: JsonObject },
  { principal, traceparent, dialect }: Pick<CallRecord, 'traceparent' | 'dialect'> & { readonly principal: Principal },
  { knownTool, authorizedTool, userId, upstreamStatus, redactor }: CallFacts,
  result: { readonly ok: true } | FailureResult,
  { at, durationMs }: { readonly at: number; readonly durationMs: number },
): CallRecord {
  const record: CallRecord = {
    at,
    call_id: callId,
    trace_id: traceId,
    traceparent,
    principal: principal.id,
    principal_name: principal.name,
    user_id: userId,
    tool: toLoggedToolId(toolRef, knownTool, result),
    digest: knownTool?.digest,
    dialect,
    upstream_status: upstreamStatus,
    outcome: result.ok ? 'success' : toFailedOutcome(result),
    duration_ms: durationMs,
  }
  if (!principal.recordsArguments || !authorizedTool) return record
  return { ...record, arguments: redactArguments(input, authorizedTool.input, redactor) }
}
