import { LRUCache } from 'lru-cache'
import type { Config } from '../env.ts'
import { createIssuerTokens } from '../http/caller/issuer-tokens.ts'
import { createJwtVerifier, type JwtVerifier } from '../http/caller/jwt.ts'
import type { FindServer } from '../oauth-client/authorization-server.ts'
import { providerFetch } from './capped-fetch.ts'

const DISCOVERY_MS = 10_000
/** Addresses of a deployment that are remembered. */
const MAX_ORIGINS = 20

/** Verifies the tokens of the company's own authorization server, whose keys are found by its metadata. */
export function companyTokens(config: Config, issuer: string) {
  const fetch = providerFetch(config)
  const { host } = new URL(issuer)
  let findServer: FindServer | undefined
  const verifiers = new LRUCache<string, JwtVerifier>({ max: MAX_ORIGINS })
  return createIssuerTokens({
    now: Date.now,
    async verifierFor(origin) {
      const provider = { id: host, name: host, issuer, client_id: '' }
      const { createServerFinder } = await import('../oauth-client/authorization-server.ts')
      findServer ??= createServerFinder(fetch, Date.now)
      const server = await findServer(provider, ['token_endpoint'], AbortSignal.timeout(DISCOVERY_MS))
      const jwksUrl = server?.as.jwks_uri
      if (jwksUrl === undefined) return undefined
      const key = `${origin} ${jwksUrl}`
      const verifier =
        verifiers.get(key) ??
        createJwtVerifier(
          {
            jwksUrl,
            issuers: [issuer],
            audience: `${origin}/connect/mcp`,
            people: config.people,
            isOneOfSeveral: config.hasSeveralIssuers,
          },
          { fetch: (address, init) => fetch(address, init) },
        )
      verifiers.set(key, verifier)
      return verifier
    },
  })
}
