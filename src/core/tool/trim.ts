/** Without a character at its end. Linear, as `/_+$/` is not: that tries again from each of them. */
export function trimEnd(text: string, character: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end--
  return text.slice(0, end)
}

export function trim(text: string, character: string): string {
  let start = 0
  while (text[start] === character) start++
  return trimEnd(text.slice(start), character)
}
