import type { Signal } from '../core/tool/platform.ts'
import { untilAborted } from './until-aborted.ts'

/** What was read of a body: all of it, or as many bytes of it as were allowed. */
export interface ReadBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isWhole: boolean
}

/**
 * Reads a body, and no more of it than `limit` bytes. Rejects when the body breaks off, and when `signal` aborts, even if
 * the body does not listen to that.
 */
export async function readToLimit(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  signal?: Signal,
): Promise<ReadBytes> {
  const reader = body?.getReader()
  const chunks: Uint8Array[] = []
  let size = 0
  let isWhole = true
  while (reader && isWhole) {
    const { done, value } = await (signal ? nextChunk(reader, signal) : reader.read())
    if (done) break
    chunks.push(value)
    size += value.byteLength
    isWhole = size <= limit
  }
  // Not awaited: the answer does not hang on how the sender takes it
  if (!isWhole) reader?.cancel().catch(() => undefined)
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return { bytes: isWhole ? bytes : bytes.subarray(0, limit), isWhole }
}

async function nextChunk(reader: ReadableStreamDefaultReader<Uint8Array>, signal: Signal) {
  const waited = await untilAborted(() => reader.read(), signal)
  if (waited.state === 'done') return waited.value
  reader.cancel().catch(() => undefined)
  throw waited.state === 'failed' ? waited.error : signal.reason
}
