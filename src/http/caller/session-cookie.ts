import { SESSION_LIFETIME_MS } from '../../core/access/session.ts'
import { cookieOf, randomCookie, setCookie } from './cookie.ts'

const SESSION = randomCookie('switchboard-session', SESSION_LIFETIME_MS / 1_000)

/** The random text of the session in the browser that sends a request; undefined where it has none. */
export function sessionCookieOf(request: Request): string | undefined {
  return cookieOf(request, SESSION)
}

/** The header `Set-Cookie` that begins a session in a browser or, without a text, ends it there. */
export function setSessionCookie(request: Request, text: string | undefined): string {
  return setCookie(request, SESSION, text)
}
