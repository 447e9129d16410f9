import { field } from '../rows.ts'
import { type Term, termsOf } from './question.ts'
import { plainText } from './search-index.ts'
import type { Scope } from './seen.ts'

/** How much of a word's weight counts for where it is found, and for that it is found itself. */
const SHARES: readonly (readonly [columns: string, isItself: boolean, share: number])[] = [
  ['', false, 0.4],
  ['{name toolkit tags}', false, 0.2],
  ['', true, 0.2],
  ['{name}', true, 0.2],
]
/** How much of the weight of a word that one tool alone has is that of a word that none has. */
const UNKNOWN = 0.7
/** A tool is found that covers so much of the question, and so much of what the best one covers. */
const LEAST_SHARE = 0.34
const LEAST_OF_BEST = 0.4

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

/** A word of the question that some tool has, or what stands for it. */
interface Group {
  readonly match: string
  readonly weight: number
  /** The word itself, which weighs more than with all that stand for it; undefined where no tool has it. */
  readonly itself: { readonly match: string; readonly weight: number } | undefined
}

/**
 * Ranks the tools that a question finds, those first that cover more of it: a word weighs the more the fewer tools have it,
 * and counts for more in a tool's name, toolkit or tags than elsewhere. The tool of that very name comes before all others.
 * Nothing of it depends on tools outside the scope.
 */
export function rank(
  sql: SqlStorage,
  q: string,
  { condition, bindings }: Scope,
  limit: number,
  behind: Behind = { place: 0, id: 0 },
): Ranking {
  const scope = { condition, bindings }
  const tools = field<number>(sql, `SELECT count(*) FROM indexed WHERE ${condition}`, ...bindings) ?? 0
  const { groups, unmatched } = groupsOf(sql, termsOf(q), scope, tools)
  const known = groups.reduce((sum, { weight }) => sum + weight, 0)
  const least = LEAST_SHARE * (known + unmatched.length * UNKNOWN * weightOf(1, tools))
  const name = plainText(q) || null
  const rows = sql
    .exec<{ id: number | null; key: string; place: number; total: number }>(
      `WITH part (weight, match) AS MATERIALIZED (SELECT value ->> 0, value ->> 1 FROM json_each(?)),
       hit (id, weight, very) AS (
         SELECT words.rowid, part.weight, 0 FROM part CROSS JOIN words WHERE words MATCH part.match
         UNION ALL
         SELECT id, 0, CASE whole WHEN ? THEN 2 ELSE 1 END FROM indexed WHERE whole = ? OR plain = ?
       ),
       sums AS MATERIALIZED (
         SELECT id, sum(weight) AS coverage, max(very) AS very FROM hit GROUP BY id HAVING coverage >= ? OR very > 0
       ),
       covering AS MATERIALIZED (
         SELECT id, key, coverage, very FROM sums CROSS JOIN indexed USING (id) WHERE ${condition}
       ),
       ranked AS MATERIALIZED (
         SELECT id, key, row_number() OVER (ORDER BY very DESC, round(coverage, 6) DESC, length(key), key) AS place
         FROM covering WHERE very > 0 OR coverage >= ? * (SELECT max(coverage) FROM covering)
       )
       SELECT id, key, place, total FROM (SELECT count(*) AS total FROM ranked)
       LEFT JOIN ranked ON place > coalesce((SELECT place FROM ranked WHERE id = ?), ?)
       ORDER BY place LIMIT ?`,
      JSON.stringify(partsOf(groups, least)),
      name,
      name,
      name,
      least,
      ...bindings,
      LEAST_OF_BEST,
      behind.id,
      behind.place,
      limit,
    )
    .toArray()
  const page = rows.flatMap(({ id, key, place }) => (id === null ? [] : [{ id, key, place }]))
  return { page, total: rows[0]?.total ?? 0, unmatched }
}

/** What each word of the question weighs, and those that no tool in the scope has. */
function groupsOf(
  sql: SqlStorage,
  terms: readonly Term[],
  scope: Scope,
  tools: number,
): { groups: readonly Group[]; unmatched: readonly string[] } {
  const count = (expressions: readonly string[]) => countsOf(sql, expressions, scope)
  const counts = count(terms.flatMap(({ match, itself }) => [match, itself]))
  const missing = terms.filter(({ beginning }, at) => counts[2 * at] === 0 && beginning !== undefined)
  const begun = count(missing.map(({ beginning = '' }) => beginning))
  const groups: Group[] = []
  const unmatched: string[] = []
  for (const [at, { word, match, itself, beginning }] of terms.entries()) {
    const [any = 0, own = 0] = counts.slice(2 * at)
    const longer = begun[missing.findIndex((each) => each.word === word)] ?? 0
    const found = own === 0 ? undefined : { match: itself, weight: weightOf(own, tools) }
    if (any > 0) groups.push({ match, weight: weightOf(any, tools), itself: found })
    else if (longer > 0 && beginning !== undefined) {
      const weight = weightOf(longer, tools)
      groups.push({ match: beginning, weight, itself: { match: beginning, weight } })
    } else unmatched.push(word)
  }
  return { groups, unmatched }
}

/** How many tools in the scope each expression finds. */
function countsOf(sql: SqlStorage, expressions: readonly string[], { condition, bindings }: Scope): readonly number[] {
  const counts = expressions.map(() => 0)
  if (expressions.length === 0) return counts
  const query = `SELECT part.key AS at, count(*) AS n FROM json_each(?1) AS part CROSS JOIN words
    ${condition === 'TRUE' ? '' : 'JOIN indexed ON indexed.id = words.rowid'}
    WHERE words MATCH part.value AND ${condition} GROUP BY part.key`
  for (const { at, n } of sql.exec<{ at: number; n: number }>(query, JSON.stringify(expressions), ...bindings)) {
    counts[at] = n
  }
  return counts
}

/** What a word weighs that so many of all tools have (the idf of BM25). */
function weightOf(count: number, tools: number): number {
  return Math.log(1 + (tools - count + 0.5) / (count + 0.5))
}

/** The most that a tool can cover of a group. */
function mostOf({ weight, itself }: Group): number {
  return SHARES.reduce((sum, [, isItself, share]) => sum + share * (isItself ? (itself?.weight ?? 0) : weight), 0)
}

/**
 * The expressions whose weights add up to what a tool covers. Words that most tools have are looked for only among the tools
 * that have one of the others, where those without one would not cover enough.
 */
function partsOf(groups: readonly Group[], least: number): readonly (readonly [weight: number, match: string])[] {
  const byWeight = groups.toSorted((one, other) => other.weight - one.weight)
  let rest = byWeight.reduce((sum, group) => sum + mostOf(group), 0)
  const needed: string[] = []
  return byWeight.flatMap((group) => {
    const among = rest < least && needed.length > 0 ? `(${needed.join(' OR ')}) AND ` : ''
    rest -= mostOf(group)
    if (among === '') needed.push(group.match)
    return SHARES.flatMap(([columns, isItself, share]) => {
      const looked = isItself ? group.itself : group
      if (!looked) return []
      const where = columns === '' ? '' : `${columns} : `
      return [[share * looked.weight, `${among}(${where}(${looked.match}))`] as const]
    })
  })
}
