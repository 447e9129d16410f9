import type { AllProviders, KnownProvider, Provider, ProviderStore } from './provider.ts'

function urls(authorize: string, token: string, revoke?: string) {
  return {
    authorization_endpoint: `https://${authorize}`,
    token_endpoint: `https://${token}`,
    ...(revoke === undefined ? {} : { revocation_endpoint: `https://${revoke}` }),
  }
}

const BASIC = { token_endpoint_auth_method: 'client_secret_basic' } as const
const MICROSOFT = 'login.microsoftonline.com/common/oauth2/v2.0'

/** Half of these publish no endpoints to discover. LinkedIn is omitted because its token endpoint refuses PKCE. */
const KNOWN: Readonly<Record<string, KnownProvider>> = {
  airtable: {
    name: 'Airtable',
    ...urls('airtable.com/oauth2/v1/authorize', 'airtable.com/oauth2/v1/token'),
    ...BASIC,
  },
  asana: {
    name: 'Asana',
    ...urls('app.asana.com/-/oauth_authorize', 'app.asana.com/-/oauth_token', 'app.asana.com/-/oauth_revoke'),
  },
  atlassian: {
    name: 'Atlassian',
    ...urls('auth.atlassian.com/authorize', 'auth.atlassian.com/oauth/token'),
    // Without the audience, it is only a login; without the prompt, consent to more scopes is not requested later
    authorization_parameters: { audience: 'api.atlassian.com', prompt: 'consent' },
    extra_scopes: ['offline_access'],
  },
  box: {
    name: 'Box',
    ...urls('account.box.com/api/oauth2/authorize', 'api.box.com/oauth2/token', 'api.box.com/oauth2/revoke'),
  },
  calendly: {
    name: 'Calendly',
    ...urls('auth.calendly.com/oauth/authorize', 'auth.calendly.com/oauth/token', 'auth.calendly.com/oauth/revoke'),
  },
  discord: {
    name: 'Discord',
    ...urls('discord.com/oauth2/authorize', 'discord.com/api/oauth2/token', 'discord.com/api/oauth2/token/revoke'),
  },
  dropbox: {
    name: 'Dropbox',
    ...urls('www.dropbox.com/oauth2/authorize', 'api.dropboxapi.com/oauth2/token'),
    authorization_parameters: { token_access_type: 'offline' },
  },
  github: {
    name: 'GitHub',
    issuer: 'https://github.com/login/oauth',
    ...urls('github.com/login/oauth/authorize', 'github.com/login/oauth/access_token'),
  },
  gitlab: {
    name: 'GitLab',
    issuer: 'https://gitlab.com',
    ...urls('gitlab.com/oauth/authorize', 'gitlab.com/oauth/token', 'gitlab.com/oauth/revoke'),
  },
  google: {
    name: 'Google',
    issuer: 'https://accounts.google.com',
    ...urls('accounts.google.com/o/oauth2/v2/auth', 'oauth2.googleapis.com/token', 'oauth2.googleapis.com/revoke'),
    // After a user's first consent, Google sends a refresh token only if both are set
    authorization_parameters: { access_type: 'offline', prompt: 'consent' },
  },
  hubspot: { name: 'HubSpot', ...urls('app.hubspot.com/oauth/authorize', 'api.hubapi.com/oauth/v1/token') },
  linear: {
    name: 'Linear',
    ...urls('linear.app/oauth/authorize', 'api.linear.app/oauth/token', 'api.linear.app/oauth/revoke'),
    scope_separator: ',',
  },
  microsoft: {
    name: 'Microsoft',
    // Work, school and personal accounts. No issuer, since each tenant has its own
    ...urls(`${MICROSOFT}/authorize`, `${MICROSOFT}/token`),
    extra_scopes: ['offline_access'],
  },
  notion: {
    name: 'Notion',
    ...urls('api.notion.com/v1/oauth/authorize', 'api.notion.com/v1/oauth/token'),
    ...BASIC,
    authorization_parameters: { owner: 'user' },
  },
  salesforce: {
    name: 'Salesforce',
    issuer: 'https://login.salesforce.com',
    ...urls(
      'login.salesforce.com/services/oauth2/authorize',
      'login.salesforce.com/services/oauth2/token',
      'login.salesforce.com/services/oauth2/revoke',
    ),
    extra_scopes: ['refresh_token'],
  },
  // These return the user's own token; the older oauth/v2 endpoints return a bot's
  slack: { name: 'Slack', ...urls('slack.com/oauth/v2_user/authorize', 'slack.com/api/oauth.v2.user.access') },
  spotify: { name: 'Spotify', ...urls('accounts.spotify.com/authorize', 'accounts.spotify.com/api/token'), ...BASIC },
  x: {
    name: 'X',
    ...urls('x.com/i/oauth2/authorize', 'api.x.com/2/oauth2/token', 'api.x.com/2/oauth2/revoke'),
    ...BASIC,
    extra_scopes: ['offline.access'],
  },
  zoom: { name: 'Zoom', ...urls('zoom.us/oauth/authorize', 'zoom.us/oauth/token', 'zoom.us/oauth/revoke'), ...BASIC },
}

const BY_ID: ReadonlyMap<string, KnownProvider> = new Map(
  Object.entries(KNOWN).map(([id, known]) => [id, { token_endpoint_auth_method: 'client_secret_post', ...known }]),
)

export const knownProviderIds: readonly string[] = [...BY_ID.keys()]

export function knownProvider(id: string): KnownProvider | undefined {
  return BY_ID.get(id)
}

export function clientVariables(id: string): { readonly clientId: string; readonly clientSecret: string } {
  const prefix = id.toUpperCase().replaceAll('-', '_')
  return { clientId: `${prefix}_CLIENT_ID`, clientSecret: `${prefix}_CLIENT_SECRET` }
}

export function connectedProvider(
  id: string,
  readVariable: (name: string) => string | undefined,
): Provider | undefined {
  const settings = knownProvider(id)
  const { clientId, clientSecret } = clientVariables(id)
  const client_id = settings && readVariable(clientId)
  if (!settings || client_id === undefined) return undefined
  return { id, ...settings, client_id, client_secret_name: clientSecret }
}

/** Combines administrators' providers with known providers whose client is set in the deployment's variables. */
export function withConnected(
  store: Pick<ProviderStore, 'find' | 'list'>,
  readVariable: (name: string) => string | undefined,
): AllProviders {
  return {
    find: async (id) => (await store.find(id)) ?? connectedProvider(id, readVariable),
    async list() {
      const storedProviders = await store.list()
      const unstored = knownProviderIds.filter((id) => !storedProviders.some((provider) => provider.id === id))
      const connected = unstored.flatMap((id) => connectedProvider(id, readVariable) ?? [])
      const builtIn = connected.map((provider) => ({ ...provider, built_in: true }) as const)
      return [...storedProviders, ...builtIn].sort((a, b) => (a.id < b.id ? -1 : 1))
    },
  }
}
