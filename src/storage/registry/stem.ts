/** Words that look like a form of another, and are none. */
const WHOLE = new Set([
  'news',
  'always',
  'series',
  'status',
  'analysis',
  'need',
  'speed',
  'feed',
  'seed',
  'bed',
  'red',
  'during',
])

/**
 * What is common to the forms of an English word: without the ending of its plural, of its past or of what is going on. What
 * only looks related stays apart, as directions and direct do.
 */
export function stemOf(word: string): string {
  if (word.length < 4 || WHOLE.has(word)) return word
  return bare(singular(word)).replace(/(?<=...)e$/, '')
}

function singular(word: string): string {
  if (/(?:ss|us|is)$/.test(word)) return word
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
  return word.replace(/(?:(?<=[sxz]|ch|sh)e)?s$/, '')
}

function bare(word: string): string {
  if (word.endsWith('ied')) return `${word.slice(0, -3)}y`
  const [, stem] = /^(.*[aeiouy].*)(?:ing|(?<!e)ed)$/.exec(word) ?? []
  if (stem === undefined || stem.length < 3) return word
  return stem.length > 4 ? stem.replace(/([^aeiousz])\1$/, '$1') : stem.replace(/([bdgmnprt])\1$/, '$1')
}

/** A text with each of its words as its stem. */
export function stemmed(text: string): string {
  return text.replaceAll(/[\p{L}\p{N}]+/gu, (word) => stemOf(word.toLowerCase()))
}
