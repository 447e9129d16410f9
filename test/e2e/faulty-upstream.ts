import { createServer, type AddressInfo, type Socket } from 'node:net'
import { brotliCompressSync, gzipSync } from 'node:zlib'

export interface FaultyUpstream {
  /** `127.0.0.1:port` */
  readonly host: string
  readonly origin: string
  /** Returns how often a path was requested. */
  asked(path: string): number
  /** Counts the open connections on which a path was requested. */
  open(path: string): number
  /** Ends hanging connections. */
  release(): void
  close(): Promise<void>
}

const TEXT = 'A text that is long enough to be cut. '.repeat(50)
const head = (...fields: readonly string[]) => `HTTP/1.1 200 OK\r\n${fields.join('\r\n')}\r\n\r\n`
const answer = (type: string, body: Uint8Array | string, ...more: readonly string[]) =>
  Buffer.concat([
    Buffer.from(head(`content-type: ${type}`, `content-length: ${Buffer.byteLength(body)}`, ...more)),
    Buffer.from(body),
  ])
const cut = (bytes: Buffer) => bytes.subarray(0, bytes.length - 10)
const JSON_TYPE = 'application/json'
const NOT_UTF8 = Buffer.concat([Buffer.from('"caf'), Buffer.from([0xe9]), Buffer.from('"')])

/** What the server does to a connection, by requested path. A query makes requests distinct. */
const FAULTS: Readonly<Record<string, (socket: Socket) => void>> = {
  '/good': (socket) => socket.end(answer(JSON_TYPE, '"good"')),
  '/reset': (socket) => socket.resetAndDestroy(),
  '/closed': (socket) => socket.end(),
  '/no-http': (socket) => socket.end('What?\r\n\r\n'),
  '/hang': () => undefined,
  '/head-only': (socket) => socket.write(head('content-length: 100')),
  '/drip': (socket) => {
    socket.write(head('content-length: 100000'))
    const dripping = setInterval(() => socket.write('x'), 20)
    socket.on('close', () => clearInterval(dripping))
  },
  '/flood': (socket) => {
    socket.write(head('content-type: text/plain', 'transfer-encoding: chunked'))
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const flood = () => {
      while (!socket.destroyed && socket.write(chunk));
    }
    socket.on('drain', flood)
    flood()
  },
  '/too-short': (socket) => socket.end(`${head('content-type: text/plain', 'content-length: 100')}Only this`),
  '/two-lengths': (socket) => socket.end(`${head('content-length: 2', 'content-length: 3')}xxx`),
  '/no-chunk': (socket) => socket.end(`${head('transfer-encoding: chunked')}zz\r\nabc\r\n`),
  '/lost': (socket) => {
    socket.write(`${head('content-type: text/plain', 'content-length: 100')}Only this`)
    setTimeout(() => socket.resetAndDestroy(), 20)
  },
  '/no-gzip': (socket) => socket.end(answer(JSON_TYPE, '"plain"', 'content-encoding: gzip')),
  '/cut-gzip': (socket) => socket.end(answer(JSON_TYPE, cut(gzipSync(TEXT)), 'content-encoding: gzip')),
  '/cut-brotli': (socket) => socket.end(answer(JSON_TYPE, cut(brotliCompressSync(TEXT)), 'content-encoding: br')),
  '/deflate': (socket) => socket.end(answer(JSON_TYPE, '"x"', 'content-encoding: deflate')),
  '/json-latin1': (socket) => socket.end(answer(JSON_TYPE, NOT_UTF8)),
  '/text-latin1': (socket) => socket.end(answer('text/plain', NOT_UTF8)),
  '/text-latin1-declared': (socket) => socket.end(answer('text/plain; charset=iso-8859-1', NOT_UTF8)),
  '/bytes': (socket) => socket.end(answer('application/octet-stream', NOT_UTF8)),
  '/500': (socket) => socket.end('HTTP/1.1 500 Oops\r\ncontent-length: 0\r\n\r\n'),
  '/502': (socket) => socket.end('HTTP/1.1 502 Oops\r\ncontent-length: 0\r\n\r\n'),
  '/503-in-an-hour': (socket) => socket.end('HTTP/1.1 503 Busy\r\nretry-after: 3600\r\ncontent-length: 0\r\n\r\n'),
}

/** Starts a server on a free loopback port that misbehaves. */
export async function startFaultyUpstream(): Promise<FaultyUpstream> {
  const counts = new Map<string, number>()
  const sockets = new Map<Socket, string>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    socket.on('close', () => void sockets.delete(socket))
    sockets.set(socket, '')
    let asked = ''
    socket.on('data', (chunk) => {
      asked += chunk.toString('latin1')
      if (!asked.includes('\r\n\r\n')) return
      const path = asked.split(' ', 2)[1] ?? ''
      asked = ''
      counts.set(path, (counts.get(path) ?? 0) + 1)
      sockets.set(socket, path)
      FAULTS[path.split('?', 1)[0] ?? '']?.(socket)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const release = () => {
    for (const socket of sockets.keys()) socket.destroy()
  }
  return {
    host: `127.0.0.1:${port}`,
    origin: `http://127.0.0.1:${port}`,
    asked: (path) => counts.get(path) ?? 0,
    open: (path) => [...sockets.values()].filter((each) => each === path).length,
    release,
    close() {
      release()
      return new Promise((resolve) => server.close(() => resolve()))
    },
  }
}
