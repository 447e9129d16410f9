/** In lower case: `GetEmails` and `send_sms` are two words each. */
export function wordsOf(text: string): readonly string[] {
  return spaced(text)
    .toLowerCase()
    .replaceAll(/(?<=\p{L})['’](?:s|m|d|t|re|ve|ll)(?!\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

export function spaced(text: string): string {
  return text
    .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
    .replaceAll(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replaceAll(/[_-]/g, ' ')
}

const MAX_SENTENCE = 500

/** Says what a tool is for, so it is what the tool should be found by. */
export function firstSentence(description: string): string {
  const [sentence = ''] = description.trim().split(/(?<=[.!?])\s+(?=[^\p{Ll}])|\n\s*\n/u, 1)
  return sentence.replaceAll(/\s+/g, ' ').slice(0, MAX_SENTENCE)
}
