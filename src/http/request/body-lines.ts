import { utf8Text } from '../../outbound/utf8.ts'

export type BodyLine = { readonly text: string } | { readonly problem: string }

const LINE_FEED = 0x0a

/**
 * Keeps one line in memory, of at most `maxBytes`. If the body breaks off, the lines end there. A caller that stops early may
 * read the rest of the body.
 */
export async function* bodyLines(body: ReadableStream<Uint8Array> | null, maxBytes: number): AsyncGenerator<BodyLine> {
  const line = createLine(maxBytes)
  try {
    for await (const chunk of body?.values({ preventCancel: true }) ?? []) {
      let lineStart = 0
      for (let lineEnd = chunk.indexOf(LINE_FEED); lineEnd !== -1; lineEnd = chunk.indexOf(LINE_FEED, lineStart)) {
        line.add(chunk.subarray(lineStart, lineEnd))
        lineStart = lineEnd + 1
        const bodyLine = line.end()
        if (bodyLine) yield bodyLine
      }
      line.add(chunk.subarray(lineStart))
    }
  } catch {
    // The body broke off: use the lines that arrived
  }
  const lastLine = line.end()
  if (lastLine) yield lastLine
}

function createLine(maxBytes: number) {
  let pieces: Uint8Array[] = []
  let size = 0
  return {
    add(bytes: Uint8Array): void {
      size += bytes.byteLength
      if (size > maxBytes) pieces = []
      // Copied, so that the chunk itself can be collected
      else if (bytes.byteLength > 0) pieces.push(bytes.slice())
    },
    end(): BodyLine | undefined {
      const lineBytes = new Uint8Array(size > maxBytes ? 0 : size)
      let offset = 0
      for (const piece of pieces) {
        lineBytes.set(piece, offset)
        offset += piece.byteLength
      }
      const isTooLong = size > maxBytes
      pieces = []
      size = 0
      if (isTooLong) return { problem: `Is larger than ${maxBytes} bytes` }
      const text = utf8Text(lineBytes)
      if (text === undefined) return { problem: 'Is no UTF-8' }
      return text.trim() === '' ? undefined : { text }
    },
  }
}
