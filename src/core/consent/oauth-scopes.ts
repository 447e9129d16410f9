/** Many providers do not report these as granted (OpenID Connect Core, section 11). */
const UNREPORTED = new Set(['openid', 'offline_access'])

const GOOGLE_NAMES: Readonly<Record<string, string>> = {
  email: 'https://www.googleapis.com/auth/userinfo.email',
  profile: 'https://www.googleapis.com/auth/userinfo.profile',
}

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

/** RFC 6749, section 3.3. GitHub and others separate by commas whatever they were sent. */
export function parseScopes(text: string, asked: readonly string[], separator = ' '): string[] {
  const separators = new Set([...separator, ...(asked.some((scope) => scope.includes(',')) ? '' : ',')])
  const spaced = [...text].map((character) => (separators.has(character) ? ' ' : character)).join('')
  return [...new Set(spaced.split(/\s+/).filter((scope) => scope !== ''))]
}

export function missingScopes(provider: string, granted: readonly string[], asked: readonly string[]): string[] {
  const covers = Object.hasOwn(COVERS, provider) ? COVERS[provider] : undefined
  return asked.filter(
    (scope) =>
      !UNREPORTED.has(scope) && !granted.includes(scope) && !granted.some((each) => covers?.(each, scope) === true),
  )
}

export function unionScopes(granted: readonly string[], asked: readonly string[], always: readonly string[]): string[] {
  const kept = granted.filter((scope) => !UNREPORTED.has(scope) && !always.includes(scope))
  return [...new Set([...kept, ...asked])]
}
