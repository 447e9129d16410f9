/** Undefined for bytes that are not UTF-8. `ignoreBOM` keeps a byte order mark. */
export function utf8Text(bytes: ArrayBuffer | Uint8Array, { ignoreBOM = false } = {}): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(bytes)
  } catch {
    return undefined
  }
}

export function utf8Judge(): (bytes: Uint8Array | undefined) => boolean {
  const pieces = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
  return (bytes) => {
    try {
      pieces.decode(bytes, { stream: bytes !== undefined })
      return true
    } catch {
      return false
    }
  }
}
