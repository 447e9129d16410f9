const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-cache, no-transform',
  'x-accel-buffering': 'no',
}
/**
 * How often a comment is sent. Proxies close connections that are silent; and workerd notices a closed stream only by
 * writing to it, so that a cancelled tool runs on for at most so long.
 */
const KEEP_ALIVE_MS = 1_000
const encoder = new TextEncoder()

/** Messages to the caller while its call runs. Whoever sends none gets an ordinary response. */
export interface Messages {
  /** Resolves when the first message was sent. */
  readonly begun: Promise<'begun'>
  /** Aborts when the caller closes the stream, or goes away before there is one. */
  readonly signal: AbortSignal
  send(message: string): void
  /** Starts the stream, with what was sent so far. Called at most once. */
  response(headers: Record<string, string>): Response
  /** Sends the last message and ends the stream. */
  end(message: string): void
}

/**
 * Server-sent events (HTML, section 9.2) that begin only when there is something to say (MCP, "Streamable HTTP": a POST is
 * answered with JSON or with a stream). A client that closes the stream cancels its call.
 */
export function createMessages(caller: AbortSignal): Messages {
  const waiting: string[] = []
  const gone = new AbortController()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let begin: (began: 'begun') => void = () => undefined
  let stopTimer = () => {}
  const begun = new Promise<'begun'>((resolve) => (begin = resolve))

  const close = () => {
    stopTimer()
    controller = undefined
    gone.abort(new DOMException('The caller went away', 'AbortError'))
  }
  if (caller.aborted) close()
  else caller.addEventListener('abort', close, { once: true })

  const write = (text: string) => controller?.enqueue(encoder.encode(text))
  const event = (message: string) => `event: message\ndata: ${message}\n\n`

  return {
    begun,
    signal: gone.signal,
    send(message) {
      if (gone.signal.aborted) return
      if (controller) write(event(message))
      else waiting.push(message)
      begin('begun')
    },
    response(headers) {
      const body = new ReadableStream<Uint8Array>({
        start(started) {
          controller = started
          for (const message of waiting.splice(0)) write(event(message))
          const timer = setInterval(() => write(':\n\n'), KEEP_ALIVE_MS)
          stopTimer = () => clearInterval(timer)
        },
        cancel: close,
      })
      return new Response(body, { headers: { ...headers, ...HEADERS } })
    },
    end(message) {
      stopTimer()
      caller.removeEventListener('abort', close)
      write(event(message))
      controller?.close()
      controller = undefined
    },
  }
}
