import { parseTrusted } from '../core/tool/json-text.ts'
import type { Progress } from '../core/call/progress.ts'
import { readEvents } from '../http/response/event-stream.ts'
import type { CallResponse, StartedCall, Reply, RouteFailure } from './page-context.ts'

export async function readReply<T>(response: Response): Promise<Reply<T>> {
  const { ok, status, value } = await readBody(response)
  if (!ok) return { ok, status, failure: toFailure(status, value) }
  return { ok, status, value, etag: response.headers.get('etag')?.slice(1, -1) }
}

async function readBody(response: Response) {
  const { ok, status, headers } = response
  const text = await response.text()
  const isJson = /[/+]json\b/.test(headers.get('content-type') ?? '')
  return { ok, status, value: isJson ? parseTrusted(text) : {} }
}

/** workerd notices that a reader has left only when it writes to them. */
const HEARTBEAT_MS = 1_000

/**
 * Waits up to a second for the reply or the first progress. After that, the page is sent while the call runs. `leave` is
 * called when its reader has left, and when the call has ended.
 */
export async function readStartedCall<T>(calling: Promise<Response>, leave: () => void): Promise<StartedCall<T>> {
  const waitForResponse = () =>
    Promise.race([calling, new Promise<undefined>((resolve) => setTimeout(resolve, HEARTBEAT_MS, undefined))])
  let response = await waitForResponse()
  if (response && !isEventStream(response)) return { reply: await readBody(response) }
  const { promise, resolve } = Promise.withResolvers<CallResponse<T>>()
  async function* readProgress(): AsyncGenerator<Progress | undefined> {
    let status = 200
    try {
      for (; !response; response = await waitForResponse()) yield undefined
      if (!isEventStream(response)) return resolve(await readBody(response))
      for await (const { event, data } of readEvents(response)) {
        if (event === '') yield undefined
        else if (event === 'progress') yield parseTrusted(data)
        else if (event === 'status') ({ status } = parseTrusted(data))
        else if (event === 'result') return resolve({ status, value: parseTrusted(data) })
      }
      resolve(readBody(Response.json({ message: 'The answer ended early' }, { status: 502 })))
    } finally {
      leave()
    }
  }
  return { progress: readProgress(), end: () => promise }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type') === 'text/event-stream'
}

interface FailureBody {
  readonly message?: string
  readonly developer_message?: string
  readonly errors?: RouteFailure['problems']
}

export function toFailure(status: number, value: unknown): RouteFailure {
  const { message, developer_message: detail, errors: problems = [] }: FailureBody = Object(value)
  return {
    status,
    message: message ?? `The server answered with status ${status}`,
    ...(detail === undefined ? {} : { detail }),
    problems,
  }
}
