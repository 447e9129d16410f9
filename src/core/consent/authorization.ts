import type { ToolRecord } from '../tool/tool.ts'
import type { CredentialValues } from './credential-provider.ts'
import type { InvocationSnapshot } from './invocation-snapshot.ts'

/** Open Tool Calling RFC, `requires_authorization.status`. */
export type AuthorizationStatus = 'not_started' | 'pending' | 'completed' | 'failed'

/** Something a person must do before a call goes on, within 15 minutes. An approval is then valid for another 15. */
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
  /** `host` or `host:port`; empty for this deployment's own code alone. */
  readonly hosts: readonly string[]
  readonly account?: string
  readonly accounts?: readonly string[]
  /** Whether the provider granted the scopes before: then the person alone is asked. */
  readonly hasProviderGrant?: boolean
  /** For an approval, until it has ended. */
  readonly invocation?: InvocationSnapshot
  readonly expiresAt: number
}

export function isOpen({ status }: Pick<Authorization, 'status'>): boolean {
  return status === 'not_started' || status === 'pending'
}

/** The path of the JSON that has the status. People open the page below it, `/start`. */
export function authorizationPath(id: string): string {
  return `/authorizations/${encodeURIComponent(id.toWellFormed())}`
}

export const APPROVAL = 'approval'
/** The provider that people sign in with, as the id of a grant. No tool gets its tokens. */
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
  /** `answeredAs`: what the provider's check calls the account. */
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

/** How people sign in: at the OpenID provider, or with API keys, by which they approve calls and nothing else. */
export type SignInMethod = 'openid' | 'key' | 'none'

/** Whether a person has to sign in to decide, where no verifier of users says who they are. */
export function needsSignIn(method: SignInMethod, kind: Authorization['kind']): boolean {
  return method === 'openid' || (method === 'key' && kind === 'approval')
}

export interface SignedInPerson {
  /** Absent if the person signed in with a key, which says no person's name. */
  readonly user?: string
  readonly principal: string
  /** The key's. */
  readonly name?: string | undefined
  readonly approves: boolean
}

/** What a person entered on the consent page. */
export interface CredentialEntry {
  readonly values: CredentialValues
  /** Of the provider's check as the page showed it, since the values go there; empty if there is none. */
  readonly checkUrl: string
}

export interface Visit {
  readonly person?: SignedInPerson
  readonly browserCookie: string
  readonly callback: string
  readonly account?: string
}

export interface Authorizations {
  /** Found for an hour after it has expired, as failed. */
  find(id: string): Promise<Authorization | undefined>
  /** Leads to the provider or the verifier of users, or back to the page where the provider need not be asked again. */
  start(id: string, visit: Visit): Promise<FlowStep>
  /** Stores what a person entered, with consent, after the provider's check accepted it. */
  enter(id: string, visit: Visit & { readonly entry: CredentialEntry }): Promise<FlowResult | FlowStep>
  /** Leads on with a proof for the confirmed person's browser, since another may have sent them to the verifier. */
  confirm(id: string, flow: string, userId: string): Promise<FlowStep>
  resume(id: string, visit: Visit & { readonly proof: string }): Promise<FlowStep>
  /** The provider's redirect (RFC 6749, section 4.1.2). Single use. */
  finish(visit: {
    readonly url: string
    readonly browserCookie: string | undefined
    readonly callback: string
  }): Promise<FlowResult>
  /** A person who approves without being signed in is led to the verifier of users first, if there is one. */
  decide(id: string, visit: Visit & { readonly approve: boolean }): Promise<FlowResult | FlowStep>
}

export interface GrantRevocation extends Pick<Grant, 'provider' | 'account'> {
  /** False if the provider has no way to revoke tokens, or did not accept it. */
  readonly isRevokedAtProvider: boolean
}

export interface EndedGrants {
  readonly revocations: readonly GrantRevocation[]
  /** How many consents and approvals were denied. */
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
  /** Uses up the approval of exactly this invocation, or gives a challenge by which a person can approve it. */
  claim(call: {
    readonly tool: ToolRecord
    readonly invocation: InvocationSnapshot
    readonly fingerprint: string
    /** Whether another key can be told from the caller's. */
    readonly isDistinguishableByKey: boolean
    readonly requestedBy: string | undefined
    /** The principal whose share of open authorizations it takes. */
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

/** A caller has the link to its page too, so a person's word counts only where the person is identified. */
export const NO_APPROVER = 'nobody here can be told from the caller'
export const NO_APPROVER_SETUP =
  "nobody here can be told from the caller: an administrator must set 'SIGN_IN_ISSUER' to the OpenID provider that people sign in with, or 'USER_VERIFIER_URL' to a page that says who is in front of a browser; calls with keys that are no administrator's need neither, as whoever signs in with another approves them"
