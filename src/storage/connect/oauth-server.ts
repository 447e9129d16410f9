import type { OAuthHelpers, ValidatedAccessToken } from '@cloudflare/workers-oauth-provider'
import { AGENT_SCOPES } from '../../core/access/agent.ts'
import type { Entries } from './entries.ts'

/** What the library is handed as its environment. */
export interface OAuthEnv {
  readonly OAUTH_KV: Entries
}

/** As much of the library's server as is used. It hands its context to handlers of a combined server, which this has none of. */
interface OAuthServer {
  fetch(request: Request, env: OAuthEnv, context: Pick<ExecutionContext, 'waitUntil'>): Promise<Response>
  validateToken(resource: string, token: string, env: OAuthEnv): Promise<ValidatedAccessToken | null>
  getOAuthApi(env: OAuthEnv): OAuthHelpers
}

/** What a redemption may give: undefined where the agent is no more. */
export interface Lifetime {
  /** Seconds, for which the agent may go on. */
  readonly seconds: number
}

const ACCESS_TOKEN_S = 3_600
/** A refresh token that ends sooner is refused by the library, and so is a shorter access token. */
const MIN_S = 60
/** Of a registered client that people use. */
const REGISTRATION_S = 90 * 86_400

/**
 * The authorization server of one origin (OAuth 2.1, RFC 8414, 7591, 7636, 7009, 8707, 9207), by the library, which is loaded
 * when the first of its routes is asked for. `redeemed` is told of each code that is redeemed and each refresh, with the agent
 * it is for, and says for how long that may go on.
 */
export async function createOAuthServer(
  origin: string,
  redeemed: (agent: string, isFirst: boolean) => Lifetime | undefined,
) {
  const { authorizationErrorRedirect, AuthorizationError, GrantType, OAuthAuthorizationServer, OAuthError } =
    await import('@cloudflare/workers-oauth-provider')
  const resource = `${origin}/connect/mcp`
  const server: OAuthServer = new OAuthAuthorizationServer<OAuthEnv>({
    issuer: `${origin}/connect`,
    resources: [resource],
    authorizeEndpoint: `${origin}/connect/authorize`,
    tokenEndpoint: `${origin}/connect/token`,
    clientRegistrationEndpoint: `${origin}/connect/register`,
    scopesSupported: [...AGENT_SCOPES],
    accessTokenTTL: ACCESS_TOKEN_S,
    clientRegistrationTTL: REGISTRATION_S,
    tokenExchangeCallback({ grantType, userId }) {
      const isFirst = grantType === GrantType.AUTHORIZATION_CODE
      const lifetime = redeemed(userId, isFirst)
      if (!lifetime) throw new OAuthError('invalid_grant', { description: 'The agent is not connected any more' })
      const seconds = Math.max(MIN_S, lifetime.seconds)
      return { accessTokenTTL: Math.min(ACCESS_TOKEN_S, seconds), ...(isFirst ? { refreshTokenTTL: seconds } : {}) }
    },
    // What was wrong is in the answer; a stranger's mistakes are no news of ours
    onError: () => undefined,
  })
  return { server, resource, AuthorizationError, authorizationErrorRedirect }
}
