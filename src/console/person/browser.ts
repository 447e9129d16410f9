/** By the token in the `User-Agent`. If several match, the first is right. */
const BROWSERS: readonly (readonly [token: string, name: string])[] = [
  ['Edg', 'Edge'],
  ['OPR/', 'Opera'],
  ['SamsungBrowser/', 'Samsung Internet'],
  ['FxiOS/', 'Firefox'],
  ['Firefox/', 'Firefox'],
  ['CriOS/', 'Chrome'],
  ['Chrome/', 'Chrome'],
  ['Safari/', 'Safari'],
]
const SYSTEMS: typeof BROWSERS = [
  ['iPhone', 'iPhone'],
  ['iPad', 'iPad'],
  ['Android', 'Android'],
  ['CrOS', 'ChromeOS'],
  ['Windows', 'Windows'],
  ['Mac OS X', 'macOS'],
  ['Linux', 'Linux'],
]
const MAX_CHARACTERS = 40

/** Formats a `User-Agent` header as "Chrome on Linux"; an unknown one is shortened. Clients can send anything. */
export function formatBrowser(userAgent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map((names) => names.find(([token]) => userAgent.includes(token))?.[1])
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, MAX_CHARACTERS) || 'Unknown browser'
}
