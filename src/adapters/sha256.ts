const encoder = new TextEncoder()

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex. */
export async function sha256(text: string): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
  let hex = ''
  for (const byte of digest) hex += byte.toString(16).padStart(2, '0')
  return hex
}

/** Base64 of a text's UTF-8 bytes. */
export function base64(text: string): string {
  let bytes = ''
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}
