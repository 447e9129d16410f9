import * as oauth from 'oauth4webapi'
import type { OAuthProvider } from '../core/consent/provider.ts'
import type { Fetch } from '../core/tool/platform.ts'
import type { Tokens } from '../oauth-client/oauth.ts'
import type { FindServer } from '../oauth-client/provider-server.ts'
import { toProviderFailure, Mismatch, type ProviderFailure, unavailable } from '../oauth-client/provider-failure.ts'
import type { PendingRequest } from '../oauth-client/provider-requests.ts'
import {
  authorizationUrl,
  createProviderClient,
  PROVIDER_TIMEOUT_MS,
  loadAuthorizationServer,
} from '../oauth-client/provider-requests.ts'

export interface OpenIdRequest extends PendingRequest {
  readonly nonce: string
}

interface OpenIdOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  readonly claims: readonly string[]
  readonly fetch: Fetch
  readonly findServer: FindServer
  readonly needsTokens: () => Promise<boolean>
  readonly checkUrl: (url: string) => string | undefined
}

/** In `tokens`, the ID token replaces the access token. */
type SignInResult =
  { readonly ok: true; readonly claims: Readonly<Record<string, unknown>>; readonly tokens: Tokens } | ProviderFailure

export type OpenId = ReturnType<typeof createOpenId>

/** OpenID Connect Core, section 3.1.3.7, with PKCE (S256), `state`, `nonce` and `iss` (RFC 9207). Never rejects. */
export function createOpenId({ issuer, clientId, clientSecret, claims, fetch, findServer, ...options }: OpenIdOptions) {
  const { checkUrl, needsTokens } = options
  const { host } = new URL(issuer)
  const provider: OAuthProvider = { id: host, name: host, issuer, client_id: clientId }

  return {
    async begin(
      callback: string,
      again: boolean,
    ): Promise<{ readonly ok: true; readonly url: string; readonly request: OpenIdRequest } | ProviderFailure> {
      const server = await loadAuthorizationServer(
        provider,
        findServer,
        checkUrl,
        AbortSignal.timeout(PROVIDER_TIMEOUT_MS),
      )
      if (!server.ok) return server
      const request = {
        state: oauth.generateRandomState(),
        nonce: oauth.generateRandomNonce(),
        verifier: oauth.generateRandomCodeVerifier(),
        callback,
      }
      const optionalScopes = (await needsTokens()) ? ['groups', 'offline_access'] : ['groups']
      const scopes = optionalScopes.filter((name) => server.as.scopes_supported?.includes(name))
      const url = await authorizationUrl(server.page, provider, request, {
        scope: ['openid email profile', ...scopes].join(' '),
        nonce: request.nonce,
        // Google does not support `login`; others need not support `select_account` (OpenID Connect Core, section 3.1.2.1)
        ...(again ? { prompt: host === 'accounts.google.com' ? 'select_account' : 'login' } : {}),
      })
      return { ok: true, url, request }
    },

    async finish(url: string, request: OpenIdRequest): Promise<SignInResult> {
      const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS)
      const server = await findServer(provider, ['token_endpoint'], signal)
      if (!server?.discovered) return unavailable(provider)
      const openId = createProviderClient(provider, server, clientSecret, { fetch, signal })
      const { as, client, options, redeem, lastAnswer } = openId
      try {
        const response = await redeem(new URL(url).searchParams, request)
        const expectations = { expectedNonce: request.nonce, requireIdToken: true }
        const answer = await oauth.processAuthorizationCodeResponse(as, client, response, expectations)
        await oauth.validateApplicationLevelSignature(as, response, options)
        const idTokenClaims = oauth.getValidatedIdTokenClaims(answer)
        const { id_token: access_token, refresh_token } = answer
        if (!idTokenClaims || access_token === undefined) throw new Mismatch()
        const expires_in = idTokenClaims.exp - Math.floor(Date.now() / 1_000)
        const tokens = { access_token, expires_in, ...(refresh_token === undefined ? {} : { refresh_token }) }
        const isWhole = claims.every((name) => idTokenClaims[name] !== undefined)
        if (isWhole || as.userinfo_endpoint === undefined) return { ok: true, claims: idTokenClaims, tokens }
        const userInfoResponse = await oauth.userInfoRequest(as, client, answer.access_token, options)
        const userInfo = await oauth.processUserInfoResponse(as, client, idTokenClaims.sub, userInfoResponse)
        // `email_verified` must refer to this exact address
        const { email, email_verified } = idTokenClaims['email'] === undefined ? userInfo : idTokenClaims
        return { ok: true, claims: { ...userInfo, ...idTokenClaims, email, email_verified }, tokens }
      } catch (error) {
        return toProviderFailure(provider, error, lastAnswer())
      }
    },
  }
}
