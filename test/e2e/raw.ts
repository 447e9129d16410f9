import { request } from 'node:http'
import { connect } from 'node:net'

export interface RawAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
}

export interface RawRequest {
  readonly method?: string
  /** As it is to stand in the request line. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Sends no length, but chunks. */
  readonly chunked?: boolean
}

/**
 * Sends what `fetch` would not: any Host, method, path or header, and bodies without a length. A server that refuses a
 * body may close the connection before all of it was sent, and then its answer can get lost (RFC 9112, section 9.6): so
 * what was not answered is sent again, a few times.
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
    // What becomes of the rest of the body does not matter once there is an answer
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
 * How much of a body is sent before a server that refuses it for its length has time to say so: workerd reads on for so
 * much before it closes the connection.
 */
const HEAD = 32 * 1024

/** Sends these bytes to the server's socket, and resets the connection without waiting for an answer. */
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
