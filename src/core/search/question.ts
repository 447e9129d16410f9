import { actionsImpliedBy, isAction, isLooseWord, isStopWord } from './synonyms.ts'
import { LONGEST_PHRASE, phraseAt, standInsOf } from './synonyms.ts'
import { stemmed, stemOf } from './stem.ts'
import { WRITTEN } from './thesaurus.ts'
import { wordsOf } from './words.ts'

const MAX_CHARACTERS = 1_000
const MAX_TERMS = 12
const BEFORE_THINGS = /^(?:an?|the|this|that|these|my|our|your|his|her|their|on|in|of|at|for|with|which|what|whose)$/
const MIN_BEGINNING = 4

export interface Name {
  /** An FTS5 expression, in which no word of a question is an operator. */
  readonly match: string
  readonly isItself: boolean
  readonly isAction: boolean
  /** Joined with a neighbour, such as `listcalendar`; it counts for no more than either. */
  readonly isShared: boolean
}

export interface Term {
  readonly word: string
  readonly names: readonly Name[]
  readonly beginning?: Name
  /** A number, a day, how good something is. */
  readonly isLoose: boolean
  readonly isAction: boolean
  readonly isOwnName: boolean
  readonly isImplied?: true
}

export function termsOf(q: string): readonly Term[] {
  const text = q.slice(0, MAX_CHARACTERS)
  const all = wordsOf(text)
  const own = ownNamesIn(text)
  const isSilent = all.every(isStopWord) ? () => false : isStopWord
  const terms: Term[] = []
  for (let at = 0; at < all.length && terms.length < MAX_TERMS; at += 1) {
    const word = all[at] ?? ''
    const found = phraseAt(all.slice(at, at + LONGEST_PHRASE))
    const words = found ? all.slice(at, at + found.length).join(' ') : word
    if (found) at += found.length - 1
    if (terms.some((term) => term.word === words) || (!found && isSilent(word))) continue
    if (found) terms.push(phraseTerm(words, found.phrase))
    else {
      const isVerb = terms.length === 0 && !BEFORE_THINGS.test(all[at - 1] ?? '')
      terms.push(wordTerm(word, joinedAt(all, at, isSilent), own.has(word)))
      if (isVerb) terms.push(...impliedTerms(word))
    }
  }
  return [...terms, ...writtenTerms(text).filter(({ word }) => terms.every((term) => term.word !== word))]
}

function wordTerm(word: string, joined: readonly Name[], isOwnName: boolean): Term {
  const term = {
    word,
    names: [named(word), ...joined, ...namesInPlaceOf(word)],
    isLoose: isLooseWord(word) || /\d/.test(word),
    isAction: isAction(word),
    isOwnName,
  }
  return word.length < MIN_BEGINNING ? term : { ...term, beginning: { ...named(word), match: `"${stemOf(word)}"*` } }
}

function phraseTerm(words: string, phrase: string): Term {
  const names = [named(words), ...namesInPlaceOf(phrase)]
  return { word: words, names, isLoose: false, isAction: isAction(phrase), isOwnName: false }
}

function writtenTerms(text: string): readonly Term[] {
  return WRITTEN.filter(([pattern]) => pattern.test(text)).map(([, word]) => ({
    word,
    names: [named(word)],
    isLoose: true,
    isAction: false,
    isOwnName: false,
    isImplied: true,
  }))
}

function impliedTerms(word: string): readonly Term[] {
  const actions = actionsImpliedBy(word)
  if (actions.length === 0) return []
  return [{ word, names: [anyOf(actions)], isLoose: false, isAction: true, isOwnName: false, isImplied: true }]
}

const named = (text: string): Name => ({
  match: `"${stemmed(text)}"`,
  isItself: true,
  isAction: false,
  isShared: false,
})

function namesInPlaceOf(word: string): readonly Name[] {
  const { actions, things } = standInsOf(word)
  const others = things.map((each) => ({ ...named(each), isItself: false }))
  return actions.length === 0 ? others : [...others, anyOf(actions)]
}

function anyOf(actions: readonly string[]): Name {
  return { match: anyWord(actions), isItself: false, isAction: true, isShared: false }
}

const anyWord = (words: readonly string[]) => words.map((each) => `"${stemmed(each)}"`).join(' OR ')

function joinedAt(all: readonly string[], at: number, isSilent: (word: string) => boolean): readonly Name[] {
  const word = all[at] ?? ''
  const [before, behind] = [all[at - 1], all[at + 1]]
  const own = [
    ...(before !== undefined && isSilent(before) ? [before + word] : []),
    ...(behind !== undefined && isSilent(behind) ? [word + behind] : []),
  ]
  const shared = [
    ...(before === undefined || isSilent(before) ? [] : [before + word]),
    ...(behind === undefined || isSilent(behind) ? [] : [word + behind]),
  ]
  return [
    ...(own.length === 0 ? [] : [{ ...named(word), match: anyWord(own) }]),
    ...(shared.length === 0 ? [] : [{ ...named(word), match: anyWord(shared), isShared: true }]),
  ]
}

/** Capitals inside sentences, and what stands in addresses and quotes. */
function ownNamesIn(text: string): ReadonlySet<string> {
  const capitals = text.match(/(?<=[\p{L}\p{N},'’–-] ?)(?<![\p{L}\p{N}])\p{Lu}[\p{L}\p{N}]*/gu) ?? []
  const quoted = text.match(/"[^"]*"|“[^”]*”|\S*(?:@|:\/\/)\S+/g) ?? []
  return new Set([...capitals, ...quoted].flatMap(wordsOf))
}
