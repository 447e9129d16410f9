import * as oauth from 'oauth4webapi'
import type { OAuthProvider } from '../core/consent/provider.ts'
import type { Fetch, Signal } from '../core/tool/platform.ts'
import type { FindServer, ProviderServer } from './provider-server.ts'
import { type LastAnswer, Mismatch, type ProviderFailure, providerFailure, unavailable } from './provider-failure.ts'

export interface PendingRequest {
  readonly state: string
  readonly verifier: string
  readonly callback: string
}

export const PROVIDER_TIMEOUT_MS = 10_000

export async function loadAuthorizationServer(
  provider: OAuthProvider,
  findServer: FindServer,
  checkUrl: (url: string) => string | undefined,
  signal: Signal,
): Promise<{ readonly ok: true; readonly as: oauth.AuthorizationServer; readonly page: string } | ProviderFailure> {
  const server = await findServer(provider, ['authorization_endpoint', 'token_endpoint'], signal)
  const page = server?.as.authorization_endpoint
  if (!server || page === undefined) return unavailable(provider)
  const reason = checkUrl(page)
  if (reason === undefined) return { ok: true, as: server.as, page }
  return providerFailure('client', `The page of '${provider.id}' cannot be opened: ${reason}`)
}

/** RFC 6749, section 4.1.1, with PKCE. Parameters in `more` cannot replace those of the request. */
export async function authorizationUrl(
  page: string,
  { client_id }: OAuthProvider,
  { state, verifier, callback }: PendingRequest,
  more: Readonly<Record<string, string>>,
): Promise<string> {
  const url = new URL(page)
  const parameters = {
    ...more,
    response_type: 'code',
    client_id,
    redirect_uri: callback,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

export function createProviderClient(
  provider: OAuthProvider,
  server: ProviderServer,
  secret: string | undefined,
  { fetch, signal, normalize }: { fetch: Fetch; signal: Signal; normalize?: (response: Response) => Promise<Response> },
) {
  const { as } = server
  const client = { client_id: provider.client_id }
  const auth = clientAuth(provider, server, secret)
  let last: LastAnswer | undefined
  const options = {
    signal,
    // `fetch` decides which addresses are allowed (outbound/)
    [oauth.allowInsecureRequests]: true,
    async [oauth.customFetch](href: string, { body, ...init }: LibraryRequest) {
      const response = await fetch(href, body === undefined ? init : { ...init, body })
      last = { status: response.status, retryAfter: response.headers.get('retry-after') }
      return normalize?.(response) ?? response
    },
  }
  return {
    as,
    client,
    auth,
    options,
    lastAnswer: () => last,
    redeem(response: URLSearchParams, { state, callback, verifier }: PendingRequest): Promise<Response> {
      let code: URLSearchParams
      try {
        code = oauth.validateAuthResponse(as, client, response, state)
      } catch (error) {
        throw error instanceof oauth.AuthorizationResponseError ? error : new Mismatch()
      }
      if (code.getAll('code').length !== 1) throw new Mismatch()
      return oauth.authorizationCodeGrantRequest(as, client, auth, code, callback, verifier, options)
    },
  }
}

export type ProviderClient = ReturnType<typeof createProviderClient>

interface LibraryRequest {
  readonly method: string
  readonly headers: Record<string, string>
  readonly redirect: 'manual'
  readonly signal?: Signal
  readonly body?: URLSearchParams | undefined
}

/** RFC 6749, section 2.3. Without configuration or metadata, sends the secret in the body, which more providers accept. */
function clientAuth(
  provider: OAuthProvider,
  { as, discovered }: ProviderServer,
  secret: string | undefined,
): oauth.ClientAuth {
  if (secret === undefined) return oauth.None()
  const supported = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const preferred = !discovered || supported.includes('client_secret_post') ? 'client_secret_post' : undefined
  const method = provider.token_endpoint_auth_method ?? preferred
  return method === 'client_secret_post' ? oauth.ClientSecretPost(secret) : basicAuth(secret)
}

/** RFC 6749, section 2.3.1. Encodes as few characters as form encoding allows, because many servers do not decode. */
function basicAuth(secret: string): oauth.ClientAuth {
  const encode = (text: string) => encodeURIComponent(text).replaceAll('%20', '+')
  return (_as, { client_id: clientId }, _body, headers) =>
    headers.set('authorization', `Basic ${btoa(`${encode(clientId)}:${encode(secret)}`)}`)
}
