import { field } from '../../rows.ts'
import { coverageOf } from './coverage.ts'
import { plainText } from './search-index.ts'
import { type IndexFilter, visibleIds } from './visibility.ts'

/** Scores closer than this are tied. */
const PRECISION = 1e6
/** More than any score, in units of the precision. */
const VERY = 1e12

export type Ranked = { readonly id: number; readonly key: string; readonly place: number }

/** A page begins after this tool or, where the search no longer finds it, after its place. */
export type Behind = Pick<Ranked, 'id' | 'place'>

/** Tools with the same score, sorted by key; `before` others score more. */
interface Tied {
  readonly ids: readonly number[]
  readonly before: number
}

/** Exact names first, then by how much of the question tools cover. Those outside the scope have no influence. */
export function rank(
  sql: SqlStorage,
  q: string,
  scope: IndexFilter,
  limit: number,
  behind: Behind = { place: 0, id: 0 },
) {
  const { covered, unmatched } = coverageOf(sql, q, visibleIds(sql, scope))
  const ties = tiesOf(covered, veryOf(sql, q, scope))
  const last = ties.at(-1)
  const total = last ? last.before + last.ids.length : 0
  const start = placeOf(sql, ties, behind.id) ?? behind.place
  return { page: pageOf(sql, ties, start, limit), total, unmatched }
}

/** Exact matches: 2 with the toolkit's name, 1 without. */
function veryOf(sql: SqlStorage, q: string, { condition, bindings }: IndexFilter): ReadonlyMap<number, number> {
  const name = plainText(q)
  if (name === '') return new Map()
  const query = `SELECT id, whole = ? AS isWhole FROM indexed WHERE (whole = ? OR plain = ?) AND ${condition}`
  const rows = sql.exec<{ id: number; isWhole: number }>(query, name, name, name, ...bindings)
  return new Map(Array.from(rows, ({ id, isWhole }) => [id, 1 + isWhole]))
}

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

function placeOf(sql: SqlStorage, ties: readonly Tied[], id: number): number | undefined {
  const tied = ties.find(({ ids }) => ids.includes(id))
  if (!tied) return undefined
  const query = `SELECT count(*) FROM json_each(?) AS tool CROSS JOIN indexed ON indexed.id = tool.value
    WHERE (length(indexed.key), indexed.key) <= (SELECT length(key), key FROM indexed WHERE id = ?)`
  return tied.before + (field<number>(sql, query, JSON.stringify(tied.ids), id) ?? 0)
}

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
