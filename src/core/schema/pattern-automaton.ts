import { masksOf, type Spend } from './pattern-characters.ts'
import { type Part, searched } from './pattern-syntax.ts'

/** Where a path may go on, and in how many ways without reading anything: 1, or 2 for more. */
export type Edges = ReadonlyMap<number, number>

/**
 * A pattern as a position automaton (Glushkov): one position for each character of the pattern, which is read on
 * arriving there. A path through it is one way in which a backtracking engine can read a text.
 */
export interface Automaton {
  /** What each position reads; two positions can read the same character if their masks share a bit. */
  readonly masks: readonly bigint[]
  /** Where each position leads; positions that lead to the same ones may share their edges. */
  readonly next: readonly Edges[]
  /** The component that each position lies in. */
  readonly within: readonly Component[]
  /** All components, each after those that one gets to from it. */
  readonly components: readonly Component[]
  /** Whether a lookbehind repeats something: it reads backwards, so its text is not the one that the rest reads. */
  readonly repeatsBehind: boolean
}

/** What is strongly connected: an outermost loop, or a position alone. */
export interface Component {
  readonly loops: boolean
  readonly positions: readonly number[]
}

/** Where a part can begin, and how it can read nothing at all: in no way, in one, or in more (2). */
interface Beginning {
  readonly first: Edges
  readonly ways: number
}

const NOTHING: Beginning = { first: new Map(), ways: 1 }

/** What comes after a part: edges, each so many times. Those of a loop come to be when it is complete. */
type After = readonly (readonly [edges: Edges, times: number])[]

/**
 * The automaton of a pattern that is searched for in a text. It reads at least what the pattern reads: assertions always
 * hold, and a back-reference reads anything. A lookahead is a branch that leads nowhere, since an engine tries its ways
 * beside the rest's; a lookbehind is a match of its own, which can begin anywhere.
 */
export function automatonOf(pattern: Part, spend: Spend): Automaton {
  const sources = new Map<string, number>()
  const positions: { readonly source: number; readonly after: After; readonly component: Component }[] = []
  const components: Component[] = []
  let repeatsBehind = false

  build(searched(pattern), [])
  const masks = masksOf([...sources.keys()], spend)
  const edges = new Map<After, Edges>()
  for (const { after } of positions) if (!edges.has(after)) edges.set(after, sum(after))
  return {
    masks: positions.map(({ source }) => masks[source] ?? 0n),
    next: positions.map(({ after }) => edges.get(after) ?? NOTHING.first),
    within: positions.map(({ component }) => component),
    components,
    repeatsBehind,
  }

  /** `loop` is the outermost one around the part, within the lookaround that it lies in. */
  function build(part: Part, after: After, loop?: Component & { positions: number[] }): Beginning {
    spend(1)
    switch (part.kind) {
      case 'start':
      case 'boundary':
        return NOTHING
      case 'end':
        return { ...NOTHING, ways: 0 }
      case 'character': {
        const source = sources.get(part.source) ?? sources.size
        sources.set(part.source, source)
        const at = positions.length
        const component = loop ?? { loops: false, positions: [at] }
        if (loop) loop.positions.push(at)
        else components.push(component)
        positions.push({ source, after, component })
        return { first: new Map([[at, 1]]), ways: 0 }
      }
      case 'choice': {
        const options = part.parts.map((option) => build(option, after, loop))
        const ways = options.reduce((all, option) => all + option.ways, 0)
        return { first: sum(options.map((option) => [option.first, 1])), ways: Math.min(ways, 2) }
      }
      case 'sequence':
        return part.parts.reduceRight((rest, each) => {
          const { first, ways } = build(each, before(rest, after), loop)
          return {
            first: sum([
              [first, 1],
              [rest.first, ways],
            ]),
            ways: Math.min(ways * rest.ways, 2),
          }
        }, NOTHING)
      case 'optional': {
        // Past its minimum, an iteration that reads nothing is refused (ECMA-262 section 22.2.2.3.1)
        const { first } = build(part.part, before(build(part.rest, after, loop), after), loop)
        return { first, ways: 1 }
      }
      case 'loop': {
        const component = loop ?? { loops: true, positions: [] }
        const again = new Map<number, number>()
        const { first, ways } = build(part.part, [[again, 1], ...after], component)
        if (!loop) components.push(component)
        // Where an iteration that must be made can read nothing, the next one can read what it could have read
        const [once, more] = [part.least > 0 ? 1 + ways : 1, part.least > 1 ? 1 + ways : 1]
        for (const [at, times] of sum([[first, more]])) again.set(at, times)
        return { first: sum([[first, once]]), ways }
      }
      case 'lookahead':
        return { first: build(part.part, []).first, ways: 1 }
      case 'lookbehind':
        build(part.part, [])
        repeatsBehind ||= part.repeats
        return NOTHING
    }
  }

  /** What comes after a part that stands before a rest. */
  function before(rest: Beginning, after: After): After {
    if (rest === NOTHING) return after
    spend(after.length)
    const beyond = after.map(([targets, times]) => [targets, Math.min(times * rest.ways, 2)] as const)
    return [[rest.first, 1], ...beyond]
  }

  function sum(all: After): Edges {
    const total = new Map<number, number>()
    for (const [targets, times] of all) {
      spend(times === 0 ? 1 : 1 + targets.size)
      for (const [at, ways] of times === 0 ? [] : targets)
        total.set(at, Math.min((total.get(at) ?? 0) + ways * times, 2))
    }
    return total
  }
}
