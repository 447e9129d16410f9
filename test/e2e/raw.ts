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

/** Sends what `fetch` would not: any Host, method, path or header, and bodies without a length. */
export function raw(
  url: string,
  { method = 'GET', path, headers = {}, body, chunked }: RawRequest,
): Promise<RawAnswer> {
  const { hostname, port } = new URL(url)
  const length = body === undefined || chunked ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  return new Promise((resolve, reject) => {
    const sent = request(
      { hostname, port, method, path, headers: { ...length, ...headers }, agent: false },
      (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text: Buffer.concat(chunks).toString() }),
        )
      },
    )
    sent.on('error', reject)
    if (chunked && body !== undefined) for (const chunk of slices(Buffer.from(body))) sent.write(chunk)
    else if (body !== undefined) sent.write(body)
    sent.end()
  })
}

/** Sends these bytes to the server's socket, and hangs up without waiting for an answer. */
export function sendAndHangUp(url: string, text: string): Promise<void> {
  const { hostname, port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(text, () => socket.resetAndDestroy()))
    socket.on('close', () => resolve())
    socket.on('error', reject)
  })
}

function* slices(bytes: Buffer): Iterable<Buffer> {
  const size = 64 * 1024
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}
