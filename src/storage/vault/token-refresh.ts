import type { ProviderUnavailable } from '../../core/call/user-tokens.ts'
import type { OAuthProvider } from '../../core/consent/provider.ts'
import type { OAuth, Tokens } from '../../oauth-client/oauth.ts'
import type { CredentialKind, CredentialValues } from '../../core/consent/credential-provider.ts'
import type { Keyring } from '../sealing/keyring.ts'
import type { ConsentRows } from './consent-rows.ts'
import type { GrantRows, StoredGrant } from './grant-rows.ts'

interface GrantToRefresh {
  readonly userId: string
  readonly provider: OAuthProvider
  readonly grant: StoredGrant
  readonly refreshToken: string
}

interface TokenRefreshDeps {
  readonly rows: GrantRows
  readonly consents: ConsentRows
  readonly keyring: Keyring
  readonly oauth: OAuth
}

/** After `settled`, the stored grant has changed: its tokens are new, it is marked as lost, or it was revoked meanwhile. */
type RefreshOutcome = 'settled' | ProviderUnavailable

/**
 * Refreshes the tokens of a grant at its provider (RFC 6749, section 6). A refresh token can be used only once, so all
 * callers that wait share one request, and new tokens are stored before any caller gets one. If the provider refuses the
 * refresh token, the grant is lost and its consents are removed; if the provider is only unavailable, the grant stays.
 */
export function createTokenRefresh({ rows, consents, keyring, oauth }: TokenRefreshDeps) {
  const pending = new Map<string, Promise<RefreshOutcome>>()

  async function refreshOnce({ userId, provider, grant, refreshToken }: GrantToRefresh): Promise<RefreshOutcome> {
    const { generation, scopes, account } = grant
    const result = await oauth.refreshTokens(provider, refreshToken, scopes)
    if (!result.ok) {
      const { why, message, ok: _, ...details } = result
      if (why !== 'refused') return { unavailable: message, ...details }
      rows.markLost(generation, `${message}: what the user granted was revoked there, or is no longer accepted`)
      consents.remove(provider.id, account)
      return 'settled'
    }
    const newTokens = { refresh_token: refreshToken, ...result.tokens }
    const newScopes = newTokens.scopes?.length ? newTokens.scopes : scopes
    const isStored = rows.replace(generation, newTokens, newScopes, await sealGrant(keyring, userId, grant, newTokens))
    // The user revoked the grant meanwhile: the new tokens must not live on
    if (!isStored && !rows.find(provider.id, account)) await oauth.revoke(provider, newTokens)
    return 'settled'
  }

  return (openedGrant: GrantToRefresh): Promise<RefreshOutcome> => {
    const { generation } = openedGrant.grant
    const work = pending.get(generation) ?? refreshOnce(openedGrant).finally(() => pending.delete(generation))
    pending.set(generation, work)
    return work
  }
}

/** A provider's tokens, or the values that the person entered. */
export type GrantContent = Pick<Tokens, 'access_token' | 'refresh_token'> | EnteredCredential

export interface EnteredCredential {
  readonly kind: CredentialKind
  readonly values: CredentialValues
  /** The URL of the check as shown to the person. */
  readonly checkUrl?: string
}

export function sealGrant(
  keyring: Keyring,
  userId: string,
  { provider, account }: Pick<StoredGrant, 'provider' | 'account'>,
  content: GrantContent,
): Promise<string> {
  const storedContent =
    'values' in content ? content : { access_token: content.access_token, refresh_token: content.refresh_token }
  return keyring.seal(JSON.stringify(storedContent), toGrantAad(userId, provider, account))
}

/** Binds tokens to their user, provider and account. */
export function toGrantAad(userId: string, provider: string, account: string): string {
  return JSON.stringify(['grant', userId, provider, account])
}
