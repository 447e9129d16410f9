import type { Progress } from '../core/call/progress.ts'
import { isObject, parseJson } from '../core/tool/json.ts'
import { readEvents } from '../http/answer/event-stream.ts'
import type { Followed, Reply } from './page.ts'

/** What a route answered. `T` is what its `wire.ts` writes. */
export async function replyOf<T>(response: Response): Promise<Reply<T>> {
  const { ok, status, headers } = response
  const answered = await response.text()
  const isJson = /[/+]json\b/.test(headers.get('content-type') ?? '')
  return { ok, status, headers, value: isJson ? JSON.parse(answered) : {} }
}

/** The same of a route that may tell of progress first. */
export async function followed<T>(response: Response): Promise<Followed<T>> {
  const { headers } = response
  if (headers.get('content-type') !== 'text/event-stream') return { reply: await replyOf<T>(response) }
  const { promise, resolve } = Promise.withResolvers<Reply<T>>()
  async function* read(): AsyncGenerator<Progress> {
    let status = 200
    for await (const { event, data } of readEvents(response)) {
      if (event === 'progress') yield JSON.parse(data)
      else if (event === 'status') status = statusIn(data)
      else if (event === 'result') return resolve({ ok: status < 400, status, headers, value: JSON.parse(data) })
    }
    resolve(replyOf<T>(Response.json({ message: 'The answer broke off' }, { status: 502 })))
  }
  return { progress: read(), end: () => promise }
}

function statusIn(data: string): number {
  const said = parseJson(data)
  return isObject(said) && typeof said.status === 'number' ? said.status : 500
}

/** A failure of a route, in its words. */
export interface SaidFailure {
  readonly status: number
  readonly message: string
  readonly detail?: string
  /** What is wrong, where in what was sent. */
  readonly problems: readonly { readonly path: string; readonly message: string }[]
}

/** As OXP words failures (`dialects/oxp/failure.ts`). */
interface Worded {
  readonly message?: string
  readonly developer_message?: string
  readonly errors?: SaidFailure['problems']
}

/** What a reply that is no success says. */
export function failureOf({ status, value }: Reply<Worded | unknown>): SaidFailure {
  const { message, developer_message: detail, errors: problems = [] }: Worded = Object(value)
  return {
    status,
    message: message ?? `It was answered with the status ${status}`,
    ...(detail === undefined ? {} : { detail }),
    problems,
  }
}
