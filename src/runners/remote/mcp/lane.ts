import type { GuardedFailure } from '../../../outbound/guarded-fetch.ts'
import { type ByteAllowance, byteAllowance, type GuardedStream } from '../../../outbound/guarded-stream.ts'
import type { Refusal } from '../attempt.ts'
import type { Endpoint } from '../endpoint.ts'

/** What the SDK's transport calls in the place of `fetch`. */
export type TransportFetch = (url: string | URL, init?: RequestInit) => Promise<Response>

/** What went wrong on the way to a server. */
export interface Troubles {
  /** Why an answer could not be had or read: the first such reason. Nothing is sent any more. */
  readonly fault: GuardedFailure | undefined
  /** The last message that was answered with a status that means failure. */
  readonly refusal: Refusal | undefined
}

/** The way of one session to its server. */
export interface Lane {
  readonly fetch: TransportFetch
  troubles(): Troubles
}

export interface LaneOptions {
  readonly guardedStream: GuardedStream
  readonly endpoint: Endpoint
  /** The most bytes that are read, of all answers together. */
  readonly maxBytes: number
}

/** The most of a failure's body that is kept for developers, in bytes. */
const MAX_REFUSAL = 16 * 1024

/**
 * Every request of a session passes the guard: its host is judged, what is read is counted across the session, and after
 * a failure there is no other request. Redirects come back as they are, since the transport follows only those that stay
 * within the origin, and asks again for each.
 *
 * A standing stream (MCP, "Listening for Messages from the Server") is not opened: a call hears of its own on its own.
 */
export function createLane({ guardedStream, endpoint, maxBytes }: LaneOptions): Lane {
  const allowance: ByteAllowance = byteAllowance(maxBytes)
  let fault: GuardedFailure | undefined
  let refusal: Refusal | undefined
  const noteFault = (failure: GuardedFailure) => {
    if (failure.kind !== 'aborted') fault ??= failure
  }

  return {
    troubles: () => ({ fault, refusal }),

    async fetch(url, init) {
      const method = init?.method ?? 'GET'
      const headers = new Headers(init?.headers)
      if (method === 'GET' && !headers.has('last-event-id')) return new Response(null, { status: 405 })
      if (fault) throw new Error(fault.message)
      const answer = await guardedStream({
        method,
        url,
        headers,
        body: typeof init?.body === 'string' ? init.body : undefined,
        credentialHeaders: endpoint.credentialHeaders,
        redirect: 'manual',
        signal: init?.signal ?? new AbortController().signal,
        allowance,
        onFailure: noteFault,
      })
      if (!answer.ok) {
        noteFault(answer)
        throw new Error(answer.message)
      }
      const { response } = answer
      if (response.ok || method !== 'POST') return response
      const { status, statusText } = response
      const text = await beginning(response)
      refusal = { status, headers: response.headers, text }
      return new Response(text, { status, statusText, headers: response.headers })
    },
  }
}

/** The first bytes of a body as text; what follows is not read. */
async function beginning(response: Response): Promise<string> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let text = ''
  let size = 0
  while (reader && size < MAX_REFUSAL) {
    const step = await reader.read()
    if (step.done) return text + decoder.decode()
    size += step.value.byteLength
    text += decoder.decode(step.value, { stream: true })
  }
  await reader?.cancel()
  return text
}
