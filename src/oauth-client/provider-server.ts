import * as oauth from 'oauth4webapi'
import type { Fetch, Signal } from '../core/tool/platform.ts'
import type { OAuthProvider } from '../core/consent/provider.ts'
import { createLruCache } from '../core/tool/recently-used.ts'

const ENDPOINTS = ['authorization_endpoint', 'token_endpoint', 'revocation_endpoint'] as const

export interface ProviderServer {
  readonly as: oauth.AuthorizationServer
  readonly discovered: boolean
}

export type FindServer = (
  provider: OAuthProvider,
  endpoints: readonly ((typeof ENDPOINTS)[number] | 'userinfo_endpoint')[],
  signal: Signal,
) => Promise<ProviderServer | undefined>

const FRESH_MS = 3_600_000
const MAX_KEPT = 100

/** Configured endpoints override the issuer's metadata (OpenID Connect Discovery, then RFC 8414). */
export function createServerFinder(fetch: Fetch, now: () => number): FindServer {
  // Stores values, not promises: Durable Objects that share an isolate must not wait for each other's requests
  const serverCache = createLruCache<{ readonly as: oauth.AuthorizationServer; readonly until: number }>(MAX_KEPT)

  async function discover(issuer: string, signal: Signal): Promise<oauth.AuthorizationServer | undefined> {
    const cachedServer = serverCache.get(issuer)
    if (cachedServer && now() < cachedServer.until) return cachedServer.as
    for (const algorithm of ['oidc', 'oauth2'] as const) {
      try {
        const url = new URL(issuer)
        const response = await oauth.discoveryRequest(url, {
          algorithm,
          // `fetch` decides which addresses are allowed (outbound/)
          [oauth.allowInsecureRequests]: true,
          [oauth.customFetch]: (href, { headers, redirect }) => fetch(href, { headers, redirect, signal }),
        })
        const as = await oauth.processDiscoveryResponse(url, response)
        serverCache.set(issuer, { as, until: now() + FRESH_MS })
        return as
      } catch {
        if (signal.aborted) break
      }
    }
    // Endpoints rarely change, so old ones are better than none
    return cachedServer?.as
  }

  return async (provider, endpoints, signal) => {
    const configured = Object.fromEntries(
      ENDPOINTS.flatMap((name) => (provider[name] === undefined ? [] : [[name, provider[name]]])),
    )
    const isWhole = endpoints.every((name) => name in configured)
    const discoveredServer =
      isWhole || provider.issuer === undefined ? undefined : await discover(provider.issuer, signal)
    // Without a configured issuer, this value is not checked and may be any text
    const issuer = discoveredServer?.issuer ?? provider.issuer ?? provider.token_endpoint ?? ''
    const as: oauth.AuthorizationServer = { ...discoveredServer, ...configured, issuer }
    return endpoints.every((name) => typeof as[name] === 'string')
      ? { as, discovered: discoveredServer !== undefined }
      : undefined
  }
}
