import { Switchboard, type SwitchboardOptions } from '../../src/client/index.ts'

/** A request to a deployment. */
export interface Asked {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  // Tests check the contents
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** Responds to a request, or fails without a response. */
export type Answer = (asked: Asked, signal: AbortSignal | undefined) => Response | Promise<Response>

/** Creates a client of a deployment with these responses; the last one repeats. */
export function clientOf(answers: readonly Answer[], options: Partial<SwitchboardOptions> = {}) {
  const asked: Asked[] = []
  const client = new Switchboard({
    url: 'https://switchboard.test',
    fetch: async (input, init = {}) => {
      const { method = 'GET', headers, body, signal } = init
      const text = typeof body === 'string' ? JSON.parse(body) : body
      const one = { url: new URL(String(input)), method, headers: new Headers(headers), body: text }
      const answer = answers[Math.min(asked.push(one), answers.length) - 1]
      if (!answer) throw new Error('Nothing to answer')
      return answer(one, signal ?? undefined)
    },
    ...options,
  })
  return { client, asked }
}

export const json =
  (body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Answer =>
  () =>
    Response.json(body, { status, headers })

/** A connection that is lost before the response, and one that is lost in the middle of it. */
export const lost: Answer = () => Promise.reject(new TypeError('fetch failed'))
export const cut: Answer = () => {
  const body = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"result":'))
      controller.error(new TypeError('terminated'))
    },
  })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}

/** Build the OXP response of a call that succeeded, or whose tool failed. */
export const gave = (value: unknown) => json({ result: { call_id: 'x', success: true, duration: 1, value } })
export const failed = (error: object) => json({ result: { call_id: 'x', success: false, duration: 1, error } })

interface SentEvent {
  readonly event: string
  readonly data: unknown
}

const textOf = (events: readonly SentEvent[]) =>
  events.map(({ event, data }) => `event: ${event}\r\ndata: ${JSON.stringify(data)}\r\n\r\n`).join(':\n\n')
const STREAM = { headers: { 'content-type': 'text/event-stream' } }

/** Builds a stream whose connection is lost after these events. */
export const cutStream =
  (events: readonly SentEvent[]): Answer =>
  () => {
    const parts = [new TextEncoder().encode(textOf(events))]
    const body = new ReadableStream({
      pull(controller) {
        const part = parts.shift()
        if (part) controller.enqueue(part)
        else controller.error(new TypeError('terminated'))
      },
    })
    return new Response(body, STREAM)
  }

/** Builds a stream of events, in parts of `size` bytes. */
export const streamed =
  (events: readonly SentEvent[], size = 7): Answer =>
  () => {
    const text = textOf(events)
    const bytes = new TextEncoder().encode(text)
    const body = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += size) controller.enqueue(bytes.slice(at, at + size))
        controller.close()
      },
    })
    return new Response(body, STREAM)
  }
