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

export async function readStartedCall<T>(response: Response): Promise<StartedCall<T>> {
  if (response.headers.get('content-type') !== 'text/event-stream') return { reply: await readBody(response) }
  const { promise, resolve } = Promise.withResolvers<CallResponse<T>>()
  async function* readProgress(): AsyncGenerator<Progress> {
    let status = 200
    for await (const { event, data } of readEvents(response)) {
      if (event === 'progress') yield parseTrusted(data)
      else if (event === 'status') ({ status } = parseTrusted(data))
      else if (event === 'result') return resolve({ status, value: parseTrusted(data) })
    }
    resolve(readBody(Response.json({ message: 'The answer ended early' }, { status: 502 })))
  }
  return { progress: readProgress(), end: () => promise }
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
