import { afford, type Budget, createBudget } from '../tool/budget.ts'
import { degreeOf, isExponential } from './ambiguity.ts'
import { automatonOf } from './pattern-automaton.ts'
import { parsePattern, type Part, repetitionOf, tokensOf, withoutEnd } from './pattern-syntax.ts'

/** How the time to find that a text does not match grows with the text's length. */
export type Backtracking =
  | { readonly kind: 'linear' }
  | { readonly kind: 'polynomial'; readonly degree: number }
  | { readonly kind: 'exponential' }
  | { readonly kind: 'invalid'; readonly message: string }

/** Longer patterns are not analysed. */
export const MAX_PATTERN_LENGTH = 4096

/** No pattern takes more units than this. */
const MAX_UNITS = 40_000
/** Steps of well under a microsecond. */
const STEPS_PER_UNIT = 10

/**
 * How a backtracking engine fares with `pattern`, an ECMAScript pattern with flag `u` that is searched for anywhere in
 * a text (JSON Schema 2020-12 Validation section 6.3.3). Errs to the worse: `exponential` may need a text that goes on
 * in a way no text can. Where a pattern takes more than its share of the budget, or than there is, the answer is the
 * worst that the quantifiers alone allow.
 */
export function backtracking(pattern: string, budget?: Budget): Backtracking {
  if (pattern.length > MAX_PATTERN_LENGTH) {
    return { kind: 'invalid', message: `Must be at most ${MAX_PATTERN_LENGTH} characters long` }
  }
  const share = createBudget(MAX_UNITS, budget)
  const spend = (steps: number) => share.spend(steps / STEPS_PER_UNIT)
  let tokens: readonly string[] = []
  const analyse = (): Backtracking => {
    tokens = tokensOf(pattern)
    spend(pattern.length)
    const syntax = parsePattern(tokens)
    const automaton = automatonOf(syntax, spend)
    if (isExponential(automaton, spend)) return { kind: 'exponential' }
    const contested = withoutEnd(syntax)
    const loops = degreeOf(contested === syntax ? automaton : automatonOf(contested, spend), spend)
    const degree = loops + degreesOf(mostWays(contested))
    return ofDegree(automaton.repeatsBehind ? 2 * degree : degree)
  }
  try {
    const analysed = afford(analyse, '')
    return analysed.ok ? analysed.value : worst(tokens)
  } catch (error) {
    if (error instanceof RangeError) return { kind: 'invalid', message: 'Must nest less deep' }
    if (!(error instanceof SyntaxError)) throw error
    return { kind: 'invalid', message: 'Must be a regular expression of ECMAScript, valid with the flag "u"' }
  }
}

/** More is refused as exponential is: even texts of 64 characters could take seconds. */
const MAX_DEGREE = 6

function ofDegree(degree: number): Backtracking {
  if (degree > MAX_DEGREE) return { kind: 'exponential' }
  return degree > 1 ? { kind: 'polynomial', degree } : { kind: 'linear' }
}

/**
 * The most ways in which a pattern's choices and optional parts can be taken, whatever they read. How often loops go
 * round, and whether at all, is what the other degrees stand for.
 */
function mostWays(part: Part): number {
  if (part.kind === 'sequence') return part.parts.reduce((ways, each) => ways * mostWays(each), 1)
  if (part.kind === 'choice') return part.parts.reduce((ways, each) => ways + mostWays(each), 0)
  if (part.kind === 'optional') {
    return (part.part.kind === 'loop' ? 0 : 1) + mostWays(part.part) * mostWays(part.rest)
  }
  return 'part' in part ? mostWays(part.part) : 1
}

/** The degrees that so many ways to read some 100 characters are worth. */
function degreesOf(ways: number): number {
  if (ways < 80) return 0
  return ways < 4_000 ? 1 : ways < 120_000 ? 2 : ways < 1e7 ? 3 : Infinity
}

/** One degree for each repetition of a character, and two ways for each choice; exponential if a group is repeated. */
function worst(tokens: readonly string[]): Backtracking {
  let choices = 0
  let repetitions = 0
  for (const [index, token] of tokens.entries()) {
    const max = repetitionOf(token)?.max ?? 0
    if (max > 1 && tokens[index - 1] === ')') return { kind: 'exponential' }
    if (max > 1 || /^\\[1-9k]/.test(token)) repetitions++
    else if (max === 1 || token === '|') choices++
  }
  return ofDegree(1 + repetitions + degreesOf(2 ** choices))
}
