import thesaurus from './thesaurus.json' with { type: 'json' }
import { markExact, splitWords, stemText, stemWord } from './words.ts'

const MAX_CHARACTERS = 1_000
/** Each term is looked up in ten lists. */
const MAX_TERMS = 40
const LONGEST_PHRASE = 4
/** The start of a question that implies "get" or "list" without the verb. After "How do I", a verb follows. */
const QUESTION_WORDS = /^\W*(?:(who|whose|what|which)|where|how (?!do|can|to|should)|is|are|was|were|did|does|has)\b/i

/** Words for the caller, whom titles call the authenticated user. */
const CALLER = /\b(?:my|mine|me|i)\b/i

const STOP_WORDS: ReadonlySet<string> = new Set(thesaurus.stopWords.join(' ').split(' '))

const STAND_INS = new Map<string, ReadonlySet<string>>()
for (const [words, synonymWords] of Object.entries(thesaurus.synonyms)) {
  const targets = words.split(' ').map(stemText)
  for (const stem of `${words} ${synonymWords}`.trim().split(' ').map(stemText)) {
    const others = targets.filter((target) => target !== stem)
    STAND_INS.set(stem, new Set([...(STAND_INS.get(stem) ?? []), ...others]))
  }
}

/** A word or phrase of a question; `itself` and `standIns` are stemmed. */
interface Term {
  readonly word: string
  /** The stem of the word, and of the compounds that it forms with its neighbors: "on call" is `oncall`. */
  readonly itself: readonly string[]
  readonly standIns: readonly string[]
}

/** Parses a question to its words, each once, without stop words. If it has only stop words, they are kept. */
export function parseTerms(q: string): readonly Term[] {
  const words = splitWords(q.slice(0, MAX_CHARACTERS))
  const stems = words.map(stemWord)
  const silent = words.every((word) => STOP_WORDS.has(word)) ? new Set() : STOP_WORDS
  const terms = new Map<string, Term>()
  for (let at = 0, length = 1; at < words.length && terms.size < MAX_TERMS; at += length) {
    length = Math.min(LONGEST_PHRASE, words.length - at)
    while (length > 1 && !STAND_INS.has(stems.slice(at, at + length).join(' '))) length -= 1
    const phrase = words.slice(at, at + length)
    const word = phrase.join(' ')
    const stem = stems.slice(at, at + length).join(' ')
    if (terms.has(stem) || silent.has(word)) continue
    const pairs = length > 1 ? [] : [words.slice(at - 1, at + 1), words.slice(at, at + 2)]
    const joinedStems = pairs.filter((pair) => pair.length === 2).map((pair) => stemWord(pair.join('')))
    const standIns = [...(STAND_INS.get(stem) ?? []), `00${stem}`]
    terms.set(stem, { word, itself: [stem, markExact(phrase), ...joinedStems], standIns })
  }
  return [...terms.values()]
}

/** Returns terms that a question only implies: that it gets or lists something, and that this belongs to the caller. */
export function parseImpliedTerms(q: string): readonly Term[] {
  const [asking, forMany] = QUESTION_WORDS.exec(q) ?? []
  const verb = forMany === undefined ? 'get' : 'list'
  return parseTerms(`${asking === undefined ? '' : verb} ${CALLER.test(q) ? 'myself' : ''}`)
}
