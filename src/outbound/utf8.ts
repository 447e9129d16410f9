/** Bytes as text; undefined where they are not UTF-8. A byte order mark is kept where `ignoreBOM` says so, and else dropped. */
export function utf8Text(bytes: Uint8Array, { ignoreBOM = false } = {}): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM }).decode(bytes)
  } catch {
    return undefined
  }
}
