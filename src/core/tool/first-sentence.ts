const MAX_SENTENCE = 500

/** The first sentence of a description says what a tool is for, so the tool should be found by it. */
export function firstSentence(description: string): string {
  const [sentence = ''] = description.trim().split(/(?<=[.!?])\s+(?=[^\p{Ll}])|\n\s*\n/u, 1)
  return sentence.replaceAll(/\s+/g, ' ').slice(0, MAX_SENTENCE)
}
