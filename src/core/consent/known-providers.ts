import type { KnownProvider, Provider } from './provider.ts'

/**
 * Providers that need no configuration. Endpoints are not discovered: it saves a request, and half of them publish
 * nothing. `issuer` is set where a provider names itself in its answers (RFC 9207) or publishes it. LinkedIn is left
 * out: its token endpoint refuses PKCE.
 */
const KNOWN: Readonly<Record<string, KnownProvider>> = {
  airtable: {
    name: 'Airtable',
    authorization_endpoint: 'https://airtable.com/oauth2/v1/authorize',
    token_endpoint: 'https://airtable.com/oauth2/v1/token',
    token_endpoint_auth_method: 'client_secret_basic',
  },
  asana: {
    name: 'Asana',
    authorization_endpoint: 'https://app.asana.com/-/oauth_authorize',
    token_endpoint: 'https://app.asana.com/-/oauth_token',
    revocation_endpoint: 'https://app.asana.com/-/oauth_revoke',
  },
  atlassian: {
    name: 'Atlassian',
    authorization_endpoint: 'https://auth.atlassian.com/authorize',
    token_endpoint: 'https://auth.atlassian.com/oauth/token',
    // Without the audience it is a login; without the prompt, later consent to more scopes is not asked for
    authorization_parameters: { audience: 'api.atlassian.com', prompt: 'consent' },
    extra_scopes: ['offline_access'],
  },
  box: {
    name: 'Box',
    authorization_endpoint: 'https://account.box.com/api/oauth2/authorize',
    token_endpoint: 'https://api.box.com/oauth2/token',
    revocation_endpoint: 'https://api.box.com/oauth2/revoke',
  },
  calendly: {
    name: 'Calendly',
    authorization_endpoint: 'https://auth.calendly.com/oauth/authorize',
    token_endpoint: 'https://auth.calendly.com/oauth/token',
    revocation_endpoint: 'https://auth.calendly.com/oauth/revoke',
  },
  discord: {
    name: 'Discord',
    authorization_endpoint: 'https://discord.com/oauth2/authorize',
    token_endpoint: 'https://discord.com/api/oauth2/token',
    revocation_endpoint: 'https://discord.com/api/oauth2/token/revoke',
  },
  dropbox: {
    name: 'Dropbox',
    authorization_endpoint: 'https://www.dropbox.com/oauth2/authorize',
    token_endpoint: 'https://api.dropboxapi.com/oauth2/token',
    authorization_parameters: { token_access_type: 'offline' },
  },
  github: {
    name: 'GitHub',
    issuer: 'https://github.com/login/oauth',
    authorization_endpoint: 'https://github.com/login/oauth/authorize',
    token_endpoint: 'https://github.com/login/oauth/access_token',
  },
  gitlab: {
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    authorization_endpoint: 'https://gitlab.com/oauth/authorize',
    token_endpoint: 'https://gitlab.com/oauth/token',
    revocation_endpoint: 'https://gitlab.com/oauth/revoke',
  },
  google: {
    name: 'Google',
    issuer: 'https://accounts.google.com',
    authorization_endpoint: 'https://accounts.google.com/o/oauth2/v2/auth',
    token_endpoint: 'https://oauth2.googleapis.com/token',
    revocation_endpoint: 'https://oauth2.googleapis.com/revoke',
    // A refresh token comes only with both, after the very first consent
    authorization_parameters: { access_type: 'offline', prompt: 'consent' },
  },
  hubspot: {
    name: 'HubSpot',
    authorization_endpoint: 'https://app.hubspot.com/oauth/authorize',
    token_endpoint: 'https://api.hubapi.com/oauth/v1/token',
  },
  linear: {
    name: 'Linear',
    authorization_endpoint: 'https://linear.app/oauth/authorize',
    token_endpoint: 'https://api.linear.app/oauth/token',
    revocation_endpoint: 'https://api.linear.app/oauth/revoke',
    scope_separator: ',',
  },
  microsoft: {
    name: 'Microsoft',
    // Work, school and personal accounts. No issuer, since each tenant is its own
    authorization_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/authorize',
    token_endpoint: 'https://login.microsoftonline.com/common/oauth2/v2.0/token',
    extra_scopes: ['offline_access'],
  },
  notion: {
    name: 'Notion',
    authorization_endpoint: 'https://api.notion.com/v1/oauth/authorize',
    token_endpoint: 'https://api.notion.com/v1/oauth/token',
    token_endpoint_auth_method: 'client_secret_basic',
    authorization_parameters: { owner: 'user' },
  },
  salesforce: {
    name: 'Salesforce',
    issuer: 'https://login.salesforce.com',
    authorization_endpoint: 'https://login.salesforce.com/services/oauth2/authorize',
    token_endpoint: 'https://login.salesforce.com/services/oauth2/token',
    revocation_endpoint: 'https://login.salesforce.com/services/oauth2/revoke',
    extra_scopes: ['refresh_token'],
  },
  slack: {
    name: 'Slack',
    // The user's own token; the older oauth/v2 pair gives a bot's
    authorization_endpoint: 'https://slack.com/oauth/v2_user/authorize',
    token_endpoint: 'https://slack.com/api/oauth.v2.user.access',
  },
  spotify: {
    name: 'Spotify',
    authorization_endpoint: 'https://accounts.spotify.com/authorize',
    token_endpoint: 'https://accounts.spotify.com/api/token',
    token_endpoint_auth_method: 'client_secret_basic',
  },
  x: {
    name: 'X',
    authorization_endpoint: 'https://x.com/i/oauth2/authorize',
    token_endpoint: 'https://api.x.com/2/oauth2/token',
    revocation_endpoint: 'https://api.x.com/2/oauth2/revoke',
    token_endpoint_auth_method: 'client_secret_basic',
    extra_scopes: ['offline.access'],
  },
  zoom: {
    name: 'Zoom',
    authorization_endpoint: 'https://zoom.us/oauth/authorize',
    token_endpoint: 'https://zoom.us/oauth/token',
    revocation_endpoint: 'https://zoom.us/oauth/revoke',
    token_endpoint_auth_method: 'client_secret_basic',
  },
}

const BY_ID: ReadonlyMap<string, KnownProvider> = new Map(
  Object.entries(KNOWN).map(([id, known]) => [id, { token_endpoint_auth_method: 'client_secret_post', ...known }]),
)

export const knownProviderIds: readonly string[] = [...BY_ID.keys()]

export function knownProvider(id: string): KnownProvider | undefined {
  return BY_ID.get(id)
}

/** `google` has `GOOGLE_CLIENT_ID` and `GOOGLE_CLIENT_SECRET`. */
export function clientVariables(id: string): { readonly clientId: string; readonly clientSecret: string } {
  const prefix = id.toUpperCase().replaceAll('-', '_')
  return { clientId: `${prefix}_CLIENT_ID`, clientSecret: `${prefix}_CLIENT_SECRET` }
}

/** A well-known provider whose client is set by variables. */
export function connectedProvider(id: string, variable: (name: string) => string | undefined): Provider | undefined {
  const known = knownProvider(id)
  const { clientId, clientSecret } = clientVariables(id)
  const client_id = known && variable(clientId)
  if (!known || client_id === undefined) return undefined
  return { id, ...known, client_id, client_secret_name: clientSecret }
}
