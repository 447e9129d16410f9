import type { Automaton, Spend } from './pattern-automaton.ts'

/**
 * Whether some text can be read in exponentially many ways: some position comes back to itself in two ways on one text
 * (Weber and Seidl's criterion EDA, decided on the automaton's product with itself).
 */
export function isExponential(automaton: Automaton, spend: Spend): boolean {
  const { masks, next } = automaton
  const component = components(next, spend)
  const inside = next.map((targets, from) => [...targets.keys()].filter((to) => component[to] === component[from]))
  const seen = new Set<number>()
  const waiting: [number, number][] = []
  // Both components of a pair stay in one strongly connected part, so a pair that meets comes back to its start too.
  const meets = (a: number, b: number): boolean => {
    if (((masks[a] ?? 0n) & (masks[b] ?? 0n)) === 0n) return false
    if (a === b) return true
    const key = Math.min(a, b) * next.length + Math.max(a, b)
    if (!seen.has(key)) waiting.push([a, b])
    seen.add(key)
    return false
  }
  for (const [from, targets] of inside.entries()) {
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
 * The degree of the polynomial that bounds the time a failing match takes: 1 plus the longest chain of loops where one
 * text can be read by a loop, by the next one, and on the way between them (Weber and Seidl's criterion IDA). The
 * automaton is not exponential.
 */
export function degreeOf(automaton: Automaton, spend: Spend): number {
  const { next } = automaton
  const component = components(next, spend)
  const loops = new Map<number, number[]>()
  for (const [at, targets] of next.entries()) {
    const own = component[at] ?? 0
    if (loops.has(own) || [...targets.keys()].some((to) => component[to] === own)) loops.set(own, [])
  }
  for (const [at, own] of component.entries()) loops.get(own)?.push(at)
  // Components are numbered from the automaton's end, so what a loop leads to is done before it.
  const longest = new Map<number, number>()
  for (const own of [...loops.keys()].sort((a, b) => a - b)) {
    const ahead = reachable(loops.get(own) ?? [], next, spend)
    let best = 0
    for (const [other, chain] of longest) {
      const there = loops.get(other) ?? []
      if (chain + 1 <= best || !there.some((at) => ahead.has(at))) continue
      const shared = sharesText(automaton, component, loops.get(own) ?? [], there, spend)
      best = Math.max(best, chain + (shared ? 1 : 0))
    }
    longest.set(own, best)
  }
  return 1 + Math.max(0, ...longest.values())
}

/** The longest text `mostWays` tries. */
const LONGEST_TEXT = 96

/** More ways than this are too many: `mostWays` stops counting. */
export const TOO_MANY_WAYS = 1e6

/**
 * In how many ways a text of at most 96 characters can be read, which shows what counted repetitions and optional parts
 * do without any loop. Builds the text greedily, so there may be a worse one.
 */
export function mostWays({ masks, next, first }: Automaton, spend: Spend): number {
  const bits = new Set<bigint>()
  for (const mask of new Set(masks)) for (let rest = mask; rest; rest &= rest - 1n) bits.add(rest & -rest)
  let ways = new Map(first)
  let record = 0
  for (let length = 0; length < LONGEST_TEXT && ways.size > 0 && record <= TOO_MANY_WAYS; length++) {
    let most = 0
    let best = new Map<number, number>()
    for (const bit of bits) {
      const after = new Map<number, number>()
      let read = 0
      for (const [at, count] of ways) {
        spend(1)
        if (((masks[at] ?? 0n) & bit) === 0n) continue
        read += count
        spend(next[at]?.size ?? 0)
        for (const [to, times] of next[at] ?? []) after.set(to, (after.get(to) ?? 0) + count * times)
      }
      record = Math.max(record, read)
      const ahead = [...after.values()].reduce((sum, count) => sum + count, 0)
      if (ahead > most) [most, best] = [ahead, after]
    }
    ways = best
  }
  return record
}

/**
 * The same automaton without the positions from which the match can only succeed: an engine never comes back from
 * them, so what they could read in many ways costs nothing.
 */
export function withoutVictories(automaton: Automaton, spend: Spend): Automaton {
  const { next, won, first } = automaton
  const before: Map<number, number>[] = next.map(() => new Map())
  for (const [from, targets] of next.entries()) for (const to of targets.keys()) before[to]?.set(from, 1)
  const unsure = reachable(
    [...next.keys()].filter((at) => !won.has(at)),
    before,
    spend,
  )
  const keep = (edges: ReadonlyMap<number, number>) => new Map([...edges].filter(([to]) => unsure.has(to)))
  return {
    ...automaton,
    first: keep(first),
    next: next.map((edges, from) => (unsure.has(from) ? keep(edges) : new Map())),
  }
}

/** Whether one text leads around `here`, around `there`, and from the same place in `here` to that in `there`. */
function sharesText(
  { masks, next }: Automaton,
  component: readonly number[],
  here: readonly number[],
  there: readonly number[],
  spend: Spend,
): boolean {
  const union = (of: readonly number[]) => of.reduce((all, at) => all | (masks[at] ?? 0n), 0n)
  const readable = union(here) & union(there)
  if (readable === 0n) return false
  const size = next.length
  const within = (at: number, loop: readonly number[]) =>
    [...(next[at]?.keys() ?? [])].filter((to) => component[to] === component[loop[0] ?? -1])
  for (const start of here) {
    for (const end of there) {
      const seen = new Set<number>()
      const waiting: [number, number, number][] = [[start, start, end]]
      for (let triple = waiting.pop(); triple; triple = waiting.pop()) {
        const lefts = within(triple[0], here)
        const rights = within(triple[2], there)
        for (const middle of next[triple[1]]?.keys() ?? []) {
          const mask = (masks[middle] ?? 0n) & readable
          if (mask === 0n) continue
          spend(lefts.length * rights.length + 1)
          for (const left of lefts) {
            for (const right of rights) {
              if ((mask & (masks[left] ?? 0n) & (masks[right] ?? 0n)) === 0n) continue
              if (left === start && middle === end && right === end) return true
              const key = (left * size + middle) * size + right
              if (!seen.has(key)) waiting.push([left, middle, right])
              seen.add(key)
            }
          }
        }
      }
    }
  }
  return false
}

function reachable(from: Iterable<number>, next: readonly ReadonlyMap<number, number>[], spend: Spend): Set<number> {
  const found = new Set(from)
  for (const at of found) {
    spend(1 + (next[at]?.size ?? 0))
    for (const to of next[at]?.keys() ?? []) found.add(to)
  }
  return found
}

/**
 * The strongly connected component of each position (Tarjan, without recursion). A component's number is higher than
 * those of the components it leads to.
 */
function components(next: readonly ReadonlyMap<number, number>[], spend: Spend): number[] {
  const component: number[] = next.map(() => -1)
  const order: number[] = next.map(() => -1)
  const lowest: number[] = next.map(() => -1)
  const open: number[] = []
  let visited = 0
  let finished = 0
  for (const root of next.keys()) {
    if (order[root] !== -1) continue
    const path: { at: number; targets: Iterator<number> }[] = []
    const enter = (at: number) => {
      spend(1 + (next[at]?.size ?? 0))
      order[at] = lowest[at] = visited++
      open.push(at)
      path.push({ at, targets: (next[at] ?? new Map<number, number>()).keys() })
    }
    enter(root)
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { at, targets } = top
      const target = targets.next()
      if (!target.done) {
        const to = target.value
        if (order[to] === -1) enter(to)
        else if (component[to] === -1) lowest[at] = Math.min(lowest[at] ?? 0, order[to] ?? 0)
        continue
      }
      path.pop()
      const parent = path.at(-1)
      if (parent) lowest[parent.at] = Math.min(lowest[parent.at] ?? 0, lowest[at] ?? 0)
      if (lowest[at] !== order[at]) continue
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component[member] = finished
        if (member === at) break
      }
      finished++
    }
  }
  return component
}
