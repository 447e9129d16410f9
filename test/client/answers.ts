import { Switchboard, type SwitchboardOptions } from '../../src/client/index.ts'

/** What was asked of a deployment. */
export interface Asked {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  // What was sent is what a test is about to look at
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

/** An answer, or how there comes to be none. */
export type Answer = (asked: Asked, signal: AbortSignal | undefined) => Response | Promise<Response>

/** A client of a deployment that answers as it is told, the last answer again and again. */
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

/** A connection that is lost before there is an answer, and one that is lost in the middle of it. */
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

/** An OXP answer of a call that went well, or whose tool failed. */
export const gave = (value: unknown) => json({ result: { call_id: 'x', success: true, duration: 1, value } })
export const failed = (error: object) => json({ result: { call_id: 'x', success: false, duration: 1, error } })

interface SentEvent {
  readonly event: string
  readonly data: unknown
}

const textOf = (events: readonly SentEvent[]) =>
  events.map(({ event, data }) => `event: ${event}\r\ndata: ${JSON.stringify(data)}\r\n\r\n`).join(':\n\n')
const STREAM = { headers: { 'content-type': 'text/event-stream' } }

/** A stream whose connection is lost after these events. */
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

/** A stream of events, in parts of so many characters. */
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
