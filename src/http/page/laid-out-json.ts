/** Of white space so many characters are put in for each of the text, and so many at least. */
const ROOM = 4
const LEAST_ROOM = 20_000

/**
 * A JSON text with a line for each value, as `JSON.stringify` sets values out with two spaces, its numbers as they are written. In place of what
 * that makes of a text that nests deep, which is its length squared, it is at most five times as long, and 20,000 characters: once there
 * is no more room the rest follows without lines. A text that is cut off, or no JSON, is set out as far as it goes.
 */
export function laidOut(json: string): string {
  const parts: string[] = []
  let room = LEAST_ROOM + ROOM * json.length
  let depth = 0
  const newLine = () => {
    const wanted = 1 + 2 * depth
    if (wanted > room) return
    room -= wanted
    parts.push(`\n${'  '.repeat(depth)}`)
  }
  for (let at = 0; at < json.length; at++) {
    const first = json.charAt(at)
    switch (first) {
      case ' ':
      case '\n':
      case '\r':
      case '\t':
        break
      case '"': {
        const end = endOfString(json, at)
        parts.push(json.slice(at, end + 1))
        at = end
        break
      }
      case '{':
      case '[': {
        const next = afterSpace(json, at + 1)
        if (/^[\]}]/.test(json.charAt(next))) {
          parts.push(first + json.charAt(next))
          at = next
          break
        }
        depth++
        parts.push(first)
        newLine()
        break
      }
      case '}':
      case ']':
        depth = Math.max(0, depth - 1)
        newLine()
        parts.push(first)
        break
      case ',':
        parts.push(first)
        newLine()
        break
      case ':':
        parts.push(': ')
        break
      default: {
        const end = endOfWord(json, at)
        parts.push(json.slice(at, end))
        at = end - 1
      }
    }
  }
  return parts.join('')
}

/** Where the string that begins at `start` ends: at its quote, or with the text. */
function endOfString(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && json.charAt(at) !== '"') at += json.charAt(at) === '\\' ? 2 : 1
  return at
}

function afterSpace(json: string, start: number): number {
  let at = start
  while (/^[ \n\r\t]/.test(json.charAt(at))) at++
  return at
}

/** Where a number, or a name such as `true`, is over. */
function endOfWord(json: string, start: number): number {
  let at = start + 1
  while (at < json.length && !/^[\s"[\]{},:]/.test(json.charAt(at))) at++
  return at
}
