import { field } from '../../rows.ts'
import { type Name, type Term, termsOf } from '../../../core/search/question.ts'
import { matching, type Seen } from './visibility.ts'

/** Shares of a word's weight: by where a tool has it, for synonyms, and for words that say little. */
const ANYWHERE = 0.35
const IN_NAMES = 0.3
const IN_TOOLKIT = 0.3
const STAND_IN = 0.7
const LOOSE = 0.3
/** Added weight of a tool whose whole name is in the question. */
const WHOLE_NAME = 1
/** Weight of a word that no tool has, as a share of that of the rarest word, and of a personal name. */
const UNKNOWN = 0.5
const OWN_NAME = 0.15
/** The least share of the question and of the best match, and the number of specific words (or one in a name). */
const LEAST_SHARE = 0.12
const LEAST_OF_BEST = 0.5
const LEAST_WORDS = 2

interface Holders {
  readonly ids: readonly number[]
  readonly gain: number
  readonly isNamed: boolean
}

interface Group {
  readonly term: Term
  readonly holders: readonly Holders[]
  readonly most: number
  readonly titled: readonly number[]
}

export function coverageOf(sql: SqlStorage, q: string, seen: Seen) {
  const { groups, missing } = groupsOf(sql, termsOf(q), seen)
  const known = groups.reduce((sum, { term, most }) => sum + (term.isLoose ? 0 : most), 0)
  const unknown = missing.reduce((sum, term) => sum + (term.isLoose ? 0 : term.isOwnName ? OWN_NAME : UNKNOWN), 0)
  const least = LEAST_SHARE * (known + unknown * weightOf(1, seen.count))
  const wanted = Math.min(LEAST_WORDS, [...groups.map(({ term }) => term), ...missing].filter(isSaying).length)
  const covered = withWholeNames(sql, groups, sumsOf(groups, seen.last, least, wanted), least)
  return { covered, unmatched: missing.map(({ word }) => word) }
}

/** A specific word, which is reported where no tool has it. */
function isSaying({ isLoose, isAction, isOwnName }: Term): boolean {
  return !isLoose && !isAction && !isOwnName
}

function groupsOf(sql: SqlStorage, terms: readonly Term[], seen: Seen) {
  const found = foundBy(sql, terms, seen)
  const has = new Set(found.map(({ term }) => term))
  const rest = terms.filter((term) => !has.has(term) && !term.isImplied)
  const longer = rest.flatMap(({ beginning, ...term }) =>
    beginning === undefined ? [] : [{ ...term, names: [beginning] }],
  )
  const begun = longer.length === 0 ? [] : foundBy(sql, longer, seen)
  const words = new Set(begun.map(({ term }) => term.word))
  return { groups: [...found, ...begun], missing: rest.filter(({ word }) => !words.has(word)) }
}

function foundBy(sql: SqlStorage, terms: readonly Term[], seen: Seen): readonly Group[] {
  const expressions = terms.flatMap(({ names }) => [
    `{name} : (${names.map(({ match }) => match).join(' OR ')})`,
    ...names.flatMap(expressionsOf),
  ])
  const lists = matching(sql, expressions, seen)[Symbol.iterator]()
  const next = (): readonly number[] => lists.next().value ?? []
  return terms.flatMap((term) => {
    const titled = next()
    const found = term.names.map((name) => ({
      name,
      named: next(),
      anywhere: name.isAction ? [] : next(),
      inToolkit: name.isItself ? next() : [],
    }))
    const holders = holdersOf(term, found, seen.count)
    const most = Math.max(0, ...holders.map(({ gain }) => gain))
    return most === 0 ? [] : [{ term, holders, most, titled }]
  })
}

function expressionsOf({ match, isAction, isItself }: Name): readonly string[] {
  return [
    `{name toolkit tags} : (${match})`,
    ...(isAction ? [] : [match]),
    ...(isItself ? [`{toolkit} : (${match})`] : []),
  ]
}

interface Found {
  readonly name: Name
  readonly named: readonly number[]
  readonly anywhere: readonly number[]
  readonly inToolkit: readonly number[]
}

function holdersOf({ isLoose }: Term, found: readonly Found[], tools: number): readonly Holders[] {
  const itself = found[0]?.anywhere.length ?? 0
  return found.flatMap(({ name, named, anywhere, inToolkit }) => {
    const alone = weightOf(Math.max(named.length, anywhere.length), tools)
    // A synonym weighs no more than the word itself, where some tool has that
    const isBounded = itself > 0 && (name.isShared || !name.isItself)
    const rarity = isBounded ? Math.min(alone, weightOf(itself, tools)) : alone
    const weight = rarity * (name.isItself ? 1 : STAND_IN) * (isLoose ? LOOSE : 1)
    const holders = [
      { ids: anywhere, gain: weight * ANYWHERE, isNamed: false },
      { ids: named, gain: weight * (ANYWHERE + IN_NAMES), isNamed: true },
      { ids: inToolkit, gain: weight * (ANYWHERE + IN_NAMES + IN_TOOLKIT), isNamed: true },
    ]
    return holders.filter(({ ids }) => ids.length > 0)
  })
}

/** Inverse document frequency, as in BM25. */
function weightOf(count: number, tools: number): number {
  return Math.log(1 + (tools - count + 0.5) / (count + 0.5))
}

/** Rare words first: once the others cannot reach the minimum alone, they count only for tools found before. */
function sumsOf(groups: readonly Group[], last: number, least: number, wanted: number): ReadonlyMap<number, number> {
  const sums = new Float64Array(last + 1)
  const gains = new Float64Array(last + 1)
  const words = new Uint8Array(last + 1)
  const acts = new Uint8Array(last + 1)
  const found: number[] = []
  let rest = groups.reduce((sum, { most }) => sum + most, 0)
  for (const { term, holders, most } of groups.toSorted((one, other) => other.most - one.most)) {
    const isEnough = rest >= least
    const says = term.isLoose || term.isAction ? 0 : 1
    rest -= most
    const touched: number[] = []
    // Sorted, so that a tool's first gain is its highest
    for (const { ids, gain, isNamed } of holders.toSorted((one, other) => other.gain - one.gain)) {
      for (const id of ids) {
        if (gains[id] !== 0 || (!isEnough && sums[id] === 0)) continue
        gains[id] = gain
        touched.push(id)
        words[id] = (words[id] ?? 0) + (isNamed ? LEAST_WORDS * says : says)
        if (isNamed && term.isAction) acts[id] = 1
      }
    }
    for (const id of touched) {
      if (sums[id] === 0) found.push(id)
      sums[id] = (sums[id] ?? 0) + (gains[id] ?? 0)
      gains[id] = 0
    }
  }
  const evident = found.filter((id) => {
    const said = words[id] ?? 0
    return said + (said > 0 ? (acts[id] ?? 0) : 0) >= wanted
  })
  return new Map(evident.map((id) => [id, sums[id] ?? 0]))
}

function withWholeNames(
  sql: SqlStorage,
  groups: readonly Group[],
  sums: ReadonlyMap<number, number>,
  least: number,
): ReadonlyMap<number, number> {
  let best = 0
  for (const sum of sums.values()) best = Math.max(best, sum)
  const enough = Math.max(least, LEAST_OF_BEST * best)
  const covered = new Map([...sums].filter(([, sum]) => sum >= enough))
  const said = new Map<number, number>()
  for (const { titled } of groups) {
    for (const id of titled) if (covered.has(id)) said.set(id, (said.get(id) ?? 0) + 1)
  }
  for (const [id, size] of sizesOf(sql, [...said.keys()])) {
    const share = Math.min(1, (said.get(id) ?? 0) / size)
    covered.set(id, (covered.get(id) ?? 0) * (1 + WHOLE_NAME * share))
  }
  return covered
}

/** One text, since a row each takes longer. */
function sizesOf(sql: SqlStorage, ids: readonly number[]): readonly (readonly [id: number, size: number])[] {
  const query = `SELECT json_group_object(indexed.id, size)
    FROM json_each(?) AS tool CROSS JOIN indexed ON indexed.id = tool.value`
  const sizes: Record<string, number> = JSON.parse(field<string>(sql, query, JSON.stringify(ids)) ?? '{}')
  return Object.entries(sizes).map(([id, size]) => [Number(id), size])
}
