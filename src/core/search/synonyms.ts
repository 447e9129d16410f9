import { wordsOf } from './words.ts'
import { ACTIONS, LOOSE_WORDS, STOP_WORDS, THINGS, VERBS_FIRST } from './thesaurus.ts'

export const isStopWord = isAmong(STOP_WORDS)
export const isLooseWord = isAmong(LOOSE_WORDS)

const ACTS = readSets(ACTIONS)
const SAID = readSets(THINGS)
const NONE: ReadonlySet<string> = new Set()
export const LONGEST_PHRASE = 4

export function standInsOf(word: string): { readonly actions: readonly string[]; readonly things: readonly string[] } {
  const base = basesOf(word).find((each) => ACTS.has(each) || SAID.has(each))
  if (base === undefined) return { actions: [], things: [] }
  return { actions: [...(ACTS.get(base) ?? NONE)], things: [...(SAID.get(base) ?? NONE)] }
}

/** A verb implies an action on the thing of the same word: to bill somebody is to create a bill. */
export function actionsImpliedBy(word: string): readonly string[] {
  const base = basesOf(word).find((each) => Object.hasOwn(VERBS_FIRST, each))
  return base === undefined ? [] : (VERBS_FIRST[base]?.split(' ') ?? [])
}

export function isAction(word: string): boolean {
  return basesOf(word).some((base) => ACTS.has(base))
}

export function phraseAt(words: readonly string[]): { readonly phrase: string; readonly length: number } | undefined {
  for (let length = Math.min(LONGEST_PHRASE, words.length); length > 1; length -= 1) {
    const [first = '', ...rest] = words.slice(0, length)
    const phrase = basesOf(first)
      .map((base) => [base, ...rest].join(' '))
      .find((each) => ACTS.has(each) || SAID.has(each))
    if (phrase !== undefined) return { phrase, length }
  }
  return undefined
}

function isAmong(text: string): (word: string) => boolean {
  const words = new Set(text.trim().split(/\s+/))
  return (word) => words.has(word)
}

function readSets(text: string): ReadonlyMap<string, ReadonlySet<string>> {
  const others = new Map<string, Set<string>>()
  for (const line of text.split('\n')) {
    const [before = '', sign, behind = ''] = line.split(/([:=])/)
    const targets = namesIn(before)
    for (const name of [...(sign === ':' ? [] : targets), ...namesIn(behind)]) {
      const known = others.get(name) ?? new Set()
      for (const each of targets) if (each !== name) known.add(each)
      others.set(name, known)
    }
  }
  return others
}

function namesIn(text: string): readonly string[] {
  return (text.match(/"[^"]+"|\w+/g) ?? []).map((name) => wordsOf(name).join(' '))
}

function basesOf(word: string): readonly string[] {
  const bases = [word]
  const ending = /(?:ies|ied|es|s|ing|ed)$/.exec(word)?.[0]
  if (ending === undefined || word.length - ending.length < 2) return bases
  const stem = word.slice(0, -ending.length)
  if (ending === 'ies' || ending === 'ied') bases.push(`${stem}y`)
  if (ending === 'es') bases.push(`${stem}e`)
  bases.push(stem)
  if (ending === 'ing' || ending === 'ed') bases.push(`${stem}e`, stem.replace(/(.)\1$/, '$1'))
  return bases
}
