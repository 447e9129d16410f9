const encoder = new TextEncoder()

/** SHA-256 of a text's UTF-8 bytes, in lower-case hex. */
export async function sha256(text: string): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', encoder.encode(text)))
}

/** SHA-256 of bytes, in lower-case hex. */
export async function sha256OfBytes(bytes: ArrayBuffer): Promise<string> {
  return hex(await crypto.subtle.digest('SHA-256', bytes))
}

function hex(digest: ArrayBuffer): string {
  let text = ''
  for (const byte of new Uint8Array(digest)) text += byte.toString(16).padStart(2, '0')
  return text
}

/** Base64 of a text's UTF-8 bytes. */
export function base64(text: string): string {
  let bytes = ''
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}
