import type { JsonObject } from '../tool/json.ts'

/** How far a person is with what was asked of them (Open Tool Calling RFC, `requires_authorization.status`). */
export type AuthorizationStatus = 'not_started' | 'pending' | 'completed' | 'failed'

/**
 * Something a person must do before a call can go on: consent to access at a provider, or approve one very call. It is
 * one user's, is known by an id that nobody can guess, and ends by itself 15 minutes after it was asked for.
 */
export interface Authorization {
  readonly id: string
  readonly kind: 'grant' | 'approval'
  /** The provider's id; `APPROVAL` where it is a call that is to be approved. */
  readonly provider: string
  /** Absent only for the approval of a call that is for no user. */
  readonly userId?: string
  /** All that will be asked for: what the user granted already is asked for again with what is new. */
  readonly scopes: readonly string[]
  readonly status: AuthorizationStatus
  /** Why it failed, in words for the person and for the caller. */
  readonly reason?: string
  /** Which tool asks: its id, `Toolkit.Name@x.y.z`. What is granted is granted to its toolkit. */
  readonly tool: string
  /** Of a grant: where the tool may send it, as `host` or `host:port`; none but what this deployment's own code chooses when empty. */
  readonly hosts: readonly string[]
  /** Of a grant: which of the user's accounts at the provider the call names. */
  readonly account?: string
  /** The accounts that the user has connected at the provider already; the first, mostly the only one, is called ''. */
  readonly accounts?: readonly string[]
  /** Whether the provider has granted the scopes already: then the person alone is asked, and not the provider again. */
  readonly isHeld?: boolean
  /** What the call that is to be approved is made with. */
  readonly input?: JsonObject
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

/** Stands where a provider's id would, for approvals. */
export const APPROVAL = 'approval'

/** How long a person has, in milliseconds. */
export const AUTHORIZATION_LIFETIME_MS = 15 * 60_000

/** What the one who calls is told of an authorization: which, and where the person can act and the caller can look. */
export interface Challenge {
  /** The provider's id, or `APPROVAL`. */
  readonly id: string
  /** The authorization's own id; absent where there is none to follow, since the call names no user. */
  readonly authorization?: string
  /** The page to show to the person. */
  readonly url: string
  /** Where the caller can see, or wait for, what became of it. */
  readonly check_url?: string
  readonly scopes: readonly string[]
  readonly status: AuthorizationStatus
}

/** Why a person goes no further: they are told, and nothing was stored. */
export interface Stopped {
  readonly ok: false
  /** `gone`: no such authorization, or over; `other-browser`; `refused`: by the person or provider; `unavailable`: try again. */
  readonly why: 'gone' | 'other-browser' | 'refused' | 'unavailable'
  readonly message: string
}

/** Where a browser is to go next. */
export type Step = { readonly ok: true; readonly location: string } | Stopped

/** How a person's part ended: the authorization as it is now. */
export type Ended<A = Authorization> = { readonly ok: true; readonly authorization: A } | Stopped

/** A user's consent that the tools of a toolkit act with a grant: for these scopes, and at these hosts. */
export interface ToolkitConsent {
  readonly toolkit: string
  readonly hosts: readonly string[]
  readonly scopes: readonly string[]
  /** ISO 8601, UTC. */
  readonly given_at: string
}

/** A user's grant at one provider, as it can be shown: never with its tokens. */
export interface Grant {
  readonly provider: string
  /** Which of the user's accounts there it is; '' unless the person named it. */
  readonly account: string
  /** The toolkits that may act with it, and where they may send it. */
  readonly toolkits: readonly ToolkitConsent[]
  readonly scopes: readonly string[]
  /** ISO 8601, UTC. */
  readonly granted_at: string
  /** When the access token ends, ISO 8601, UTC; it is refreshed where the provider gave a refresh token. */
  readonly expires_at?: string
  readonly refreshable: boolean
}

/** Who is signed in in a browser, as the deployment's OpenID provider says. */
export interface SignedInPerson {
  readonly user: string
  /** The principal's id. */
  readonly principal: string
  /** Whether they may approve calls of the authorization's tool that are for others. */
  readonly approves: boolean
}

/** A person's browser as it comes to a page. */
export interface Visit {
  readonly person?: SignedInPerson
  /** A random text that this browser alone has, in a cookie. */
  readonly browser: string
  /** The redirect URI where the browser is. */
  readonly callback: string
  /** What the person calls the account at the provider that is to be used. */
  readonly account?: string
}

/** The person's side: the pages of an authorization, and who waits for it. */
export interface Authorizations {
  /** Undefined for an id that is none, or whose time is over for more than an hour. An expired one has failed. */
  find(id: string): Promise<Authorization | undefined>
  /** Answers as soon as the authorization has completed or failed, or its status differs from `from`; at the latest after `timeoutMs`. */
  changed(id: string, from: AuthorizationStatus, timeoutMs: number): Promise<Authorization | undefined>
  /**
   * The person pressed the button of a grant's page. Leads to the provider, or first to the verifier of users; or back to the
   * page, where the provider need not be asked again.
   */
  start(id: string, visit: Visit): Promise<Step>
  /**
   * The verifier's word on who the person is: `flow` is what the browser was sent there with. Leads on with a proof that
   * only the browser of the person who was confirmed gets, as another may have had them sent to the verifier.
   */
  confirm(id: string, flow: string, userId: string): Promise<Step>
  /** The confirmed person's browser comes back from the verifier, and goes on to the provider, or to decide. */
  resume(id: string, visit: Visit & { readonly proof: string }): Promise<Step>
  /** The provider sent the browser back (RFC 6749, section 4.1.2): `url` is the whole URL it came to. Single use. */
  finish(visit: {
    readonly url: string
    readonly browser: string | undefined
    readonly callback: string
  }): Promise<Ended>
  /**
   * The person approves or refuses a call, or refuses to grant. Whoever approves and is not signed in is led to the deployment's verifier of
   * users first, if there is one, and comes back to decide.
   */
  decide(id: string, visit: Visit & { readonly approve: boolean }): Promise<Ended | Step>
}

/** What a user has granted. */
export interface UserGrants {
  list(userId: string): Promise<readonly Grant[]>
  /**
   * Forgets what a user granted at a provider, and revokes it there where that takes it (RFC 7009): of all accounts, or one.
   * With a toolkit only that one loses it. False when there was nothing.
   */
  revoke(
    userId: string,
    provider: string,
    only?: { readonly account?: string; readonly toolkit?: string },
  ): Promise<boolean>
}
