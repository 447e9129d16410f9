/** By the token in the `User-Agent`; of several that it has, the first is right. */
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

/** "Chrome on Linux", from a `User-Agent` header; of an unknown one the beginning. Anybody can send any. */
export function formatBrowser(userAgent: string): string {
  const [browser, system] = [BROWSERS, SYSTEMS].map((names) => names.find(([token]) => userAgent.includes(token))?.[1])
  return browser && system ? `${browser} on ${system}` : userAgent.slice(0, MAX_CHARACTERS) || 'Unknown browser'
}
