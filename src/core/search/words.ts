/** In lower case: `GetEmails` and `send_sms` are two words each. */
export function wordsOf(text: string): readonly string[] {
  return spaced(text)
    .toLowerCase()
    .replaceAll(/(?<=\p{L})['’](?:s|m|d|t|re|ve|ll)(?!\p{L})/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== '')
}

function spaced(text: string): string {
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

const WHOLE = new Set('news always series status analysis need speed feed seed bed red during'.split(' '))

/** Without plural, past or "-ing"; words that only look related stay apart, as directions and direct do. */
export function stemOf(word: string): string {
  if (word.length < 4 || WHOLE.has(word)) return word
  return bare(singular(word)).replace(/(?<=...)e$/, '')
}

function singular(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
  return word.replace(/(?:(?<=[sxz]|ch|sh)e)?s$/, '')
}

const LONGEST = 4

function bare(word: string): string {
  if (word.endsWith('ied')) return `${word.slice(0, -3)}y`
  // Found at once: a pattern looking for a vowel first took time quadratic in a word of vowels
  const [ending] = /(?:ing|(?<!e)ed)$/.exec(word.slice(-LONGEST)) ?? []
  const stem = ending === undefined ? '' : word.slice(0, -ending.length)
  if (stem.length < 3 || !/[aeiouy]/.test(stem)) return word
  return stem.length > 4 ? stem.replace(/([^aeiousz])\1$/, '$1') : stem.replace(/([bdgmnprt])\1$/, '$1')
}

/** The stems of a text's words, in its order. */
export function stemsOf(text: string): string {
  return wordsOf(text).map(stemOf).join(' ')
}
