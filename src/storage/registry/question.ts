import { isStopWord, synonymsOf } from './synonyms.ts'
import { wordsOf } from './words.ts'

/** Of a question; what follows says no more of what is looked for. */
const MAX_CHARACTERS = 1_000
/** Each is looked up by itself. */
const MAX_WORDS = 12
/** A shorter word begins too many others. */
const MIN_BEGINNING = 4

/** A word of a question, and what may stand for it. */
export interface Term {
  /** As it was asked, in lower case. */
  readonly word: string
  /** An FTS5 expression of the word itself, which is no operator in it. */
  readonly itself: string
  /** The same of the word and whatever stands for it. */
  readonly match: string
  /** The same of longer words that begin so, where it is long enough: asked for where no tool has the word itself. */
  readonly beginning?: string
}

/** The words of a question that say what is looked for, each once, in the order in which they stand. */
export function termsOf(q: string): readonly Term[] {
  const all = wordsOf(q.slice(0, MAX_CHARACTERS))
  const said = all.filter((word) => !isStopWord(word))
  const asked = [...new Set(said.length > 0 ? said : all)].slice(0, MAX_WORDS)
  return asked.map((word, index) => {
    const names = [word, ...joinedWith(word, all), ...synonymsOf(word, index === 0)]
    const match = [...new Set(names)].map(quoted).join(' OR ')
    const term = { word, itself: quoted(word), match }
    return word.length < MIN_BEGINNING ? term : { ...term, beginning: `${quoted(word)}*` }
  })
}

/** What is written as one word by some: a word with its neighbours, `on call` as `oncall`. */
function joinedWith(word: string, all: readonly string[]): readonly string[] {
  return all.flatMap((each, at) => {
    if (each !== word) return []
    const [before, behind] = [all[at - 1], all[at + 1]]
    return [before === undefined ? [] : [before + word], behind === undefined ? [] : [word + behind]].flat()
  })
}

const quoted = (text: string) => `"${text}"`
