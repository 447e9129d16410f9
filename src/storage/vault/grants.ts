import type { AccessToken, ProviderUnavailable } from '../../core/call/requirements.ts'
import type { Grant } from '../../core/consent/authorization.ts'
import { missingScopes, mergeScopes } from '../../core/consent/oauth-scopes.ts'
import type { Provider } from '../../core/consent/provider.ts'
import type { Keyring } from '../sealing/keyring.ts'
import type { ConsentRows, GrantUse } from './consent-rows.ts'
import type { GrantRows, StoredGrant } from './grant-rows.ts'
import type { OAuth, Tokens } from '../../oauth-client/oauth.ts'
import { createTokenRefresh, sealTokens, toGrantAad } from './token-refresh.ts'

export const NO_VAULT_KEYS =
  "Grants cannot be stored yet: an administrator must set the Worker secret 'VAULT_KEYS', for example to the output of `openssl rand -base64 32`"

export interface TokenRequest {
  readonly userId: string
  readonly provider: Provider
  readonly scopes: readonly string[]
  readonly tool: string
  readonly toolkit: string
  readonly hosts: readonly string[]
  readonly account?: string
  /** A token that the provider's API answered 401 to. `final`: it was already a replacement. */
  readonly refused?: { readonly token: string; readonly final: boolean }
}

/** Why there is no token. Administrators read `forOperator` instead of the reason. */
export interface GrantRefusal {
  readonly reason: string
  readonly forOperator?: string
  readonly needsSetup?: true
}

export type TokenRequestResult =
  | AccessToken
  | ProviderUnavailable
  | ({ readonly scopes: readonly string[] } & GrantRefusal)
  | { readonly accounts: readonly string[] }

/** The deployment's part of a vault, the same for all users. */
export interface VaultDeployment {
  /** Counts a new authorization against a principal's limits; false if the principal has reached them. */
  readonly charge: (principal: string, bytes: number) => Promise<boolean>
  /** If the keyring is empty, nothing can be granted, and invocations are stored unsealed. */
  readonly keyring: Keyring
  readonly oauth: OAuth
  /** The deployment's page that identifies the person in front of a browser. */
  readonly verifierUrl?: string | undefined
  readonly hasOpenIdSignIn?: boolean
  /** Without sign-in and verifier: whoever signs in with a key approves calls of other keys. */
  readonly approvesByKey?: boolean
  /** Whether the URL is of a trial deployment, where nobody is told apart. */
  readonly isTrialUrl: (url: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type Grants = ReturnType<typeof createGrants>

export function createGrants(rows: GrantRows, consents: ConsentRows, { keyring, oauth, now }: VaultDeployment) {
  const refreshTokens = createTokenRefresh({ rows, consents, keyring, oauth })

  async function openTokens(userId: string, { provider, account, sealed }: StoredGrant) {
    const opened = sealed === null ? undefined : await keyring.unseal(sealed, toGrantAad(userId, provider, account))
    const tokens: Tokens | undefined = opened && JSON.parse(opened.text)
    return opened && tokens && { tokens, current: opened.current }
  }

  const seal = (userId: string, grant: Pick<StoredGrant, 'provider' | 'account'>, tokens: Tokens) =>
    sealTokens(keyring, userId, grant, tokens)

  function accountFor(provider: string, toolkit: string): string | readonly string[] {
    const consentedAccounts = consents.accounts(provider, toolkit)
    if (consentedAccounts.length > 1) return consentedAccounts
    const [firstAccount = '', ...otherAccounts] = rows.accounts(provider)
    return consentedAccounts[0] ?? (otherAccounts.length === 0 ? firstAccount : '')
  }

  /** Finds the grant to use. If its tokens turn out to be useless, the user is asked for `neededScopes`. */
  function grantFor(
    request: TokenRequest,
  ):
    | { readonly grant: StoredGrant; readonly neededScopes: readonly string[] }
    | Exclude<TokenRequestResult, { token: string }> {
    const { provider, scopes, tool, toolkit, hosts } = request
    const { id } = provider
    const account = request.account ?? accountFor(id, toolkit)
    if (typeof account !== 'string') return { accounts: account }
    const grant = rows.find(id, account)
    if (!grant) return { scopes, reason: notGranted(tool, id) }
    if (grant.lost !== null) return { scopes, reason: grant.lost }
    const neededScopes = mergeScopes(grant.scopes, scopes, provider.extra_scopes ?? [])
    const lackingScopes = missingScopes(id, grant.scopes, scopes)
    if (lackingScopes.length > 0) {
      const reason = `'${tool}' needs more access to '${id}' than the user has granted: ${lackingScopes.join(', ')}`
      return { scopes: neededScopes, reason }
    }
    if (!consents.covers({ provider: id, account, toolkit, hosts, scopes })) {
      const at = hosts.length === 0 ? '' : `, and send it to ${hosts.join(', ')}`
      return {
        scopes: neededScopes,
        reason: `'${tool}' needs the user's consent to act with the access to '${id}'${at}`,
      }
    }
    return { grant, neededScopes }
  }

  return {
    /** Predicts `token` without opening, refreshing or changing anything: the token is empty. */
    look(request: TokenRequest): TokenRequestResult {
      const usable = grantFor(request)
      if (!('grant' in usable)) return usable
      const { grant, neededScopes } = usable
      const isLive = grant.expires_at === null || grant.expires_at > now()
      return isLive || grant.refreshable
        ? { token: '', account: grant.account }
        : { scopes: neededScopes, reason: formatAccessEnded(request.provider.id) }
    },

    async token(request: TokenRequest): Promise<TokenRequestResult> {
      const { userId, provider, refused } = request
      const { id } = provider
      let hasRenewed = false
      for (;;) {
        const usable = grantFor(request)
        if (!('grant' in usable)) return usable
        const { grant, neededScopes } = usable
        const { account } = grant
        const openedTokens = await openTokens(userId, grant)
        // The grant may have changed while its tokens were opened, and a refresh token can be used only once
        if (rows.find(id, account)?.generation !== grant.generation) continue
        if (!openedTokens) {
          const reason = `The stored grant at '${id}' cannot be read any more: the user has to grant it again`
          const forOperator = `The stored grant at '${id}' cannot be read with the keys in VAULT_KEYS: the user has to grant it again, unless its key is put back`
          return { scopes: neededScopes, reason, forOperator }
        }
        const { access_token: token, refresh_token } = openedTokens.tokens
        const isRefused = refused?.token === token
        if (isRefused && refused.final)
          return { scopes: neededScopes, reason: `The API of '${id}' refuses the user's token, a new one too` }
        const isLive = !isRefused && (grant.expires_at === null || grant.expires_at > now())
        const isDue = isRefused || (grant.refresh_at !== null && grant.refresh_at <= now())
        if (hasRenewed || !isDue) {
          // It is under an older key
          if (!openedTokens.current) rows.reseal(grant.generation, await seal(userId, grant, openedTokens.tokens))
          return { token, account }
        }
        if (refresh_token === undefined) {
          if (isLive) return { token, account }
          return { scopes: neededScopes, reason: formatAccessEnded(id) }
        }
        const outcome = await refreshTokens({ userId, provider, grant, tokens: openedTokens.tokens })
        if (outcome !== 'settled') return isLive ? { token, account } : outcome
        hasRenewed = true
      }
    },

    seal,

    store: rows.put,

    /** Found so that the provider need not be asked again. */
    findGrantLackingConsent(use: GrantUse): StoredGrant | undefined {
      const { provider, account, scopes } = use
      const grant = rows.find(provider, account)
      const isGranted = grant?.lost === null && missingScopes(provider, grant.scopes, scopes).length === 0
      return isGranted && !consents.covers(use) ? grant : undefined
    },

    accounts: rows.accounts,

    list(): Grant[] {
      return rows.list().map((grant) => ({ ...grant, toolkits: consents.of(grant.provider, grant.account) }))
    },

    /** The provider is told where it is still connected. False where there was none. */
    async revoke(userId: string, provider: string, account: string, at: Provider | undefined): Promise<boolean> {
      const grant = rows.find(provider, account)
      rows.remove(provider, account)
      consents.remove(provider, account)
      if (!grant || grant.lost !== null) return false
      const openedTokens = at && (await openTokens(userId, grant))
      if (openedTokens) await oauth.revoke(at, openedTokens.tokens)
      return true
    },
  }
}

export function notGranted(tool: string, provider: string): string {
  return `'${tool}' needs access to '${provider}', which the user has not granted yet`
}

function formatAccessEnded(provider: string): string {
  return `The user's access to '${provider}' has ended or was revoked, and cannot be renewed`
}
