import { type AuthorizationServer, calculatePKCECodeChallenge } from 'oauth4webapi'
import type { Provider } from '../core/consent/provider.ts'

/** What a browser is sent to a provider with, and what its answer is read by. */
export interface AuthorizationRequest {
  readonly scopes: readonly string[]
  /** The redirect URI. */
  readonly callback: string
  readonly state: string
  /** The PKCE verifier (RFC 7636). */
  readonly verifier: string
}

/** The URL of an authorization request (RFC 6749, section 4.1.1, with PKCE) at a provider's endpoint. */
export async function authorizationUrl(
  endpoint: string,
  provider: Provider,
  as: AuthorizationServer,
  { scopes, callback, state, verifier }: AuthorizationRequest,
): Promise<string> {
  const url = new URL(endpoint)
  const own = provider.authorization_parameters ?? {}
  for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value)
  const all = [...new Set([...scopes, ...(provider.extra_scopes ?? [])])]
  const isOffered = as.scopes_supported?.includes('offline_access') === true
  if (isOffered && !all.includes('offline_access') && !('access_type' in own)) {
    all.push('offline_access')
    // OpenID Connect Core, section 11: without the prompt it is ignored
    if (!('prompt' in own)) url.searchParams.set('prompt', 'consent')
  }
  const parameters = {
    response_type: 'code',
    client_id: provider.client_id,
    redirect_uri: callback,
    state,
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    ...(all.length === 0 ? {} : { scope: all.join(provider.scope_separator ?? ' ') }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
