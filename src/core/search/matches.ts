import { parseTerms } from './question.ts'
import { splitWords, stemWord } from './words.ts'

/**
 * Creates a function that splits a text at the words whose stems match words of a question, or their stand-ins. Every second
 * part is such a word.
 */
export function createMatchSplitter(q: string): (text: string) => readonly string[] {
  const terms = parseTerms(q).flatMap(({ itself, standIns }) => [...itself, ...standIns])
  // Includes the words of phrases, except short ones such as "in" and "up"
  const stems = new Set(terms.flatMap((term) => term.split(' ').filter((word) => word === term || word.length > 2)))
  const isMatch = (word: string) => [word.toLowerCase(), ...splitWords(word)].some((each) => stems.has(stemWord(each)))
  return (text) => {
    const parts = ['']
    for (const [at, part] of text.split(/([\p{L}\p{N}]+)/u).entries()) {
      if (at % 2 === 1 && isMatch(part)) parts.push(part, '')
      else parts.push(`${parts.pop() ?? ''}${part}`)
    }
    return parts
  }
}
