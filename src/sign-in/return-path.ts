/** As long as the request of an agent may be, which comes back here once somebody has signed in. */
export const MAX_RETURN = 8_192

/**
 * The path and query that a browser is to go to afterwards, or undefined where it would lead to another host: what begins with
 * two slashes does, in any way that browsers read them (URL Standard, section 4.4), and so do addresses with a scheme.
 */
export function returnPath(text: string, origin: string): string | undefined {
  if (text.length > MAX_RETURN || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  const url = URL.parse(text, origin)
  return url?.origin === origin && !url.pathname.startsWith('//') ? `${url.pathname}${url.search}` : undefined
}
