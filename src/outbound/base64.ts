export function base64(text: string): string {
  return encodeBase64(new TextEncoder().encode(text))
}

export function encodeBase64(bytes: Uint8Array): string {
  return btoa(binaryText(bytes))
}

/** RFC 4648, section 4 or 5, with or without line breaks and padding; undefined for any other text. */
export function decodeBase64(text: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return fromBinaryString(atob(text.replaceAll('-', '+').replaceAll('_', '/')))
  } catch {
    return undefined
  }
}

export function binaryText(bytes: Uint8Array): string {
  let text = ''
  // In pieces, because the number of arguments is limited
  for (let at = 0; at < bytes.length; at += 8_192) text += String.fromCharCode(...bytes.subarray(at, at + 8_192))
  return text
}

export function fromBinaryString(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(text.length)
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at)
  return bytes
}
