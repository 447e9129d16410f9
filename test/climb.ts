import fc from 'fast-check'
import { withinBudget, type Budget, createBudget, DEFAULT_UNITS } from '../src/core/tool/budget.ts'
import { CLIMB_STEPS } from './extent.ts'

const STEPS = Number(process.env['CLIMB_STEPS'] ?? CLIMB_STEPS)

/** Combines the best candidate so far with a fresh one, using numbers derived from the seed. */
export type Cross<T> = (best: T, fresh: T, number: () => number) => T

/** Searches for the most expensive input: each step compares a fresh candidate, and its cross with the best, to the best. */
export function climb<T>(fresh: fc.Arbitrary<T>, cross: Cross<T>, cost: (candidate: T) => number, seed: number) {
  const number = numbers(seed)
  let best: T | undefined
  let most = -1
  for (const each of fc.sample(fresh, { seed, numRuns: STEPS })) {
    for (const candidate of best === undefined ? [each] : [each, cross(best, each, number)]) {
      const taken = cost(candidate)
      if (taken <= most) continue
      best = candidate
      most = taken
    }
  }
  if (best === undefined) throw new Error('Nothing was tried')
  return { best, most }
}

/** Generates numbers from 0 to 1 from a seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** Returns the units that the work takes, even if that exceeds the budget. */
export function unitsOf(work: (budget: Budget) => unknown, units = DEFAULT_UNITS): number {
  const budget = createBudget(units)
  withinBudget(() => work(budget), '')
  return budget.spent
}
