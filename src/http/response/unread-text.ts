import { SMALL } from '../../outbound/memory-budget.ts'
import { watchTransfer } from '../../outbound/watch-transfer.ts'
import { toStream } from './text-stream.ts'

interface UnreadText {
  /** In characters. */
  readonly length: number
  /** Resolves once the text was read, its reader went away, or read too slowly and was cut off. */
  watch(): Promise<void>
}

const encoder = new TextEncoder()
const texts = new WeakMap<Response, UnreadText>()

export function findUnreadText(response: Response): UnreadText | undefined {
  return texts.get(response)
}

/** Sends a large text in pieces, each made when its reader has taken the one before. */
export function createTextResponse(text: string, init: ResponseInit): Response {
  let offset = 0
  let abort: ReadableStreamDefaultController['error'] = () => undefined
  const whenRead = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (abort = (error) => controller.error(error)),
      pull(controller) {
        // Not between the halves of a character
        const isPair = (text.codePointAt(offset + SMALL - 1) ?? 0) > 0xffff
        const end = offset + SMALL + (isPair ? 1 : 0)
        controller.enqueue(encoder.encode(text.slice(offset, end)))
        offset = end
        if (offset < text.length) return
        controller.close()
        whenRead.resolve()
      },
      cancel: () => whenRead.resolve(),
    },
    { highWaterMark: 0 },
  )
  const cutOff = () => {
    abort(new Error('The answer was not read in time'))
    whenRead.resolve()
  }
  const response = new Response(body, init)
  texts.set(response, {
    length: text.length,
    watch: () => whenRead.promise.finally(watchTransfer(() => offset, cutOff)),
  })
  return response
}

/** Sends texts when they come. Until all are read, or the reader goes away, `length` characters count as unread. */
export function createTextStreamResponse(
  stream: AsyncGenerator<string, undefined>,
  length: number,
  headers: Readonly<Record<string, string>>,
): Response {
  const whenRead = Promise.withResolvers<void>()
  async function* untilRead() {
    try {
      yield* stream
    } finally {
      whenRead.resolve()
    }
  }
  const response = new Response(toStream(untilRead()), { headers })
  texts.set(response, { length, watch: () => whenRead.promise })
  return response
}
