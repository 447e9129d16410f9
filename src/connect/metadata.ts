import { AGENT_SCOPES } from '../core/access/agent.ts'
import { formatAgentResource } from '../core/access/agent-resource.ts'

/** Algorithms of the JWTs that authenticate clients (`private_key_jwt`). */
export const ASSERTION_ALGORITHMS = ['RS256', 'ES256']

export function serverMetadata(origin: string) {
  const issuer = `${origin}/connect`
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    registration_endpoint: `${issuer}/register`,
    revocation_endpoint: `${issuer}/token`,
    protected_resources: [`${origin}/connect/mcp`],
    scopes_supported: AGENT_SCOPES,
    response_types_supported: ['code'],
    response_modes_supported: ['query'],
    grant_types_supported: ['authorization_code', 'refresh_token'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none', 'private_key_jwt'],
    token_endpoint_auth_signing_alg_values_supported: ASSERTION_ALGORITHMS,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
    client_id_metadata_document_supported: true,
  }
}

/**
 * Clients request the resource that its metadata names. Our own server reads the toolkits from its query. Other issuers only
 * know the resource without a query.
 */
export function resourceMetadata(
  origin: string,
  issuer: string | undefined,
  { query, toolset }: { readonly query: string; readonly toolset?: string | undefined },
) {
  return {
    resource: formatAgentResource(origin, toolset) + (issuer === undefined ? query : ''),
    authorization_servers: [issuer ?? `${origin}/connect`],
    scopes_supported: AGENT_SCOPES,
    bearer_methods_supported: ['header'],
    resource_name: 'Switchboard',
  }
}

const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'
export const RESOURCE_METADATA_PATH = `${RESOURCE_METADATA}/connect/mcp`
export const SERVER_METADATA_PATH = '/.well-known/oauth-authorization-server/connect'

/** Returns the resource's query, which its metadata has too (RFC 9728, section 3.1). */
export function toolkitsQuery({ search, searchParams }: URL): string {
  return searchParams.has('toolkits') ? search.replaceAll('\\', '%5C') : ''
}

export function wwwAuthenticate(request: Request): string {
  const url = new URL(request.url)
  const metadata = `${url.origin}${RESOURCE_METADATA}${url.pathname}${toolkitsQuery(url)}`
  const error = request.headers.has('authorization') ? ', error="invalid_token"' : ''
  return `Bearer realm="switchboard", resource_metadata="${metadata}", scope="${AGENT_SCOPES.join(' ')}"${error}`
}
