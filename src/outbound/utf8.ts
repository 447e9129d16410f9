/** Without `stream` every decode starts afresh, so that one decoder serves everybody. */
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })
const keepsMark = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Undefined for bytes that are not UTF-8. `ignoreBOM` keeps a byte order mark. */
export function utf8Text(bytes: ArrayBuffer | Uint8Array, { ignoreBOM = false } = {}): string | undefined {
  try {
    return (ignoreBOM ? keepsMark : decoder).decode(bytes)
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
