import {
  aborted,
  brokenOff,
  COPIES,
  createGuardedOpen,
  notUtf8,
  type Opened,
  tooLarge,
  tooManyParts,
} from './guarded-fetch.ts'
import type { GuardedFailure, GuardedFetchOptions, GuardedRequest } from './guarded-fetch.ts'
import { partCounter } from './part-counter.ts'
import { decodedHeaders, mayHaveBody } from './response-rules.ts'
import { type Reservation, SMALL } from './memory-budget.ts'
import { untilAborted } from './until-aborted.ts'
import { utf8Judge } from './utf8.ts'

/** For all that is read in one session. */
export interface ReadLimits {
  readonly bytes: number
  /** Items of lists and fields of objects, in JSON. */
  readonly parts: number
  bytesLeft: number
  partsLeft: number
  /** One for the session: its answers may come at once. */
  reservation?: Reservation
}

export interface GuardedStreamRequest extends GuardedRequest {
  readonly allowance: ReadLimits
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
    const { asker, allowance, atEnd } = request
    if (memory && 'toolkit' in asker && !allowance.reservation) {
      allowance.reservation = memory.reserve(asker.caller, () => asker.signal.aborted)
      atEnd?.(allowance.reservation.release)
    }
    const { status, statusText, headers, body } = opened.response
    if (body === null || !mayHaveBody(status)) {
      body?.cancel().catch(() => undefined)
      opened.end('answered')
      return { ok: true, response: new Response(null, { status, statusText, headers }) }
    }
    const counted = countedBody(body.getReader(), opened, request)
    return { ok: true, response: new Response(counted, { status, statusText, headers: decodedHeaders(headers) }) }
  }
}

function countedBody(
  reader: ReadableStreamDefaultReader<Uint8Array>,
  { response, url, end }: Opened,
  { allowance, signal, onFailure }: GuardedStreamRequest,
): ReadableStream<Uint8Array> {
  const isUtf8 = utf8Judge()
  const partsIn = partCounter()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      // Where the body broke off, it has ended before; the first ending counts
      const stop = (failure: GuardedFailure) => {
        end('answered')
        reader.cancel().catch(() => undefined)
        onFailure(failure)
        controller.error(new Error(failure.message))
      }
      const step = await untilAborted(() => reader.read(), signal)
      if (step.state === 'failed') return stop(brokenOff(response, url, step.error, end))
      // Not at the end of its call, which had ended it: the reader has the answer
      if (step.state === 'aborted') return stop(aborted(url))
      const { done, value } = step.value
      if (!isUtf8(value)) return stop(notUtf8(url))
      if (done) {
        end('answered')
        return controller.close()
      }
      allowance.bytesLeft -= value.byteLength
      if (allowance.bytesLeft < 0) return stop(tooLarge(url, allowance.bytes))
      allowance.partsLeft -= partsIn(value)
      if (allowance.partsLeft < 0) return stop(tooManyParts(url, allowance.parts))
      const received = allowance.bytes - allowance.bytesLeft
      const { reservation } = allowance
      if (reservation && received > SMALL && COPIES * received > reservation.getBytes())
        await reservation.grow(COPIES * 2 * received)
      controller.enqueue(value)
    },
    async cancel(reason) {
      end('answered')
      await reader.cancel(reason).catch(() => undefined)
    },
  })
}
