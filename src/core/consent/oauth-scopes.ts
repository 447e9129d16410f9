import type { OAuthProvider } from './provider.ts'

/** Many providers do not report these as granted (OpenID Connect Core, section 11). */
const UNREPORTED = new Set(['openid', 'offline_access'])

const GOOGLE_NAMES: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
}

const SCOPE_RULES: Readonly<Record<string, (granted: string, requested: string) => boolean>> = {
  google: (granted, requested) => granted === GOOGLE_NAMES[requested],
  microsoft: (granted, requested) => lastSegment(granted) === lastSegment(requested),
  github(granted, requested) {
    if (granted === 'repo') return /^(?:repo:.*|public_repo|repo_deployment|security_events)$/.test(requested)
    if (granted === 'user') return /^(?:user:.*|read:user)$/.test(requested)
    const [, level = '', resource = ''] = /^(admin|write):(.+)$/.exec(granted) ?? []
    return level !== '' && [`write:${resource}`, `read:${resource}`].includes(requested)
  },
}

function lastSegment(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1).toLowerCase()
}

/** Lists scopes to request besides a tool's own. `offline_access` gets a refresh token, if the provider's metadata lists it. */
export function listExtraScopes(
  {
    extra_scopes = [],
    authorization_parameters = {},
  }: Pick<OAuthProvider, 'extra_scopes' | 'authorization_parameters'>,
  scopes: readonly string[],
  offersOffline: boolean,
): string[] {
  const offline = offersOffline && !('access_type' in authorization_parameters) ? ['offline_access'] : []
  return [...new Set([...extra_scopes, ...offline])].filter((scope) => !scopes.includes(scope))
}

/** Parses scopes (RFC 6749, section 3.3). GitHub and others always separate them by commas. */
export function parseScopes(text: string, requested: readonly string[], separator = ' '): string[] {
  const separators = new Set([...separator, ...(requested.some((scope) => scope.includes(',')) ? '' : ',')])
  const spaced = [...text].map((character) => (separators.has(character) ? ' ' : character)).join('')
  return [...new Set(spaced.split(/\s+/).filter((scope) => scope !== ''))]
}

export function missingScopes(provider: string, granted: readonly string[], requested: readonly string[]): string[] {
  const covers = Object.hasOwn(SCOPE_RULES, provider) ? SCOPE_RULES[provider] : undefined
  return requested.filter(
    (scope) =>
      !UNREPORTED.has(scope) &&
      !granted.includes(scope) &&
      !granted.some((grantedScope) => covers?.(grantedScope, scope) === true),
  )
}

/** Returns the scopes to request next. A new grant replaces the old one, so the old scopes are requested again. */
export function mergeScopes(granted: readonly string[], requested: readonly string[], extraScopes: readonly string[]) {
  const keptScopes = granted.filter((scope) => !UNREPORTED.has(scope) && !extraScopes.includes(scope))
  return [...new Set([...keptScopes, ...requested])]
}
