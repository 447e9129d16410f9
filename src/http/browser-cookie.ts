import { base64url } from 'jose'

const NAME = 'switchboard-browser'
/** So that the person who granted something is known again when another toolkit asks for the same. */
const LIFETIME_S = 30 * 86_400
/** 32 bytes, base64url. */
const VALUE = /^[\w-]{43}$/

/**
 * The random text that tells this browser from all others, or undefined where it has none. Over https the cookie's name
 * begins with `__Host-`, so that no other host, not even a sibling, can have set it (RFC 6265bis, section 4.1.3.2).
 */
export function browserOf(request: Request): string | undefined {
  const name = nameFor(request)
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1).trim()
    if (at > 0 && pair.slice(0, at).trim() === name && VALUE.test(value)) return value
  }
  return undefined
}

/** The text for a browser that has none yet. */
export function newBrowser(): string {
  return base64url.encode(crypto.getRandomValues(new Uint8Array(32)))
}

/** The header `Set-Cookie` that has the browser keep it for 30 days, and come back with it from another site. */
export function browserCookie(request: Request, browser: string): string {
  const secure = isSecure(request) ? '; Secure' : ''
  return `${nameFor(request)}=${browser}; Path=/; Max-Age=${LIFETIME_S}; HttpOnly; SameSite=Lax${secure}`
}

function nameFor(request: Request): string {
  return isSecure(request) ? `__Host-${NAME}` : NAME
}

function isSecure(request: Request): boolean {
  return new URL(request.url).protocol === 'https:'
}
