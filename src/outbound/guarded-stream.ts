/**
 * The guarded fetch for responses that are read while they arrive, such as those of MCP servers. Hops work as in
 * `guarded-fetch.ts`. Each chunk must be UTF-8, and counts against its session's bytes and parts before the reader gets it.
 * A chunk that breaks a limit ends the body, and `onFailure` receives the reason. Memory is reserved as chunks arrive.
 */
import {
  aborted,
  connectionFailure,
  MEMORY_COPIES,
  createGuardedOpen,
  isTool,
  type OpenedResponse,
  unreadable,
} from './guarded-fetch.ts'
import type { GuardedFailure, GuardedFetchOptions, GuardedRequest } from './guarded-fetch.ts'
import { partCounter } from './part-counter.ts'
import { decodedHeaders, allowsBody } from './response-rules.ts'
import { type Reservation, SMALL } from './memory-budget.ts'
import { raceAbort } from './until-aborted.ts'
import { utf8Judge } from './utf8.ts'

/** The limits and usage of one session, shared by its responses. */
export interface ReadLimits {
  readonly bytes: number
  /** Items of lists and fields of objects, in JSON. */
  readonly parts: number
  bytesLeft: number
  partsLeft: number
  /** One reservation for the session, because its responses may arrive at the same time. */
  reservation?: Reservation
}

interface GuardedStreamRequest extends GuardedRequest {
  readonly readLimits: ReadLimits
  readonly onFailure: (failure: GuardedFailure) => void
}

/** Never rejects. */
export type GuardedStream = (
  request: GuardedStreamRequest,
) => Promise<{ readonly ok: true; readonly response: Response } | GuardedFailure>

export function createGuardedStream(options: GuardedFetchOptions): GuardedStream {
  const { memory } = options
  const open = createGuardedOpen(options)
  return async (request) => {
    const openResult = await open(request)
    if (!openResult.ok) return openResult
    const { initiator, readLimits, deferRelease } = request
    if (memory && isTool(initiator) && !readLimits.reservation) {
      readLimits.reservation = memory.reserve(initiator.caller, () => initiator.signal.aborted)
      deferRelease?.(readLimits.reservation.release)
    }
    const { status, statusText, headers, body } = openResult.response
    if (body === null || !allowsBody(status)) {
      body?.cancel().catch(() => undefined)
      openResult.end('success')
      return { ok: true, response: new Response(null, { status, statusText, headers }) }
    }
    const countedBody = createCountedBody(body.getReader(), openResult, request)
    return { ok: true, response: new Response(countedBody, { status, statusText, headers: decodedHeaders(headers) }) }
  }
}

/** Reserves memory for twice the bytes received, so that few chunks wait. Without room, it only delays reading. */
async function growMemory({ bytes, bytesLeft, reservation }: ReadLimits): Promise<void> {
  const receivedBytes = bytes - bytesLeft
  if (reservation && receivedBytes > SMALL && MEMORY_COPIES * receivedBytes > reservation.getBytes())
    await reservation.grow(2 * MEMORY_COPIES * receivedBytes)
}

function createCountedBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { response, url, end }: OpenedResponse,
  { readLimits, signal, onFailure }: GuardedStreamRequest,
): ReadableStream<Uint8Array> {
  const isUtf8 = utf8Judge()
  const countParts = partCounter()
  /** Counts a chunk. Returns the limit that the response exceeds, if any. */
  const countChunk = (chunk: Uint8Array): string | undefined => {
    readLimits.bytesLeft -= chunk.byteLength
    if (readLimits.bytesLeft < 0) return `it is over ${readLimits.bytes} bytes`
    readLimits.partsLeft -= countParts(chunk)
    return readLimits.partsLeft < 0 ? `it has more than ${readLimits.parts} parts` : undefined
  }
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      /**
       * The host has answered, whatever is wrong with the body, so its circuit records a success. Only the first `end` counts:
       * `connectionFailure` calls it for a lost connection, and `traffic-control.ts` for a call that has ended. A reader that
       * aborts has its answer.
       */
      const stop = (failure: GuardedFailure) => {
        end('success')
        reader.cancel().catch(() => undefined)
        onFailure(failure)
        controller.error(new Error(failure.message))
      }
      const step = await raceAbort(() => reader.read(), signal)
      if (step.state === 'failed') return stop(connectionFailure(response, url, step.error, end))
      if (step.state === 'aborted') return stop(aborted(url))
      const { done, value } = step.value
      // At the end, `value` is undefined, which completes the text
      if (!isUtf8(value)) return stop(unreadable('broken', url, 'it is not UTF-8'))
      if (done) {
        end('success')
        return controller.close()
      }
      const excess = countChunk(value)
      if (excess !== undefined) return stop(unreadable('too-large', url, excess))
      await growMemory(readLimits)
      controller.enqueue(value)
    },
    async cancel(reason) {
      end('success')
      await reader.cancel(reason).catch(() => undefined)
    },
  })
}
