import { distance } from 'fastest-levenshtein'
import { IDS, isOfToolkit, LEVELS, inverseDocumentFrequency, saturate, WEIGHTS } from '../../../core/search/bm25f.ts'
import { QUESTION_WORDS, parseTerms } from '../../../core/search/question.ts'
import { stemWord } from '../../../core/search/words.ts'
import { column } from '../../rows.ts'
import { joinAlternatives, countVisible, type IndexFilter, listVisibleRows } from './visibility.ts'
import { toSearchText } from './search-index.ts'

/** A stand-in counts for so much of the word, and is never worth more than the word where some tool has that. */
const STAND_IN = 0.7
/** A verb counts at least as a word that a fifth of the tools have, since it may be all that tells siblings apart. */
const LEAST_OF_VERB = 1.5
/** A word of a toolkit's name or tags counts at least so much, since a large toolkit makes it common; a tag of any tool that is searched does it. */
const LEAST_OF_TOOLKIT = 3
/** Looking for what a missing word may mean reads every word with its first letter, so not for each of a long question. */
const MAX_REPLACED = 5
/** More than any score. */
const VERY = 1e4

/**
 * The ids of tools: exact names first, then by score, then those listed first; and the words that no tool has in any form.
 * Those outside the scope have no influence.
 */
export function rank(sql: SqlStorage, q: string, scope: IndexFilter) {
  const tools = countVisible(sql, scope)
  const scores = new Map<number, number>()

  /** False where no tool has the word nor a stand-in. An implied word finds no tool by itself. */
  function add(rows: readonly number[], standIns: readonly number[], least = 0, isImplied = false): boolean {
    const having = sumWeights(rows)
    const others = sumWeights(standIns)
    const leastOwn = rows.some(isOfToolkit) ? LEAST_OF_TOOLKIT : least
    const weight = having.size === 0 ? 0 : Math.max(leastOwn, inverseDocumentFrequency(having.size, tools))
    const discounted =
      STAND_IN * Math.max(least, Math.min(weight || Infinity, inverseDocumentFrequency(others.size, tools)))
    for (const id of new Set([...having.keys(), ...others.keys()])) {
      const most = Math.max(weight * saturate(having.get(id) ?? 0), discounted * saturate(others.get(id) ?? 0))
      if (scores.has(id) || !isImplied) scores.set(id, (scores.get(id) ?? 0) + most)
    }
    return having.size + others.size > 0
  }

  const terms = parseTerms(q)
  const [asking, forMany] = QUESTION_WORDS.exec(q) ?? []
  const implied = asking === undefined ? [] : parseTerms(forMany === undefined ? 'get' : 'list')
  const sides = [...terms, ...implied].flatMap(({ itself, standIns }) => [
    joinAlternatives(itself),
    joinAlternatives(standIns),
  ])
  const rows = listVisibleRows(sql, sides, scope)
  const getSides = (at: number) => [rows[2 * at] ?? [], rows[2 * at + 1] ?? []] as const
  const missing = terms.filter((_, at) => !add(...getSides(at), at === 0 && implied.length === 0 ? LEAST_OF_VERB : 0))
  const instead = missing.slice(0, MAX_REPLACED).map(({ word }) => findSubstitutes(sql, word, scope))
  for (const { rows } of instead) add([], rows)
  add(...getSides(terms.length), LEAST_OF_VERB, true)
  const unmatched = missing.filter((_, at) => instead[at]?.isForm !== true).map(({ word }) => word)
  // No tool has an empty name
  const nameQuery = `SELECT id FROM indexed WHERE (whole = ?1 OR plain = ?1) AND ${scope.condition}`
  for (const id of column<number>(sql, nameQuery, toSearchText(q), ...scope.bindings))
    scores.set(id, VERY + (scores.get(id) ?? 0))
  const ranked = [...scores].sort(([id, score], [otherId, other]) => other - score || id - otherId)
  return { ids: ranked.map(([id]) => id), unmatched }
}

/** The weights of a word's rows added up, by the id of the tool that has it. */
function sumWeights(rows: readonly number[]): ReadonlyMap<number, number> {
  const weights = new Map<number, number>()
  for (const row of rows) {
    const place = Math.floor(row / LEVELS)
    const field = Math.floor(place / IDS)
    const id = place - field * IDS
    weights.set(id, (weights.get(id) ?? 0) + (WEIGHTS[field]?.[row - place * LEVELS] ?? 0))
  }
  return weights
}

const MAX_LETTERS = 32
/** One letter of so many may be wrong, and fewer are no beginning. */
const MIN_LETTERS = 4

/** Finds what some tool has where none has the word: longer words that begin so, or neighbors by spelling. */
function findSubstitutes(sql: SqlStorage, word: string, scope: IndexFilter) {
  const stem = stemWord(word)
  if (word.includes(' ') || stem.length < MIN_LETTERS || stem.length > MAX_LETTERS) return { rows: [], isForm: false }
  const [longer = []] = listVisibleRows(sql, [`"${stem}"*`], scope)
  if (longer.length > 0) return { rows: longer, isForm: true }
  return {
    rows: listVisibleRows(sql, listNeighbors(sql, stem), scope).find(({ length }) => length > 0) ?? [],
    isForm: false,
  }
}

/** Words of the index that begin with the same letter, by how many letters differ. Some may be of hidden tools alone. */
function listNeighbors(sql: SqlStorage, stem: string): readonly string[] {
  const first = stem.slice(0, 1)
  const query = 'SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND abs(length(term) - ?) <= 2'
  const words = column<string>(sql, query, first, `${first}\u{10ffff}`, stem.length)
  const mistakes = [1, 2].filter((far) => stem.length >= far * MIN_LETTERS)
  return mistakes.map((far) => joinAlternatives(words.filter((word) => distance(word, stem) === far)))
}
