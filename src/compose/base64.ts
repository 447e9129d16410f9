const encoder = new TextEncoder()

/** Base64 of a text's UTF-8 bytes. */
export function base64(text: string): string {
  let bytes = ''
  for (const byte of encoder.encode(text)) bytes += String.fromCharCode(byte)
  return btoa(bytes)
}
