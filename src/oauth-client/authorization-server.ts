import { LRUCache } from 'lru-cache'
import {
  allowInsecureRequests,
  type AuthorizationServer,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  discoveryRequest,
  None,
  processDiscoveryResponse,
} from 'oauth4webapi'
import type { Fetch, Signal } from '../core/tool/platform.ts'
import type { Provider } from '../core/consent/provider.ts'

type Endpoint = 'authorization_endpoint' | 'token_endpoint' | 'revocation_endpoint'

/** Where a provider is reached, given or discovered. */
export interface Server {
  readonly as: AuthorizationServer
  /** Whether the provider's metadata (RFC 8414) is known; else only what its configuration says. */
  readonly discovered: boolean
}

/** Finds a provider's endpoints. Undefined when they are not all given, and its issuer does not tell either. */
export type FindServer = (
  provider: Provider,
  wanted: readonly Endpoint[],
  signal: Signal,
) => Promise<Server | undefined>

const FRESH_MS = 3_600_000
const MAX_KEPT = 100
const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const

/**
 * Endpoints that are given count; the others come from the issuer's metadata (OpenID Connect Discovery, then RFC 8414),
 * which is kept for an hour. `fetch` guards where requests may go.
 */
export function createServerFinder(fetch: Fetch, now: () => number): FindServer {
  // Values, not promises: Durable Objects that share an isolate must not wait for each other's requests
  const known = new LRUCache<string, { readonly as: AuthorizationServer; readonly until: number }>({ max: MAX_KEPT })

  async function discover(issuer: string, signal: Signal): Promise<AuthorizationServer | undefined> {
    const kept = known.get(issuer)
    if (kept && now() < kept.until) return kept.as
    for (const algorithm of ['oidc', 'oauth2'] as const) {
      try {
        const url = new URL(issuer)
        // Which hosts may be asked over http is for the guarded fetch to say
        const response = await discoveryRequest(url, {
          algorithm,
          [allowInsecureRequests]: true,
          [customFetch]: (href, { headers, redirect }) => fetch(href, { headers, redirect, signal }),
        })
        const as = await processDiscoveryResponse(url, response)
        known.set(issuer, { as, until: now() + FRESH_MS })
        return as
      } catch {
        if (signal.aborted) break
      }
    }
    // Endpoints seldom move: better those of a while ago than none
    return kept?.as
  }

  return async (provider, wanted, signal) => {
    const given = Object.fromEntries(
      ENDPOINTS.flatMap((name) => (provider[name] === undefined ? [] : [[name, provider[name]]])),
    )
    const isGiven = wanted.every((name) => name in given)
    const found = isGiven || provider.issuer === undefined ? undefined : await discover(provider.issuer, signal)
    // Where no issuer is configured, none is checked, and any text may stand here
    const issuer = provider.issuer ?? provider.token_endpoint ?? ''
    const as: AuthorizationServer = { ...found, ...given, issuer: found?.issuer ?? issuer }
    return wanted.every((name) => typeof as[name] === 'string') ? { as, discovered: found !== undefined } : undefined
  }
}

/**
 * How the client authenticates (RFC 6749, section 2.3): as configured; else as the provider's metadata says, where Basic
 * is the default; without metadata in the body, which more providers accept.
 */
export function clientAuth(provider: Provider, { as, discovered }: Server, secret: string | undefined): ClientAuth {
  if (secret === undefined) return None()
  const supported = as.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  const preferred = !discovered || supported.includes('client_secret_post') ? 'client_secret_post' : undefined
  const method = provider.token_endpoint_auth_method ?? preferred
  return method === 'client_secret_post' ? ClientSecretPost(secret) : ClientSecretBasic(secret)
}
