import { type AST, RegExpParser, visitRegExpAST } from '@eslint-community/regexpp'
import { degreeOf, isExponential, mostWays, TOO_MANY_WAYS, withoutVictories } from './ambiguity.ts'
import { automatonOf } from './pattern-automaton.ts'

/** How the time to find that a text does not match grows with the text's length. */
export type Backtracking =
  | { readonly kind: 'linear' }
  | { readonly kind: 'polynomial'; readonly degree: number }
  | { readonly kind: 'exponential' }
  | { readonly kind: 'invalid'; readonly message: string }

/** Work that may still be done, in steps of well under a microsecond. Share one between the patterns of a document. */
export interface Effort {
  left: number
}

/** Longer patterns are not analysed. */
export const MAX_PATTERN_LENGTH = 4096

/** No pattern takes more than this. */
const MOST_STEPS = 400_000

class Exhausted extends Error {}

const parser = new RegExpParser({ ecmaVersion: 2024 })

/**
 * How a backtracking engine fares with `pattern`, an ECMAScript pattern with flag `u` that is searched for anywhere in
 * a text (JSON Schema 2020-12 Validation section 6.3.3). Errs to the worse: `exponential` may need a text that goes on
 * in a way no text can. When `effort` does not suffice the answer is a guess from the quantifiers alone.
 */
export function backtracking(pattern: string, effort: Effort = { left: MOST_STEPS }): Backtracking {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return { kind: 'invalid', message: `Must be at most ${MAX_PATTERN_LENGTH} characters long` }
  }
  const parsed = parse(pattern)
  if (typeof parsed === 'string') return { kind: 'invalid', message: parsed }
  const stop = Math.max(0, effort.left - MOST_STEPS)
  const spend = (steps: number): void => {
    effort.left -= steps
    if (effort.left < stop) throw new Exhausted()
  }
  try {
    spend(pattern.length)
    const automaton = automatonOf(parsed, spend)
    if (isExponential(automaton, spend)) return { kind: 'exponential' }
    const contested = withoutVictories(automaton, spend)
    const ways = mostWays(contested, spend)
    if (ways > TOO_MANY_WAYS) return { kind: 'exponential' }
    const degree = Math.max(degreeOf(contested, spend), degreeOfWays(ways)) * (automaton.repeatsBehind ? 2 : 1)
    return degree > 1 ? { kind: 'polynomial', degree } : { kind: 'linear' }
  } catch (error) {
    if (error instanceof Exhausted) return guess(parsed)
    if (error instanceof RangeError) return { kind: 'invalid', message: 'Must nest less deep' }
    throw error
  }
}

/** The degree that so many ways to read 96 characters hint at: there are 96, 4,560 and 142,880 ways to cut them. */
function degreeOfWays(ways: number): number {
  return ways < 80 ? 1 : ways < 4_000 ? 2 : ways < 120_000 ? 3 : 4
}

/** The pattern's syntax tree, or what is wrong with it. */
function parse(pattern: string): AST.Pattern | string {
  try {
    new RegExp(pattern, 'u')
    return parser.parsePattern(pattern, 0, pattern.length, { unicode: true })
  } catch (error) {
    if (error instanceof SyntaxError) return 'Must be a regular expression of ECMAScript, valid with the flag "u"'
    return 'Must nest less deep'
  }
}

/** Exponential if a repetition holds another one or much is optional, else one degree for each repetition. */
function guess(pattern: AST.Pattern): Backtracking {
  let depth = 0
  let deepest = 0
  let count = 0
  let optional = 0
  visitRegExpAST(pattern, {
    onQuantifierEnter: ({ max }) => {
      if (max === 1) return void optional++
      count++
      deepest = Math.max(deepest, ++depth)
    },
    onQuantifierLeave: ({ max }) => {
      if (max !== 1) depth--
    },
  })
  if (deepest > 1 || optional > 16) return { kind: 'exponential' }
  return count > 0 ? { kind: 'polynomial', degree: count + 1 } : { kind: 'linear' }
}
