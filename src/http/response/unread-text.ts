import { SMALL } from '../../outbound/memory-budget.ts'
import { watchTransfer } from '../../outbound/watch-transfer.ts'

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
  let at = 0
  let stop: ReadableStreamDefaultController['error'] = () => undefined
  const ended = Promise.withResolvers<void>()
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (stop = (error) => controller.error(error)),
      pull(controller) {
        // Not between the halves of a character
        const isPair = (text.codePointAt(at + SMALL - 1) ?? 0) > 0xffff
        const end = at + SMALL + (isPair ? 1 : 0)
        controller.enqueue(encoder.encode(text.slice(at, end)))
        at = end
        if (at < text.length) return
        controller.close()
        ended.resolve()
      },
      cancel: () => ended.resolve(),
    },
    { highWaterMark: 0 },
  )
  const cut = () => {
    stop(new Error('The answer was not read in time'))
    ended.resolve()
  }
  const response = new Response(body, init)
  texts.set(response, {
    length: text.length,
    watch: () => ended.promise.finally(watchTransfer(() => at, cut)),
  })
  return response
}
