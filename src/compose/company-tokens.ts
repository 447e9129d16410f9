import { LRUCache } from 'lru-cache'
import type { Principal } from '../core/access/principal.ts'
import { fail, ok, type Result } from '../core/failure/failure.ts'
import type { Config } from '../env.ts'
import { NO_AGENT_TOKEN, originOf } from '../http/caller/agents.ts'
import type { JwtVerifier } from '../http/caller/jwt.ts'
import { createVerdicts, type Judgement, type MayLookUp } from '../http/caller/verdicts.ts'
import type { FindServer } from '../oauth-client/provider-server.ts'
import { loadServerFinder, providerFetch } from './providers.ts'

const BEARER = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i
const MAX_TOKEN = 8_192
const DISCOVERY_MS = 10_000
const MAX_ORIGINS = 20
const NO_ISSUER = fail({ type: 'unavailable', message: 'Cannot ask the authorization server for its keys right now' })

/** JWTs of the company's own server (RFC 9068), whose audience is the door at the address of the request. */
export function companyTokens(config: Config, issuer: string) {
  const now = Date.now
  const fetch = providerFetch(config)
  const { host } = new URL(issuer)
  let findServer: FindServer | undefined
  const verifiers = new LRUCache<string, JwtVerifier>({ max: MAX_ORIGINS })
  const verdicts = createVerdicts(now, check)

  async function verifierFor(origin: string): Promise<JwtVerifier | undefined> {
    const provider = { id: host, name: host, issuer, client_id: '' }
    findServer ??= (await loadServerFinder(config)).findServer
    const server = await findServer(provider, ['token_endpoint'], AbortSignal.timeout(DISCOVERY_MS))
    const jwksUrl = server?.as.jwks_uri
    if (jwksUrl === undefined) return undefined
    const key = `${origin} ${jwksUrl}`
    const { people, hasSeveralIssuers: isOneOfSeveral } = config
    const audience = `${origin}/connect/mcp`
    const { createJwtVerifier } = await import('../http/caller/jwt.ts')
    const verifier =
      verifiers.get(key) ??
      createJwtVerifier({ jwksUrl, issuers: [issuer], audience, people, isOneOfSeveral }, { fetch })
    verifiers.set(key, verifier)
    return verifier
  }

  async function check(credential: string, mayLookUp?: MayLookUp): Promise<Judgement<Principal>> {
    const refusal = mayLookUp?.()
    if (refusal) return { result: refusal }
    const at = credential.indexOf(' ')
    const verifier = await verifierFor(credential.slice(0, at))
    if (!verifier) return { result: NO_ISSUER }
    const verified = await verifier.verify(credential.slice(at + 1))
    if (!verified.ok) return { result: verified }
    return { result: ok(verified.value.principal), expiresAt: verified.value.expiresAt }
  }

  return {
    authenticate(request: Request, mayLookUp?: MayLookUp): Result<Principal> | Promise<Result<Principal>> {
      const header = request.headers.get('authorization') ?? ''
      const token = header.length <= MAX_TOKEN ? BEARER.exec(header)?.[1] : undefined
      if (token === undefined) return NO_AGENT_TOKEN
      const credential = `${originOf(request.url)} ${token}`
      return verdicts.of(credential, mayLookUp)
    },
  }
}
