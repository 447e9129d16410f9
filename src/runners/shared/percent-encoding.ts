/** Encodes all but unreserved characters (RFC 3986 section 2.3; RFC 6570 section 3.2.2). Lone surrogates become U+FFFD. */
export function encodeStrictly(text: string): string {
  return encodeURIComponent(text.toWellFormed()).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}
