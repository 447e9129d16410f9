import type { Signal } from '../core/tool/platform.ts'
import { untilAborted } from './until-aborted.ts'

export interface ReadBytes {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly isWhole: boolean
}

/** Rejects when the body breaks off, and when `signal` aborts, even if the body does not listen. */
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
    const waited = signal && (await untilAborted(() => reader.read(), signal))
    if (waited && waited.state !== 'done') {
      cancel(reader)
      throw waited.state === 'failed' ? waited.error : signal?.reason
    }
    const { done, value } = waited?.value ?? (await reader.read())
    if (done) break
    chunks.push(value)
    size += value.byteLength
    isWhole = size <= limit
  }
  if (reader && !isWhole) cancel(reader)
  const bytes = new Uint8Array(size)
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return { bytes: isWhole ? bytes : bytes.subarray(0, limit), isWhole }
}

/** Not awaited: an answer must not depend on how the sender takes it. */
function cancel(reader: ReadableStreamDefaultReader<Uint8Array>): void {
  reader.cancel().catch(() => undefined)
}
