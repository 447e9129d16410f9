import type { Admission } from '../core/access/principal.ts'
import type { Fetch } from '../core/tool/platform.ts'
import { type GuardedFetch, withRemedy } from './guarded-fetch.ts'
import type { RequestingTool } from './traffic.ts'
import { mayHaveBody } from './response-rules.ts'

/** Requests of bundled tools do not say which of their headers carry credentials. */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'x-api-key', 'proxy-authorization']

/** Rejects with a TypeError or the signal's reason. No redirect takes credential headers or a body to another origin. */
export function asFetch(guardedFetch: GuardedFetch, asker: Omit<RequestingTool, 'signal'> | Admission): Fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    const { method, url, headers, signal } = request
    const bytes = request.body === null ? undefined : new Uint8Array(await request.arrayBuffer())
    const result = await guardedFetch({
      method,
      url,
      headers,
      body: bytes,
      credentialHeaders: CREDENTIAL_HEADERS,
      credentialBody: true,
      // A bundled tool is the deployment's own, and has its secrets anyway
      mayBePartial: true,
      redirect: request.redirect === 'follow' ? 'follow' : 'manual',
      signal,
      asker: 'toolkit' in asker ? { ...asker, signal } : asker,
    })
    if (!result.ok) {
      if (result.kind === 'aborted') signal.throwIfAborted()
      throw new TypeError(withRemedy(result))
    }
    const { status, statusText, body, headers: answered } = result.response
    if (request.redirect === 'error' && status >= 300 && status < 400)
      throw new TypeError(`Cannot request "${new URL(url).origin}": it redirects`)
    const response = new Response(mayHaveBody(status) ? body : null, { status, statusText, headers: answered })
    // A constructed Response has no URL, and callers resolve links against it.
    Object.defineProperty(response, 'url', { value: result.response.url })
    return response
  }
}
