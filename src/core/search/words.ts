/** Splits a text into words in lower case: `GetEmails` and `send_sms` are two words each. */
export function splitWords(text: string): readonly string[] {
  return (
    text
      .replaceAll(/([\p{Ll}\p{N}])(\p{Lu})/gu, '$1 $2')
      // "PRs" is one word
      .replaceAll(/(\p{Lu})(\p{Lu}(?!s(?!\p{Ll}))\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .replaceAll(/(?<=\p{L})['’](?:s|m|d|t|re|ve|ll)(?!\p{L})/gu, '')
      .split(/[^\p{L}\p{N}]+/u)
      .filter((word) => word !== '')
  )
}

/** Takes plural, past and "-ing" off a word; words that only look related stay apart, as directions and direct do. */
export function stemWord(word: string): string {
  if (word.length < 4 || word === 'news') return word
  const singular = word.replace(/(?<=..)ie[sd]$/, 'y').replace(/(?<![isu])s$/, '')
  const bare = singular.replace(/(?<=...)(?:ing|(?<!e)ed)$/, '')
  // "string" is no form of "str"
  const isForm = bare !== singular && /[aeiouy]/.test(bare)
  const stem = isForm ? bare.replace(/(?<=..)([bdgmnprt])(?=\1$)|(?<=...)l(?=l$)/, '') : singular
  return stem.replace(/(?<=...)e$/, '')
}

/** Stems in the words' order, then some roots, which count less: "00follow" of "follower", "00invit" of "invitation". */
export function joinStems(words: readonly string[]): string {
  const stems = words.map(stemWord)
  const roots = stems.map((stem) => stem.replace(/(?<=.....)(?:ation|at|ion|er|or|e|al|ment)$/, ''))
  return [...stems, ...roots.filter((root, at) => root !== stems[at]).map((root) => `00${root}`)].join(' ')
}

/** The stems of a text's words, in its order. */
export function stemText(text: string): string {
  return splitWords(text).map(stemWord).join(' ')
}

/** Words as they are, in the same index as stems: no stem begins with a zero and a letter. */
export function markExact(words: readonly string[]): string {
  return words.map((word) => `0${word}`).join(' ')
}

/** What goes without saying: "for the authenticated user (beta)". */
const TITLE_TAIL = /\([^()]*\)| (?:for|of|by|from|to|with) the .*/gi
const SILENT_TITLE_WORDS: ReadonlySet<string> = new Set(
  'a an the of for by from to with in on at as and or if is are be that using new existing all'.split(' '),
)

/** The words of a title that tell its tool from others of its toolkit. */
export function splitTitle(title: string, toolkit: string): readonly string[] {
  const ofToolkit = splitWords(toolkit)
  const words = splitWords(title.replaceAll(TITLE_TAIL, ''))
  return words.filter((word) => !SILENT_TITLE_WORDS.has(word) && !ofToolkit.includes(word))
}
