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
  /** The user connects an account before a call needs it, or anew: there is no token, but a challenge. */
  readonly isConnection?: true
}

/** One of several values of a credential that a person entered. */
export interface CredentialPart {
  readonly value: string
  readonly isSecret: boolean
}

export interface AccessToken {
  /** Empty for a credential of several values that no request writes as one. */
  readonly token: string
  /** By the names of the provider's fields; absent for a token of OAuth. */
  readonly parts?: ReadonlyMap<string, CredentialPart>
  /** Stands for what a person entered where it is refused; absent for a token of OAuth. */
  readonly generation?: string
  /** Which of the user's it is, also where the call names none; empty for the one without a name. */
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

/** The provider is down, slow or unintelligible. The grant is kept. */
export interface ProviderUnavailable {
  readonly unavailable: string
  readonly forOperator?: string
  readonly retry_after_ms?: number
}

export interface UserTokens {
  tokenFor(required: TokenQuery): Promise<TokenResult>
  /** Replaces a token that was answered with 401. `final`: so was its replacement, and only the user can help. */
  renew(required: TokenQuery, refused: string, final: boolean): Promise<TokenResult>
}

export interface GrantPreview {
  /** `tokenFor` without its effects: the token is empty, and a challenge has a link only if the user has one. */
  look(required: TokenQuery): Promise<TokenResult>
  /** The refusal where the provider is not set up, which no user can change. */
  findSetupRefusal(
    required: Pick<TokenQuery, 'requirement' | 'tool' | 'requestUrl'>,
  ): Promise<ChallengeRefusal | undefined>
}
