/** Removes a character from the end. Linear, unlike `/_+$/`, which tries again from each occurrence. */
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
