import { distance } from 'fastest-levenshtein'
import { stemOf } from '../../../core/search/words.ts'
import { column } from '../../rows.ts'
import { anyOf, type IndexFilter, rowsOf } from './visibility.ts'

const MAX_LETTERS = 32
const MIN_BEGINNING = 4
const MIN_PART = 3
const MIN_MISSPELT = 5
/** From so many letters on, two may be wrong. */
const LONG = 8

/** Finds what some tool has where none has the word: forms of it (longer words, its two parts), or neighbours by spelling. */
export function insteadOf(sql: SqlStorage, word: string, scope: IndexFilter) {
  const stem = stemOf(word)
  const isFit = !word.includes(' ') && stem.length >= MIN_BEGINNING && stem.length <= MAX_LETTERS
  const first = (expressions: readonly string[]) => rowsOf(sql, expressions, scope).find((rows) => rows.length > 0)
  const form = isFit ? first([`"${stem}"*`, ...partsOf(stem)]) : []
  if (form) return { rows: form, isForm: isFit }
  return { rows: first(neighboursOf(sql, stem)) ?? [], isForm: false }
}

function partsOf(stem: string): readonly string[] {
  const places = Array.from({ length: Math.max(0, stem.length - 2 * MIN_PART + 1) }, (_, at) => at + MIN_PART)
  return places.map((at) => `("${stem.slice(0, at)}" AND "${stem.slice(at)}")`)
}

/** Words of the index that begin with the same letter, by how many letters differ. Some may be of hidden tools alone. */
function neighboursOf(sql: SqlStorage, stem: string): readonly string[] {
  if (stem.length < MIN_MISSPELT) return []
  const most = stem.length < LONG ? 1 : 2
  const first = stem.slice(0, 1)
  const query = 'SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND length(term) BETWEEN ? AND ?'
  const words = column<string>(sql, query, first, `${first}\u{10ffff}`, stem.length - most, stem.length + most)
  return [1, 2].slice(0, most).map((far) => anyOf(words.filter((word) => distance(word, stem) === far)))
}
