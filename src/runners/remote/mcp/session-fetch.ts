import type { GuardedFailure } from '../../../outbound/guarded-fetch.ts'
import { byteAllowance, type GuardedStream } from '../../../outbound/guarded-stream.ts'
import { readToLimit } from '../../../outbound/read-to-limit.ts'
import type { BadAnswer } from '../../shared/server-failure.ts'
import type { Endpoint } from '../endpoint.ts'

/** What went wrong below the protocol in a session. */
export interface TransportFailures {
  /** Why an answer could not be had or read: the first such reason. Nothing is sent any more. */
  readonly unanswered: GuardedFailure | undefined
  /** The last message that was answered with a status that means failure. */
  readonly refusal: BadAnswer | undefined
}

/** The most of a failure's body that is kept for developers, in bytes. */
const MAX_REFUSAL = 16 * 1024

/**
 * Makes the fetch of one session, which may read so many bytes of all answers together, and is what the SDK's transport
 * calls in the place of the platform's. Every request passes the guard: its host is judged, what is read is counted across the
 * session, and after a failure there is no other request. Redirects come back as they are, since the transport follows
 * only those that stay within the origin, and asks again for each.
 *
 * A standing stream (MCP, "Listening for Messages from the Server") is not opened: a call's own stream tells all that it
 * needs.
 */
export function createSessionFetch(guardedStream: GuardedStream, endpoint: Endpoint, maxBytes: number) {
  const allowance = byteAllowance(maxBytes)
  let unanswered: GuardedFailure | undefined
  let refusal: BadAnswer | undefined
  const note = (failure: GuardedFailure) => {
    if (failure.kind !== 'aborted') unanswered ??= failure
  }

  return {
    failures: (): TransportFailures => ({ unanswered, refusal }),

    async fetch(url: string | URL, init?: RequestInit): Promise<Response> {
      const method = init?.method ?? 'GET'
      const headers = new Headers(init?.headers)
      if (method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 })
      if (unanswered) throw new Error(unanswered.message)
      const answer = await guardedStream({
        method,
        url,
        headers,
        body: typeof init?.body === 'string' ? init.body : undefined,
        credentialHeaders: endpoint.credentialHeaders,
        redirect: 'manual',
        signal: init?.signal ?? new AbortController().signal,
        asker: endpoint.asker,
        allowance,
        isText: true,
        onFailure: note,
      })
      if (!answer.ok) {
        note(answer)
        throw new Error(answer.message)
      }
      const { response } = answer
      if (response.ok || method !== 'POST') return response
      const { status, statusText } = response
      const { bytes } = await readToLimit(response.body, MAX_REFUSAL)
      refusal = { status, headers: response.headers, text: new TextDecoder().decode(bytes) }
      return new Response(refusal.text, { status, statusText, headers: response.headers })
    },
  }
}
