import { check, integer, object, string } from '../core/tool/json-reader.ts'
import { type Cookie, cookieOf, setCookie } from '../http/caller/cookie.ts'
import type { Sealer } from '../storage/sealing/deployment-keys.ts'
import type { OpenIdRequest } from './openid.ts'
import { MAX_RETURN } from './return-path.ts'

/** A browser on its way through the provider's pages. */
export interface Flow {
  readonly request: OpenIdRequest
  /** Where it goes when somebody has signed in: a path of ours. */
  readonly back: string
}

/** How long signing in may take. */
const LIFETIME_MS = 15 * 60_000
/** Browsers keep 4,096 bytes of a cookie, its name included. */
const MAX_PART = 3_800
/** As many cookies as the longest path to go back to takes. */
const PARTS = ['', '-2', '-3', '-4'].map((part): Cookie => ({
  name: `switchboard-sign-in${part}`,
  value: new RegExp(`^[\\w.-]{1,${MAX_PART}}$`),
  maxAgeS: LIFETIME_MS / 1_000,
}))
const text = string({ least: 1, most: 4_000 })
const STORED = object({
  request: object({ state: text, nonce: text, verifier: text, callback: text }),
  back: string({ least: 1, most: MAX_RETURN }),
  until: integer(0, Number.MAX_SAFE_INTEGER),
})
const BOUND = 'sign-in'

/**
 * What a browser is on its way with lies in cookies of its own, sealed as one text: nobody can read or make one up, nothing is
 * stored for strangers, and no other browser can end what this one began.
 */
export function createFlows(sealer: Sealer, now: () => number) {
  return {
    /** The headers `Set-Cookie` that have the browser keep a flow, in place of an earlier one. */
    async keep(request: Request, flow: Flow): Promise<string[]> {
      const stored = JSON.stringify({ ...flow, until: now() + LIFETIME_MS })
      const sealed = await sealer.seal(stored, BOUND)
      return PARTS.flatMap((part, index) => {
        const text = sealed.slice(index * MAX_PART, (index + 1) * MAX_PART)
        return text === '' ? forget(request, part) : setCookie(request, part, text)
      })
    },

    /** The flow of the browser that sends a request; undefined where it has none, or its time is over. */
    async of(request: Request): Promise<Flow | undefined> {
      const cookie = PARTS.map((part) => cookieOf(request, part) ?? '').join('')
      const opened = cookie === '' ? undefined : await sealer.open(cookie, BOUND)
      const read = opened && check(STORED, JSON.parse(opened.text))
      if (!read?.ok || now() >= read.value.until) return undefined
      const { request: asked, back } = read.value
      return { request: asked, back }
    },

    /** The headers `Set-Cookie` that end it: an answer is read once. */
    end: (request: Request): string[] => PARTS.flatMap((part) => forget(request, part)),
  }
}

function forget(request: Request, part: Cookie): string[] {
  return cookieOf(request, part) === undefined ? [] : [setCookie(request, part, undefined)]
}
