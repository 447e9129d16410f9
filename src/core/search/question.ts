import { STAND_INS, STOP_WORDS } from './thesaurus.ts'
import { stemmed, stemOf, wordsOf } from './words.ts'

const MAX_CHARACTERS = 1_000
/** Each is looked for in ten lists. */
const MAX_TERMS = 40
const LONGEST_PHRASE = 4

/** A word or phrase of a question; `itself` and `standIns` are stemmed. */
export interface Term {
  readonly word: string
  /** With what it makes joined with a neighbour: "on call" is `oncall`. */
  readonly itself: readonly string[]
  readonly standIns: readonly string[]
}

/** The words of a question but for those that say nothing, each once. A question of nothing else is asked as it stands. */
export function termsOf(q: string): readonly Term[] {
  const words = wordsOf(q.slice(0, MAX_CHARACTERS))
  const stems = words.map(stemOf)
  const { stopWords, standIns } = read()
  const isSilent = words.every((word) => stopWords.has(word)) ? () => false : (word: string) => stopWords.has(word)
  const terms = new Map<string, Term>()
  for (let at = 0, length = 1; at < words.length && terms.size < MAX_TERMS; at += length) {
    length = phraseAt(stems, at, standIns)
    const word = words.slice(at, at + length).join(' ')
    const stem = stems.slice(at, at + length).join(' ')
    if (terms.has(stem) || (length === 1 && isSilent(word))) continue
    const joined = length > 1 ? [] : [joinedOf(words, at - 1), joinedOf(words, at)].filter((each) => each !== '')
    terms.set(stem, { word, itself: [stem, ...joined], standIns: [...(standIns.get(stem) ?? [])] })
  }
  return [...terms.values()]
}

function joinedOf(words: readonly string[], at: number): string {
  const [one, other] = [words[at], words[at + 1]]
  return one === undefined || other === undefined ? '' : stemOf(one + other)
}

function phraseAt(stems: readonly string[], at: number, standIns: StandIns): number {
  let length = Math.min(LONGEST_PHRASE, stems.length - at)
  while (length > 1 && !standIns.has(stems.slice(at, at + length).join(' '))) length -= 1
  return length
}

type StandIns = ReadonlyMap<string, ReadonlySet<string>>

let known: { readonly stopWords: ReadonlySet<string>; readonly standIns: StandIns } | undefined

/** With the first question, since most requests ask none. */
function read() {
  known ??= { stopWords: new Set(STOP_WORDS.trim().split(/\s+/)), standIns: readStandIns() }
  return known
}

function readStandIns(): StandIns {
  const all = new Map<string, Set<string>>()
  for (const entry of STAND_INS.split(';')) {
    const [before = '', sign, behind = ''] = entry.split(/([:=])/)
    const targets = namesIn(before)
    for (const name of [...(sign === ':' ? [] : targets), ...namesIn(behind)]) {
      const others = all.get(name) ?? new Set()
      for (const target of targets) if (target !== name) others.add(target)
      all.set(name, others)
    }
  }
  return all
}

function namesIn(text: string): readonly string[] {
  return (text.match(/"[^"]+"|\w+/g) ?? []).map((name) => wordsOf(stemmed(name)).join(' '))
}
