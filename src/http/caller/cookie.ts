import * as base64url from 'jose/base64url'
import { SESSION_LIFETIME_MS } from '../../core/access/session.ts'

export type Cookie = ReturnType<typeof defineCookie>

function defineCookie(name: string, maxAgeS: number) {
  return { name, value: /^[\w-]{43}$/, maxAgeS }
}

export function randomValue(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}

/** `__Host-` (RFC 6265bis, section 4.1.3.2): no other host can set it. A cookie sent twice is ignored for the same reason. */
export function readCookie(request: Request, cookie: Cookie): string | undefined {
  const header = request.headers.get('cookie')
  if (header === null) return undefined
  const name = nameFor(request, cookie)
  const pairs = header.split(';').filter((pair) => pair.slice(0, Math.max(0, pair.indexOf('='))).trim() === name)
  const value = pairs[0]?.slice(pairs[0].indexOf('=') + 1).trim() ?? ''
  return pairs.length === 1 && cookie.value.test(value) ? value : undefined
}

/** `SameSite=Lax`: links from other sites send the cookie. Without a value, the cookie is deleted. */
export function setCookie(request: Request, cookie: Cookie, value: string | undefined): string {
  const secure = isSecure(request) ? '; Secure' : ''
  const maxAge = value === undefined ? 0 : cookie.maxAgeS
  return `${nameFor(request, cookie)}=${value ?? ''}; Path=/; Max-Age=${maxAge}; HttpOnly; SameSite=Lax${secure}`
}

function nameFor(request: Request, { name }: Cookie): string {
  return isSecure(request) ? `__Host-${name}` : name
}

function isSecure(request: Request): boolean {
  return new URL(request.url).protocol === 'https:'
}

export const SESSION_COOKIE = defineCookie('switchboard-session', SESSION_LIFETIME_MS / 1_000)
/** Lasts 30 days, to recognize a person who granted something when another toolkit requests the same. */
export const BROWSER_COOKIE = defineCookie('switchboard-browser', 30 * 86_400)
