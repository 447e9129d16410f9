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

/** Removes the endings of plural, past tense and "-ing". Words that only look related stay distinct: directions and direct. */
export function stemWord(word: string): string {
  if (word.length < 4 || word === 'news') return word
  const singular = word.replace(/(?<=..)ie[sd]$/, 'y').replace(/(?<![isu])s$/, '')
  const bare = singular.replace(/(?<=...)(?:ing|(?<!e)ed)$/, '')
  // "string" is not a form of "str"
  const isForm = bare !== singular && /[aeiouy]/.test(bare)
  const stem = isForm ? bare.replace(/(?<=..)([bdgmnprt])(?=\1$)|(?<=...)l(?=l$)/, '') : singular
  return stem.replace(/(?<=...)e$/, '')
}

/** Joins stems in the words' order, then some roots, which count less: "00follow" of "follower", "00invit" of "invitation". */
export function joinStems(words: readonly string[]): string {
  const stems = words.map(stemWord)
  const roots = stems.map((stem) => stem.replace(/(?<=.....)(?:ation|at|ion|er|or|e|al|ment)$/, ''))
  return [...stems, ...roots.filter((root, at) => root !== stems[at]).map((root) => `00${root}`)].join(' ')
}

/** Returns the stems of a text's words, in order. */
export function stemText(text: string): string {
  return splitWords(text).map(stemWord).join(' ')
}

/** Marks unstemmed words, which are in the same index as stems: no stem begins with a zero and a letter. */
export function markExact(words: readonly string[]): string {
  return words.map((word) => `0${word}`).join(' ')
}

/** Redundant parts of a title, such as "for the authenticated user (beta)". */
const TITLE_TAIL = /\([^()]*\)| (?:for|of|by|from|to|with) the .*/gi
const SILENT_TITLE_WORDS: ReadonlySet<string> = new Set(
  'a an the of for by from to with in on at as and or if is are be that using new existing all'.split(' '),
)

/** Returns the words of a title that distinguish its tool from others of its toolkit. */
export function splitTitle(title: string, toolkit: string): readonly string[] {
  const ofToolkit = splitWords(toolkit)
  const words = splitWords(title.replaceAll(TITLE_TAIL, ''))
  return words.filter((word) => !SILENT_TITLE_WORDS.has(word) && !ofToolkit.includes(word))
}
