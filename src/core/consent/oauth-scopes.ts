/** Asked for beside what a tool wants, and by many providers not named in what they granted (OpenID Connect Core, section 11). */
const UNREPORTED = new Set(['openid', 'offline_access'])

/** Google's own names for two scopes of OpenID Connect. */
const GOOGLE_NAMES: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
}

/** Whether what a provider says it granted is, or holds, what it was asked for, where it has other words for that. */
const COVERS: Readonly<Record<string, (granted: string, asked: string) => boolean>> = {
  google: (granted, asked) => granted === GOOGLE_NAMES[asked],
  // The resource may be left out, and case does not count
  microsoft: (granted, asked) => lastSegment(granted) === lastSegment(asked),
  // Only the widest of several is named
  github(granted, asked) {
    if (granted === 'repo') return /^(?:repo:.*|public_repo|repo_deployment|security_events)$/.test(asked)
    if (granted === 'user') return /^(?:user:.*|read:user)$/.test(asked)
    const [, level = '', of = ''] = /^(admin|write):(.+)$/.exec(granted) ?? []
    return level !== '' && [`write:${of}`, `read:${of}`].includes(asked)
  },
}

function lastSegment(scope: string): string {
  return scope.slice(scope.lastIndexOf('/') + 1).toLowerCase()
}

/**
 * Reads the scopes that a provider says it granted (RFC 6749, section 3.3). Besides its own separator a comma separates,
 * unless one of those `asked` for holds one: GitHub and others answer so whatever they were asked with.
 */
export function parseScopes(text: string, asked: readonly string[], separator = ' '): string[] {
  const separators = new Set([...separator, ...(asked.some((scope) => scope.includes(',')) ? '' : ',')])
  const spaced = [...text].map((character) => (separators.has(character) ? ' ' : character)).join('')
  return [...new Set(spaced.split(/\s+/).filter((scope) => scope !== ''))]
}

/** Those asked for that the granted ones do not cover. */
export function missingScopes(provider: string, granted: readonly string[], asked: readonly string[]): string[] {
  const covers = Object.hasOwn(COVERS, provider) ? COVERS[provider] : undefined
  return asked.filter(
    (scope) =>
      !UNREPORTED.has(scope) && !granted.includes(scope) && !granted.some((each) => covers?.(each, scope) === true),
  )
}

/** What to ask for so that nothing granted is lost: without what goes with every request anyway. */
export function unionScopes(granted: readonly string[], asked: readonly string[], always: readonly string[]): string[] {
  const kept = granted.filter((scope) => !UNREPORTED.has(scope) && !always.includes(scope))
  return [...new Set([...kept, ...asked])]
}
