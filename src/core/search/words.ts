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

/** The stems of a text's words, in its order. */
export function stemText(text: string): string {
  return splitWords(text).map(stemWord).join(' ')
}
