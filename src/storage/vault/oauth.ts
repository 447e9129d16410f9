import {
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  AuthorizationResponseError,
  calculatePKCECodeChallenge,
  type ClientAuth,
  customFetch,
  processAuthorizationCodeResponse,
  processRefreshTokenResponse,
  refreshTokenGrantRequest,
  revocationRequest,
  type TokenEndpointResponse,
  validateAuthResponse,
} from 'oauth4webapi'
import type { Fetch, Signal } from '../../core/tool/platform.ts'
import type { Provider } from '../../core/consent/provider.ts'
import { parseScopes } from '../../core/consent/oauth-scopes.ts'
import { clientAuth, type FindServer, plainFetch, type Server } from './authorization-server.ts'
import { normalTokenResponse } from './token-response.ts'
import { type Answered, Mismatch, type Trouble, trouble, unreachable, wordedTrouble } from './trouble.ts'

/** What a provider issued. */
export interface Tokens {
  readonly access_token: string
  readonly refresh_token?: string
  /** Seconds from now on; absent where the provider did not say. */
  readonly expires_in?: number
  /** Absent where the provider did not say: then it is what was asked for (RFC 6749, section 5.1). */
  readonly scopes?: readonly string[]
}

export type Issued = { readonly ok: true; readonly tokens: Tokens } | Trouble

/** The client's side of OAuth 2.0, as a vault needs it. Nothing of it ever rejects. */
export interface OAuth {
  /** The authorization request (RFC 6749, section 4.1.1, with PKCE): where the browser goes. */
  begin(
    provider: Provider,
    given: {
      readonly scopes: readonly string[]
      readonly callback: string
      readonly state: string
      readonly verifier: string
    },
  ): Promise<{ readonly ok: true; readonly url: string } | Trouble>
  /** Checks the authorization response, `iss` too (RFC 9207), and redeems its code. */
  exchange(
    provider: Provider,
    given: {
      readonly url: string
      readonly state: string
      readonly callback: string
      readonly verifier: string
      readonly scopes: readonly string[]
    },
  ): Promise<Issued>
  refresh(provider: Provider, refreshToken: string, scopes: readonly string[]): Promise<Issued>
  /** Revokes tokens where the provider takes that (RFC 7009), as well as it goes. */
  revoke(provider: Provider, tokens: Tokens): Promise<void>
  /** Why this deployment is no client of the provider yet, in words for an administrator; undefined when it is. */
  unready(provider: Provider): string | undefined
}

export interface OAuthOptions {
  /** Guards where requests may go, and caps answers. */
  readonly fetch: Fetch
  readonly findServer: FindServer
  /** Why a browser may not be sent to a URL, in words that follow it; undefined when it may. */
  readonly judgeUrl: (url: string) => string | undefined
  /** A client's secret by its variable's name. */
  readonly secretOf: (name: string) => string | undefined
  /** Milliseconds that a provider has for an answer, discovery included; 10 s unless given. */
  readonly timeoutMs?: number
}

const TIMEOUT_MS = 10_000
const MAX_LIFETIME_S = 10 * 365 * 86_400

export function createOAuth(options: OAuthOptions): OAuth {
  const { findServer, judgeUrl, secretOf, timeoutMs = TIMEOUT_MS } = options
  const request = plainFetch(options.fetch)

  function unready({ id, client_secret_name: name }: Provider): string | undefined {
    if (name === undefined || secretOf(name) !== undefined) return undefined
    return `The secret of the client at '${id}' is missing: an administrator can set it as the Worker secret '${name}'`
  }

  /** Asks the token endpoint, and words what goes wrong. */
  async function issue(
    provider: Provider,
    asked: readonly string[],
    ask: (client: Client, server: Server) => Promise<TokenEndpointResponse>,
  ): Promise<Issued> {
    const missing = unready(provider)
    if (missing !== undefined) return trouble('client', missing)
    const signal = AbortSignal.timeout(timeoutMs)
    const server = await findServer(provider, ['token_endpoint'], signal)
    if (!server) return unreachable(provider)
    const client = clientOf(provider, server, signal)
    try {
      const { access_token, token_type, refresh_token, expires_in, scope } = await ask(client, server)
      if (token_type !== 'bearer') return unreachable(provider, 'it issues no bearer tokens')
      const tokens = {
        access_token,
        ...(refresh_token === undefined ? {} : { refresh_token }),
        ...(expires_in === undefined ? {} : { expires_in: Math.min(expires_in, MAX_LIFETIME_S) }),
        ...(scope === undefined ? {} : { scopes: parseScopes(scope, asked, provider.scope_separator) }),
      }
      return { ok: true, tokens }
    } catch (error) {
      return wordedTrouble(provider, error, client.last)
    }
  }

  interface Client {
    readonly auth: ClientAuth
    readonly options: {
      readonly signal: Signal
      readonly [allowInsecureRequests]: true
      readonly [customFetch]: ReturnType<typeof plainFetch>
    }
    last: Answered | undefined
  }

  function clientOf(provider: Provider, server: Server, signal: Signal): Client {
    const secret = provider.client_secret_name === undefined ? undefined : secretOf(provider.client_secret_name)
    const client: Client = {
      auth: clientAuth(provider, server, secret),
      options: {
        signal,
        // Which hosts may be asked over http is for the guarded fetch to say
        [allowInsecureRequests]: true,
        async [customFetch](url, requested) {
          const response = await request(url, requested)
          client.last = { status: response.status, retryAfter: response.headers.get('retry-after') }
          return normalTokenResponse(response)
        },
      },
      last: undefined,
    }
    return client
  }

  return {
    unready,
    async begin(provider, { scopes, callback, state, verifier }) {
      const missing = unready(provider)
      if (missing !== undefined) return trouble('client', missing)
      const signal = AbortSignal.timeout(timeoutMs)
      const server = await findServer(provider, ['authorization_endpoint', 'token_endpoint'], signal)
      const endpoint = server?.as.authorization_endpoint
      if (!server || endpoint === undefined) return unreachable(provider)
      const reason = judgeUrl(endpoint)
      if (reason !== undefined) return trouble('client', `The page of '${provider.id}' cannot be opened: ${reason}`)
      const url = new URL(endpoint)
      const own = provider.authorization_parameters ?? {}
      for (const [name, value] of Object.entries(own)) url.searchParams.set(name, value)
      const all = [...new Set([...scopes, ...(provider.extra_scopes ?? [])])]
      const isOffered = server.as.scopes_supported?.includes('offline_access') === true
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
      return { ok: true, url: url.href }
    },
    exchange(provider, { url, state, callback, verifier, scopes }) {
      const { client_id } = provider
      return issue(provider, scopes, async ({ auth, options }, { as }) => {
        const answered = new URL(url).searchParams
        if (provider.issuer === undefined) answered.delete('iss')
        let code: URLSearchParams
        try {
          code = validateAuthResponse(as, { client_id }, answered, state)
        } catch (error) {
          throw error instanceof AuthorizationResponseError ? error : new Mismatch()
        }
        if (code.getAll('code').length !== 1) throw new Mismatch()
        const response = await authorizationCodeGrantRequest(as, { client_id }, auth, code, callback, verifier, options)
        return processAuthorizationCodeResponse(as, { client_id }, response)
      })
    },
    refresh(provider, refreshToken, scopes) {
      const { client_id } = provider
      return issue(provider, scopes, async ({ auth, options }, { as }) => {
        const response = await refreshTokenGrantRequest(as, { client_id }, auth, refreshToken, options)
        return processRefreshTokenResponse(as, { client_id }, response)
      })
    },
    async revoke(provider, { access_token, refresh_token }) {
      if (unready(provider) !== undefined) return
      const signal = AbortSignal.timeout(timeoutMs)
      const server = await findServer(provider, ['revocation_endpoint'], signal)
      if (!server) return
      const { auth, options } = clientOf(provider, server, signal)
      const { client_id } = provider
      const ask = (token: string, hint: string) =>
        revocationRequest(server.as, { client_id }, auth, token, {
          ...options,
          additionalParameters: { token_type_hint: hint },
        })
      // It is gone here already, so what a provider makes of it changes nothing
      await Promise.allSettled([
        ...(refresh_token === undefined ? [] : [ask(refresh_token, 'refresh_token')]),
        ask(access_token, 'access_token'),
      ])
    },
  }
}
