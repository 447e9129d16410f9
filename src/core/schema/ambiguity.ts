import type { Automaton, Component, Edges } from './pattern-automaton.ts'
import type { Spend } from './pattern-characters.ts'

/**
 * Whether some text can be read in exponentially many ways: some position comes back to itself in two ways on one text
 * (Weber and Seidl's criterion EDA, decided on the automaton's product with itself).
 */
export function isExponential({ masks, next, within }: Automaton, spend: Spend): boolean {
  const inside = new Map<Edges, readonly number[]>()
  for (const [from, edges] of next.entries()) {
    if (inside.has(edges)) continue
    spend(edges.size)
    inside.set(
      edges,
      [...edges.keys()].filter((to) => within[to] === within[from]),
    )
  }
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
  for (const [edges, targets] of inside) {
    spend(targets.length * targets.length)
    for (const [index, a] of targets.entries()) {
      if ((edges.get(a) ?? 0) > 1 && meets(a, a)) return true
      for (const b of targets.slice(index + 1)) meets(a, b)
    }
  }
  const targetsOf = (at: number) => inside.get(next[at] ?? new Map<number, number>()) ?? []
  for (let pair = waiting.pop(); pair; pair = waiting.pop()) {
    const [left, right] = [targetsOf(pair[0]), targetsOf(pair[1])]
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
export function degreeOf({ masks, next, within, components }: Automaton, spend: Spend): number {
  /** Whether one gets from one loop to another while reading nothing but some characters. */
  const reaches = (from: Component, to: Component, characters: bigint): boolean => {
    const reads = (at: number) => ((masks[at] ?? 0n) & characters) !== 0n
    const found = new Set(from.positions.filter(reads))
    for (const at of found) {
      if (within[at] === to) return true
      spend(1 + (next[at]?.size ?? 0))
      for (const target of next[at]?.keys() ?? []) if (reads(target)) found.add(target)
    }
    return false
  }
  const readBy = ({ positions }: Component) => positions.reduce((all, at) => all | (masks[at] ?? 0n), 0n)
  const longest = new Map<Component, number>()
  for (const loop of components.filter(({ loops }) => loops)) {
    const chains = [...longest].map(([other, chain]) => {
      if (!reaches(loop, other, -1n)) return 0
      return reaches(loop, other, readBy(loop) & readBy(other)) ? chain + 1 : chain
    })
    longest.set(loop, Math.max(0, ...chains))
  }
  return 1 + Math.max(0, ...longest.values())
}
