import { base64url } from 'jose'
import { LRUCache } from 'lru-cache'
import type { Fetch } from '../core/tool/platform.ts'
import { challenge } from '../connect/metadata.ts'
import type { Door } from '../dialects/mcp/routes.ts'
import type { Config } from '../env.ts'
import type { Gate } from '../http/gate.ts'
import { createIssuerTokens } from '../http/issuer-tokens.ts'
import { createJwtVerifier, type JwtVerifier } from '../http/jwt.ts'
import { asFetch } from '../outbound/as-fetch.ts'
import { createGuardedFetch } from '../outbound/guarded-fetch.ts'
import type { FindServer } from '../storage/vault/authorization-server.ts'
import { providerFetch } from './vaults.ts'

/** Bytes of the document that a client describes itself by. */
const MAX_DOCUMENT = 16_384
const DISCOVERY_MS = 10_000
/** Addresses of a deployment that are remembered. */
const MAX_ORIGINS = 20

/** What clients' documents are fetched with: it guards where requests go, and caps answers. */
export function documentFetch({ allowHttpHosts }: Pick<Config, 'allowHttpHosts'>): Fetch {
  return asFetch(
    createGuardedFetch({
      fetch: (...given) => fetch(...given),
      allowHttpHosts,
      maxResponseBytes: MAX_DOCUMENT,
    }),
  )
}

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
      const { createServerFinder } = await import('../storage/vault/authorization-server.ts')
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

/** 128 random bits, in Base64url. */
export function randomId(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(16)))
}

/**
 * Where MCP is spoken: `/mcp` for keys, which says nothing of OAuth in its headers, since clients that find OAuth stop sending
 * the key that they were given; and `/connect/mcp` for agents that sign people in.
 */
export function mcpDoors(forKeys: Gate, forAgents: Gate): readonly Door[] {
  return [
    {
      path: '/mcp',
      gate: forKeys,
      challenge: (request) => ({
        hint: `. Agents that sign people in, and have no key, connect to '${new URL(request.url).origin}/connect/mcp'`,
      }),
    },
    { path: '/connect/mcp', gate: forAgents, challenge: (request) => ({ header: challenge(request) }) },
  ]
}
