import { fail, ok } from '../core/failure/failure.ts'
import type { Config } from '../env.ts'
import { readUrlToolset } from '../core/access/toolset-url.ts'
import { createBearerAuthenticator } from '../http/caller/agents.ts'
import type { JwtVerifier, VerifiedJwt } from '../http/caller/jwt.ts'
import type { SignInPolicy } from '../http/caller/jwt-claims.ts'
import type { CredentialCheck } from '../http/caller/credential-cache.ts'
import type { FindServer } from '../oauth-client/provider-server.ts'
import { loadServerFinder, providerFetch } from './providers.ts'

const BEARER = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i
const DISCOVERY_MS = 10_000
const NO_ISSUER = fail({ type: 'unavailable', message: 'Cannot ask the authorization server for its keys right now' })

/** Accepts JWTs of the company's server (RFC 9068). Their audience is the resource: `/connect/mcp` or that of a toolset. */
export function createCompanyTokenAuthenticator(config: Config, issuer: string, people: SignInPolicy) {
  const now = Date.now
  const fetch = providerFetch(config)
  const { host } = new URL(issuer)
  let findServer: FindServer | undefined
  let current: { readonly jwksUrl: string; readonly verifier: JwtVerifier } | undefined

  async function loadVerifier(): Promise<JwtVerifier | undefined> {
    const provider = { id: host, name: host, issuer, client_id: '' }
    findServer ??= (await loadServerFinder(config)).findServer
    const server = await findServer(provider, ['token_endpoint'], AbortSignal.timeout(DISCOVERY_MS))
    const jwksUrl = server?.as.jwks_uri
    if (jwksUrl === undefined) return undefined
    if (current?.jwksUrl === jwksUrl) return current.verifier
    const { hasSeveralIssuers: qualifiesUserIds } = config
    const { createJwtVerifier } = await import('../http/caller/jwt.ts')
    const verifier = createJwtVerifier({ jwksUrl, issuers: [issuer], people, qualifiesUserIds }, { fetch })
    current = { jwksUrl, verifier }
    return verifier
  }

  return createBearerAuthenticator(now, BEARER, async (resource, token): Promise<CredentialCheck<VerifiedJwt>> => {
    const verifier = await loadVerifier()
    if (!verifier) return { result: NO_ISSUER }
    const result = await verifier.verify(token, resource)
    if (!result.ok) return { result }
    const { principal, expiresAt } = result.value
    const toolset = readUrlToolset(resource)
    const boundPrincipal = toolset === undefined ? principal : { ...principal, toolset }
    return { result: ok({ principal: boundPrincipal, expiresAt }), expiresAt }
  })
}
