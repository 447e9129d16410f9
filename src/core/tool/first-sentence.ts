const MAX_SENTENCE = 500

/** Returns the first sentence of a description, which says what a tool is for, so searches should match it. */
export function firstSentence(description: string): string {
  const [sentence = ''] = description.trim().split(/(?<=[.!?])\s+(?=[^\p{Ll}])|\n\s*\n/u, 1)
  return sentence.replaceAll(/\s+/g, ' ').slice(0, MAX_SENTENCE)
}
