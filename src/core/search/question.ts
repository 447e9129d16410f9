import thesaurus from './thesaurus.json' with { type: 'json' }
import { stemWord, stemText, splitWords } from './words.ts'

const MAX_CHARACTERS = 1_000
/** Each is looked for in ten lists. */
const MAX_TERMS = 40
const LONGEST_PHRASE = 4
/** The two words of a phrase may stand within so many: "take the label off". */
const MAX_APART = 8
/** Begins a question that asks to get something, or to list, without a verb for it. "How do I" goes on with a verb. */
export const QUESTION_WORDS =
  /^\W*(?:(who|whose|what|which)|where|how (?!do|can|to|should)|is|are|was|were|did|does|has)\b/i

/** No part of a phrase before another word: "get the file to Ann". */
const PLACES: ReadonlySet<string> = new Set(['to', 'from', 'in', 'into', 'on'])
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
  /** The stem of the word, and those of the words that it makes with a neighbor: "on call" is `oncall`. */
  readonly itself: readonly string[]
  readonly standIns: readonly string[]
}

/** The words of a question but for those that say nothing, each once. A question of nothing else is asked as it stands. */
export function parseTerms(q: string): readonly Term[] {
  const words = splitWords(q.slice(0, MAX_CHARACTERS))
  const stems = words.map(stemWord)
  const silent = words.every((word) => STOP_WORDS.has(word)) ? new Set() : STOP_WORDS
  const terms = new Map<string, Term>()
  for (let at = 0, length = 1; at < words.length && terms.size < MAX_TERMS; at += length) {
    length = Math.min(LONGEST_PHRASE, words.length - at)
    while (length > 1 && !STAND_INS.has(stems.slice(at, at + length).join(' '))) length -= 1
    const near = length > 1 ? [] : stems.slice(at + 1, at + MAX_APART)
    const isPlace = (other: string, far: number) => PLACES.has(other) && at + far + 2 < words.length
    const apart = near.find((other, far) => !isPlace(other, far) && STAND_INS.has(`${stems[at]} ${other}`)) ?? ''
    const word = `${words.slice(at, at + length).join(' ')} ${apart}`.trim()
    const stem = `${stems.slice(at, at + length).join(' ')} ${apart}`.trim()
    const alone = apart === '' || silent.has(words[at] ?? '') ? [] : stems.slice(at, at + 1)
    if (terms.has(stem) || silent.has(word)) continue
    const pairs = word.includes(' ') ? [] : [words.slice(at - 1, at + 1), words.slice(at, at + 2)]
    const joined = pairs.filter((pair) => pair.length === 2).map((pair) => stemWord(pair.join('')))
    const exact = markExact(words.slice(at, at + length))
    terms.set(stem, { word, itself: [stem, exact, ...alone, ...joined], standIns: [...(STAND_INS.get(stem) ?? [])] })
  }
  return [...terms.values()]
}

/** Words as they are, in the same index as stems: no stem begins with a zero and a letter. */
export function markExact(words: readonly string[]): string {
  return words.map((word) => `0${word}`).join(' ')
}

/** What most titles of an API have, and no question: "for the authenticated user (beta)". */
const TITLE_TAIL = /\([^()]*\)| (?:for|of|by|from|to|with) (?:the |an )?authenticated.*/gi
const SILENT_TITLE_WORDS: ReadonlySet<string> = new Set(['new', 'existing', 'all'])

/** The words of a title that tell its tool from others of its toolkit. */
export function splitTitle(title: string, toolkit: string): readonly string[] {
  const ofToolkit = splitWords(toolkit)
  return splitWords(title.replaceAll(TITLE_TAIL, '')).filter(
    (word) => !SILENT_TITLE_WORDS.has(word) && !ofToolkit.includes(word),
  )
}
