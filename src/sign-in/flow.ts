import { check, integer, object, string } from '../core/tool/json-reader.ts'
import { type Cookie, cookieOf, setCookie } from '../http/cookie.ts'
import type { Sealer } from '../storage/access/deployment-keys.ts'
import type { OpenIdRequest } from './openid.ts'

/** A browser on its way through the provider's pages. */
export interface Flow {
  readonly request: OpenIdRequest
  /** Where it goes when somebody has signed in: a path of ours. */
  readonly back: string
}

/** How long signing in may take. */
const LIFETIME_MS = 15 * 60_000
const FLOW: Cookie = { name: 'switchboard-sign-in', value: /^[\w.-]{1,6000}$/, maxAgeS: LIFETIME_MS / 1_000 }
const text = string({ least: 1, most: 4_000 })
const STORED = object({
  request: object({ state: text, nonce: text, verifier: text, callback: text }),
  back: text,
  until: integer(0, Number.MAX_SAFE_INTEGER),
})
const BOUND = 'sign-in'

/**
 * What a browser is on its way with lies in a cookie of its own, sealed: nobody can read or make one up, nothing is stored
 * for strangers, and no other browser can end what this one began.
 */
export function createFlows(sealer: Sealer, now: () => number) {
  return {
    /** The header `Set-Cookie` that has the browser keep a flow, in place of an earlier one. */
    async keep(request: Request, flow: Flow): Promise<string> {
      const stored = JSON.stringify({ ...flow, until: now() + LIFETIME_MS })
      return setCookie(request, FLOW, await sealer.seal(stored, BOUND))
    },

    /** The flow of the browser that sends a request; undefined where it has none, or its time is over. */
    async of(request: Request): Promise<Flow | undefined> {
      const cookie = cookieOf(request, FLOW)
      const opened = cookie === undefined ? undefined : await sealer.open(cookie, BOUND)
      const read = opened && check(STORED, JSON.parse(opened.text))
      if (!read?.ok || now() >= read.value.until) return undefined
      const { request: asked, back } = read.value
      return { request: asked, back }
    },

    /** The header `Set-Cookie` that ends it: an answer is read once. */
    end: (request: Request): string => setCookie(request, FLOW, undefined),
  }
}
