import { plainText } from './search-index.ts'
import { scoresOf } from './scores.ts'
import { type IndexFilter, visibleIds } from './visibility.ts'

/** Scores closer than this are tied. */
const PRECISION = 1e6
/** More than any score. */
const VERY = 1e6

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
  const { found, sums, unmatched } = scoresOf(sql, q, visibleIds(sql, scope))
  for (const [id, very] of veryOf(sql, q, scope)) {
    if (sums[id] === 0) found.push(id)
    sums[id] = (sums[id] ?? 0) + very * VERY
  }
  const score = (id: number) => Math.round((sums[id] ?? 0) * PRECISION)
  const inOrder = Float64Array.from(found, score).sort()
  const total = inOrder.length
  const begun = found.includes(behind.id) ? score(behind.id) : undefined
  const best = begun ?? inOrder[total - 1 - behind.place]
  if (best === undefined) return { page: [], total, unmatched }
  // Those tied with the best may come before the page
  const better = found.filter((id) => score(id) > best).length
  const tied = found.filter((id) => score(id) === best).length
  const least = inOrder[Math.max(0, total - better - tied - limit)] ?? 0
  const isNear = (id: number) => score(id) <= best && score(id) >= least
  const near = keysOf(sql, found.filter(isNear)).sort(
    (one, other) =>
      score(other.id) - score(one.id) || one.key.length - other.key.length || (one.key < other.key ? -1 : 1),
  )
  const start = begun === undefined ? behind.place : better + 1 + near.findIndex(({ id }) => id === behind.id)
  const from = start - better
  const page = near.slice(from, from + limit).map((tool, at) => ({ ...tool, place: start + at + 1 }))
  return { page, total, unmatched }
}

/** Exact matches: 2 with the toolkit's name, 1 without. */
function veryOf(sql: SqlStorage, q: string, { condition, bindings }: IndexFilter): ReadonlyMap<number, number> {
  const name = plainText(q)
  if (name === '') return new Map()
  const query = `SELECT id, whole = ? AS isWhole FROM indexed WHERE (whole = ? OR plain = ?) AND ${condition}`
  const rows = sql.exec<{ id: number; isWhole: number }>(query, name, name, name, ...bindings)
  return new Map(Array.from(rows, ({ id, isWhole }) => [id, 1 + isWhole]))
}

function keysOf(sql: SqlStorage, ids: readonly number[]) {
  const query =
    'SELECT indexed.id AS id, indexed.key AS key FROM json_each(?) AS tool CROSS JOIN indexed ON indexed.id = value'
  return sql.exec<Omit<Ranked, 'place'>>(query, JSON.stringify(ids)).toArray()
}
