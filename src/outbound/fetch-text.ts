import type { FetchCapability } from '../core/access/principal.ts'
import type { Signal } from '../core/tool/platform.ts'
import { type GuardedFetch, formatWithRemedy } from './guarded-fetch.ts'
import { utf8Text } from './utf8.ts'

const TIMEOUT_MS = 30_000

/** Never rejects: problems are in the result, and do not quote the document. */
export function createTextFetch(guardedFetch: GuardedFetch, accept: string, initiator: FetchCapability) {
  return async (
    url: string,
    signal: Signal,
  ): Promise<
    | { readonly ok: true; readonly text: string; readonly url: string }
    | { readonly ok: false; readonly problem: string }
  > => {
    const result = await guardedFetch({
      method: 'GET',
      url,
      headers: new Headers({ accept, 'user-agent': 'switchboard' }),
      credentialHeaders: [],
      initiator,
      signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]),
    })
    if (!result.ok) {
      if (result.kind === 'aborted') return { ok: false, problem: 'Did not come within 30 seconds' }
      return { ok: false, problem: formatWithRemedy(result) }
    }
    const { status, body, url: from } = result.response
    if (status !== 200) return { ok: false, problem: `Cannot be fetched: the server answered ${status}, wanted 200` }
    const text = utf8Text(body)
    return text === undefined ? { ok: false, problem: 'Is not in UTF-8' } : { ok: true, text, url: from }
  }
}
