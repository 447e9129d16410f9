import * as oauth from 'oauth4webapi'
import { parseScopes, listExtraScopes } from '../core/consent/oauth-scopes.ts'
import {
  findMissingSecret,
  type OAuthProvider,
  type Provider,
  type ProviderTestStep,
} from '../core/consent/provider.ts'
import type { Fetch, Signal } from '../core/tool/platform.ts'
import type { FindServer, ProviderServer } from './provider-server.ts'
import {
  toProviderFailure,
  toSetupFailure,
  type ProviderFailure,
  toDeadRefreshToken,
  unavailable,
} from './provider-failure.ts'
import type { PendingRequest, ProviderClient } from './provider-requests.ts'
import {
  authorizationUrl,
  createProviderClient,
  PROVIDER_TIMEOUT_MS,
  loadAuthorizationServer,
} from './provider-requests.ts'
import { testClient, testSignInPage } from './test-provider.ts'
import { normalizeTokenResponse } from './token-response.ts'

interface PendingAuthorization extends PendingRequest {
  readonly scopes: readonly string[]
}

export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  readonly expires_in?: number
  /** Absent if the provider sent none: then the requested scopes were granted (RFC 6749, section 5.1). */
  readonly scopes?: readonly string[]
}

type Issued = { readonly ok: true; readonly tokens: Tokens } | ProviderFailure

interface OAuthOptions {
  readonly fetch: Fetch
  readonly findServer: FindServer
  readonly checkUrl: (url: string) => string | undefined
  readonly readSecret: (name: string) => string | undefined
  readonly company?: { readonly provider: OAuthProvider; readonly secret: string } | undefined
  readonly timeout?: (ms: number) => Signal
}

const MAX_LIFETIME_S = 10 * 365 * 86_400
const ID_JAG = 'urn:ietf:params:oauth:token-type:id-jag'

export type OAuth = ReturnType<typeof createOAuth>

/** The client side of OAuth 2.0 that a vault needs. Never rejects. */
export function createOAuth({ fetch, findServer, checkUrl, readSecret, company, timeout }: OAuthOptions) {
  const missingSecret = (provider: Provider) => findMissingSecret(provider, readSecret)
  const deadline = () => timeout?.(PROVIDER_TIMEOUT_MS) ?? AbortSignal.timeout(PROVIDER_TIMEOUT_MS)

  async function requestTokens(
    provider: OAuthProvider,
    scopes: readonly string[],
    send: (client: ProviderClient) => Promise<oauth.TokenEndpointResponse>,
  ): Promise<Issued> {
    const problem = missingSecret(provider)
    if (problem !== undefined) return toSetupFailure(provider, problem)
    const signal = deadline()
    const server = await findServer(provider, ['token_endpoint'], signal)
    if (!server) return unavailable(provider)
    const client = clientAt(provider, server, signal)
    try {
      const { access_token, token_type, refresh_token, expires_in, scope } = await send(client)
      if (token_type !== 'bearer') return unavailable(provider, 'it issues no bearer tokens')
      const tokens = {
        access_token,
        ...(refresh_token === undefined ? {} : { refresh_token }),
        ...(expires_in === undefined ? {} : { expires_in: Math.min(expires_in, MAX_LIFETIME_S) }),
        ...(scope === undefined ? {} : { scopes: parseScopes(scope, scopes, provider.scope_separator) }),
      }
      return { ok: true, tokens }
    } catch (error) {
      return toProviderFailure(provider, error, client.lastAnswer())
    }
  }

  function clientAt(provider: OAuthProvider, server: ProviderServer, signal: Signal): ProviderClient {
    const { client_secret_name: name } = provider
    const secret = provider === company?.provider ? company.secret : name && readSecret(name)
    return createProviderClient(provider, server, secret, { fetch, signal, normalize: normalizeTokenResponse })
  }

  return {
    findMissingSecret: missingSecret,
    async begin(
      provider: OAuthProvider,
      request: PendingAuthorization,
    ): Promise<{ readonly ok: true; readonly url: string } | ProviderFailure> {
      const problem = missingSecret(provider)
      if (problem !== undefined) return toSetupFailure(provider, problem)
      const server = await loadAuthorizationServer(provider, findServer, checkUrl, deadline())
      if (!server.ok) return server
      const parameters = buildParameters(provider, server.as, request.scopes)
      return { ok: true, url: await authorizationUrl(server.page, provider, request, parameters) }
    },
    /** Checks the authorization response in the URL, including `iss` (RFC 9207), and redeems its code. */
    exchange(provider: OAuthProvider, url: string, request: PendingAuthorization): Promise<Issued> {
      return requestTokens(provider, request.scopes, async ({ as, client, redeem }) => {
        const answer = new URL(url).searchParams
        if (provider.issuer === undefined) answer.delete('iss')
        return oauth.processAuthorizationCodeResponse(as, client, await redeem(answer, request))
      })
    },
    /** RFC 6749, section 6. */
    refreshTokens(provider: OAuthProvider, refreshToken: string, scopes: readonly string[]): Promise<Issued> {
      return requestTokens(provider, scopes, sendGrant('refresh_token', { refresh_token: refreshToken }))
    },
    /** Gets an assertion from the company's provider (RFC 8693, section 2.1) and redeems it (RFC 7523, section 2.1). */
    async assertIdentity(
      provider: OAuthProvider,
      { access_token: idToken, refresh_token: refreshToken = '' }: Tokens,
      isLive: boolean,
      scopes: readonly string[],
    ): Promise<Issued> {
      const { identity_assertion: settings } = provider
      if (!company || !settings) return unavailable(provider)
      const send = sendGrant('urn:ietf:params:oauth:grant-type:token-exchange', {
        requested_token_type: ID_JAG,
        subject_token: isLive ? idToken : refreshToken,
        subject_token_type: `urn:ietf:params:oauth:token-type:${isLive ? 'id_token' : 'refresh_token'}`,
        audience: settings.audience,
        ...(settings.resource === undefined ? {} : { resource: settings.resource }),
        ...(scopes.length === 0 ? {} : { scope: scopes.join(' ') }),
      })
      const assertionResult = await requestTokens(company.provider, scopes, async (client) => {
        const answer = await send(client)
        // Access tokens of the company's provider must not be forwarded
        if (answer['issued_token_type'] !== ID_JAG) throw new Error('The answer is no identity assertion')
        return { ...answer, token_type: 'bearer' }
      })
      if (!assertionResult.ok) return assertionResult
      const { access_token: assertion } = assertionResult.tokens
      return requestTokens(provider, scopes, sendGrant('urn:ietf:params:oauth:grant-type:jwt-bearer', { assertion }))
    },
    /** Tests the steps of a connection with a made-up code, within one deadline. */
    async test(provider: OAuthProvider, callback: string): Promise<readonly ProviderTestStep[]> {
      const problem = missingSecret(provider)
      if (problem !== undefined) return [{ name: 'secret', state: 'failed', message: problem }]
      const signal = deadline()
      const server = await findServer(provider, ['authorization_endpoint', 'token_endpoint'], signal)
      const page = server?.as.authorization_endpoint
      const pageProblem = page === undefined ? 'the issuer does not describe them' : checkUrl(page)
      if (!server || page === undefined || pageProblem !== undefined)
        return [{ name: 'endpoints', state: 'failed', message: `Cannot find usable endpoints: ${pageProblem}` }]
      const request = { state: oauth.generateRandomState(), verifier: oauth.generateRandomCodeVerifier(), callback }
      const url = await authorizationUrl(page, provider, request, buildParameters(provider, server.as, []))
      const tokenStep = testClient(clientAt(provider, server, signal), request)
      const endpoints = { name: 'endpoints', state: 'ok', message: 'The endpoints are known' } as const
      return [endpoints, await testSignInPage(fetch, url, signal), await tokenStep]
    },
    async findUserInfo(provider: OAuthProvider): Promise<string | undefined> {
      return (await findServer(provider, ['userinfo_endpoint'], deadline()))?.as.userinfo_endpoint
    },
    /** RFC 7009. Returns whether the provider accepted it. With a refresh token, the access token ends too (section 2.1). */
    async revoke(provider: OAuthProvider, { access_token, refresh_token }: Tokens): Promise<boolean> {
      if (missingSecret(provider) !== undefined) return false
      const signal = deadline()
      const server = await findServer(provider, ['revocation_endpoint'], signal)
      if (!server) return false
      const { as, client, auth, options } = clientAt(provider, server, signal)
      const ask = (token: string, hint: string) =>
        oauth.revocationRequest(as, client, auth, token, {
          ...options,
          additionalParameters: { token_type_hint: hint },
        })
      const [first] = await Promise.allSettled([
        ...(refresh_token === undefined ? [] : [ask(refresh_token, 'refresh_token')]),
        ask(access_token, 'access_token'),
      ])
      return first?.status === 'fulfilled' && first.value.ok
    },
  }
}

function sendGrant(grantType: string, parameters: Readonly<Record<string, string>>) {
  return async ({ as, client, auth, options, lastAnswer }: ProviderClient) => {
    const response = await oauth.genericTokenEndpointRequest(as, client, auth, grantType, parameters, options)
    // Assertions are not access tokens (RFC 8693, section 2.2.1)
    const acceptedTypes = { recognizedTokenTypes: { n_a: () => undefined } }
    return oauth.processGenericTokenEndpointResponse(as, client, response, acceptedTypes).catch((error: unknown) => {
      throw toDeadRefreshToken(error, lastAnswer())
    })
  }
}

function buildParameters(provider: OAuthProvider, as: oauth.AuthorizationServer, requestedScopes: readonly string[]) {
  const { authorization_parameters: ownParameters = {}, extra_scopes = [], scope_separator = ' ' } = provider
  const extraScopes = listExtraScopes(
    provider,
    requestedScopes,
    as.scopes_supported?.includes('offline_access') === true,
  )
  const scopes = new Set([...requestedScopes, ...extraScopes])
  const addedOffline = extraScopes.includes('offline_access') && !extra_scopes.includes('offline_access')
  return {
    // OpenID Connect Core, section 11: `offline_access` is ignored without the prompt
    ...(addedOffline ? { prompt: 'consent' } : {}),
    ...ownParameters,
    ...(scopes.size === 0 ? {} : { scope: [...scopes].join(scope_separator) }),
  }
}
