import { SIGN_IN } from '../../core/consent/authorization.ts'
import { replacesConsent } from '../../core/consent/identity-assertion.ts'
import { missingScopes } from '../../core/consent/oauth-scopes.ts'
import { type ProviderFailure, providerFailure } from '../../oauth-client/provider-failure.ts'
import type { ConsentRows } from './consent-rows.ts'
import type { GrantRows } from './grant-rows.ts'
import { type Grants, type TokenRequest, type TokenRequestResult, UNNAMED_ACCOUNT } from './grants.ts'
import type { VaultDeployment } from './grants.ts'
import { sealGrant } from './token-refresh.ts'

type Deps = VaultDeployment & { readonly rows: GrantRows; readonly consents: ConsentRows; readonly grants: Grants }

const account = UNNAMED_ACCOUNT
const DEFAULT_LIFE_S = 3_600

/**
 * Returns a token obtained by the user's sign-in instead of a refusal, or the refusal with the reason for administrators. Only
 * for toolkits that an administrator has named, and while the user has no grant of their own at the provider. No refresh token
 * is stored, so the company's provider decides each time. A preview predicts the result.
 */
export async function getTokenBySignIn(
  deps: Deps,
  refusal: Extract<TokenRequestResult, { scopes: unknown }>,
  request: TokenRequest,
  isPreview: boolean,
): Promise<TokenRequestResult> {
  if (!isPossible(deps, request)) return refusal
  if (isPreview) return { token: '', account }
  const isNew = !deps.consents.covers({ ...request, provider: request.provider.id, account })
  const result = await obtain(deps, request, refusal.scopes)
  if (typeof result === 'string') return { token: result, account, isNew }
  const { why, message, forOperator = message } = result
  if (why === 'unavailable') return { unavailable: message }
  return { ...refusal, forOperator: `${refusal.reason}. The user's sign-in did not give it: ${forOperator}` }
}

function isPossible({ rows, companyIssuer = '', now }: Deps, request: TokenRequest): boolean {
  const { provider, toolkit, hosts, account: named = account, refused, isConnection } = request
  const signIn = rows.find(SIGN_IN, companyIssuer)
  const isUsable = signIn !== undefined && (signIn.refreshable === 1 || (signIn.expires_at ?? 0) > now())
  if (named !== account || refused?.final || isConnection || !isUsable) return false
  const hasOwnGrant = rows.accounts(provider.id).some((own) => rows.find(provider.id, own)?.browser !== SIGN_IN)
  return !hasOwnGrant && replacesConsent(provider.identity_assertion, toolkit, hosts)
}

async function obtain(deps: Deps, request: TokenRequest, scopes: readonly string[]): Promise<string | ProviderFailure> {
  const { rows, consents, grants, keyring, oauth, companyIssuer = '', now } = deps
  const { userId, provider, toolkit, hosts } = request
  const signIn = rows.find(SIGN_IN, companyIssuer)
  const signInGrant = signIn && (await grants.openContent(userId, signIn))
  if (!signInGrant || !('access_token' in signInGrant.content) || provider.kind !== undefined)
    return providerFailure('refused', 'its tokens cannot be read any more')
  const tokenResult = await oauth.assertIdentity(
    provider,
    signInGrant.content,
    (signIn.expires_at ?? 0) > now(),
    scopes,
  )
  if (!tokenResult.ok) return tokenResult
  const { access_token, expires_in = DEFAULT_LIFE_S, scopes: grantedScopes = scopes } = tokenResult.tokens
  const tokens = { access_token, expires_in }
  const place = { provider: provider.id, account, browser: SIGN_IN }
  const sealedGrant = await sealGrant(keyring, userId, place, tokens)
  const isWhole = missingScopes(provider.id, grantedScopes, scopes).length === 0
  // The user's access may have ended meanwhile, or the user may have given a grant
  if (!isWhole || !isPossible(deps, request)) {
    await oauth.revoke(provider, tokens)
    return providerFailure('refused', isWhole ? 'it was revoked meanwhile' : 'scopes are missing')
  }
  // The empty refresh token lists the grant as refreshable
  rows.put(place, { ...tokens, refresh_token: '' }, grantedScopes, sealedGrant)
  consents.give({ provider: provider.id, account, toolkit, hosts, scopes: request.scopes })
  return access_token
}
