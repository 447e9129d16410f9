/**
 * Percent-encodes everything but unreserved characters (RFC 3986 section 2.3), as simple expansion does (RFC 6570
 * section 3.2.2). Lone surrogates, which have no UTF-8, become U+FFFD.
 */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
