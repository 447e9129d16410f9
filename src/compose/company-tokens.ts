import { fail } from '../core/failure/failure.ts'
import type { Config } from '../env.ts'
import { createBearerAuthenticator } from '../http/caller/agents.ts'
import type { JwtVerifier, VerifiedJwt } from '../http/caller/jwt.ts'
import type { CredentialCheck } from '../http/caller/credential-cache.ts'
import type { FindServer } from '../oauth-client/provider-server.ts'
import { loadServerFinder, providerFetch } from './providers.ts'
import { createLruCache } from '../core/tool/recently-used.ts'

const BEARER = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i
const DISCOVERY_MS = 10_000
const MAX_ORIGINS = 20
const NO_ISSUER = fail({ type: 'unavailable', message: 'Cannot ask the authorization server for its keys right now' })

/** JWTs of the company's own server (RFC 9068), whose audience is `/connect/mcp` at the origin of the request. */
export function createCompanyTokenAuthenticator(config: Config, issuer: string) {
  const now = Date.now
  const fetch = providerFetch(config)
  const { host } = new URL(issuer)
  let findServer: FindServer | undefined
  const verifiers = createLruCache<JwtVerifier>(MAX_ORIGINS)

  async function verifierFor(origin: string): Promise<JwtVerifier | undefined> {
    const provider = { id: host, name: host, issuer, client_id: '' }
    findServer ??= (await loadServerFinder(config)).findServer
    const server = await findServer(provider, ['token_endpoint'], AbortSignal.timeout(DISCOVERY_MS))
    const jwksUrl = server?.as.jwks_uri
    if (jwksUrl === undefined) return undefined
    const key = `${origin} ${jwksUrl}`
    const { people, hasSeveralIssuers: qualifiesUserIds } = config
    const audience = `${origin}/connect/mcp`
    const { createJwtVerifier } = await import('../http/caller/jwt.ts')
    const verifier =
      verifiers.get(key) ??
      createJwtVerifier({ jwksUrl, issuers: [issuer], audience, people, qualifiesUserIds }, { fetch })
    verifiers.set(key, verifier)
    return verifier
  }

  return createBearerAuthenticator(now, BEARER, async (origin, token): Promise<CredentialCheck<VerifiedJwt>> => {
    const verifier = await verifierFor(origin)
    if (!verifier) return { result: NO_ISSUER }
    const result = await verifier.verify(token)
    return result.ok ? { result, expiresAt: result.value.expiresAt } : { result }
  })
}
