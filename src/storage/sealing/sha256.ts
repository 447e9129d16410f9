import { hexOf } from './hex.ts'

const encoder = new TextEncoder()

/** SHA-256 of the text's UTF-8 bytes, in lower-case hex. */
export function sha256(text: string): Promise<string> {
  return sha256OfBytes(encoder.encode(text))
}

export async function sha256OfBytes(bytes: BufferSource): Promise<string> {
  return hexOf(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
