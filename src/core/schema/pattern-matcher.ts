import type { RE2JS } from 're2js'
import type { Budget } from '../tool/budget.ts'
import { isObject } from '../tool/json.ts'
import { compileLinearPattern } from './pattern.ts'
import { walkSubschemas } from './subschemas.ts'

export type PatternMatcher = (text: string, budget: Budget) => boolean

const STEPS_PER_UNIT = 10
const MAX_CACHED_PARTS = 12
/** Compiled patterns are dropped after this many steps, because RE2 keeps up to 8 MB of states for one. */
const MAX_CACHED_STEPS = 200_000
const MAX_QUOTED_CHARACTERS = 100

let engine: typeof RE2JS | undefined

/** Loads the engine that a validator of a schema with patterns needs. Call this before creating the validator. */
export async function loadPatternEngine(schema: unknown): Promise<void> {
  if (engine || collectPatterns(schema).length === 0) return
  engine = (await import('re2js')).RE2JS
}

export function collectPatterns(root: unknown): string[] {
  return [...walkSubschemas(root, Infinity)].flatMap(({ schema }) => {
    if (!isObject(schema)) return []
    const { pattern, patternProperties } = schema
    const names = isObject(patternProperties) ? Object.keys(patternProperties) : []
    return typeof pattern === 'string' ? [pattern, ...names] : names
  })
}

/** Compiles each pattern on first use. `compileBudget` pays for it. */
export function createMatchers(compileBudget: Budget): (pattern: string) => PatternMatcher {
  const compiledPatterns = new Map<string, RE2JS>()
  let steps = 0
  return (pattern) => {
    const linear = compileLinearPattern(pattern, compileBudget)
    const RE2 = engine
    if (!linear.ok || !RE2) throw new TypeError(`Cannot match the pattern '${pattern.slice(0, MAX_QUOTED_CHARACTERS)}'`)
    const { source, stepsPerCharacter } = linear.value
    return (text, budget) => {
      const { length } = text
      const stateCount = stepsPerCharacter > MAX_CACHED_PARTS ? length : Math.min(length, 2 ** stepsPerCharacter)
      const stepCount = stateCount * stepsPerCharacter
      budget.spend(1 + (length + stepCount) / STEPS_PER_UNIT)
      steps += stepCount
      if (steps > MAX_CACHED_STEPS) {
        compiledPatterns.clear()
        steps = stepCount
      }
      const expression = compiledPatterns.get(source) ?? RE2.compile(source)
      compiledPatterns.set(source, expression)
      return expression.test(text)
    }
  }
}
