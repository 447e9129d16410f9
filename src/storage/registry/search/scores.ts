import { distance } from 'fastest-levenshtein'
import { rarity, ROWS, saturated, WEIGHTS } from '../../../core/search/bm25f.ts'
import { type Term, termsOf } from '../../../core/search/question.ts'
import { stemOf } from '../../../core/search/stem.ts'
import { column } from '../../rows.ts'
import { matching, type Seen } from './visibility.ts'

/** A stand-in counts for so much of the word, and is never worth more than the word where some tool has that. */
const STAND_IN = 0.6
const MIN_BEGINNING = 4
const MIN_PART = 3
const MIN_MISSPELT = 5
/** From so many letters on, two may be wrong. */
const LONG = 8

export interface Scores {
  readonly found: readonly number[]
  /** By id. */
  readonly sums: Float64Array
  /** The words that no tool has, in any form. */
  readonly unmatched: readonly string[]
}

/** Scores every tool that is seen and has a word of the question. Frequencies are of the tools that are seen alone. */
export function scoresOf(sql: SqlStorage, q: string, seen: Seen): Scores {
  const scores = createScores(seen)
  const terms = termsOf(q)
  const holders = holdersOf(sql, terms, seen)
  const missing = terms.filter((_, at) => !scores.add(holders[at] ?? { itself: [], standIns: [] }))
  const replaced = missing.map((term) => replacementOf(sql, term, seen))
  const others = replaced.map(({ matches }, at) => ({ word: missing[at]?.word ?? '', itself: [], standIns: matches }))
  for (const each of holdersOf(sql, others, seen)) scores.add(each)
  const unmatched = missing.filter((_, at) => replaced[at]?.isMisspelt !== false).map(({ word }) => word)
  return { found: scores.found, sums: scores.sums, unmatched }
}

/** The rows of the index that have a word, and those that have what stands for it. */
interface Holders {
  readonly itself: readonly number[]
  readonly standIns: readonly number[]
}

function holdersOf(sql: SqlStorage, terms: readonly Term[], seen: Seen): readonly Holders[] {
  const sides = terms.flatMap(({ itself, standIns }) => [itself, standIns])
  const found = matching(sql, sides.filter((words) => words.length > 0).map(anyOf), seen)[Symbol.iterator]()
  const next = (words: readonly string[]) => (words.length > 0 ? found.next().value : undefined) ?? []
  return terms.map(({ itself, standIns }) => ({ itself: next(itself), standIns: next(standIns) }))
}

/** An FTS5 expression in which no word is an operator. */
function anyOf(words: readonly string[]): string {
  return words.map((word) => (/^[\p{L}\p{N} ]+$/u.test(word) ? `"${word}"` : word)).join(' OR ')
}

function createScores({ count, last }: Seen) {
  const sums = new Float64Array(last + 1)
  const own = new Float64Array(last + 1)
  const others = new Float64Array(last + 1)
  const found: number[] = []

  function weigh(rows: readonly number[], weights: Float64Array): readonly number[] {
    const touched: number[] = []
    for (const row of rows) {
      const id = Math.floor(row / ROWS)
      if (weights[id] === 0) touched.push(id)
      weights[id] = (weights[id] ?? 0) + (WEIGHTS[row % ROWS] ?? 0)
    }
    return touched
  }

  return {
    found,
    sums,
    /** False where no tool has the word nor a stand-in. */
    add({ itself, standIns }: Holders): boolean {
      const having = weigh(itself, own)
      const standing = weigh(standIns, others)
      const rare = having.length === 0 ? Infinity : rarity(having.length, count)
      const discounted = STAND_IN * Math.min(rare, rarity(standing.length, count))
      const gainOf = (id: number) =>
        Math.max(having.length === 0 ? 0 : rare * saturated(own[id] ?? 0), discounted * saturated(others[id] ?? 0))
      for (const id of new Set([...having, ...standing])) {
        if (sums[id] === 0) found.push(id)
        sums[id] = (sums[id] ?? 0) + gainOf(id)
        own[id] = others[id] = 0
      }
      return having.length + standing.length > 0
    },
  }
}

/** Words that some tool has where none has the word: longer ones, its two parts, or its neighbours by spelling. */
function replacementOf(sql: SqlStorage, { word }: Term, seen: Seen) {
  const stem = stemOf(word)
  const isKnown = (matches: readonly string[]) => {
    const lists = matching(sql, matches, seen)
    return matches.filter((_, at) => (lists[at] ?? []).length > 0)
  }
  if (word.includes(' ') || stem.length < MIN_BEGINNING) return { matches: [], isMisspelt: true }
  const longer = isKnown([`"${stem}"*`, ...partsOf(stem)]).slice(0, 1)
  if (longer.length > 0) return { matches: longer, isMisspelt: false }
  for (const near of neighboursOf(sql, stem)) {
    const matches = isKnown(near)
    if (matches.length > 0) return { matches, isMisspelt: true }
  }
  return { matches: [], isMisspelt: true }
}

function partsOf(stem: string): readonly string[] {
  const places = Array.from({ length: Math.max(0, stem.length - 2 * MIN_PART + 1) }, (_, at) => at + MIN_PART)
  return places.map((at) => `("${stem.slice(0, at)}" AND "${stem.slice(at)}")`)
}

/** Words of the index that begin with the same letter, by how many letters differ. Some may be of hidden tools alone. */
function neighboursOf(sql: SqlStorage, stem: string): readonly (readonly string[])[] {
  if (stem.length < MIN_MISSPELT) return []
  const most = stem.length < LONG ? 1 : 2
  const first = stem.slice(0, 1)
  const query = 'SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?'
  const words = column<string>(sql, query, first, `${first}\u{10ffff}`, stem.length - most, stem.length + most)
  const near: string[][] = [[], []]
  for (const word of words) {
    const far = distance(word, stem)
    if (far <= most) near[far - 1]?.push(`"${word}"`)
  }
  return near
}
