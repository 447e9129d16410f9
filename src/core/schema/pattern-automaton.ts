import { masksOf, type Spend } from './pattern-characters.ts'
import { type Part, searched } from './pattern-syntax.ts'

/** Where a path may go on, and in how many ways without reading anything: 1, or 2 for more. */
type Edges = Map<number, number>

/**
 * A pattern as a position automaton (Glushkov): one position for each character of the pattern, which is read on
 * arriving there. A path through it is one way in which a backtracking engine can read a text.
 */
export interface Automaton {
  /** What each position reads; two positions can read the same character if their masks share a bit. */
  readonly masks: readonly bigint[]
  readonly next: readonly Edges[]
  /** Where a match can begin. */
  readonly first: Edges
  /**
   * The strongly connected component of each position: the outermost loop that it lies in, or itself alone. From a
   * component one gets to those of higher numbers only.
   */
  readonly components: readonly number[]
  /** Whether a lookbehind repeats something: it reads backwards, so its text is not the one that the rest reads. */
  readonly repeatsBehind: boolean
}

/** A part under construction. `ways` counts how it can read nothing at all: 0, 1, or 2 for more. */
interface Fragment {
  readonly first: Edges
  readonly last: Edges
  readonly ways: number
}

const NOTHING: Fragment = { first: new Map(), last: new Map(), ways: 1 }

/**
 * The automaton of a pattern that is searched for in a text. It reads at least what the pattern reads: assertions always
 * hold, and a back-reference reads anything. A lookahead is a branch that leads nowhere, since an engine tries its ways
 * beside the rest's; a lookbehind is a match of its own, which can begin anywhere.
 */
export function automatonOf(pattern: Part, spend: Spend): Automaton {
  const sources = new Map<string, number>()
  const reads: number[] = []
  const components: number[] = []
  const next: Edges[] = []
  let loop: number | undefined
  let componentsSoFar = 0
  let repeatsBehind = false
  const behind: Edges = new Map()
  const first = new Map(build(searched(pattern)).first)
  add(first, behind, 1)
  const masks = masksOf([...sources.keys()], spend)
  return { masks: reads.map((source) => masks[source] ?? 0n), next, first, components, repeatsBehind }

  function build(part: Part): Fragment {
    spend(1)
    switch (part.kind) {
      case 'start':
      case 'boundary':
        return NOTHING
      case 'end':
        return { ...NOTHING, ways: 0 }
      case 'character':
        return position(part.source)
      case 'choice':
        return choice(part.parts)
      case 'sequence':
        return part.parts.reduce((before, each) => sequence(before, build(each)), NOTHING)
      case 'optional':
        // Past its minimum, an iteration that reads nothing is refused (ECMA-262 section 22.2.2.3.1)
        return { ...sequence({ ...build(part.part), ways: 0 }, build(part.rest)), ways: 1 }
      case 'loop':
        return within(loop ?? componentsSoFar++, () => repeat(build(part.part), part.least))
      case 'lookahead':
        return { ...NOTHING, first: within(undefined, () => build(part.part)).first }
      case 'lookbehind':
        add(behind, within(undefined, () => build(part.part)).first, 1)
        repeatsBehind ||= part.repeats
        return NOTHING
    }
  }

  function repeat(body: Fragment, least: number): Fragment {
    // Where an iteration that must be made can read nothing, the next one can read what it could have read
    const [once, again] = [least > 0 ? 1 + body.ways : 1, least > 1 ? 1 + body.ways : 1]
    for (const [from, ways] of body.last) add(next[from], body.first, ways * again)
    const first: Edges = new Map()
    add(first, body.first, once)
    return { ...body, first }
  }

  function position(source: string): Fragment {
    const known = sources.get(source) ?? sources.size
    sources.set(source, known)
    next.push(new Map())
    components.push(loop ?? componentsSoFar++)
    const at = new Map([[reads.push(known) - 1, 1]])
    return { first: at, last: at, ways: 0 }
  }

  function choice(parts: readonly Part[]): Fragment {
    const [first, last] = [new Map<number, number>(), new Map<number, number>()]
    let ways = 0
    for (const part of parts) {
      const one = build(part)
      add(first, one.first, 1)
      add(last, one.last, 1)
      ways += one.ways
    }
    return { first, last, ways: Math.min(ways, 2) }
  }

  function sequence(before: Fragment, after: Fragment): Fragment {
    for (const [from, ways] of before.last) add(next[from], after.first, ways)
    const [first, last] = [new Map(before.first), new Map(after.last)]
    spend(first.size + last.size)
    add(first, after.first, before.ways)
    add(last, before.last, after.ways)
    return { first, last, ways: Math.min(before.ways * after.ways, 2) }
  }

  function add(to: Edges | undefined, from: Edges, times: number): void {
    if (times === 0) return
    spend(from.size + 1)
    for (const [at, ways] of from) to?.set(at, Math.min((to.get(at) ?? 0) + ways * times, 2))
  }

  /** Builds a part that lies in a loop, or in none. */
  function within(number: number | undefined, make: () => Fragment): Fragment {
    const around = loop
    loop = number
    const part = make()
    loop = around
    return part
  }
}
