import { distance } from 'fastest-levenshtein'
import { EXACT_NAME } from '../../../core/search/answers.ts'
import { inverseDocumentFrequency, saturate, TITLE, TOOLKIT, unpackRow, WEIGHTS } from '../../../core/search/bm25f.ts'
import { parseImpliedTerms, parseTerms } from '../../../core/search/question.ts'
import { stemWord } from '../../../core/search/words.ts'
import { column } from '../../rows.ts'
import { joinAlternatives, countVisible, type IndexFilter, listVisibleRows } from './visibility.ts'
import { toSearchText } from './search-index.ts'

/** The weight of a stand-in for a word, and of a stem for a word of a title. */
const STAND_IN = 0.7
/** The exponent of the share of the question's words in title, name, toolkit and tags, which weights the title. */
const NAMED_POWER = 4
/** The minimum weight of a verb, as of a word that a fifth of the tools have. Also the weight of an implied word. */
const LEAST_OF_VERB = 1.5
/** The minimum weight of a word in a toolkit's name or any searched tool's tags, as a large toolkit makes it common. */
const LEAST_OF_TOOLKIT = 3
/** The maximum number of missing words to replace, because each replacement reads every word with the same first letter. */
const MAX_REPLACED = 5

/**
 * Ranks tools: exact names first, then by score, then those indexed first. Also returns the words that no tool has in any form.
 * A score is that of BM25F, plus that of the title, weighted by how much of the title the question has, and how much of the
 * question is in title, name, toolkit and tags. Tools outside the scope have no influence.
 */
export function rank(sql: SqlStorage, q: string, scope: IndexFilter) {
  const tools = countVisible(sql, scope)
  const candidates = new Map<number, Candidate>()
  let questionRarity = 0

  function getCandidate(id: number): Candidate {
    const candidate = candidates.get(id) ?? { score: 0, titleScore: 0, titleWords: 0, titleLength: 1, namedRarity: 0 }
    candidates.set(id, candidate)
    return candidate
  }

  /** Adds a word to scores. Returns false if no tool has the word or a stand-in. An implied word finds no tool by itself. */
  function add(rows: readonly number[], standIns: readonly number[], least = 0, isImplied = false): boolean {
    const having = readMatches(rows)
    const others = readMatches(standIns)
    const isOfToolkit = [...having.values()].some((match) => match.isOfToolkit)
    const findRarity = ({ size }: typeof having) =>
      size === 0 ? 0 : isImplied ? least : Math.max(least, inverseDocumentFrequency(size, tools))
    const weight = Math.max(findRarity(having), isOfToolkit ? LEAST_OF_TOOLKIT : 0)
    const ofStandIns = findRarity(others)
    const rarity = weight || ofStandIns
    questionRarity += rarity
    for (const id of new Set([...having.keys(), ...others.keys()])) {
      if (isImplied && !candidates.has(id)) continue
      const candidate = getCandidate(id)
      const [own, other] = [having.get(id), others.get(id)]
      const ofWord = weight * saturate(own?.weight ?? 0)
      candidate.score += Math.max(ofWord, STAND_IN * ofStandIns * saturate(other?.weight ?? 0))
      candidate.titleLength = own?.titleLength || other?.titleLength || candidate.titleLength
      const titleShare = own?.titleShare || other?.titleShare || 0
      candidate.titleWords += titleShare
      candidate.titleScore += titleShare * rarity
      if (own?.isNamed || other?.isNamed) candidate.namedRarity += rarity
    }
    return having.size + others.size > 0
  }

  const terms = parseTerms(q)
  const implied = parseImpliedTerms(q)
  const sides = [...terms, ...implied].flatMap(({ itself, standIns }) => [
    joinAlternatives(itself),
    joinAlternatives(standIns),
  ])
  const rows = listVisibleRows(sql, sides, scope)
  const getSides = (at: number) => [rows[2 * at] ?? [], rows[2 * at + 1] ?? []] as const
  const missing = terms.filter((_, at) => !add(...getSides(at), at === 0 ? LEAST_OF_VERB : 0))
  const instead = missing.slice(0, MAX_REPLACED).map(({ word }) => findSubstitutes(sql, word, scope))
  for (const { rows } of instead) add([], rows)
  for (const at of implied.keys()) add(...getSides(terms.length + at), LEAST_OF_VERB, true)
  const unmatched = missing.filter((_, at) => instead[at]?.isForm !== true).map(({ word }) => word)
  // No tool has an empty name
  const nameQuery = `SELECT id FROM indexed WHERE (whole = ?1 OR plain = ?1) AND ${scope.condition}`
  for (const id of column<number>(sql, nameQuery, toSearchText(q), ...scope.bindings))
    getCandidate(id).score += EXACT_NAME
  const scored = [...candidates].map(([id, candidate]) => {
    const { titleScore, titleWords, titleLength, namedRarity } = candidate
    const coverage = Math.min(1, titleWords / titleLength) * (namedRarity / (questionRarity || 1)) ** NAMED_POWER
    candidate.score += titleScore * coverage
    return [id, candidate.score] as const
  })
  const rankedIds = scored.sort(([id, score], [otherId, other]) => other - score || id - otherId)
  const scores = rankedIds.map(([, score]) => score)
  return { ids: rankedIds.map(([id]) => id), scores, candidates, unmatched }
}

interface Candidate {
  score: number
  /** How many of the title's words the question has. A word counts less if only its stem is in the question. */
  titleWords: number
  titleLength: number
  /** The same words, weighted by rarity. */
  titleScore: number
  /** The total rarity of the question's words in title, name, toolkit and tags. */
  namedRarity: number
}

interface Match {
  /** The sum over all fields that have the word. */
  weight: number
  titleShare: number
  titleLength: number
  isNamed: boolean
  isOfToolkit: boolean
}

/** Combines a word's rows, by the id of the tool that has it. */
function readMatches(rows: readonly number[]): ReadonlyMap<number, Match> {
  const matches = new Map<number, Match>()
  for (const row of rows) {
    const { field, id, level } = unpackRow(row)
    const match = matches.get(id) ?? { weight: 0, titleShare: 0, titleLength: 0, isNamed: false, isOfToolkit: false }
    matches.set(id, match)
    match.weight += WEIGHTS[field]?.[level] ?? 0
    if (field <= TITLE) {
      match.titleShare = Math.max(match.titleShare, field < TITLE ? 1 : STAND_IN)
      match.titleLength = level
    }
    if (field <= TOOLKIT) match.isNamed = true
    if (field === TOOLKIT) match.isOfToolkit = true
  }
  return matches
}

const MAX_LETTERS = 32
/** One wrong letter is allowed per this many. Also the minimum length of a prefix. */
const MIN_LETTERS = 4

/** Finds rows for a word that no tool has: of longer words that begin with it, or of words with similar spelling. */
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

/** Lists indexed words with the same first letter, by how many letters differ. Some may occur only in hidden tools. */
function listNeighbors(sql: SqlStorage, stem: string): readonly string[] {
  const first = stem.slice(0, 1)
  const query = 'SELECT term FROM vocabulary WHERE term >= ? AND term < ? AND abs(length(term) - ?) <= 2'
  const words = column<string>(sql, query, first, `${first}\u{10ffff}`, stem.length)
  const mistakes = [1, 2].filter((far) => stem.length >= far * MIN_LETTERS)
  return mistakes.map((far) => joinAlternatives(words.filter((word) => distance(word, stem) === far)))
}
