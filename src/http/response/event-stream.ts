import type { WaitUntil } from '../../core/tool/platform.ts'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-cache, no-transform',
  'x-accel-buffering': 'no',
}
/** Proxies close idle connections, and workerd notices a closed stream only on a write: cancelled tools run on until then. */
const KEEP_ALIVE_MS = 1_000
const MAX_QUEUED = 32
const encoder = new TextEncoder()

export interface StreamEvent {
  readonly event: string
  readonly data: string
}

export type EventStream = ReturnType<typeof createEventStream>

/** Server-sent events (HTML, section 9.2). Slow callers miss events, but never the last ones. */
export function createEventStream(caller: AbortSignal) {
  const queue: StreamEvent[] = []
  const cancellation = new AbortController()
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let start: (started: 'started') => void = () => undefined
  let stopTimer = () => {}
  const started = new Promise<'started'>((resolve) => (start = resolve))

  const close = () => {
    stopTimer()
    controller = undefined
    cancellation.abort(new DOMException('The caller went away', 'AbortError'))
  }
  if (caller.aborted) close()
  else caller.addEventListener('abort', close, { once: true })

  const isRead = () => (controller?.desiredSize ?? 0) > 0
  const write = ({ event, data }: StreamEvent) =>
    controller?.enqueue(encoder.encode(`event: ${event}\ndata: ${data}\n\n`))
  const flush = () => {
    while (isRead()) {
      const next = queue.shift()
      if (!next) return
      write(next)
    }
  }

  return {
    started,
    signal: cancellation.signal,
    /** Whether the caller has read everything that was sent. */
    isDrained: () => queue.length === 0,
    send(event: StreamEvent): void {
      if (cancellation.signal.aborted) return
      if (queue.length === MAX_QUEUED) queue.pop()
      queue.push(event)
      flush()
      start('started')
    },
    response(headers: Readonly<Record<string, string>>): Response {
      const body = new ReadableStream<Uint8Array>({
        start(newController) {
          controller = newController
          flush()
          const timer = setInterval(() => isRead() && controller?.enqueue(encoder.encode(':\n\n')), KEEP_ALIVE_MS)
          stopTimer = () => clearInterval(timer)
        },
        pull: flush,
        cancel: close,
      })
      return new Response(body, { headers: { ...headers, ...HEADERS } })
    },
    end(events: readonly StreamEvent[]): void {
      stopTimer()
      caller.removeEventListener('abort', close)
      for (const event of [...queue.splice(0), ...events]) write(event)
      controller?.close()
      controller = undefined
    },
  }
}

interface StreamOptions<T> {
  readonly stream: EventStream
  readonly background: WaitUntil
  readonly toResponse: (result: T) => Response
  readonly toLastEvents: (result: T) => readonly StreamEvent[]
  readonly toErrorEvents: (reference: string) => readonly StreamEvent[]
  readonly headers: Readonly<Record<string, string>>
}

export async function respondOrStream<T>(work: Promise<T>, options: StreamOptions<T>): Promise<Response> {
  const { stream, background, toResponse, toLastEvents, toErrorEvents, headers } = options
  const first = await Promise.race([stream.started, work])
  if (first !== 'started') return toResponse(first)
  const logError = (error: unknown) => {
    const reference = crypto.randomUUID()
    console.error(`Cannot end a stream (reference '${reference}')`, error)
    return toErrorEvents(reference)
  }
  background(work.then(toLastEvents).catch(logError).then(stream.end))
  return stream.response(headers)
}

/** Reads the events of a response. Other blocks, such as keep-alive comments, are events without a name. */
export async function* readEvents(response: Response): AsyncGenerator<StreamEvent, void, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of response.body ?? []) {
    text += decoder.decode(chunk, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event = '', data = ''] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      yield { event, data }
    }
  }
}
