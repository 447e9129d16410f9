import { base64url } from 'jose'

/** A cookie of ours: its name, and how its values look. */
export interface Cookie {
  readonly name: string
  readonly value: RegExp
  readonly maxAgeS: number
}

/** A cookie whose value is 32 random bytes in base64url: nobody can guess that of another browser. */
export function randomCookie(name: string, maxAgeS: number): Cookie {
  return { name, value: /^[\w-]{43}$/, maxAgeS }
}

/** A new value for such a cookie. */
export function randomValue(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}

/**
 * The value of a cookie, or undefined where the browser has none. Over https its name begins with `__Host-`, so that no other
 * host, not even a sibling, can have set it (RFC 6265bis, section 4.1.3.2). Two of one name are none: one of them may have been
 * set by somebody else.
 */
export function cookieOf(request: Request, cookie: Cookie): string | undefined {
  const header = request.headers.get('cookie')
  if (header === null) return undefined
  const name = nameFor(request, cookie)
  const found = header.split(';').filter((pair) => pair.slice(0, Math.max(0, pair.indexOf('='))).trim() === name)
  const value = found[0]?.slice(found[0].indexOf('=') + 1).trim() ?? ''
  return found.length === 1 && cookie.value.test(value) ? value : undefined
}

/**
 * The header `Set-Cookie` that has the browser keep a value, hidden from scripts, and send it with requests of our own pages
 * and when it comes here from another site by a link (`SameSite=Lax`). Without a value the browser forgets the cookie.
 */
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
