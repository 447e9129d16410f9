import {
  aborted,
  createGuardedOpen,
  type GuardedFailure,
  type GuardedFetchOptions,
  type GuardedRequest,
  lost,
  tooLarge,
} from './guarded-fetch.ts'
import { decodedHeaders, mayHaveBody } from './response-rules.ts'
import { untilAborted } from './until-aborted.ts'

/** How many bytes may still be read; requests that belong together share one. */
export interface ByteAllowance {
  readonly bytes: number
  left: number
}

export function byteAllowance(bytes: number): ByteAllowance {
  return { bytes, left: bytes }
}

export interface GuardedStreamRequest extends GuardedRequest {
  readonly allowance: ByteAllowance
  /** Told when the body cannot be read to its end; the body then fails with the same message. */
  readonly onFailure: (failure: GuardedFailure) => void
}

/** The guarded fetch for answers that are read while they arrive. Never rejects. */
export type GuardedStream = (
  request: GuardedStreamRequest,
) => Promise<{ readonly ok: true; readonly response: Response } | GuardedFailure>

/** Makes a guarded fetch whose bodies are streams, counted while they are read and cut off where they may not go on. */
export function createGuardedStream(options: Omit<GuardedFetchOptions, 'maxResponseBytes'>): GuardedStream {
  const open = createGuardedOpen(options)
  return async (request) => {
    const opened = await open(request)
    if (!opened.ok) return opened
    const { status, statusText, headers, body } = opened.response
    if (body === null || !mayHaveBody(status)) {
      body?.cancel().catch(() => undefined)
      return { ok: true, response: new Response(null, { status, statusText, headers }) }
    }
    const counted = countedBody(body.getReader(), opened.url, request)
    return { ok: true, response: new Response(counted, { status, statusText, headers: decodedHeaders(headers) }) }
  }
}

function countedBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  url: URL,
  { allowance, signal, onFailure }: Pick<GuardedStreamRequest, 'allowance' | 'signal' | 'onFailure'>,
): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const stop = (failure: GuardedFailure) => {
        reader.cancel().catch(() => undefined)
        onFailure(failure)
        controller.error(new Error(failure.message))
      }
      const step = await untilAborted(() => reader.read(), signal)
      if (step.state !== 'done') return stop(step.state === 'aborted' ? aborted(url) : lost(url))
      const { done, value } = step.value
      if (done) return controller.close()
      allowance.left -= value.byteLength
      if (allowance.left < 0) return stop(tooLarge(url, allowance.bytes))
      controller.enqueue(value)
    },
    async cancel(reason) {
      await reader.cancel(reason).catch(() => undefined)
    },
  })
}
