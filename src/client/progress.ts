import { isObject, parsed } from './json.ts'
import { errorOf, SwitchboardError } from './switchboard-error.ts'

export interface Progress {
  readonly progress: number
  /** `progress` at the end, where the tool knows. */
  readonly total?: number
  readonly message?: string
}

/** The header of a request for progress; a call that reports none is answered with JSON. */
export const REPORTING = { accept: 'application/json, text/event-stream' }

/** Throws the failure that a stream ends with, and `unreachable` when the connection is lost. */
export async function readAnswer(
  response: Response,
  onProgress: ((progress: Progress) => void) | undefined,
): Promise<unknown> {
  const isStream = response.headers.get('content-type')?.includes('text/event-stream')
  if (!onProgress || !isStream) return parsed(await response.text())
  let said: unknown
  for await (const [event, data] of eventsOf(response)) {
    if (event === 'progress') {
      const progress = progressOf(data)
      // An error of the listener must not count as one of the connection
      queueMicrotask(() => onProgress(progress))
    } else if (event === 'status') said = data
    else if (event === 'result') {
      if (!isObject(said)) return data
      const { status, retry_after: after } = said
      throw errorOf(Number(status), data, after === undefined ? null : String(after), true)
    }
  }
  throw new SwitchboardError('unreachable', 'The connection was lost before there was an answer', { canRetry: true })
}

async function* eventsOf(response: Response): AsyncGenerator<readonly [string, unknown], void, undefined> {
  const reader = response.body?.getReader()
  const decoder = new TextDecoder()
  let waiting = ''
  try {
    for (;;) {
      const part = await reader?.read()
      if (!part || part.done) return
      const blocks = (waiting + decoder.decode(part.value, { stream: true })).split(/\r?\n\r?\n/)
      waiting = blocks.pop() ?? ''
      for (const block of blocks) {
        const valueOf = (field: string) =>
          [...block.matchAll(new RegExp(`^${field}: ?(.*)$`, 'gm'))].map(([, value = '']) => value).join('\n')
        yield [valueOf('event'), parsed(valueOf('data'))]
      }
    }
  } finally {
    await reader?.cancel().catch(() => undefined)
  }
}

function progressOf(data: unknown): Progress {
  const { progress = 0, total, message } = isObject(data) ? data : {}
  return {
    progress: Number(progress),
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  }
}
