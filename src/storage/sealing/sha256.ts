const encoder = new TextEncoder()

/** Returns the SHA-256 of the text's UTF-8 bytes, in lower-case hex. */
export function sha256(text: string): Promise<string> {
  return sha256OfBytes(encoder.encode(text))
}

export async function sha256OfBytes(bytes: BufferSource): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}

export function toHex(bytes: Uint8Array): string {
  let hex = ''
  for (const byte of bytes) hex += byte.toString(16).padStart(2, '0')
  return hex
}

export function bytesOfHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16))
}
