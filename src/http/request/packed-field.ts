import * as base64url from 'jose/base64url'
import { readToLimit } from '../../outbound/read-to-limit.ts'
import { utf8Text } from '../../outbound/utf8.ts'

/** Ends the name of a packed form field. Packing lets a page keep megabytes of text in a hidden field. */
export const PACKED = '.packed'

/** Deflates a text (RFC 1951) to Base64. Unpacked, HTML escapes would make it several times as long. */
export async function packText(text: string): Promise<string> {
  const packed = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'))
  return base64url.encode(new Uint8Array(await new Response(packed).arrayBuffer()))
}

/** Returns the text of a packed field; undefined if it is malformed, or longer than `limit` bytes. */
export async function unpackText(packed: string, limit: number): Promise<string | undefined> {
  try {
    const bytes = new Uint8Array(base64url.decode(packed))
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    const read = await readToLimit(stream, limit)
    return read.isComplete ? utf8Text(read.bytes) : undefined
  } catch {
    return undefined
  }
}
