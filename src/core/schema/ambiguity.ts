import type { Automaton } from './pattern-automaton.ts'
import type { Spend } from './pattern-characters.ts'

/**
 * Whether some text can be read in exponentially many ways: some position comes back to itself in two ways on one text
 * (Weber and Seidl's criterion EDA, decided on the automaton's product with itself).
 */
export function isExponential({ masks, next, components }: Automaton, spend: Spend): boolean {
  const inside = next.map((targets, from) => [...targets.keys()].filter((to) => components[to] === components[from]))
  const seen = new Set<number>()
  const waiting: [number, number][] = []
  // Both positions of a pair stay in one component, so a pair that meets comes back to its start too
  const meets = (a: number, b: number): boolean => {
    if (((masks[a] ?? 0n) & (masks[b] ?? 0n)) === 0n) return false
    if (a === b) return true
    const pair = Math.min(a, b) * next.length + Math.max(a, b)
    if (!seen.has(pair)) waiting.push([a, b])
    seen.add(pair)
    return false
  }
  // All ends of a loop lead to all of its beginnings
  const known = new Set<string>()
  for (const [from, targets] of inside.entries()) {
    spend(targets.length)
    const edges = targets.map((to) => `${to}:${next[from]?.get(to)}`).join()
    if (known.has(edges)) continue
    known.add(edges)
    spend(targets.length * targets.length)
    for (const [index, a] of targets.entries()) {
      if ((next[from]?.get(a) ?? 0) > 1 && meets(a, a)) return true
      for (const b of targets.slice(index + 1)) meets(a, b)
    }
  }
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const [left, right] = [inside[pair[0]] ?? [], inside[pair[1]] ?? []]
    spend(left.length * right.length)
    for (const a of left) for (const b of right) if (meets(a, b)) return true
  }
  return false
}

/**
 * The degree of a polynomial that bounds the time a failing match takes: 1 plus the longest chain of loops where one text
 * may be read by a loop, by the next one, and on the way between them (as Weber and Seidl's criterion IDA, but for the
 * order of the characters). The automaton is not exponential.
 */
export function degreeOf(automaton: Automaton, spend: Spend): number {
  const { masks, next, components } = automaton
  const loops = componentsOf(automaton).filter(({ loops }) => loops)
  /** Whether one gets from one loop to another while reading nothing but some characters. */
  const reaches = (from: Component, to: Component, characters: bigint): boolean => {
    const reads = (at: number) => ((masks[at] ?? 0n) & characters) !== 0n
    const found = new Set(from.positions.filter(reads))
    for (const at of found) {
      if (components[at] === to.number) return true
      spend(1 + (next[at]?.size ?? 0))
      for (const target of next[at]?.keys() ?? []) if (reads(target)) found.add(target)
    }
    return false
  }
  const longest: number[] = []
  for (const [index, loop] of loops.entries()) {
    const chains = longest.map((chain, later) => {
      const other = loops[later]
      if (!other || !reaches(loop, other, -1n)) return 0
      return reaches(loop, other, loop.reads & other.reads) ? chain + 1 : chain
    })
    longest[index] = Math.max(0, ...chains)
  }
  return 1 + Math.max(0, ...longest)
}

/**
 * A bound on the ways in which a text can be read outside of loops, which counted repetitions and optional parts make
 * many. Ways that part are taken to go on independently of each other, but for the next character.
 */
export function mostWays(automaton: Automaton, spend: Spend): number {
  const { masks, next, first, components } = automaton
  /** By component, and by the character that is read next. */
  const ways: ReadonlyMap<bigint, number>[] = []
  const waysFrom = (edges: Automaton['first'], from?: number): Map<bigint, number> => {
    const after = new Map<bigint, Map<bigint, number>>()
    for (const [to, times] of edges) {
      const component = components[to] ?? 0
      for (const character of component === from ? [] : charactersOf(masks[to] ?? 0n)) {
        const counts = after.get(character) ?? new Map<bigint, number>()
        after.set(character, counts)
        for (const [further, count] of [[0n, 1] as const, ...(ways[component] ?? [])]) {
          spend(1)
          counts.set(further, (counts.get(further) ?? 0) + times * count)
        }
      }
    }
    return new Map([...after].map(([character, counts]) => [character, Math.max(...counts.values())]))
  }
  for (const { number, positions, reads, loops } of componentsOf(automaton)) {
    const all = new Map<bigint, number>()
    for (const at of positions) {
      for (const [character, count] of waysFrom(next[at] ?? first, number)) {
        all.set(character, Math.max(count, all.get(character) ?? 0))
      }
    }
    // A loop may be left later
    const most = Math.max(1, ...all.values())
    if (loops) for (const character of charactersOf(reads)) all.set(character, most)
    ways[number] = all
  }
  return Math.max(1, ...waysFrom(first).values())
}

interface Component {
  readonly number: number
  readonly positions: readonly number[]
  /** What all its positions together read. */
  readonly reads: bigint
  readonly loops: boolean
}

/** The components, those first that others lead to. */
function componentsOf({ masks, next, components }: Automaton): readonly Component[] {
  const members = new Map<number, number[]>()
  for (const [at, number] of components.entries()) {
    const positions = members.get(number)
    if (positions) positions.push(at)
    else members.set(number, [at])
  }
  return [...members]
    .sort(([a], [b]) => b - a)
    .map(([number, positions]) => ({
      number,
      positions,
      reads: positions.reduce((all, at) => all | (masks[at] ?? 0n), 0n),
      loops: positions.some((at) => [...(next[at]?.keys() ?? [])].some((to) => components[to] === number)),
    }))
}

/** The characters of a mask, each as a mask of its own. */
function charactersOf(mask: bigint): readonly bigint[] {
  const characters: bigint[] = []
  for (let rest = mask; rest; rest &= rest - 1n) characters.push(rest & -rest)
  return characters
}
