import type { ToolRecord } from '../tool/tool.ts'
import type { CredentialValues } from './credential-provider.ts'
import type { InvocationSnapshot } from './invocation-snapshot.ts'

/** Open Tool Calling RFC, `requires_authorization.status`. */
export type AuthorizationStatus = 'not_started' | 'pending' | 'completed' | 'failed'

/** An action that a person must take within 15 minutes before a call can continue. An approval is then valid for 15 more. */
export interface Authorization {
  /** Cannot be guessed. */
  readonly id: string
  readonly kind: 'grant' | 'approval'
  readonly provider: string
  readonly userId?: string
  readonly scopes: readonly string[]
  readonly status: AuthorizationStatus
  readonly reason?: string
  readonly tool: string
  /** The name of the key or agent that made the call; agents choose theirs. */
  readonly requestedBy?: string | undefined
  /** Names of other callers who were given the same link. */
  readonly alsoRequestedBy?: readonly string[]
  /** `host` or `host:port`; empty only for this deployment's own code. */
  readonly hosts: readonly string[]
  readonly account?: string
  readonly accounts?: readonly string[]
  /** Whether the provider granted the scopes before, so that only the person is asked. */
  readonly hasProviderGrant?: boolean
  /** Set for an approval until it ends. */
  readonly invocation?: InvocationSnapshot
  readonly expiresAt: number
}

export function isOpen({ status }: Pick<Authorization, 'status'>): boolean {
  return status === 'not_started' || status === 'pending'
}

/** Returns the path of the JSON with the status. People open the page at `/start` below it. */
export function authorizationPath(id: string): string {
  return `/authorizations/${encodeURIComponent(id.toWellFormed())}`
}

export const APPROVAL = 'approval'
/** The grant id of the provider that people sign in with. No tool gets its tokens. */
export const SIGN_IN = 'sign-in'

export const AUTHORIZATION_LIFETIME_MS = 15 * 60_000

export interface AuthorizationChallenge {
  readonly id: string
  readonly authorization?: string
  readonly url: string
  readonly check_url?: string
  readonly scopes: readonly string[]
  readonly status: AuthorizationStatus
  /** The link's page can only say that the provider is not set up. */
  readonly needsSetup?: true
}

export interface FlowError {
  readonly ok: false
  /** `expired`: unknown or ended; `refused`: by the person or provider; `unavailable`: try again. */
  readonly why: 'expired' | 'other-browser' | 'refused' | 'unavailable'
  readonly message: string
}

export type FlowStep = { readonly ok: true; readonly location: string } | FlowError

export type FlowResult<A = Authorization> =
  /** `answeredAs`: the account's name in the response to the provider's check. */
  { readonly ok: true; readonly authorization: A; readonly answeredAs?: string | undefined } | FlowError

export interface ToolkitConsent {
  readonly toolkit: string
  readonly hosts: readonly string[]
  readonly scopes: readonly string[]
  readonly given_at: string
}

export interface Grant {
  readonly provider: string
  readonly account: string
  readonly toolkits: readonly ToolkitConsent[]
  readonly scopes: readonly string[]
  readonly granted_at: string
  readonly expires_at?: string
  readonly refreshable: boolean
}

/** How people sign in: at the OpenID provider, or with API keys, which only let them approve calls. */
export type SignInMethod = 'openid' | 'key' | 'none'

/** Checks whether a person must sign in to decide if no user verifier identifies them. */
export function needsSignIn(method: SignInMethod, kind: Authorization['kind']): boolean {
  return method === 'openid' || (method === 'key' && kind === 'approval')
}

export interface SignedInPerson {
  /** Absent if the person signed in with a key, which does not identify a person. */
  readonly user?: string
  readonly principal: string
  /** The key's name. */
  readonly name?: string | undefined
  readonly approves: boolean
}

/** The values that a person entered on the consent page. */
export interface CredentialEntry {
  readonly values: CredentialValues
  /** The URL of the provider's check as shown on the page, since the values are sent there; empty if there is none. */
  readonly checkUrl: string
}

export interface Visit {
  readonly person?: SignedInPerson
  readonly browserCookie: string
  readonly callback: string
  readonly account?: string
}

export interface Authorizations {
  /** For an hour after it has expired, it is found as failed. */
  find(id: string): Promise<Authorization | undefined>
  /** Redirects to the provider or user verifier, or back to the page if the provider need not be asked again. */
  start(id: string, visit: Visit): Promise<FlowStep>
  /** Stores the entered credential and the consent after the provider's check accepted the credential. */
  enter(id: string, visit: Visit & { readonly entry: CredentialEntry }): Promise<FlowResult | FlowStep>
  /** Redirects with a proof for the confirmed person's browser, since someone else may have sent them to the verifier. */
  confirm(id: string, flow: string, userId: string): Promise<FlowStep>
  resume(id: string, visit: Visit & { readonly proof: string }): Promise<FlowStep>
  /** Handles the provider's redirect (RFC 6749, section 4.1.2). Single use. */
  finish(visit: {
    readonly url: string
    readonly browserCookie: string | undefined
    readonly callback: string
  }): Promise<FlowResult>
  /** Redirects a person who approves without being signed in to the user verifier first, if there is one. */
  decide(id: string, visit: Visit & { readonly approve: boolean }): Promise<FlowResult | FlowStep>
}

export interface GrantRevocation extends Pick<Grant, 'provider' | 'account'> {
  /** False if the provider cannot revoke tokens or did not accept the request. */
  readonly isRevokedAtProvider: boolean
}

export interface EndedGrants {
  readonly revocations: readonly GrantRevocation[]
  /** The number of consents and approvals that were denied. */
  readonly authorizations: number
}

export interface UserGrants {
  list(userId: string): Promise<readonly Grant[]>
  /** Denies everything that waits for the user, and then revokes all grants. */
  endAll(userId: string): Promise<EndedGrants>
  revoke(
    userId: string,
    provider: string,
    only?: { readonly account?: string; readonly toolkit?: string },
  ): Promise<boolean>
}

export interface Approvals {
  /** Uses up the approval of exactly this invocation, or returns a challenge with which a person can approve it. */
  claim(call: {
    readonly tool: ToolRecord
    readonly invocation: InvocationSnapshot
    readonly fingerprint: string
    /** Whether another key can be distinguished from the caller's. */
    readonly isDistinguishableByKey: boolean
    readonly requestedBy: string | undefined
    /** The principal whose share of open authorizations is used. */
    readonly chargedTo: string
    readonly requestUrl: () => string
  }): Promise<
    | { readonly approved: true }
    | { readonly challenge: AuthorizationChallenge; readonly reason: string }
    | { readonly refused: string; readonly forOperator: string }
  >
}

export interface ApprovalAvailability {
  canBeApproved(url: string, isDistinguishableByKey: boolean): boolean
}

/** The caller also has the link to the page, so an approval counts only if the person is identified. */
export const NO_APPROVER = 'nobody here can be told from the caller'
export const NO_APPROVER_SETUP =
  "nobody here can be told from the caller: an administrator must set 'SIGN_IN_ISSUER' to the OpenID provider that people sign in with, or 'USER_VERIFIER_URL' to a page that says who is in front of a browser; calls with keys that are no administrator's need neither, as whoever signs in with another approves them"
