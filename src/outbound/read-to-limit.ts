import type { Signal } from '../core/tool/platform.ts'
import { raceAbort } from './until-aborted.ts'

export interface ReadBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isComplete: boolean
}

/** The reader's buffer, in bytes. Without one, workerd returns 4,096 bytes at a time, and each read takes microseconds. */
const ROOM = 65_536

/** Called before the buffer grows past 64 KiB, with its new size. The read waits until the promise is fulfilled. */
export type ReserveBytes = (bytes: number) => Promise<unknown>

interface ReadSteps {
  readonly grow?: ReserveBytes | undefined
  /** Called with the number of bytes received so far. */
  readonly onRead?: (bytes: number) => void
}

/** Rejects when the body breaks off or `signal` aborts, even if the body ignores the signal. */
export async function readToLimit(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  signal: Signal = new AbortController().signal,
  steps: ReadSteps = {},
): Promise<ReadBytes> {
  if (!body) return { bytes: new Uint8Array(), isComplete: true }
  const { read, cancel } = openReader(body)
  const result = await raceAbort(() => readAll(read, limit, steps), signal)
  const bytesRead = result.state === 'done' ? result.value : undefined
  // Not awaited, because the result must not depend on the sender's reaction
  if (!bytesRead?.isComplete) cancel().catch(() => undefined)
  if (bytesRead) return bytesRead
  throw result.state === 'failed' ? result.error : signal.reason
}

type Read = (room: Uint8Array<ArrayBuffer>) => Promise<ReadableStreamReadResult<Uint8Array>>

/** Streams of workerd and fetch are byte streams, which fill the reader's buffer. Streams created in this program are not. */
export function openReader(body: ReadableStream<Uint8Array>): {
  readonly read: Read
  readonly cancel: () => Promise<void>
} {
  try {
    const reader = body.getReader({ mode: 'byob' })
    return { read: (room) => reader.read(room), cancel: () => reader.cancel() }
  } catch {
    const reader = body.getReader()
    return { read: () => reader.read(), cancel: () => reader.cancel() }
  }
}

async function readAll(read: Read, limit: number, { grow, onRead }: ReadSteps): Promise<ReadBytes> {
  let buffer = new ArrayBuffer(0)
  let room = new Uint8Array(ROOM)
  let size = 0
  for (;;) {
    const { done, value } = await read(room)
    if (done) return { bytes: new Uint8Array(buffer.transfer(size)), isComplete: true }
    const end = Math.min(size + value.length, limit)
    if (end > buffer.byteLength) {
      const newSize = Math.min(Math.max(end, 2 * buffer.byteLength), limit)
      if (end > ROOM) await grow?.(newSize)
      // `transfer` frees the old memory at once. A copy would leave it to the next garbage collection
      buffer = buffer.transfer(newSize)
    }
    new Uint8Array(buffer).set(value.subarray(0, end - size), size)
    size += value.length
    onRead?.(size)
    if (size > limit) return { bytes: new Uint8Array(buffer), isComplete: false }
    // A read detaches `room` and returns its memory in `value`
    if (value.buffer instanceof ArrayBuffer) room = new Uint8Array(value.buffer)
  }
}
