import type { Signal } from '../core/tool/platform.ts'
import { untilAborted } from './until-aborted.ts'

export interface ReadBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isWhole: boolean
}

/** In bytes: workerd gives 4,096 at a time to whoever brings no room for them, and each time takes microseconds. */
const ROOM = 65_536

/** Rejects when the body breaks off, and when `signal` aborts, even if the body does not listen. */
export async function readToLimit(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  signal?: Signal,
): Promise<ReadBytes> {
  if (!body) return { bytes: new Uint8Array(), isWhole: true }
  const { read, cancel } = readerOf(body)
  const waited = signal && (await untilAborted(() => readAll(read, limit), signal))
  const all = waited?.state === 'done' ? waited.value : !waited && (await readAll(read, limit))
  // Not awaited: an answer must not depend on how the sender takes it
  if (!all || !all.isWhole) cancel().catch(() => undefined)
  if (all) return all
  throw waited?.state === 'failed' ? waited.error : signal?.reason
}

type Read = (room: Uint8Array<ArrayBuffer>) => Promise<ReadableStreamReadResult<Uint8Array>>

/** What workerd and fetch give are streams of bytes; those that are made here are not. */
function readerOf(body: ReadableStream<Uint8Array>): { readonly read: Read; readonly cancel: () => Promise<void> } {
  try {
    const reader = body.getReader({ mode: 'byob' })
    return { read: (room) => reader.read(room), cancel: () => reader.cancel() }
  } catch {
    const reader = body.getReader()
    return { read: () => reader.read(), cancel: () => reader.cancel() }
  }
}

async function readAll(read: Read, limit: number): Promise<ReadBytes> {
  let room = new Uint8Array(ROOM)
  let bytes = new Uint8Array(0)
  let size = 0
  for (;;) {
    const { done, value } = await read(room)
    if (done) return { bytes: bytes.subarray(0, size), isWhole: true }
    if (size + value.length > bytes.length) bytes = enlarged(bytes, size + value.length, limit)
    bytes.set(value.subarray(0, limit - size), size)
    size += value.length
    if (size > limit) return { bytes, isWhole: false }
    if (value.buffer instanceof ArrayBuffer) room = new Uint8Array(value.buffer)
  }
}

function enlarged(bytes: Uint8Array, wanted: number, limit: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(Math.max(wanted, 2 * bytes.length), limit))
  larger.set(bytes)
  return larger
}
