import type { AuthorizationChallenge } from '../consent/authorization.ts'
import type { AuthorizationRequirement, ToolRecord } from '../tool/tool.ts'

export interface TokenQuery {
  readonly userId: string
  readonly requirement: AuthorizationRequirement
  readonly tool: ToolRecord
  readonly hosts: readonly string[]
  readonly account?: string
  readonly requestedBy?: string | undefined
  readonly chargedTo: string
  readonly requestUrl: () => string
  /** Set if the user connects or reconnects an account before a call needs it: the result is a challenge, not a token. */
  readonly isConnection?: true
}

/** One of several values of a credential that a person entered. */
export interface CredentialPart {
  readonly value: string
  readonly isSecret: boolean
}

export interface AccessToken {
  /** Empty for a credential of several values that are never sent as one. */
  readonly token: string
  /** By the names of the provider's fields; absent for an OAuth token. */
  readonly parts?: ReadonlyMap<string, CredentialPart>
  /** Identifies the entered credential if it is refused; absent for an OAuth token. */
  readonly generation?: string
  /** The name of the user's account, even if the call names none; empty for the unnamed account. */
  readonly account: string
}

/** `accounts`: the user has several accounts at the provider, and the call names none. */
export type TokenResult = AccessToken | TokenRefusal | { readonly accounts: readonly string[] }

export type TokenRefusal = ChallengeRefusal | ProviderUnavailable

interface ChallengeRefusal {
  readonly challenge: AuthorizationChallenge
  readonly reason: string
  readonly forOperator?: string
}

/** The provider is down, slow or sends invalid responses. The grant is kept. */
export interface ProviderUnavailable {
  readonly unavailable: string
  readonly forOperator?: string
  readonly retry_after_ms?: number
}

export interface UserTokens {
  tokenFor(required: TokenQuery): Promise<TokenResult>
  /** Replaces a token that was answered with 401. `final`: its replacement was too, so only the user can help. */
  renew(required: TokenQuery, refused: string, final: boolean): Promise<TokenResult>
}

export interface GrantPreview {
  /** Works like `tokenFor` without side effects: the token is empty, and a challenge has a link only if the user has one. */
  look(required: TokenQuery): Promise<TokenResult>
  /** Returns the refusal if the provider is not set up, which no user can change. */
  findSetupRefusal(
    required: Pick<TokenQuery, 'requirement' | 'tool' | 'requestUrl'>,
  ): Promise<ChallengeRefusal | undefined>
}
