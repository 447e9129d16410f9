import {
  authorizationCodeGrantRequest,
  calculatePKCECodeChallenge,
  generateRandomCodeVerifier,
  generateRandomNonce,
  generateRandomState,
  getValidatedIdTokenClaims,
  processAuthorizationCodeResponse,
  processUserInfoResponse,
  userInfoRequest,
  validateApplicationLevelSignature,
} from 'oauth4webapi'
import type { Provider } from '../core/consent/provider.ts'
import type { Fetch, Signal } from '../core/tool/platform.ts'
import { clientAuth, type FindServer } from '../oauth-client/authorization-server.ts'
import {
  failureOf,
  Mismatch,
  type ProviderFailure,
  providerFailure,
  unavailable,
} from '../oauth-client/provider-failure.ts'
import { answeredCode, requestsOf } from '../oauth-client/provider-requests.ts'

/** What a browser is sent to the provider with, and what its answer is read by. */
export interface OpenIdRequest {
  readonly state: string
  readonly nonce: string
  /** The PKCE verifier (RFC 7636). */
  readonly verifier: string
  /** The redirect URI. */
  readonly callback: string
}

export interface OpenIdOptions {
  readonly issuer: string
  readonly clientId: string
  readonly clientSecret: string
  /** Claims that are read, and looked for at the provider's UserInfo endpoint where the ID token lacks them. */
  readonly claims: readonly string[]
  /** Guards where requests may go, and caps answers. */
  readonly fetch: Fetch
  readonly findServer: FindServer
  /** Why a browser may not be sent to a URL, in words that follow it; undefined when it may. */
  readonly judgeUrl: (url: string) => string | undefined
}

export type OpenId = ReturnType<typeof createOpenId>

/** What the provider has for its answers to one request of ours, discovery included. */
const TIMEOUT_MS = 10_000

/**
 * The deployment as a client of the OpenID provider that people sign in with: authorization code with PKCE (S256), `state`
 * and `nonce`; the ID token's signature, issuer, audience and time are checked (OpenID Connect Core, section 3.1.3.7), and
 * the response's `iss` (RFC 9207). Nothing of it ever rejects.
 */
export function createOpenId({ issuer, clientId, clientSecret, claims, fetch, findServer, judgeUrl }: OpenIdOptions) {
  const { host } = new URL(issuer)
  const provider: Provider = { id: host, name: host, issuer, client_id: clientId }
  const client = { client_id: clientId }

  return {
    /** Where the browser goes to sign in, and what its answer will be read by; `again`: to do so as somebody else. */
    async begin(
      callback: string,
      again: boolean,
    ): Promise<{ readonly ok: true; readonly url: string; readonly request: OpenIdRequest } | ProviderFailure> {
      const server = await findServer(provider, ['authorization_endpoint', 'token_endpoint'], timeout())
      const endpoint = server?.as.authorization_endpoint
      if (!server || endpoint === undefined) return unavailable(provider)
      const reason = judgeUrl(endpoint)
      if (reason !== undefined) {
        return providerFailure('client', `The page of '${host}' cannot be opened: ${reason}`)
      }
      const request = {
        state: generateRandomState(),
        nonce: generateRandomNonce(),
        verifier: generateRandomCodeVerifier(),
        callback,
      }
      const { as } = server
      const scopes = ['openid', 'email', 'profile', ...(as.scopes_supported?.includes('groups') ? ['groups'] : [])]
      const url = new URL(endpoint)
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: callback,
        scope: scopes.join(' '),
        state: request.state,
        nonce: request.nonce,
        code_challenge: await calculatePKCECodeChallenge(request.verifier),
        code_challenge_method: 'S256',
        // Google knows no `login`; others need not know `select_account` (OpenID Connect Core, section 3.1.2.1)
        ...(again ? { prompt: host === 'accounts.google.com' ? 'select_account' : 'login' } : {}),
      }
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
      return { ok: true, url: url.href, request }
    },

    /** The verified claims of whoever comes back from the provider: `url` is the whole URL they came to. */
    async finish(
      url: string,
      { state, nonce, verifier, callback }: OpenIdRequest,
    ): Promise<{ readonly ok: true; readonly claims: Readonly<Record<string, unknown>> } | ProviderFailure> {
      const signal = timeout()
      const server = await findServer(provider, ['token_endpoint'], signal)
      if (!server?.discovered) return unavailable(provider)
      const { as } = server
      const { options, lastAnswer } = requestsOf(fetch, signal, (response) => response)
      try {
        const answered = answeredCode(as, client, new URL(url).searchParams, state)
        const auth = clientAuth(provider, server, clientSecret)
        const response = await authorizationCodeGrantRequest(as, client, auth, answered, callback, verifier, options)
        const tokens = await processAuthorizationCodeResponse(as, client, response, {
          expectedNonce: nonce,
          requireIdToken: true,
        })
        await validateApplicationLevelSignature(as, response, options)
        const said = getValidatedIdTokenClaims(tokens)
        if (!said) throw new Mismatch()
        const isWhole = claims.every((name) => said[name] !== undefined)
        if (isWhole || as.userinfo_endpoint === undefined) return { ok: true, claims: said }
        const more = await processUserInfoResponse(
          as,
          client,
          said.sub,
          await userInfoRequest(as, client, tokens.access_token, options),
        )
        // What is said of an address must be of that very address
        const { email, email_verified } = said['email'] === undefined ? more : said
        return { ok: true, claims: { ...more, ...said, email, email_verified } }
      } catch (error) {
        return failureOf(provider, error, lastAnswer())
      }
    },
  }

  function timeout(): Signal {
    return AbortSignal.timeout(TIMEOUT_MS)
  }
}
