import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Arrived {
  readonly method: string
  /** Path and query as they came over the wire. */
  readonly url: string
  readonly headers: IncomingMessage['headers']
  readonly body: string
}

export interface Upstream {
  /** `127.0.0.1:port` */
  readonly host: string
  readonly origin: string
  readonly arrived: Arrived[]
  close(): Promise<void>
}

/** Starts a server on a free loopback port that keeps what arrives and lets `answer` reply. */
export async function startUpstream(
  answer: (request: Arrived, response: ServerResponse) => void | Promise<void>,
): Promise<Upstream> {
  const arrived: Arrived[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8')
      const entry = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body }
      arrived.push(entry)
      void answer(entry, response)
    })
  })
  // An idle connection could otherwise be closed just as it is reused
  server.keepAliveTimeout = 0
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    arrived,
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections()
        server.close(() => resolve())
      }),
  }
}
