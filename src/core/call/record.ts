import type { Principal } from '../access/principal.ts'
import type { JsonObject } from '../tool/json.ts'
import type { ToolRecord } from '../tool/tool.ts'
import type { Failing, FailureType } from '../failure/failure.ts'
import type { Finished } from './ledger.ts'
import { recordedArguments } from './recorded-arguments.ts'
import type { Redactor } from './redact.ts'
import type { Allowance } from './turns.ts'

/** What is written down of a call: never an output or a secret, and its arguments only where its key asks for that. */
export interface CallRecord {
  /** When it came, in milliseconds since 1970. */
  readonly at: number
  readonly call_id: string
  readonly trace_id?: string | undefined
  readonly traceparent?: string | undefined
  readonly principal: string
  /** What people call the principal, such as a key's name. */
  readonly principal_name?: string | undefined
  readonly user_id?: string | undefined
  readonly tool: string
  readonly digest?: string | undefined
  readonly dialect: string
  /** What the server behind the tool answered with, the last time it was asked. */
  readonly upstream_status?: number | undefined
  readonly outcome: 'success' | FailureType
  readonly duration_ms: number
  readonly arguments?: JsonObject | undefined
}

/** What a record says of whoever made a call. */
export interface RecordedCaller {
  readonly principal: Principal
  readonly traceparent?: string | undefined
  readonly dialect: string
}

/** What was found out about a call while it was made. */
export interface Findings {
  /** The tool that was found, for the record alone: the caller may not be allowed to know of it. */
  found?: ToolRecord
  /** The same tool, once it is known that the caller may call it. */
  called?: ToolRecord
  userId?: string | undefined
  upstreamStatus?: number
  /** Hides the secrets that the tool was given. */
  redactor?: Redactor | undefined
  /** What the call came to, where it was looked up whether it had been made before. */
  finished?: Finished
  /** What is left of the limits that the call counted towards, where there are any. */
  allowances?: readonly Allowance[]
}

/** The most characters of what was asked for, where there is no such tool: anybody can ask for anything. */
const MAX_ASKED = 200

/** How logs name the tool of a call: by its id, without a version where none was available, or by what was asked for. */
export function loggedTool(
  asked: string,
  found: ToolRecord | undefined,
  result?: { readonly ok: true } | Failing,
): string {
  const isThere = result?.ok === false && result.failure.type === 'version-unavailable'
  return found?.id ?? (isThere ? result.failure.tool : asked.slice(0, MAX_ASKED))
}

/** The record of a call that is over. */
export function recordOf(
  callId: string,
  { asked, traceId, input }: { readonly asked: string; readonly traceId?: string; readonly input: JsonObject },
  { principal, traceparent, dialect }: RecordedCaller,
  { found, called, userId, upstreamStatus, redactor }: Findings,
  result: { readonly ok: true } | Failing,
  { at, durationMs }: { readonly at: number; readonly durationMs: number },
): CallRecord {
  return {
    at,
    call_id: callId,
    trace_id: traceId,
    traceparent,
    principal: principal.id,
    principal_name: principal.name,
    user_id: userId,
    tool: loggedTool(asked, found, result),
    digest: found?.digest,
    dialect,
    upstream_status: upstreamStatus,
    outcome: result.ok ? 'success' : result.failure.type,
    duration_ms: durationMs,
    ...(principal.recordsArguments && called ? { arguments: recordedArguments(input, called.input, redactor) } : {}),
  }
}
