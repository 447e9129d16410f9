/** Headers that frame a message or belong to one connection (RFC 9110 section 7.6.1). The platform writes them. */
const FRAMING =
  /^(?:connection|content-length|expect|host|keep-alive|proxy-(?:authenticate|authorization|connection)|te|trailer|transfer-encoding|upgrade)$/i

/** RFC 9110 section 5.6.2, RFC 6265 section 4.1.1. */
export function isToken(text: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/.test(text)
}

export function headerNameProblem(name: string): string | undefined {
  if (!isToken(name)) return `Must be a header's name, got '${name}'`
  if (FRAMING.test(name)) return `Must not be '${name}', which is the connection's own`
  return undefined
}

/** Allows only Latin-1, without control characters except tab (RFC 9110 section 5.5). */
export function isHeaderValue(text: string): boolean {
  return /^[\t\x20-\x7e\x80-\xff]*$/.test(text)
}

/** cookie-octet (RFC 6265 section 4.1.1). */
export function isCookieValue(text: string): boolean {
  return /^[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(text)
}
