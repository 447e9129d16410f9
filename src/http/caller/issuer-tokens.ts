import type { Principal } from '../../core/access/principal.ts'
import { fail, ok, type Result } from '../../core/failure/failure.ts'
import type { JwtVerifier } from './jwt.ts'
import { createVerdicts, type Judgement, type MayLookUp } from './verdicts.ts'

const BEARER = /^bearer +([\w-]+\.[\w-]+\.[\w-]+)$/i
const MAX_TOKEN = 8_192
const NO_TOKEN = fail({
  type: 'unauthenticated',
  reason: "Here agents sign people in by OAuth 2.1, as 'resource_metadata' says; keys are for '/mcp'",
})
const NO_ISSUER = fail({ type: 'unavailable', message: 'Cannot ask the authorization server for its keys right now' })

/**
 * Tells agents apart by the access tokens of an authorization server of the company's own: JWTs (RFC 9068) whose audience is the
 * door at the address that it was reached by. `verifierFor` gives what verifies those; undefined while its keys cannot be had.
 */
export function createIssuerTokens(options: {
  readonly verifierFor: (origin: string) => Promise<JwtVerifier | undefined>
  /** Milliseconds since 1970. */
  readonly now: () => number
}) {
  const { verifierFor, now } = options
  const verdicts = createVerdicts(now, check)

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
    /** Who sends a request. A verdict that is known comes back without a promise. */
    authenticate(request: Request, mayLookUp?: MayLookUp): Result<Principal> | Promise<Result<Principal>> {
      const header = request.headers.get('authorization') ?? ''
      const token = header.length <= MAX_TOKEN ? BEARER.exec(header)?.[1] : undefined
      if (token === undefined) return NO_TOKEN
      const { url } = request
      const origin = url.slice(0, url.indexOf('/', url.indexOf('://') + 3))
      const credential = `${origin} ${token}`
      return verdicts.known(credential) ?? verdicts.judge(credential, mayLookUp)
    },
  }
}
