import type { QuotaPolicy } from '../access/call-limits.ts'
import type { AuthorizationChallenge } from '../consent/authorization.ts'
import type { Artifact, InputRequests, ToolFailure } from '../tool/content.ts'
import type { Problem } from '../tool/problem.ts'

/**
 * Everything that can go wrong with a request. The union is closed: each dialect has one exhaustive table of it.
 * `message` is for a person or a model, `developer_message` for the developer of the call. Neither ever contains a secret,
 * a token or a stack trace.
 */
export type Failure =
  | { readonly type: 'request-malformed'; readonly message: string; readonly detail?: string }
  | { readonly type: 'body-too-large'; readonly limit: number; readonly size?: number }
  | {
      readonly type: 'media-type-unsupported'
      readonly contentType: string | null
      readonly acceptedType: string
      readonly isEncoded?: true
    }
  | { readonly type: 'body-timed-out' }
  | { readonly type: 'protocol-version-unsupported'; readonly version: string; readonly supported: string }
  | { readonly type: 'misdirected'; readonly message: string }
  | { readonly type: 'route-unknown'; readonly method: string; readonly path: string }
  | { readonly type: 'method-not-allowed'; readonly method: string; readonly allowed: readonly string[] }
  | { readonly type: 'unauthenticated'; readonly reason: string; readonly suggestions?: readonly string[] }
  | ({ readonly type: 'forbidden'; readonly reason: string } & WithOperatorMessage)
  | { readonly type: 'rate-limited'; readonly retry_after_ms: number; readonly policy?: QuotaPolicy }
  | { readonly type: 'id-malformed'; readonly ref: string }
  | { readonly type: 'tool-unknown'; readonly ref: string; readonly suggestions: readonly string[] }
  | {
      readonly type: 'version-unavailable'
      readonly tool: string
      readonly name: string
      readonly range: string
      readonly available: readonly string[]
      /** The version that the range would resolve to if it were not yanked. */
      readonly yanked?: { readonly version: string; readonly message?: string | undefined } | undefined
    }
  | { readonly type: 'tool-disabled'; readonly id: string; readonly detail?: string }
  /** The caller's toolset gives the tool another name. */
  | { readonly type: 'tool-renamed'; readonly ref: string; readonly id: string; readonly name: string }
  /** The tool no longer matches the caller's lock or toolset. */
  | { readonly type: 'tool-changed'; readonly id: string; readonly detail: string }
  | ({
      readonly type: 'tool-not-executable'
      readonly id: string
      readonly reason: string
      /** Set if a client that supports tasks could call it. */
      readonly needsTask?: true
    } & WithOperatorMessage)
  /** Its publisher was not trusted with its toolkit, so the tool gets no credentials of the deployment. */
  | {
      readonly type: 'tool-untrusted'
      readonly id: string
      readonly credentials: readonly string[]
      readonly detail?: string
    }
  | ({
      readonly type: 'requirements-missing'
      readonly tool: string
      readonly authorization: readonly AuthorizationChallenge[]
      readonly tokens?: readonly { readonly id: string }[]
      readonly secrets: readonly { readonly id: string }[]
      readonly user_id: boolean
      readonly detail: string
    } & WithOperatorMessage)
  | {
      readonly type: 'approval-required'
      readonly id: string
      readonly reason: string
      readonly challenge: AuthorizationChallenge
    }
  | { readonly type: 'input-invalid'; readonly problems: readonly Problem[] }
  | { readonly type: 'select-invalid'; readonly message: string; readonly at?: number }
  | ({ readonly type: 'tool-failed' } & ToolFailure)
  | { readonly type: 'tool-timed-out'; readonly timeout_ms: number; readonly may_have_run?: MayHaveRun }
  | { readonly type: 'output-invalid'; readonly problems: readonly Problem[] }
  /** The call succeeded, but its output schema does not allow a link to the artifact. */
  | { readonly type: 'output-elsewhere'; readonly artifact: Artifact }
  | { readonly type: 'select-failed'; readonly why: string; readonly artifact?: Artifact }
  | ({ readonly type: 'output-too-large'; readonly limit: number; readonly why: string } & WithOperatorMessage)
  | { readonly type: 'outcome-unknown'; readonly call_id: string }
  | { readonly type: 'cancelled'; readonly may_have_run?: MayHaveRun }
  | ({ readonly type: 'input-required' } & InputRequests)
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[]; readonly what?: string }
  /** `reason` is why a callback accepts no messages. */
  | {
      readonly type: 'conflict'
      readonly message: string
      readonly reason?: 'challenge_failed' | 'connection_refused' | 'timeout'
    }
  | { readonly type: 'precondition-failed'; readonly message: string }
  | { readonly type: 'not-found'; readonly message: string }
  | { readonly type: 'gone'; readonly message: string }
  | ({ readonly type: 'unavailable'; readonly message: string } & WithOperatorMessage)
  | { readonly type: 'internal'; readonly reference: string }

/** Returns the challenges that a person can meet: none without a user or for a provider that is not set up. */
export function filterOpenChallenges({
  authorization,
  user_id,
}: Extract<Failure, { type: 'requirements-missing' }>): readonly AuthorizationChallenge[] {
  return user_id ? [] : authorization.filter(({ needsSetup }) => !needsSetup)
}

type WithOperatorMessage = { readonly forOperator?: string }

/** The call ended while its tool ran: its effect is unknown, and it must not be repeated. */
type MayHaveRun = true

export type FailureType = Failure['type']

export type FailureResult = { readonly ok: false; readonly failure: Failure }
export type Result<T> = { readonly ok: true; readonly value: T } | FailureResult

type UnknownTool = Extract<Failure, { readonly type: 'tool-unknown' }>

export function needsSuggestions(failure: Failure): failure is UnknownTool {
  return failure.type === 'tool-unknown' && failure.suggestions.length === 0
}

/** For anonymous callers, an unknown tool is an `unauthenticated` failure with a list of suggestions, which may be empty. */
export function isUnknownTool(failure: Failure): boolean {
  if (failure.type === 'unauthenticated') return failure.suggestions !== undefined
  return failure.type === 'id-malformed' || failure.type === 'tool-unknown'
}

/** Thrown if storage cannot be reached. The caller gets `unavailable`. */
export class UnreachableError extends Error {}

export async function catchUnreachable<T>(work: Promise<T>): Promise<Result<T>> {
  try {
    return ok(await work)
  } catch (error) {
    if (!(error instanceof UnreachableError)) throw error
    return fail({ type: 'unavailable', message: error.message })
  }
}

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function fail(failure: Failure): FailureResult {
  return { ok: false, failure }
}
