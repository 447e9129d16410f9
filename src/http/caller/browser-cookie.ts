import { cookieOf, randomCookie, setCookie } from './cookie.ts'

/** Kept for 30 days: the person who granted something is known again when another toolkit asks for the same. */
const BROWSER = randomCookie('switchboard-browser', 30 * 86_400)

/** The random text that tells this browser from all others, or undefined where it has none. */
export function browserOf(request: Request): string | undefined {
  return cookieOf(request, BROWSER)
}

export function setBrowserCookie(request: Request, browser: string): string {
  return setCookie(request, BROWSER, browser)
}
