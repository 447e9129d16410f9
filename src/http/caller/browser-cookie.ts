import { base64url } from 'jose'
import { type Cookie, cookieOf, setCookie } from './cookie.ts'

const BROWSER: Cookie = {
  name: 'switchboard-browser',
  // 32 bytes, base64url
  value: /^[\w-]{43}$/,
  // So that the person who granted something is known again when another toolkit asks for the same
  maxAgeS: 30 * 86_400,
}

/** The random text that tells this browser from all others, or undefined where it has none. */
export function browserOf(request: Request): string | undefined {
  return cookieOf(request, BROWSER)
}

/** The text for a browser that has none yet. */
export function newBrowser(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}

/** The header `Set-Cookie` that has the browser keep it for 30 days, and come back with it from another site. */
export function browserCookie(request: Request, browser: string): string {
  return setCookie(request, BROWSER, browser)
}
