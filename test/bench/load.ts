import { connect, type Socket } from 'node:net'

export interface Slot {
  readonly requests: number
  readonly seconds: number
  /** Each request's time from its first byte out to its last byte in, in milliseconds, unsorted. */
  readonly latencies: readonly number[]
}

const LAST_CHUNK = Buffer.from('0\r\n\r\n')

/**
 * Sends the same request repeatedly over persistent connections, each waiting for a response before the next request (a
 * closed loop; latencies are raw), for some seconds or a number of times. Throws if a response is not 200.
 */
export async function load(
  port: number,
  request: Buffer,
  connections: number,
  { seconds = Infinity, requests = Infinity }: { readonly seconds?: number; readonly requests?: number },
): Promise<Slot> {
  const latencies: number[] = []
  const started = performance.now()
  const until = started + seconds * 1_000
  let left = requests - connections
  const isOver = (now: number) => now >= until || left-- <= 0
  await Promise.all(Array.from({ length: connections }, () => drive(port, request, isOver, latencies)))
  return { requests: latencies.length, seconds: (performance.now() - started) / 1_000, latencies }
}

/** Returns the number below which this fraction of the numbers lies. */
export function quantile(numbers: readonly number[], part: number): number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? NaN
}

function drive(port: number, request: Buffer, isOver: (now: number) => boolean, latencies: number[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let sent = 0
    let wanted = -1
    let chunked = false
    let got: Buffer[] = []
    let size = 0
    const send = () => {
      sent = performance.now()
      socket.write(request)
    }
    socket.once('connect', send)
    socket.on('error', reject)
    socket.on('data', (chunk: Buffer) => {
      got.push(chunk)
      size += chunk.length
      if (wanted < 0) {
        const head = (got.length === 1 ? chunk : Buffer.concat(got)).toString('latin1')
        const end = head.indexOf('\r\n\r\n')
        if (end < 0) return
        const length = /\r\ncontent-length: (\d+)/i.exec(head.slice(0, end))?.[1]
        chunked = length === undefined && /\r\ntransfer-encoding: chunked/i.test(head.slice(0, end))
        if (!head.startsWith('HTTP/1.1 200') || (length === undefined && !chunked)) return reject(new Error(head))
        wanted = end + 4 + Number(length ?? 0)
      }
      if (chunked ? !chunk.subarray(-5).equals(LAST_CHUNK) : size < wanted) return
      const now = performance.now()
      latencies.push(now - sent)
      wanted = -1
      got = []
      size = 0
      if (!isOver(now)) return send()
      socket.destroy()
      resolve()
    })
  })
}

export function post(path: string, body: unknown, headers: Record<string, string> = {}): Buffer {
  const text = JSON.stringify(body)
  const { host = '127.0.0.1', ...rest } = headers
  const lines = Object.entries(rest).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(
    `POST ${path} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: application/json\r\n${lines.join('')}content-length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
  )
}
