import {
  authorizationErrorRedirect,
  AuthorizationError,
  GrantType,
  OAuthAuthorizationServer,
  OAuthError,
  type OAuthHelpers,
  type ValidatedAccessToken,
} from '@cloudflare/workers-oauth-provider'
import { AGENT_SCOPES } from '../../core/access/agent.ts'
import { formatAgentResource } from '../../core/access/agent-resource.ts'
import type { SqlKv } from './sql-kv.ts'

type OAuthEnv = { readonly OAUTH_KV: SqlKv }

interface LibraryServer {
  fetch(request: Request, env: OAuthEnv, context: Pick<ExecutionContext, 'waitUntil'>): Promise<Response>
  validateToken(resource: string, token: string, env: OAuthEnv): Promise<ValidatedAccessToken | null>
  getOAuthApi(env: OAuthEnv): OAuthHelpers
}

const ACCESS_TOKEN_S = 3_600
/** The library's minimum for the lifetime of either token. */
const MIN_S = 60
/** The lifetime reported to clients with a secret. `client-rows.ts` decides how long a client is stored. */
const REGISTRATION_S = 90 * 86_400

/**
 * Creates the server of OAuth 2.1, RFC 8414, 7591, 7636, 7009, 8707, 9207, for one resource: all tools or a toolset. `redeem`
 * returns the milliseconds until the agent expires.
 */
export function createOAuthServer(
  origin: string,
  redeem: (agent: string, isFirst: boolean) => number | undefined,
  toolset?: string,
) {
  const resource = formatAgentResource(origin, toolset)
  const server: LibraryServer = new OAuthAuthorizationServer<OAuthEnv>({
    issuer: `${origin}/connect`,
    resources: [resource],
    authorizeEndpoint: `${origin}/connect/authorize`,
    tokenEndpoint: `${origin}/connect/token`,
    clientRegistrationEndpoint: `${origin}/connect/register`,
    scopesSupported: [...AGENT_SCOPES],
    accessTokenTTL: ACCESS_TOKEN_S,
    clientRegistrationTTL: REGISTRATION_S,
    // The routes refuse public schemes such as javascript:
    allowPrivateUseRedirectUris: true,
    tokenExchangeCallback({ grantType, userId }) {
      const isFirst = grantType === GrantType.AUTHORIZATION_CODE
      const remainingMs = redeem(userId, isFirst)
      if (remainingMs === undefined)
        throw new OAuthError('invalid_grant', { description: 'The agent is not connected any more' })
      const seconds = Math.max(MIN_S, Math.floor(remainingMs / 1_000))
      return { accessTokenTTL: Math.min(ACCESS_TOKEN_S, seconds), ...(isFirst ? { refreshTokenTTL: seconds } : {}) }
    },
    // Otherwise, the library logs each refusal
    onError: () => undefined,
  })
  // For callers that load this file lazily
  return { server, resource, AuthorizationError, authorizationErrorRedirect }
}
