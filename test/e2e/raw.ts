import { request } from 'node:http'
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export interface RawRequest {
  readonly method?: string
  /** Written unchanged to the request line. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Sends chunks without a length. */
  readonly chunked?: boolean
}

/**
 * Sends requests that `fetch` cannot: any Host, method, path or header, and bodies without a length. A server that refuses a
 * body may close the connection before all of it was sent, which can lose the response (RFC 9112, section 9.6), so requests
 * without a response are retried a few times.
 */
export async function raw(url: string, asked: RawRequest): Promise<RawAnswer> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await send(url, asked)
    } catch (error) {
      const isLost = (asked.body?.length ?? 0) > HEAD && ['EPIPE', 'ECONNRESET'].includes(Object(error).code)
      if (!isLost || tries === 5) throw error
    }
  }
}

function send(url: string, { method = 'GET', path, headers = {}, body, chunked }: RawRequest): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const length = body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const sent = request({ hostname, port, method, path, headers: { ...length, ...headers }, agent: false })
    let isAnswered = false
    // After the response, errors in sending the rest of the body do not matter
    sent.on('error', (error) => void (isAnswered || reject(error)))
    sent.on('response', (answer) => {
      isAnswered = true
      const chunks: Buffer[] = []
      answer.on('data', (chunk) => chunks.push(chunk))
      answer.on('error', reject)
      answer.on('end', () => {
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() })
        sent.destroy()
      })
    })
    const bytes = Buffer.from(body ?? '')
    const sendRest = () => void (isAnswered || sent.destroyed || sent.end(bytes.subarray(HEAD)))
    if (bytes.length <= HEAD) return void sent.end(bytes)
    sent.write(bytes.subarray(0, HEAD))
    setTimeout(sendRest, 200)
  })
}

/**
 * How much of a body is sent before the server has time to refuse its length: workerd reads this much more before it closes
 * the connection.
 */
const HEAD = 32 * 1024

/** Sends a text to the server's socket, and resets the connection without waiting for a response. */
export async function sendAndHangUp(url: string, text: string, until?: Promise<void>): Promise<void> {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.write(text, () => resolve())
  })
  await until
  socket.resetAndDestroy()
}
