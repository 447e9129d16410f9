const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_BRACKET = 0x5b
const BACKSLASH = 0x5c
const LINE_FEED = 0x0a
const RETURN = 0x0d

/**
 * Counts the items and fields of JSON: each `,`, `[` and `:` adds one. So a field counts twice, except for the first of an
 * object. Strings end with their line, because events contain other lines too.
 */
export function partCounter(): (bytes: Uint8Array) => number {
  let isInString = false
  let isEscaped = false
  return (bytes) => {
    let parts = 0
    for (let at = 0; at < bytes.length; at++) {
      const byte = bytes[at]
      if (byte === LINE_FEED || byte === RETURN) isInString = false
      else if (!isInString) {
        if (byte === COMMA || byte === COLON || byte === OPEN_BRACKET) parts += 1
        else if (byte === QUOTE) {
          isInString = true
          isEscaped = false
        }
      } else if (isEscaped) isEscaped = false
      else if (byte === BACKSLASH) isEscaped = true
      else if (byte === QUOTE) isInString = false
    }
    return parts
  }
}
