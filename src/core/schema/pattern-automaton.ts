import type { AST } from '@eslint-community/regexpp'
import { ANYTHING, characterSet, type CharacterSet, masks } from './character-set.ts'

/** Takes steps from a budget, and throws when nothing is left. */
export type Spend = (steps: number) => void

/**
 * A pattern as a position automaton (Glushkov): one position for each character of the pattern, which is read on
 * arriving there. A path through it is one way in which a backtracking engine can read a text.
 */
export interface Automaton {
  /** What each position reads; two positions can read the same character if their masks share a bit. */
  readonly masks: readonly bigint[]
  /** Where each position leads, and in how many ways without reading anything: 1, or 2 for more. */
  readonly next: readonly ReadonlyMap<number, number>[]
  /** Where a match can begin. */
  readonly first: ReadonlyMap<number, number>
  /** Positions after which the match (or the lookaround they are in) has succeeded, whatever follows. */
  readonly won: ReadonlySet<number>
  /** Whether a lookbehind repeats something: it reads backwards, so its text is not the one the rest reads. */
  readonly repeatsBehind: boolean
}

/** A part of the pattern under construction. `ways` counts how it can read nothing at all: 0, 1, or 2 for more. */
interface Part {
  first: Map<number, number>
  last: Map<number, number>
  ways: number
  /** The last positions, and the empty reading, that need no assertion to hold. */
  free: Set<number>
  freely: boolean
}

/** Repetitions of more positions than this are made loops: more ways, never fewer. */
const MOST_COPIED = 256

/**
 * The automaton of a parsed pattern. It reads at least what the pattern reads: assertions always hold, a
 * back-reference reads anything, and long counted repetitions have no end. A lookahead is a branch that leads nowhere,
 * since an engine tries its ways beside the rest's.
 */
export function automatonOf(pattern: AST.Pattern, spend: Spend): Automaton {
  const sets = new Map<string, { index: number; set: CharacterSet }>()
  const reads: number[] = []
  const next: Map<number, number>[] = []
  const won = new Set<number>()
  let repeatsBehind = false

  const whole = choice(pattern.alternatives)
  for (const each of whole.free) won.add(each)
  if (!anchored(pattern.alternatives)) {
    // An engine tries every place of the text: as if the pattern began with a loop over anything.
    const prefix = position('[^]', ANYTHING)
    connect([[prefix, 1]], [[prefix, 1]])
    connect([[prefix, 1]], whole.first)
    whole.first.set(prefix, 1)
  }
  const bySet = masks(
    [...sets.values()].map((each) => each.set),
    spend,
  )
  return { masks: reads.map((set) => bySet[set] ?? 0n), next, first: whole.first, won, repeatsBehind }

  function position(source: string, set: CharacterSet): number {
    spend(1)
    const known = sets.get(source) ?? { index: sets.size, set }
    sets.set(source, known)
    next.push(new Map())
    return reads.push(known.index) - 1
  }

  function reading(source: string, set: CharacterSet): Part {
    const at = position(source, set)
    return { first: new Map([[at, 1]]), last: new Map([[at, 1]]), ways: 0, free: new Set([at]), freely: false }
  }

  function connect(from: Iterable<[number, number]>, to: Iterable<[number, number]>): void {
    const targets = [...to]
    for (const [source, ways] of from) {
      spend(targets.length)
      const edges = next[source]
      for (const [target, more] of targets) edges?.set(target, atMostTwo((edges.get(target) ?? 0) + ways * more))
    }
  }

  function choice(alternatives: readonly AST.Alternative[]): Part {
    const part: Part = { first: new Map(), last: new Map(), ways: 0, free: new Set(), freely: false }
    for (const each of alternatives) {
      const one = sequence(each.elements.map((element) => () => build(element)))
      spend(one.first.size + one.last.size)
      add(part.first, one.first, 1)
      add(part.last, one.last, 1)
      for (const at of one.free) part.free.add(at)
      part.ways = atMostTwo(part.ways + one.ways)
      part.freely ||= one.freely
    }
    return part
  }

  function sequence(parts: Iterable<() => Part>): Part {
    const whole = nothing(true)
    for (const make of parts) {
      const part = make()
      spend(part.first.size + part.last.size + (part.ways > 0 ? whole.last.size : 0))
      connect(whole.last, part.first)
      if (whole.ways > 0) add(whole.first, part.first, whole.ways)
      if (part.ways > 0) add(part.last, whole.last, part.ways)
      if (part.freely) for (const at of whole.free) part.free.add(at)
      whole.last = part.last
      whole.free = part.free
      whole.ways = atMostTwo(whole.ways * part.ways)
      whole.freely &&= part.freely
    }
    return whole
  }

  function build(element: AST.Element): Part {
    switch (element.type) {
      case 'Group':
      case 'CapturingGroup':
        return choice(element.alternatives)
      case 'Quantifier':
        return repeat(element)
      case 'Assertion':
        return element.kind === 'lookahead' || element.kind === 'lookbehind' ? look(element) : nothing(false)
      case 'Backreference':
        return { ...loop(reading('[^]', ANYTHING)), ways: 1, freely: false }
      case 'Character':
      case 'CharacterClass':
      case 'CharacterSet':
        if (!sets.has(element.raw)) spend(element.raw.includes('p{') || element.raw.includes('P{') ? 30_000 : 1)
        return reading(element.raw, sets.get(element.raw)?.set ?? characterSet(element))
      case 'ExpressionCharacterClass':
        return reading('[^]', ANYTHING) // Needs flag `v`, so no pattern of ours has it.
    }
  }

  function look(assertion: AST.LookaroundAssertion): Part {
    const part = choice(assertion.alternatives)
    for (const each of part.free) won.add(each)
    if (assertion.kind === 'lookahead') return { ...nothing(false), first: part.first }
    repeatsBehind ||= /[*+{]/.test(assertion.raw)
    return nothing(false)
  }

  function repeat({ element, min, max }: AST.Quantifier): Part {
    if (max === 0) return nothing(true)
    const before = reads.length
    const once = build(element)
    const size = Math.max(1, reads.length - before)
    const most = Math.max(1, Math.floor(MOST_COPIED / size))
    const copies = Math.min(min, most)
    const endless = min > most || max - min > most
    let unused: Part | undefined = once
    const make = (): Part => {
      const part = unused ?? build(element)
      unused = undefined
      return part
    }
    const parts: (() => Part)[] = Array.from({ length: copies }, () => make)
    if (endless && copies > 0 && once.ways === 0) parts[copies - 1] = () => loop(make())
    else if (endless) parts.push(() => optional(loop(make())))
    else if (max > min) parts.push(() => upTo(max - min, make))
    return sequence(parts)
  }

  function loop(part: Part): Part {
    connect(part.last, part.first)
    return part
  }

  /** `(x(x(x)?)?)?` */
  function upTo(times: number, make: () => Part): Part {
    let part = nothing(true)
    for (let time = 0; time < times; time++) {
      const inner = part
      part = optional(sequence([() => notEmpty(make()), () => inner]))
    }
    return part
  }

  function optional(part: Part): Part {
    return { ...notEmpty(part), ways: 1, freely: true }
  }
}

/** Past its minimum, an iteration that reads nothing is refused (ECMA-262 section 22.2.2.3.1). */
function notEmpty(part: Part): Part {
  return { ...part, ways: 0, freely: false }
}

function nothing(freely: boolean): Part {
  return { first: new Map(), last: new Map(), ways: 1, free: new Set(), freely }
}

function add(to: Map<number, number>, from: ReadonlyMap<number, number>, times: number): void {
  for (const [at, ways] of from) to.set(at, atMostTwo((to.get(at) ?? 0) + ways * times))
}

function atMostTwo(count: number): number {
  return Math.min(count, 2)
}

/** Whether a match can only begin where the text does. */
function anchored(alternatives: readonly AST.Alternative[]): boolean {
  return alternatives.every(({ elements: [first] }) => {
    if (first?.type === 'Group' || first?.type === 'CapturingGroup') return anchored(first.alternatives)
    return first?.type === 'Assertion' && first.kind === 'start'
  })
}
