import fc from 'fast-check'
import { withinBudget, type Budget, createBudget, DEFAULT_UNITS } from '../src/core/tool/budget.ts'
import { CLIMB_STEPS } from './extent.ts'

const STEPS = Number(process.env['CLIMB_STEPS'] ?? CLIMB_STEPS)

/** A candidate made of the best one so far and of a fresh one, by numbers that a seed gives. */
export type Cross<T> = (best: T, fresh: T, number: () => number) => T

/** Looks for what costs most, from `seed`: each step keeps the better of what is and what it can be made into. */
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

/** Numbers from 0 to 1 that follow from a seed. */
function numbers(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The units that the work takes, whether there are so many or not. */
export function unitsOf(work: (budget: Budget) => unknown, units = DEFAULT_UNITS): number {
  const budget = createBudget(units)
  withinBudget(() => work(budget), '')
  return budget.spent
}
