import type { WaitUntil } from '../../core/tool/platform.ts'

const HEADERS = {
  'content-type': 'text/event-stream',
  'cache-control': 'private, no-cache, no-transform',
  'x-accel-buffering': 'no',
}
/** Proxies close silent connections, and workerd notices a closed stream only by writing to it: a cancelled tool runs on so long. */
const KEEP_ALIVE_MS = 1_000
const MAX_WAITING = 32
const encoder = new TextEncoder()

export interface StreamEvent {
  readonly event: string
  readonly data: string
}

export type EventStream = ReturnType<typeof createEventStream>

/** Server-sent events (HTML, section 9.2). A caller who does not keep up misses events, never the last ones. */
export function createEventStream(caller: AbortSignal) {
  const waiting: StreamEvent[] = []
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

  const isRead = () => (controller?.desiredSize ?? 0) > 0
  const write = ({ event, data }: StreamEvent) =>
    controller?.enqueue(encoder.encode(`event: ${event}\ndata: ${data}\n\n`))
  const flush = () => {
    while (isRead()) {
      const next = waiting.shift()
      if (!next) return
      write(next)
    }
  }

  return {
    begun,
    signal: gone.signal,
    send(event: StreamEvent): void {
      if (gone.signal.aborted) return
      if (waiting.length === MAX_WAITING) waiting.pop()
      waiting.push(event)
      flush()
      begin('begun')
    },
    response(headers: Readonly<Record<string, string>>): Response {
      const body = new ReadableStream<Uint8Array>({
        start(started) {
          controller = started
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
      for (const event of [...waiting.splice(0), ...events]) write(event)
      controller?.close()
      controller = undefined
    },
  }
}

export interface StreamOptions<T> {
  readonly stream: EventStream
  readonly background: WaitUntil
  readonly whole: (answer: T) => Response
  readonly last: (answer: T) => readonly StreamEvent[]
  readonly crashed: (reference: string) => readonly StreamEvent[]
  readonly headers: Readonly<Record<string, string>>
}

export async function respondOrStream<T>(work: Promise<T>, streaming: StreamOptions<T>): Promise<Response> {
  const { stream, background, whole, last, crashed, headers } = streaming
  const first = await Promise.race([stream.begun, work])
  if (first !== 'begun') return whole(first)
  const unexpected = (error: unknown) => {
    const reference = crypto.randomUUID()
    console.error(`Cannot end a stream (reference '${reference}')`, error)
    return crashed(reference)
  }
  background(work.then(last).catch(unexpected).then(stream.end))
  return stream.response(headers)
}

export async function* readEvents(answer: Response): AsyncGenerator<StreamEvent, void, undefined> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const part of answer.body ?? []) {
    text += decoder.decode(part, { stream: true })
    const blocks = text.split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      const [, event, data] = /^event: (.*)\ndata: (.*)$/.exec(block) ?? []
      if (event !== undefined && data !== undefined) yield { event, data }
    }
  }
}
