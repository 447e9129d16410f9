import { field } from '../../rows.ts'
import { plainText } from './search-index.ts'
import { type Scores, scoresOf } from './scores.ts'
import { type IndexFilter, visibleIds } from './visibility.ts'

/** Scores closer than this are tied. */
const PRECISION = 1e6
/** More than any score, in units of the precision. */
const VERY = 1e12

export type Ranked = { readonly id: number; readonly key: string; readonly place: number }

/** A page begins after this tool or, where the search no longer finds it, after its place. */
export type Behind = Pick<Ranked, 'id' | 'place'>

/** Exact names first, then by score, then by key. Tools outside the scope have no influence. */
export function rank(
  sql: SqlStorage,
  q: string,
  scope: IndexFilter,
  limit: number,
  behind: Behind = { place: 0, id: 0 },
) {
  const scores = scoresOf(sql, q, visibleIds(sql, scope))
  const found = [...scores.found]
  const score = roundedScores(scores, found, veryOf(sql, q, scope))
  const inOrder = Float64Array.from(found, score).sort()
  const total = inOrder.length
  /** How many tools score more. */
  const before = (value: number) => total - firstAbove(inOrder, value)
  const tiedWith = (value: number) => found.filter((id) => score(id) === value)

  const isFound = behind.id > 0 && found.includes(behind.id)
  const start = isFound
    ? before(score(behind.id)) + placeAmong(sql, tiedWith(score(behind.id)), behind.id)
    : behind.place
  const best = inOrder[total - 1 - start]
  const least = inOrder[Math.max(0, total - start - limit)]
  if (best === undefined || least === undefined) return { page: [], total, unmatched: scores.unmatched }
  const near = found.filter((id) => score(id) <= best && score(id) >= least)
  const ties = [...Map.groupBy(near, score)].sort(([one], [other]) => other - one).map(([, ids]) => ids)
  return { page: pageOf(sql, ties, start, before(best), limit), total, unmatched: scores.unmatched }
}

/** Adds those of that very name to what was found: before all others, and first with the toolkit's name. */
function roundedScores({ sums }: Scores, found: number[], very: ReadonlyMap<number, number>) {
  for (const id of very.keys()) if (sums[id] === 0) found.push(id)
  return (id: number) => (very.get(id) ?? 0) * VERY + Math.round((sums[id] ?? 0) * PRECISION)
}

/** Exact matches: 2 with the toolkit's name, 1 without. */
function veryOf(sql: SqlStorage, q: string, { condition, bindings }: IndexFilter): ReadonlyMap<number, number> {
  const name = plainText(q)
  if (name === '') return new Map()
  const query = `SELECT id, whole = ? AS isWhole FROM indexed WHERE (whole = ? OR plain = ?) AND ${condition}`
  const rows = sql.exec<{ id: number; isWhole: number }>(query, name, name, name, ...bindings)
  return new Map(Array.from(rows, ({ id, isWhole }) => [id, 1 + isWhole]))
}

/** The place of the first number that is larger, by halving. */
function firstAbove(inOrder: Float64Array, value: number): number {
  let low = 0
  let high = inOrder.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((inOrder[middle] ?? 0) <= value) low = middle + 1
    else high = middle
  }
  return low
}

/** From 1 on, in the order of keys. */
function placeAmong(sql: SqlStorage, ids: readonly number[], id: number): number {
  const query = `SELECT count(*) FROM json_each(?) AS tool CROSS JOIN indexed ON indexed.id = tool.value
    WHERE (length(indexed.key), indexed.key) <= (SELECT length(key), key FROM indexed WHERE id = ?)`
  return field<number>(sql, query, JSON.stringify(ids), id) ?? 0
}

function pageOf(
  sql: SqlStorage,
  ties: readonly (readonly number[])[],
  start: number,
  before: number,
  limit: number,
): readonly Ranked[] {
  const query = `SELECT indexed.id AS id, indexed.key AS key FROM json_each(?) AS tied
    CROSS JOIN json_each(tied.value) AS tool CROSS JOIN indexed ON indexed.id = tool.value
    ORDER BY tied.key, length(indexed.key), indexed.key LIMIT ? OFFSET ?`
  const rows = sql.exec<{ id: number; key: string }>(query, JSON.stringify(ties), limit, start - before)
  return Array.from(rows, ({ id, key }, at) => ({ id, key, place: start + at + 1 }))
}
