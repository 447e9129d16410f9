/**
 * The guarded fetch for responses that are read while they arrive, as those of MCP servers. Hops are those of
 * `guarded-fetch.ts`. Each chunk must be UTF-8, and counts against the bytes and parts of its session before the reader gets it.
 * A chunk that breaks a limit ends the body, and `onFailure` is told why. Memory is reserved as chunks arrive.
 */
import {
  aborted,
  connectionFailure,
  MEMORY_COPIES,
  createGuardedOpen,
  type OpenedResponse,
  unreadable,
} from './guarded-fetch.ts'
import type { GuardedFailure, GuardedFetchOptions, GuardedRequest } from './guarded-fetch.ts'
import { partCounter } from './part-counter.ts'
import { decodedHeaders, allowsBody } from './response-rules.ts'
import { type Reservation, SMALL } from './memory-budget.ts'
import { raceAbort } from './until-aborted.ts'
import { utf8Judge } from './utf8.ts'

/** The limits and the use of one session, whose responses share them. */
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
    const opened = await open(request)
    if (!opened.ok) return opened
    const { initiator, readLimits, deferRelease } = request
    if (memory && 'toolkit' in initiator && !readLimits.reservation) {
      readLimits.reservation = memory.reserve(initiator.caller, () => initiator.signal.aborted)
      deferRelease?.(readLimits.reservation.release)
    }
    const { status, statusText, headers, body } = opened.response
    if (body === null || !allowsBody(status)) {
      body?.cancel().catch(() => undefined)
      opened.end('success')
      return { ok: true, response: new Response(null, { status, statusText, headers }) }
    }
    const counted = countedBody(body.getReader(), opened, request)
    return { ok: true, response: new Response(counted, { status, statusText, headers: decodedHeaders(headers) }) }
  }
}

function countedBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { response, url, end }: OpenedResponse,
  { readLimits, signal, onFailure }: GuardedStreamRequest,
): ReadableStream<Uint8Array> {
  const isUtf8 = utf8Judge()
  const partsIn = partCounter()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // If the connection was lost, `connectionFailure` has called `end` already. Only the first call of `end` counts
      const stop = (failure: GuardedFailure) => {
        end('success')
        reader.cancel().catch(() => undefined)
        onFailure(failure)
        controller.error(new Error(failure.message))
      }
      const step = await raceAbort(() => reader.read(), signal)
      if (step.state === 'failed') return stop(connectionFailure(response, url, step.error, end))
      // If the call has ended, the request has too. Otherwise the reader aborts because it has its answer: a success
      if (step.state === 'aborted') return stop(aborted(url))
      const { done, value } = step.value
      if (!isUtf8(value)) return stop(unreadable('broken', url, 'it is not UTF-8'))
      if (done) {
        end('success')
        return controller.close()
      }
      readLimits.bytesLeft -= value.byteLength
      if (readLimits.bytesLeft < 0) return stop(unreadable('too-large', url, `it is over ${readLimits.bytes} bytes`))
      readLimits.partsLeft -= partsIn(value)
      if (readLimits.partsLeft < 0)
        return stop(unreadable('too-large', url, `it has more than ${readLimits.parts} parts`))
      const received = readLimits.bytes - readLimits.bytesLeft
      const { reservation } = readLimits
      if (reservation && received > SMALL && MEMORY_COPIES * received > reservation.getBytes())
        await reservation.grow(MEMORY_COPIES * 2 * received)
      controller.enqueue(value)
    },
    async cancel(reason) {
      end('success')
      await reader.cancel(reason).catch(() => undefined)
    },
  })
}
