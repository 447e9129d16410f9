import type { JsonObject } from '../tool/json.ts'

/** Open Tool Calling RFC, `requires_authorization.status`. */
export type AuthorizationStatus = 'not_started' | 'pending' | 'completed' | 'failed'

/**
 * A person's consent at a provider, or approval of one call, that a call waits for. Its id cannot be guessed, and it
 * ends 15 minutes after it was requested.
 */
export interface Authorization {
  readonly id: string
  readonly kind: 'grant' | 'approval'
  /** `APPROVAL` for an approval. */
  readonly provider: string
  /** Absent only for the approval of a call for no user. */
  readonly userId?: string
  /** Including scopes granted before, so that they are not lost. */
  readonly scopes: readonly string[]
  readonly status: AuthorizationStatus
  /** Why it failed, for the person and the caller. */
  readonly reason?: string
  /** `Toolkit.Name@x.y.z`. A grant is to its toolkit. */
  readonly tool: string
  /**
   * For a grant: where the tool may send the token, as `host` or `host:port`; empty for this deployment's own code
   * alone.
   */
  readonly hosts: readonly string[]
  /** For a grant: the user's account at the provider. */
  readonly account?: string
  /** Accounts connected already; the first, usually the only one, is ''. */
  readonly accounts?: readonly string[]
  /** Whether the provider granted the scopes before: then the person alone is asked. */
  readonly isHeld?: boolean
  /** The input of the call to approve. */
  readonly input?: JsonObject
  /** Milliseconds since 1970. */
  readonly expiresAt: number
}

/** In place of a provider's id. */
export const APPROVAL = 'approval'

export const AUTHORIZATION_LIFETIME_MS = 15 * 60_000

/** An authorization as its caller is told of it. */
export interface Challenge {
  /** The provider's id, or `APPROVAL`. */
  readonly id: string
  /** Absent where there is none to follow, since the call names no user. */
  readonly authorization?: string
  /** The page for the person. */
  readonly url: string
  /** Where the caller can see, or wait for, its status. */
  readonly check_url?: string
  readonly scopes: readonly string[]
  readonly status: AuthorizationStatus
}

/** Why a person goes no further; nothing was stored. */
export interface Stopped {
  readonly ok: false
  /** `gone`: unknown or over; `refused`: by the person or provider; `unavailable`: try again. */
  readonly why: 'gone' | 'other-browser' | 'refused' | 'unavailable'
  readonly message: string
}

export type Step = { readonly ok: true; readonly location: string } | Stopped

export type Ended<A = Authorization> = { readonly ok: true; readonly authorization: A } | Stopped

/** A user's consent that a toolkit's tools use a grant. */
export interface ToolkitConsent {
  readonly toolkit: string
  readonly hosts: readonly string[]
  readonly scopes: readonly string[]
  /** ISO 8601, UTC. */
  readonly given_at: string
}

/** Without its tokens. */
export interface Grant {
  readonly provider: string
  /** '' unless the person named it. */
  readonly account: string
  readonly toolkits: readonly ToolkitConsent[]
  readonly scopes: readonly string[]
  /** ISO 8601, UTC. */
  readonly granted_at: string
  /** The end of the access token, ISO 8601, UTC. */
  readonly expires_at?: string
  readonly refreshable: boolean
}

export interface SignedInPerson {
  readonly user: string
  /** The principal's id. */
  readonly principal: string
  /** Whether they may approve others' calls of the tool. */
  readonly approves: boolean
}

export interface Visit {
  readonly person?: SignedInPerson
  /** A random value in this browser's cookie. */
  readonly browser: string
  readonly callback: string
  /** The person's name for the account to use. */
  readonly account?: string
}

export interface Authorizations {
  /** Kept for an hour after it has expired, which counts as failed. */
  find(id: string): Promise<Authorization | undefined>
  /** Waits until the status is final or differs from `from`, for `timeoutMs` at most. */
  changed(id: string, from: AuthorizationStatus, timeoutMs: number): Promise<Authorization | undefined>
  /**
   * The person pressed the button of a grant's page. Leads to the provider or the verifier of users, or back to the
   * page where the provider need not be asked again.
   */
  start(id: string, visit: Visit): Promise<Step>
  /**
   * The verifier's word on who the person is, for the `flow` it was given. Leads on with a proof for the confirmed
   * person's browser, since another person may have sent them to the verifier.
   */
  confirm(id: string, flow: string, userId: string): Promise<Step>
  /** The confirmed browser comes back from the verifier. */
  resume(id: string, visit: Visit & { readonly proof: string }): Promise<Step>
  /** The provider's redirect (RFC 6749, section 4.1.2). Single use. */
  finish(visit: {
    readonly url: string
    readonly browser: string | undefined
    readonly callback: string
  }): Promise<Ended>
  /**
   * The person approves or refuses a call, or refuses to grant. To approve without being signed in leads to the
   * verifier of users first, if there is one.
   */
  decide(id: string, visit: Visit & { readonly approve: boolean }): Promise<Ended | Step>
}

export interface UserGrants {
  list(userId: string): Promise<readonly Grant[]>
  /**
   * Forgets a grant of one account or all, or one toolkit's part in it, and revokes it at the provider (RFC 7009) where
   * it takes that. False when there was nothing.
   */
  revoke(
    userId: string,
    provider: string,
    only?: { readonly account?: string; readonly toolkit?: string },
  ): Promise<boolean>
}
