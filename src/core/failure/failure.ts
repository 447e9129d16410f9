import type { LimitPolicy } from '../access/limits.ts'
import type { Challenge } from '../consent/authorization.ts'
import type { Artifact, InputRequests } from '../tool/content.ts'
import type { Problem } from '../tool/problem.ts'
import type { ToolFailure } from '../tool/tool-failure.ts'

/**
 * Everything that can go wrong with a request, as a value. The union is closed: each face has one exhaustive table from
 * it to its wire. `message` is for a person or a model; `developer_message` for whoever wires the call. Neither ever
 * holds a secret, a token or a stack trace.
 */
export type Failure =
  // The request itself
  | { readonly type: 'request-malformed'; readonly message: string; readonly detail?: string }
  | { readonly type: 'body-too-large'; readonly limit: number; readonly got?: number }
  | { readonly type: 'media-type-unsupported'; readonly got: string | null; readonly wanted: string }
  | { readonly type: 'protocol-version-unsupported'; readonly asked: string; readonly supported: string }
  | { readonly type: 'route-unknown'; readonly method: string; readonly path: string }
  | { readonly type: 'method-not-allowed'; readonly method: string; readonly allowed: readonly string[] }
  // Who is asking
  | {
      readonly type: 'unauthenticated'
      readonly reason: string
      /** Names near the one that was asked for, where a credential might have led to it. */
      readonly suggestions?: readonly string[]
    }
  | ({ readonly type: 'forbidden'; readonly reason: string } & ForOperator)
  | {
      readonly type: 'rate-limited'
      readonly retry_after_ms: number
      /** Which limit, where that is somebody's own. */
      readonly policy?: LimitPolicy
    }
  // Which tool
  | { readonly type: 'id-malformed'; readonly asked: string }
  | { readonly type: 'tool-unknown'; readonly asked: string; readonly suggestions: readonly string[] }
  | {
      readonly type: 'version-unavailable'
      readonly tool: string
      readonly name: string
      readonly asked: string
      readonly available: readonly string[]
    }
  | { readonly type: 'tool-disabled'; readonly id: string; readonly detail?: string }
  | ({ readonly type: 'tool-not-executable'; readonly id: string; readonly reason: string } & ForOperator)
  /** It is given no credential of the deployment's: whoever published it was not trusted with its toolkit. */
  | {
      readonly type: 'tool-untrusted'
      readonly id: string
      readonly credentials: readonly string[]
      readonly detail?: string
    }
  // What the call lacks
  | ({
      readonly type: 'requirements-missing'
      readonly tool: string
      readonly authorization: readonly Challenge[]
      /** Authorizations that are tokens of the caller's own: nobody can be asked for them. */
      readonly tokens?: readonly { readonly id: string }[]
      readonly secrets: readonly { readonly id: string }[]
      readonly user_id: boolean
      readonly detail: string
    } & ForOperator)
  | {
      readonly type: 'approval-required'
      readonly id: string
      readonly reason: string
      readonly challenge: Challenge
    }
  | { readonly type: 'input-invalid'; readonly problems: readonly Problem[] }
  /** Its selection is no JMESPath expression: at which character, counted from 0. */
  | { readonly type: 'select-invalid'; readonly message: string; readonly at?: number }
  // What the tool did
  | ({ readonly type: 'tool-failed' } & ToolFailure)
  | { readonly type: 'tool-timed-out'; readonly timeout_ms: number; readonly may_have_run?: MayHaveRun }
  | { readonly type: 'output-invalid'; readonly problems: readonly Problem[] }
  /** The call succeeded; what it gave lies there, and its output schema lets no value say so. */
  | { readonly type: 'output-elsewhere'; readonly artifact: Artifact }
  /** The call succeeded; what it wants cannot be selected from what the tool gave, which lies there. */
  | { readonly type: 'select-failed'; readonly why: string; readonly artifact?: Artifact }
  | ({ readonly type: 'output-too-large'; readonly limit: number; readonly why: string } & ForOperator)
  /** It was begun under this id, and nobody can tell any more what became of it. */
  | { readonly type: 'outcome-unknown'; readonly call_id: string }
  | { readonly type: 'cancelled'; readonly may_have_run?: MayHaveRun }
  | ({ readonly type: 'input-required' } & InputRequests)
  // Publication
  /** `what` was sent, where that is no definition. */
  | { readonly type: 'definition-invalid'; readonly problems: readonly Problem[]; readonly what?: string }
  | { readonly type: 'conflict'; readonly message: string }
  /** The request is meant for another revision of what there is (`If-Match`). */
  | { readonly type: 'precondition-failed'; readonly message: string }
  | { readonly type: 'not-found'; readonly message: string }
  | { readonly type: 'gone'; readonly message: string }
  // Ourselves
  | ({ readonly type: 'unavailable'; readonly message: string } & ForOperator)
  | { readonly type: 'internal'; readonly reference: string }

/** Why, as whoever runs the deployment is told it: with what nobody else can put right (`toldTo`). */
type ForOperator = { readonly forOperator?: string }

/** The call was ended while its tool ran: nobody can tell what that did, and it must not be done twice. */
type MayHaveRun = true

export type FailureType = Failure['type']

export type Failing = { readonly ok: false; readonly failure: Failure }
export type Result<T> = { readonly ok: true; readonly value: T } | Failing

/** The names near the one that was asked for, where it led to no tool that the caller may know of; undefined otherwise. */
export function suggestionsOf(failure: Failure): readonly string[] | undefined {
  return failure.type === 'tool-unknown' || failure.type === 'unauthenticated' ? failure.suggestions : undefined
}

/** Thrown where storage that an answer cannot do without is out of reach; the caller is told `unavailable`. */
export class Unreachable extends Error {}

export function ok<T>(value: T): { readonly ok: true; readonly value: T } {
  return { ok: true, value }
}

export function fail(failure: Failure): Failing {
  return { ok: false, failure }
}
