import { expect, it } from 'vitest'
import { BROWSER_COOKIE, readCookie, setCookie } from '../../../src/http/caller/cookie.ts'

const ORIGIN = 'https://sb.example'
const VALUE = 'x'.repeat(43)
const browserIn = (cookie: string) => readCookie(new Request(ORIGIN, { headers: { cookie } }), BROWSER_COOKIE)

it('a browser is recognized for 30 days by a cookie of this host', () => {
  expect(setCookie(new Request(ORIGIN), BROWSER_COOKIE, VALUE)).toBe(
    `__Host-switchboard-browser=${VALUE}; Path=/; Max-Age=2592000; HttpOnly; SameSite=Lax; Secure`,
  )
})

it.each([
  [`__Host-switchboard-browser=${VALUE}`, VALUE],
  [` a=b;  __Host-switchboard-browser = ${VALUE} ; c`, VALUE],
  [`__Host-switchboard-browser=${VALUE}x`, undefined],
  [`__Host-switchboard-browser=${VALUE}; __Host-switchboard-browser=${VALUE}`, undefined],
  [`switchboard-browser=${VALUE}`, undefined],
  ['__Host-switchboard-browser', undefined],
  ['', undefined],
])('the cookies %j contain the browser %s', (cookie, value) => {
  expect(browserIn(cookie)).toBe(value)
})
