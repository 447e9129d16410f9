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

export function stemmed(text: string): string {
  return text.replaceAll(/[\p{L}\p{N}]+/gu, (word) => stemOf(word.toLowerCase()))
}
