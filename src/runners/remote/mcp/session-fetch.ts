import { MAX_RESPONSE_NODES } from '../../../core/tool/json-text.ts'
import type { GuardedFailure, GuardedRequest } from '../../../outbound/guarded-fetch.ts'
import type { ReadLimits, GuardedStream } from '../../../outbound/guarded-stream.ts'
import { readToLimit } from '../../../outbound/read-to-limit.ts'
import type { UpstreamError } from '../../shared/server-failure.ts'
import type { Endpoint } from '../endpoint.ts'

export interface TransportFailures {
  /** Why a request first failed to get a readable response. Nothing is sent after that. */
  readonly lost: GuardedFailure | undefined
  /** The last unsuccessful response to a POST: an error or a redirect. */
  readonly refusal: UpstreamError | undefined
}

export interface SessionLimits extends Pick<GuardedRequest, 'deferRelease'> {
  readonly maxBytes: number
  readonly parts?: number
}

const MAX_REFUSAL = 16 * 1024

/**
 * The fetch of one session. All its responses share one allowance of bytes. Redirects are returned, because the transport
 * follows those within the origin. A standing stream (MCP, "Listening for Messages from the Server") is not opened, because a
 * call's own stream has all of its messages.
 */
export function createSessionFetch(
  guardedStream: GuardedStream,
  endpoint: Endpoint,
  { maxBytes: bytes, parts = MAX_RESPONSE_NODES, deferRelease }: SessionLimits,
) {
  const allowance: ReadLimits = { bytes, parts, bytesLeft: bytes, partsLeft: parts }
  let lost: GuardedFailure | undefined
  let refusal: UpstreamError | undefined
  let isStream = false
  const noteFailure = (failure: GuardedFailure) => {
    if (failure.kind !== 'aborted') lost ??= failure
  }

  return {
    failures: (): TransportFailures => ({ lost, refusal }),
    /** Whether the last response is an event stream, which continues after `fetch` has returned. */
    isStreaming: () => isStream,

    async fetch(url: string | URL, init?: RequestInit): Promise<Response> {
      const method = init?.method ?? 'GET'
      const headers = new Headers(init?.headers)
      // An interrupted stream may be resumed
      if (method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 })
      if (lost) throw new Error(lost.message)
      const answer = await guardedStream({
        method,
        url,
        headers,
        body: typeof init?.body === 'string' ? init.body : undefined,
        credentialHeaders: endpoint.credentialHeaders,
        redirect: 'manual',
        signal: init?.signal ?? new AbortController().signal,
        initiator: endpoint.initiator,
        readLimits: allowance,
        onFailure: noteFailure,
        deferRelease,
      })
      if (!answer.ok) {
        noteFailure(answer)
        throw new Error(answer.message)
      }
      const { response } = answer
      isStream = response.headers.get('content-type')?.includes('text/event-stream') === true
      if (response.ok || method !== 'POST') return response
      const { status, statusText } = response
      const { bytes } = await readToLimit(response.body, MAX_REFUSAL)
      refusal = { status, headers: response.headers, text: new TextDecoder().decode(bytes) }
      return new Response(refusal.text, { status, statusText, headers: response.headers })
    },
  }
}
