import { distance } from 'fastest-levenshtein'
import { rarity, ROWS, saturated, WEIGHTS } from '../../../core/search/bm25f.ts'
import { type Term, termsOf } from '../../../core/search/question.ts'
import { stemOf } from '../../../core/search/words.ts'
import { column } from '../../rows.ts'
import { matching, type Seen } from './visibility.ts'

/** A stand-in counts for so much of the word, and is never worth more than the word where some tool has that. */
const STAND_IN = 0.6
/** Looking for what a missing word may mean reads every word with its first letter, so not for each of a long question. */
const MAX_REPLACED = 5
const MAX_LETTERS = 32
const MIN_BEGINNING = 4
const MIN_PART = 3
const MIN_MISSPELT = 5
/** From so many letters on, two may be wrong. */
const LONG = 8

export interface Scores {
  readonly found: number[]
  /** By id. */
  readonly sums: Float64Array
  /** The words that no tool has, in any form. */
  readonly unmatched: readonly string[]
}

/** Scores every tool that is seen and has a word of the question. Frequencies are of the tools that are seen alone. */
export function scoresOf(sql: SqlStorage, q: string, seen: Seen): Scores {
  const scores = createScores(seen)
  const terms = termsOf(q)
  const holders = holdersOf(sql, terms.map(expressionsOf), seen)
  const missing = terms.filter((_, at) => !scores.add(holders[at] ?? NONE))
  const replaced = missing.slice(0, MAX_REPLACED).map(({ word }) => replacementOf(sql, word, seen))
  const replacements = replaced.map(({ matches }) => ({ itself: [], standIns: matches }))
  for (const each of holdersOf(sql, replacements, seen)) scores.add(each)
  const unmatched = missing.filter((_, at) => replaced[at]?.isForm !== true).map(({ word }) => word)
  return { found: scores.found, sums: scores.sums, unmatched }
}

/** FTS5 expressions for a word, and for what stands for it. */
interface Expressions {
  readonly itself: readonly string[]
  readonly standIns: readonly string[]
}

const quoted = (words: readonly string[]) => words.map((word) => `"${word}"`)

function expressionsOf({ itself, standIns }: Term): Expressions {
  return { itself: quoted(itself), standIns: quoted(standIns) }
}

/** The rows of the index that have a word, and those that have what stands for it. */
interface Holders {
  readonly itself: readonly number[]
  readonly standIns: readonly number[]
}

const NONE: Holders = { itself: [], standIns: [] }

function holdersOf(sql: SqlStorage, terms: readonly Expressions[], seen: Seen): readonly Holders[] {
  const sides = terms.flatMap(({ itself, standIns }) => [itself, standIns])
  const found = matching(sql, sides, seen)
  return terms.map((_, at) => ({ itself: found[2 * at] ?? [], standIns: found[2 * at + 1] ?? [] }))
}

function createScores({ count, last }: Seen) {
  const sums = new Float64Array(last + 1)
  const itsOwn = new Float64Array(last + 1)
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
      const having = weigh(itself, itsOwn)
      const standing = weigh(standIns, others)
      const rare = having.length === 0 ? Infinity : rarity(having.length, count)
      const discounted = STAND_IN * Math.min(rare, rarity(standing.length, count))
      const own = having.length === 0 ? 0 : rare
      function gain(id: number): void {
        if (sums[id] === 0) found.push(id)
        const most = Math.max(own * saturated(itsOwn[id] ?? 0), discounted * saturated(others[id] ?? 0))
        sums[id] = (sums[id] ?? 0) + most
        itsOwn[id] = others[id] = 0
      }
      having.forEach(gain)
      // Without those that have the word too
      for (const id of standing) if (others[id] !== 0) gain(id)
      return having.length + standing.length > 0
    },
  }
}

interface Replacement {
  readonly matches: readonly string[]
  /** A form of the word, and not a neighbour by spelling. */
  readonly isForm: boolean
}

/** Finds what some tool has where none has the word: longer words, its two parts, or its neighbours by spelling. */
function replacementOf(sql: SqlStorage, word: string, seen: Seen): Replacement {
  const stem = stemOf(word)
  if (word.includes(' ') || stem.length < MIN_BEGINNING || stem.length > MAX_LETTERS)
    return { matches: [], isForm: false }
  const isKnown = (matches: readonly string[]) => {
    const lists = matching(
      sql,
      matches.map((match) => [match]),
      seen,
    )
    return matches.filter((_, at) => (lists[at] ?? []).length > 0)
  }
  const forms = isKnown([`"${stem}"*`, ...partsOf(stem)]).slice(0, 1)
  if (forms.length > 0) return { matches: forms, isForm: true }
  const near = neighboursOf(sql, stem).map(isKnown)
  return { matches: near.find((matches) => matches.length > 0) ?? [], isForm: false }
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
    if (far <= most) near[far - 1]?.push(word)
  }
  return near.map(quoted)
}
