import { type Term, termsOf } from './question.ts'
import { matching, type Seen } from './seen-ids.ts'

/** How much of a word's weight counts for where it is found, and for that it is found itself. */
const SHARES: readonly (readonly [columns: string, isItself: boolean, share: number])[] = [
  ['', false, 0.4],
  ['{name toolkit tags}', false, 0.2],
  ['', true, 0.2],
  ['{name}', true, 0.2],
]
/** How much of the weight of a word that one tool alone has is that of a word that none has. */
const UNKNOWN = 0.7
/** A tool is found that covers so much of the question. */
const LEAST_SHARE = 0.34

export interface Coverage {
  /** How much of the question each tool covers, by its number: of those that have any of its words. */
  readonly covered: ReadonlyMap<number, number>
  /** What a tool covers at least that is found. */
  readonly least: number
  /** The words of the question that no tool has. */
  readonly unmatched: readonly string[]
}

/** A word of the question that some tool has: the tools that have it, as `SHARES` asks for them. */
interface Group {
  readonly lists: readonly (readonly number[])[]
  readonly weight: number
  /** Of the word itself, which weighs more than with all that stand for it. */
  readonly ownWeight: number
}

/** How much of a question each tool covers that is seen: a word weighs the more the fewer tools have it. */
export function coverageOf(sql: SqlStorage, q: string, seen: Seen): Coverage {
  const { groups, unmatched } = groupsOf(sql, termsOf(q), seen)
  const known = groups.reduce((sum, { weight }) => sum + weight, 0)
  const least = LEAST_SHARE * (known + unmatched.length * UNKNOWN * weightOf(1, seen.count))
  return { covered: sumsOf(groups, least), least, unmatched }
}

/** What each word of the question weighs and which tools have it, and those that no tool has. */
function groupsOf(
  sql: SqlStorage,
  terms: readonly Term[],
  seen: Seen,
): { groups: readonly Group[]; unmatched: readonly string[] } {
  const exact = listsOf(sql, terms, seen)
  const isMissing = (at: number) => exact[at]?.[0]?.length === 0
  const longer = terms.flatMap(({ beginning }, at) =>
    beginning === undefined || !isMissing(at) ? [] : [{ at, match: beginning, itself: beginning }],
  )
  const begun = listsOf(sql, longer, seen)
  const groups: Group[] = []
  const unmatched: string[] = []
  for (const [at, { word }] of terms.entries()) {
    const lists = isMissing(at) ? begun[longer.findIndex((each) => each.at === at)] : exact[at]
    const [any, , own] = lists ?? []
    if (!lists || !any || any.length === 0) unmatched.push(word)
    else
      groups.push({
        lists,
        weight: weightOf(any.length, seen.count),
        ownWeight: weightOf(own?.length ?? 0, seen.count),
      })
  }
  return { groups, unmatched }
}

/** The tools that have each word, as `SHARES` asks for them. */
function listsOf(
  sql: SqlStorage,
  terms: readonly Pick<Term, 'match' | 'itself'>[],
  seen: Seen,
): readonly (readonly (readonly number[])[])[] {
  const expressions = terms.flatMap(({ match, itself }) =>
    SHARES.map(([columns, isItself]) => {
      const looked = isItself ? itself : match
      return columns === '' ? looked : `${columns} : (${looked})`
    }),
  )
  const lists = matching(sql, expressions, seen)
  return terms.map((_, at) => lists.slice(at * SHARES.length, (at + 1) * SHARES.length))
}

/** What a word weighs that so many of all tools have (the idf of BM25). */
function weightOf(count: number, tools: number): number {
  return Math.log(1 + (tools - count + 0.5) / (count + 0.5))
}

/** The most that a tool can cover of a group. */
function mostOf({ weight, ownWeight, lists }: Group): number {
  return SHARES.reduce((sum, [, isItself, share], at) => {
    return (lists[at]?.length ?? 0) === 0 ? sum : sum + share * (isItself ? ownWeight : weight)
  }, 0)
}

/**
 * Adds up what each tool covers, rare words first. Words that most tools have are added only to what has one of the others,
 * where a tool without one would not cover enough.
 */
function sumsOf(groups: readonly Group[], least: number): ReadonlyMap<number, number> {
  const byWeight = groups.toSorted((one, other) => other.weight - one.weight)
  const sums = new Map<number, number>()
  let rest = byWeight.reduce((sum, group) => sum + mostOf(group), 0)
  for (const group of byWeight) {
    const isEnough = rest >= least
    rest -= mostOf(group)
    for (const [at, [, isItself, share]] of SHARES.entries()) {
      const weight = share * (isItself ? group.ownWeight : group.weight)
      for (const id of group.lists[at] ?? []) {
        const sum = sums.get(id)
        if (sum !== undefined) sums.set(id, sum + weight)
        else if (isEnough) sums.set(id, weight)
      }
    }
  }
  return sums
}
