import type { FetchCapability } from '../core/access/principal.ts'
import type { Fetch } from '../core/tool/platform.ts'
import { type GuardedFetch, formatWithRemedy } from './guarded-fetch.ts'
import type { ToolInitiator } from './traffic-control.ts'
import { allowsBody } from './response-rules.ts'

/** Bundled tools do not declare which of their headers carry credentials. */
const CREDENTIAL_HEADERS = ['authorization', 'cookie', 'x-api-key', 'proxy-authorization']

/** Rejects with a TypeError or the signal's reason. Redirects never send credential headers or a body to another origin. */
export function toFetch(guardedFetch: GuardedFetch, initiator: Omit<ToolInitiator, 'signal'> | FetchCapability): Fetch {
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
      // A bundled tool is part of the deployment, and has its secrets anyway
      allowsPartial: true,
      redirect: request.redirect === 'follow' ? 'follow' : 'manual',
      signal,
      initiator: 'toolkit' in initiator ? { ...initiator, signal } : initiator,
    })
    if (!result.ok) {
      if (result.kind === 'aborted') signal.throwIfAborted()
      throw new TypeError(formatWithRemedy(result))
    }
    const { status, statusText, body, headers: responseHeaders } = result.response
    if (request.redirect === 'error' && status >= 300 && status < 400)
      throw new TypeError(`Cannot request "${new URL(url).origin}": it redirects`)
    const response = new Response(allowsBody(status) ? body : null, { status, statusText, headers: responseHeaders })
    // A constructed Response has no URL, and callers resolve links against it.
    Object.defineProperty(response, 'url', { value: result.response.url })
    return response
  }
}
