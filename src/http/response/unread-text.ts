import { SMALL } from '../../outbound/memory-budget.ts'
import { LEAST_BYTES_A_MS, watchTransfer } from '../../outbound/watch-transfer.ts'

interface UnreadText {
  /** In characters. */
  readonly length: number
  /** Resolves when the text was read, the reader disconnected, or a slow reader was cut off. */
  watch(): Promise<void>
}

const encoder = new TextEncoder()
const texts = new WeakMap<Response, UnreadText>()

export function findUnreadText(response: Response): UnreadText | undefined {
  return texts.get(response)
}

/** Sends a large text in pieces. Each is encoded after the reader has taken the previous one. */
export function createTextResponse(text: string, init: ResponseInit): Response {
  return respondInPieces(splitText(text), text.length, init)
}

/** Sends texts as they arrive. `length` characters count as unread until all are read or the reader disconnects. */
export function createTextStreamResponse(
  stream: AsyncGenerator<string, undefined>,
  length: number,
  headers: Readonly<Record<string, string>>,
): Response {
  async function* splitTexts() {
    for await (const text of stream) yield* splitText(text)
    return undefined
  }
  return respondInPieces(splitTexts(), length, { headers })
}

function* splitText(text: string): Generator<string, undefined> {
  for (let start = 0, end = 0; start < text.length; start = end) {
    // Do not split a surrogate pair
    const isPair = (text.codePointAt(start + SMALL - 1) ?? 0) > 0xffff
    end = start + SMALL + (isPair ? 1 : 0)
    yield text.slice(start, end)
  }
  return undefined
}

function respondInPieces(
  pieces: Generator<string, undefined> | AsyncGenerator<string, undefined>,
  length: number,
  init: ResponseInit,
): Response {
  let sentCharacters = 0
  /** Time in which the reader waited for pieces counts as reading. */
  let waitedMs = 0
  let waitsSince: number | undefined
  let abort: ReadableStreamDefaultController['error'] = () => undefined
  const whenRead = Promise.withResolvers<void>()
  const end = async () => {
    whenRead.resolve()
    await pieces.return(undefined)
  }
  const body = new ReadableStream<Uint8Array>(
    {
      start: (controller) => void (abort = (error) => controller.error(error)),
      async pull(controller) {
        const startedAt = Date.now()
        waitsSince = startedAt
        try {
          const { value } = await pieces.next()
          if (value !== undefined) {
            sentCharacters += value.length
            return controller.enqueue(encoder.encode(value))
          }
          controller.close()
          await end()
        } catch (error) {
          await end()
          throw error
        } finally {
          waitsSince = undefined
          waitedMs += Date.now() - startedAt
        }
      },
      cancel: end,
    },
    { highWaterMark: 0 },
  )
  const response = new Response(body, init)
  const countTransferred = () => {
    const waitsMs = waitsSince === undefined ? 0 : Date.now() - waitsSince
    return sentCharacters + LEAST_BYTES_A_MS * (waitedMs + waitsMs)
  }
  const cutOff = () => {
    abort(new Error('The answer was not read in time'))
    void end()
  }
  texts.set(response, {
    length,
    watch: () => whenRead.promise.finally(watchTransfer(countTransferred, cutOff)),
  })
  return response
}
