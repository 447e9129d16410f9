import type { AccessToken, ProviderUnavailable } from '../../core/call/user-tokens.ts'
import type { StoredConnection } from '../../core/consent/connection.ts'
import { type GrantRevocation, SIGN_IN, type SignInMethod } from '../../core/consent/authorization.ts'
import { missingScopes, mergeScopes } from '../../core/consent/oauth-scopes.ts'
import { replacesConsent } from '../../core/consent/identity-assertion.ts'
import type { Provider } from '../../core/consent/provider.ts'
import type { CredentialProvider, CredentialValues } from '../../core/consent/credential-provider.ts'
import { HOUR_MS } from '../../core/tool/time.ts'
import type { CheckCredential } from '../../outbound/credential-check.ts'
import { toWholeValue } from '../../outbound/credential-values.ts'
import type { Keyring } from '../sealing/keyring.ts'
import type { ConsentRows, GrantUse } from './consent-rows.ts'
import type { GrantPlace, GrantRows, StoredGrant } from './grant-rows.ts'
import type { OAuth, Tokens } from '../../oauth-client/oauth.ts'
import { createTokenRefresh, type GrantContent, sealGrant, toGrantAad } from './token-refresh.ts'

export const NO_VAULT_KEYS =
  "Grants cannot be stored yet: an administrator must set the Worker secret 'VAULT_KEYS', for example to the output of `openssl rand -base64 32`"

/** Refused values are not sent again for this long, or calls with a wrong password would lock the account. */
const REFUSED_MS = 600_000

/** The account if the person did not name one. */
export const UNNAMED_ACCOUNT = ''

export interface TokenRequest {
  readonly userId: string
  readonly provider: Provider
  readonly scopes: readonly string[]
  readonly tool: string
  readonly toolkit: string
  readonly hosts: readonly string[]
  readonly account?: string
  /** Not for a call: needs no toolkit's consent, and does not count as a use. */
  readonly isCheck?: true
  readonly isConnection?: true
  /** A token to which the provider's API responded with 401. `final`: it was already a replacement. */
  readonly refused?: { readonly token: string; readonly final: boolean }
}

/** Why there is no token. Administrators read `forOperator` instead of the reason. */
export interface GrantRefusal {
  readonly reason: string
  readonly forOperator?: string
  readonly needsSetup?: true
}

export type TokenRequestResult =
  | (AccessToken & { readonly isNew?: boolean })
  | ProviderUnavailable
  /** `account`: only this one must be connected again. */
  | ({ readonly scopes: readonly string[]; readonly account?: string } & GrantRefusal)
  | { readonly accounts: readonly string[] }

type NoToken = Exclude<TokenRequestResult, AccessToken>

interface UsableGrant {
  readonly grant: StoredGrant
  readonly neededScopes: readonly string[]
}

interface OpenedGrant extends UsableGrant {
  readonly content: GrantContent
  readonly isSealedWithCurrentKey: boolean
}

/** The deployment's part of a vault, the same for all users. */
export interface VaultDeployment {
  /** Counts a new authorization against a principal's limits; false if the principal has reached them. */
  readonly charge: (principal: string, bytes: number) => Promise<boolean>
  /** If the keyring is empty, nothing can be granted, and invocations are stored unsealed. */
  readonly keyring: Keyring
  readonly oauth: OAuth
  readonly checkCredential: CheckCredential
  readonly companyIssuer?: string | undefined
  /** The deployment's page that identifies the person in front of a browser. */
  readonly verifierUrl?: string | undefined
  readonly signInMethod: SignInMethod
  /** Whether the URL is of a trial deployment, which cannot tell people apart. */
  readonly isTrialUrl: (url: string) => boolean
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type Grants = ReturnType<typeof createGrants>

export function createGrants(rows: GrantRows, consents: ConsentRows, { keyring, oauth, now }: VaultDeployment) {
  const refreshTokens = createTokenRefresh({ rows, consents, keyring, oauth })

  async function openContent(userId: string, { provider, account, sealed }: StoredGrant) {
    const unsealedGrant =
      sealed === null ? undefined : await keyring.unseal(sealed, toGrantAad(userId, provider, account))
    const content: GrantContent | undefined = unsealedGrant && JSON.parse(unsealedGrant.text)
    return unsealedGrant && content && { content, isSealedWithCurrentKey: unsealedGrant.current }
  }

  function accountFor(provider: string, toolkit: string): string | readonly string[] {
    const consentedAccounts = consents.accounts(provider, toolkit)
    if (consentedAccounts.length > 1) return consentedAccounts
    return consentedAccounts[0] ?? rows.findOnlyAccount(provider) ?? UNNAMED_ACCOUNT
  }

  /** Finds the grant to use. If its tokens cannot be used, the user is asked for `neededScopes`. */
  function grantFor(request: TokenRequest): UsableGrant | NoToken {
    const { provider, scopes, tool, toolkit, hosts } = request
    const { id } = provider
    const account = request.account ?? accountFor(id, toolkit)
    if (typeof account !== 'string') return { accounts: account }
    const grant = rows.find(id, account)
    const isAsserted = grant?.browser === SIGN_IN && !request.isCheck
    if (!grant || (isAsserted && !replacesConsent(provider.identity_assertion, toolkit, hosts)))
      return { scopes, reason: notGranted(tool, id) }
    if (grant.lost !== null) return { scopes, reason: grant.lost }
    const neededScopes = mergeScopes(grant.scopes, scopes, provider.extra_scopes ?? [])
    const isPaused = grant.refusal !== null && now() - (grant.refused_at ?? 0) < REFUSED_MS
    if (provider.kind !== undefined && isPaused && !request.isCheck)
      return { scopes: neededScopes, reason: grant.refusal ?? '', account }
    if (request.isConnection) return { scopes: neededScopes, reason: 'The user connects it anew' }
    const lackingScopes = missingScopes(id, grant.scopes, scopes)
    if (lackingScopes.length > 0) {
      const reason = `'${tool}' needs more access to '${id}' than the user has granted: ${lackingScopes.join(', ')}`
      return { scopes: neededScopes, reason }
    }
    if (!request.isCheck && !consents.covers({ provider: id, account, toolkit, hosts, scopes })) {
      const at = hosts.length === 0 ? '' : `, and send it to ${hosts.join(', ')}`
      return {
        scopes: neededScopes,
        reason: `'${tool}' needs the user's consent to act with the access to '${id}'${at}`,
      }
    }
    return { grant, neededScopes }
  }

  /**
   * Returns the grant to use, and its tokens. If the grant changes while they are opened, they are opened again: a refresh
   * token can be used only once, so an old one must not be taken for the current one.
   */
  async function openCurrentGrant(request: TokenRequest): Promise<OpenedGrant | NoToken> {
    const { userId, provider, refused } = request
    const { id } = provider
    for (;;) {
      const usable = grantFor(request)
      if (!('grant' in usable)) return usable
      const { grant, neededScopes } = usable
      const openedContent = await openContent(userId, grant)
      if (rows.find(id, grant.account)?.generation !== grant.generation) continue
      if (!openedContent) {
        const reason = `The stored grant at '${id}' cannot be read any more: the user has to grant it again`
        const forOperator = `The stored grant at '${id}' cannot be read with the keys in VAULT_KEYS: the user has to grant it again, unless its key is put back`
        return { scopes: neededScopes, reason, forOperator }
      }
      const { content } = openedContent
      if (!isContentFor(provider, content))
        return { scopes: neededScopes, reason: `'${id}' asks for something else than what the user gave` }
      if (refused?.final && 'access_token' in content && refused.token === content.access_token)
        return refuse(usable, `The API of '${id}' refuses the user's token, a new one too`)
      return { ...usable, ...openedContent }
    }
  }

  /** Notes that the provider no longer accepts the grant, which only the user can fix. */
  function refuse({ grant, neededScopes }: UsableGrant, reason: string): NoToken {
    rows.note(grant.generation, { refused_at: now(), refusal: reason })
    return { scopes: neededScopes, reason }
  }

  /** Returns the token. Reseals it under the current key if it was sealed under an older one. */
  async function toAccessToken(
    { userId, provider, isCheck }: TokenRequest,
    { grant, content, isSealedWithCurrentKey: current }: OpenedGrant,
  ): Promise<AccessToken> {
    const isUseDue = now() - (grant.used_at ?? 0) >= HOUR_MS || grant.refusal !== null
    // A new refusal would be noted again
    if (isUseDue && !isCheck) rows.note(grant.generation, { used_at: now(), refusal: null })
    if (!current) rows.reseal(grant.generation, await sealGrant(keyring, userId, grant, content))
    const { account } = grant
    if ('access_token' in content) return { token: content.access_token, account }
    return provider.kind === undefined ? { token: '', account } : toCredential(provider, content.values, grant)
  }

  return {
    /** Predicts `token` without opening, refreshing or changing anything. The token is empty. */
    look(request: TokenRequest): TokenRequestResult {
      const usable = grantFor(request)
      if (!('grant' in usable)) return usable
      const { grant, neededScopes } = usable
      const isLive = grant.expires_at === null || grant.expires_at > now()
      return isLive || (grant.refreshable && grant.browser !== SIGN_IN)
        ? { token: '', account: grant.account }
        : { scopes: neededScopes, reason: formatAccessEnded(request.provider.id) }
    },

    /** Opens the grant, refreshes its tokens at most once, and then opens the result. */
    async token(request: TokenRequest): Promise<TokenRequestResult> {
      const { userId, provider, refused } = request
      const openedGrant = await openCurrentGrant(request)
      if (!('grant' in openedGrant)) return openedGrant
      const { grant, content, neededScopes } = openedGrant
      if (provider.kind !== undefined || 'values' in content) {
        const checkUrl = provider.kind === undefined ? undefined : (provider.check?.url ?? '')
        if (request.isCheck && 'values' in content && content.checkUrl !== checkUrl)
          return {
            scopes: neededScopes,
            reason: `The check of '${provider.id}' is new: connect it anew to have it checked`,
          }
        if (refused?.token !== grant.generation) return toAccessToken(request, openedGrant)
        return refuse(openedGrant, `The API of '${provider.id}' refuses what the user entered`)
      }
      const { access_token: token, refresh_token: refreshToken } = content
      const isRefused = refused?.token === token
      const isLive = !isRefused && (grant.expires_at === null || grant.expires_at > now())
      const isDue = isRefused || (grant.refresh_at !== null && grant.refresh_at <= now())
      if (!isDue) return toAccessToken(request, openedGrant)
      if (refreshToken === undefined) {
        // A token from the user's sign-in is replaced before it ends, as other tokens are refreshed
        if (isLive && grant.browser !== SIGN_IN) return toAccessToken(request, openedGrant)
        return refuse(openedGrant, formatAccessEnded(provider.id))
      }
      const outcome = await refreshTokens({ userId, provider, grant, refreshToken })
      if (outcome !== 'settled') return isLive ? toAccessToken(request, openedGrant) : outcome
      const refreshedGrant = await openCurrentGrant(request)
      return 'grant' in refreshedGrant ? toAccessToken(request, refreshedGrant) : refreshedGrant
    },

    openContent,
    store(place: GrantPlace, tokens: Tokens, scopes: readonly string[], sealedTokens: string): void {
      // An administrator's consents must not remain once the user has a grant of their own
      for (const account of rows.accounts(place.provider)) {
        if (rows.find(place.provider, account)?.browser !== SIGN_IN) continue
        rows.remove(place.provider, account)
        consents.remove(place.provider, account)
      }
      rows.put(place, tokens, scopes, sealedTokens)
    },

    /** Finds a grant with all these scopes that lacks only the person's consent. */
    findGrantLackingConsent(use: GrantUse): StoredGrant | undefined {
      const { provider, account, scopes } = use
      const grant = rows.find(provider, account)
      const isGranted =
        grant?.lost === null && grant.refusal === null && missingScopes(provider, grant.scopes, scopes).length === 0
      return isGranted && grant.browser !== SIGN_IN && !consents.covers(use) ? grant : undefined
    },

    findOnlyAccount: rows.findOnlyAccount,

    noteSuccess(provider: string, account: string): void {
      const grant = rows.find(provider, account)
      if (grant) rows.note(grant.generation, { used_at: now(), refusal: null })
    },

    list(): StoredConnection[] {
      return rows.list().map((grant) => ({ ...grant, toolkits: consents.of(grant.provider, grant.account) }))
    },

    /** Revokes a grant, also at the provider if the deployment still has that. Returns undefined if there was no grant. */
    async revoke(
      userId: string,
      provider: string,
      account: string,
      providerToTell: Provider | undefined,
    ): Promise<GrantRevocation | undefined> {
      const grant = rows.find(provider, account)
      rows.remove(provider, account)
      consents.remove(provider, account)
      const revocation = { provider, account, isRevokedAtProvider: false }
      if (!grant || !providerToTell || providerToTell.kind !== undefined) return grant && revocation
      const opened = await openContent(userId, grant)
      if (!opened || !('access_token' in opened.content)) return revocation
      return { ...revocation, isRevokedAtProvider: await oauth.revoke(providerToTell, opened.content) }
    },
  }
}

export function notGranted(tool: string, provider: string): string {
  return `'${tool}' needs access to '${provider}', which the user has not granted yet`
}

/** Whether a grant has what the provider now asks for, which an administrator may have changed. */
function isContentFor(provider: Provider, content: GrantContent): boolean {
  if (provider.kind === undefined) return 'access_token' in content
  if ('access_token' in content || content.kind !== provider.kind) return false
  return provider.fields.every(({ name }) => content.values[name] !== undefined)
}

function toCredential(
  provider: CredentialProvider,
  values: CredentialValues,
  { account, generation }: StoredGrant,
): AccessToken {
  const parts = provider.fields.map(({ name, isSecret }) => [name, { value: values[name] ?? '', isSecret }] as const)
  return { token: toWholeValue(provider, values), parts: new Map(parts), account, generation }
}

function formatAccessEnded(provider: string): string {
  return `The user's access to '${provider}' has ended or was revoked, and cannot be renewed`
}
