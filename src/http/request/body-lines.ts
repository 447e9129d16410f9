import { utf8Text } from '../../outbound/utf8.ts'

export type BodyLine = { readonly text: string } | { readonly problem: string }

const LINE_FEED = 0x0a

/**
 * Holds one line at a time, and nothing of one longer than `most` bytes. A body that breaks off ends there. Whoever stops
 * before the end may read on.
 */
export async function* bodyLines(body: ReadableStream<Uint8Array> | null, most: number): AsyncGenerator<BodyLine> {
  const line = createLine(most)
  try {
    for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
      let from = 0
      for (let at = chunk.indexOf(LINE_FEED); at !== -1; at = chunk.indexOf(LINE_FEED, from)) {
        line.add(chunk.subarray(from, at))
        from = at + 1
        const whole = line.end()
        if (whole) yield whole
      }
      line.add(chunk.subarray(from))
    }
  } catch {
    // The lines that came until then are given
  }
  const last = line.end()
  if (last) yield last
}

function createLine(most: number) {
  let pieces: Uint8Array[] = []
  let size = 0
  return {
    add(bytes: Uint8Array): void {
      size += bytes.byteLength
      if (size > most) pieces = []
      // The bytes that are left of a chunk are kept, not the chunk
      else if (bytes.byteLength > 0) pieces.push(bytes.slice())
    },
    end(): BodyLine | undefined {
      const whole = new Uint8Array(size > most ? 0 : size)
      let at = 0
      for (const piece of pieces) {
        whole.set(piece, at)
        at += piece.byteLength
      }
      const isTooLong = size > most
      pieces = []
      size = 0
      if (isTooLong) return { problem: `Is larger than ${most} bytes` }
      const text = utf8Text(whole)
      if (text === undefined) return { problem: 'Is no UTF-8' }
      return text.trim() === '' ? undefined : { text }
    },
  }
}
