import { text } from './json-reader.ts'
import { formatToolId, type ToolName } from './tool-id.ts'

/** Whether `text` is a tool pattern: name characters, one dot at most, and `*`. */
export function isToolPattern(text: string): boolean {
  return text === '*' || /^[A-Za-z0-9_*-]{1,64}\.[A-Za-z0-9_*-]{1,64}$/.test(text)
}

export const toolPattern = text("a tool pattern such as '*', 'Gmail.*' or 'Gmail.GetEmails'", isToolPattern)

/** Whether a pattern covers a tool; case does not count, as ids are unique ignoring it. */
export function patternCovers(pattern: string, name: ToolName): boolean {
  return pattern === '*' || matches(pattern.toLowerCase(), formatToolId(name).toLowerCase())
}

/**
 * Whether a text matches a pattern in which `*` stands for any run of characters. On a mismatch only the last `*` is
 * widened, which is enough, and takes no longer than the two lengths multiplied.
 */
function matches(pattern: string, text: string): boolean {
  let at = 0
  let star = -1
  let widenedTo = 0
  for (let index = 0; index < text.length;) {
    if (pattern[at] === '*') {
      star = at
      widenedTo = index
      at += 1
    } else if (pattern[at] === text[index]) {
      at += 1
      index += 1
    } else if (star >= 0) {
      at = star + 1
      widenedTo += 1
      index = widenedTo
    } else return false
  }
  while (pattern[at] === '*') at += 1
  return at === pattern.length
}
