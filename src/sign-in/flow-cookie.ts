import { parseValue, integer, object, type InferOutput, string } from '../core/tool/json-reader.ts'
import { type Cookie, readCookie, setCookie } from '../http/caller/cookie.ts'
import type { Sealer } from '../storage/sealing/deployment-keys.ts'

export const MAX_RETURN = 8_192
const LIFETIME_MS = 15 * 60_000
/** Browsers store at most 4,096 bytes per cookie, including its name. */
const MAX_PART = 3_800
const PARTS = ['', '-2', '-3', '-4'].map((part): Cookie => ({
  name: `switchboard-sign-in${part}`,
  value: new RegExp(`^[\\w.-]{1,${MAX_PART}}$`),
  maxAgeS: LIFETIME_MS / 1_000,
}))
const TEXT = string({ min: 1, max: 4_000 })
const STORED = object({
  request: object({ state: TEXT, nonce: TEXT, verifier: TEXT, callback: TEXT }),
  back: string({ min: 1, max: MAX_RETURN }),
  until: integer(0, Number.MAX_SAFE_INTEGER),
})
const BOUND = 'sign-in'

type Flow = Omit<InferOutput<typeof STORED>, 'until'>

/** Flows are sealed in the browser's cookies: nothing is stored for strangers, and no other browser can finish the flow. */
export function createFlows(sealer: Sealer, now: () => number) {
  return {
    async write(request: Request, flow: Flow): Promise<string[]> {
      const flowText = JSON.stringify({ ...flow, until: now() + LIFETIME_MS })
      const sealedFlow = await sealer.seal(flowText, BOUND)
      return PARTS.flatMap((part, index) => {
        const value = sealedFlow.slice(index * MAX_PART, (index + 1) * MAX_PART)
        return value === '' ? forget(request, part) : setCookie(request, part, value)
      })
    },

    async read(request: Request): Promise<Flow | undefined> {
      const cookie = PARTS.map((part) => readCookie(request, part) ?? '').join('')
      const openedFlow = cookie === '' ? undefined : await sealer.unseal(cookie, BOUND)
      const parsedFlow = openedFlow && parseValue(STORED, JSON.parse(openedFlow.text))
      if (!parsedFlow?.ok || now() >= parsedFlow.value.until) return undefined
      return { request: parsedFlow.value.request, back: parsedFlow.value.back }
    },

    clear: (request: Request): string[] => PARTS.flatMap((part) => forget(request, part)),
  }
}

function forget(request: Request, part: Cookie): string[] {
  return readCookie(request, part) === undefined ? [] : [setCookie(request, part, undefined)]
}

/** Undefined for another host, such as after two leading slashes (URL Standard, section 4.4). */
export function returnPath(text: string, origin: string): string | undefined {
  if (text.length > MAX_RETURN || !/^\/(?![/\\])[\x21-\x5b\x5d-\x7e]*$/.test(text)) return undefined
  const { pathname, search } = new URL(text, origin)
  return pathname.startsWith('//') ? undefined : `${pathname}${search}`
}
