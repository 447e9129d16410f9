import { field } from '../../rows.ts'
import { coverageOf } from './coverage.ts'
import { plainText } from './search-index.ts'
import type { Scope } from './visibility.ts'
import { visibleIds } from './visible-ids.ts'

/** What covers as much but for this is tied. */
const PRECISION = 1e6
/** More than a question can weigh, in units of the precision. */
const VERY = 1e12

/** A tool that a question finds, by its number in the index, and its place among all, from 1. */
export type Ranked = { readonly id: number; readonly key: string; readonly place: number }

/** Where a page begins: behind a tool or, where the question finds that no more, behind its place. */
export type Behind = Pick<Ranked, 'id' | 'place'>

export interface Ranking {
  readonly page: readonly Ranked[]
  /** How many tools the question finds. */
  readonly total: number
  /** The words of the question that no tool has. */
  readonly unmatched: readonly string[]
}

/** Tools that cover as much, which are ranked by their keys, behind so many others. */
interface Tied {
  readonly ids: readonly number[]
  readonly before: number
}

/**
 * Ranks the tools that a question finds, those first that cover more of it: a word weighs the more the fewer tools have it,
 * and counts for more in a tool's name, toolkit or tags than elsewhere. The tool of that very name comes before all others.
 * Nothing of it depends on tools outside the scope. Keys are read of the page alone, and of what is tied with it.
 */
export function rank(
  sql: SqlStorage,
  q: string,
  scope: Scope,
  limit: number,
  behind: Behind = { place: 0, id: 0 },
): Ranking {
  const { covered, unmatched } = coverageOf(sql, q, visibleIds(sql, scope))
  const ties = tiesOf(covered, veryOf(sql, q, scope))
  const last = ties.at(-1)
  const total = last ? last.before + last.ids.length : 0
  const start = placeOf(sql, ties, behind.id) ?? behind.place
  return { page: pageOf(sql, ties, start, limit), total, unmatched }
}

/** The tools in the scope of that very name: 2 with its toolkit's, 1 without. */
function veryOf(sql: SqlStorage, q: string, { condition, bindings }: Scope): ReadonlyMap<number, number> {
  const name = plainText(q)
  if (name === '') return new Map()
  const query = `SELECT id, whole = ? AS isWhole FROM indexed WHERE (whole = ? OR plain = ?) AND ${condition}`
  const rows = sql.exec<{ id: number; isWhole: number }>(query, name, name, name, ...bindings)
  return new Map(Array.from(rows, ({ id, isWhole }) => [id, 1 + isWhole]))
}

/** The tools that are found, those that are tied together, best first. */
function tiesOf(covered: ReadonlyMap<number, number>, very: ReadonlyMap<number, number>): readonly Tied[] {
  const byScore = new Map<number, number[]>()
  const add = (id: number, score: number) => {
    const tied = byScore.get(score)
    if (tied) tied.push(id)
    else byScore.set(score, [id])
  }
  for (const [id, coverage] of covered) {
    if (!very.has(id)) add(id, Math.round(coverage * PRECISION))
  }
  for (const [id, whole] of very) add(id, whole * VERY + Math.round((covered.get(id) ?? 0) * PRECISION))
  let before = 0
  return Array.from(byScore)
    .toSorted(([one], [other]) => other - one)
    .map(([, ids]) => {
      const tied = { ids, before }
      before += ids.length
      return tied
    })
}

/** The place of a tool in the ranking; undefined where it is not found. */
function placeOf(sql: SqlStorage, ties: readonly Tied[], id: number): number | undefined {
  const tied = ties.find(({ ids }) => ids.includes(id))
  if (!tied) return undefined
  const query = `SELECT count(*) FROM json_each(?) AS tool CROSS JOIN indexed ON indexed.id = tool.value
    WHERE (length(indexed.key), indexed.key) <= (SELECT length(key), key FROM indexed WHERE id = ?)`
  return tied.before + (field<number>(sql, query, JSON.stringify(tied.ids), id) ?? 0)
}

/** So many tools behind a place. */
function pageOf(sql: SqlStorage, ties: readonly Tied[], start: number, limit: number): readonly Ranked[] {
  const near = ties.filter(({ ids, before }) => before + ids.length > start && before < start + limit)
  const [first] = near
  if (!first) return []
  const query = `SELECT indexed.id AS id, indexed.key AS key FROM json_each(?) AS tied
    CROSS JOIN json_each(tied.value) AS tool CROSS JOIN indexed ON indexed.id = tool.value
    ORDER BY tied.key, length(indexed.key), indexed.key LIMIT ? OFFSET ?`
  const lists = JSON.stringify(near.map(({ ids }) => ids))
  const rows = sql.exec<{ id: number; key: string }>(query, lists, limit, start - first.before)
  return Array.from(rows, ({ id, key }, at) => ({ id, key, place: start + at + 1 }))
}
