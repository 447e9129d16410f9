import {
  authorizationCodeGrantRequest,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import { parseScopes } from '../core/consent/oauth-scopes.ts'
import type { Provider } from '../core/consent/provider.ts'
import type { Fetch, Signal } from '../core/tool/platform.ts'
import { type AuthorizationRequest, authorizationUrl } from './authorization-request.ts'
import { clientAuth, type FindServer, type Server } from './authorization-server.ts'
import { missingSecret } from './client-secret.ts'
import { failureOf, notSetUp, type ProviderFailure, providerFailure, unavailable } from './provider-failure.ts'
import { answeredCode, requestsOf } from './provider-requests.ts'
import { normalTokenResponse } from './token-response.ts'

/** What a provider issued. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  /** Seconds from now on; absent where the provider did not say. */
  readonly expires_in?: number
  /** Absent where the provider did not say: then it is what was asked for (RFC 6749, section 5.1). */
  readonly scopes?: readonly string[]
}

export type Issued = { readonly ok: true; readonly tokens: Tokens } | ProviderFailure

export interface OAuthOptions {
  /** Guards where requests may go, and caps answers. */
  readonly fetch: Fetch
  readonly findServer: FindServer
  /** Why a browser may not be sent to a URL, in words that follow it; undefined when it may. */
  readonly judgeUrl: (url: string) => string | undefined
  /** A client's secret by its variable's name. */
  readonly secretOf: (name: string) => string | undefined
  /** A signal that aborts after so many milliseconds; `AbortSignal.timeout` unless given. */
  readonly timeout?: (ms: number) => Signal
}

/** What a provider has for its answers to one request of ours, discovery included. */
const TIMEOUT_MS = 10_000
const MAX_LIFETIME_S = 10 * 365 * 86_400

export type OAuth = ReturnType<typeof createOAuth>

/** The client's side of OAuth 2.0, as a vault needs it. Nothing of it ever rejects. */
export function createOAuth({
  fetch,
  findServer,
  judgeUrl,
  secretOf,
  timeout = (ms) => AbortSignal.timeout(ms),
}: OAuthOptions) {
  const unready = (provider: Provider) => missingSecret(provider, secretOf)

  /** Asks the token endpoint, and words what goes wrong. */
  async function issue(
    provider: Provider,
    scopes: readonly string[],
    ask: (client: ReturnType<typeof clientOf>) => Promise<TokenEndpointResponse>,
  ): Promise<Issued> {
    const missing = unready(provider)
    if (missing !== undefined) return notSetUp(provider, missing)
    const signal = timeout(TIMEOUT_MS)
    const server = await findServer(provider, ['token_endpoint'], signal)
    if (!server) return unavailable(provider)
    const client = clientOf(provider, server, signal)
    try {
      const { access_token, token_type, refresh_token, expires_in, scope } = await ask(client)
      if (token_type !== 'bearer') return unavailable(provider, 'it issues no bearer tokens')
      const tokens = {
        access_token,
        ...(refresh_token === undefined ? {} : { refresh_token }),
        ...(expires_in === undefined ? {} : { expires_in: Math.min(expires_in, MAX_LIFETIME_S) }),
        ...(scope === undefined ? {} : { scopes: parseScopes(scope, scopes, provider.scope_separator) }),
      }
      return { ok: true, tokens }
    } catch (error) {
      return failureOf(provider, error, client.lastAnswer())
    }
  }

  /** This deployment as a client of one provider, for one request. */
  function clientOf(provider: Provider, server: Server, signal: Signal) {
    const { client_id, client_secret_name: name } = provider
    return {
      as: server.as,
      client: { client_id },
      auth: clientAuth(provider, server, name === undefined ? undefined : secretOf(name)),
      ...requestsOf(fetch, signal, normalTokenResponse),
    }
  }

  return {
    /** Why this deployment is no client of the provider yet, in words for an administrator; undefined when it is. */
    unready,
    /** Where the browser goes to be asked. */
    async begin(
      provider: Provider,
      asked: AuthorizationRequest,
    ): Promise<{ readonly ok: true; readonly url: string } | ProviderFailure> {
      const missing = unready(provider)
      if (missing !== undefined) return notSetUp(provider, missing)
      const server = await findServer(provider, ['authorization_endpoint', 'token_endpoint'], timeout(TIMEOUT_MS))
      const endpoint = server?.as.authorization_endpoint
      if (!server || endpoint === undefined) return unavailable(provider)
      const reason = judgeUrl(endpoint)
      if (reason !== undefined) {
        return providerFailure('client', `The page of '${provider.id}' cannot be opened: ${reason}`)
      }
      return { ok: true, url: await authorizationUrl(endpoint, provider, server.as, asked) }
    },
    /** Checks the authorization response in the URL that the browser came to, `iss` too (RFC 9207), and redeems its code. */
    exchange(
      provider: Provider,
      url: string,
      { state, callback, verifier, scopes }: AuthorizationRequest,
    ): Promise<Issued> {
      return issue(provider, scopes, async ({ as, client, auth, options }) => {
        const answered = new URL(url).searchParams
        if (provider.issuer === undefined) answered.delete('iss')
        const code = answeredCode(as, client, answered, state)
        const response = await authorizationCodeGrantRequest(as, client, auth, code, callback, verifier, options)
        return processAuthorizationCodeResponse(as, client, response)
      })
    },
    refresh(provider: Provider, refreshToken: string, scopes: readonly string[]): Promise<Issued> {
      return issue(provider, scopes, async ({ as, client, auth, options }) => {
        const response = await refreshTokenGrantRequest(as, client, auth, refreshToken, options)
        return processRefreshTokenResponse(as, client, response)
      })
    },
    /** Revokes tokens where the provider takes that (RFC 7009), as well as it goes. */
    async revoke(provider: Provider, { access_token, refresh_token }: Tokens): Promise<void> {
      if (unready(provider) !== undefined) return
      const signal = timeout(TIMEOUT_MS)
      const server = await findServer(provider, ['revocation_endpoint'], signal)
      if (!server) return
      const { as, client, auth, options } = clientOf(provider, server, signal)
      const ask = (token: string, hint: string) =>
        revocationRequest(as, client, auth, token, { ...options, additionalParameters: { token_type_hint: hint } })
      // It is gone here already, so what a provider makes of it changes nothing
      await Promise.allSettled([
        ...(refresh_token === undefined ? [] : [ask(refresh_token, 'refresh_token')]),
        ask(access_token, 'access_token'),
      ])
    },
  }
}
