import { type Checked, refused } from './problem.ts'

/**
 * Work that may still be done for one thing that somebody sent: a definition, a value, a list. Every algorithm whose work
 * can be made to grow draws on the budget it is given, so composing algorithms makes no more of it. A unit is a part of a
 * document visited or made, a comparison, or some steps of a match: about a microsecond.
 */
export interface Budget {
  readonly spent: number
  /** Whether nothing is left: what goes on drawing on it is refused. */
  readonly isSpent: boolean
  /** Takes units for work on the part at `path` (a JSON Pointer). Throws `Exhausted` where there are not so many left. */
  spend(units: number, path?: string): void
}

/** For one definition, all that publishing or converting it takes; for the work on one value, or on one line of a list. */
export const UNITS = 100_000

/** So many characters of text that are read, compared or written take a unit. */
const CHARACTERS = 64

/** Thrown through an algorithm by its budget; `afford` makes a problem of it. */
class Exhausted extends Error {
  readonly path: string
  constructor(path: string) {
    super('There is no budget left')
    this.path = path
  }
}

/** A budget of its own, or a share of another: what it takes is taken from that too. */
export function createBudget(units: number = UNITS, whole?: Budget): Budget {
  let spent = 0
  return {
    get spent() {
      return spent
    },
    get isSpent() {
      return spent > units
    },
    spend(taken, path = '') {
      spent += taken
      whole?.spend(taken, path)
      if (spent > units) throw new Exhausted(path)
    },
  }
}

/** What work comes to within the budgets that it draws on; else `message`, at the part that took too much. */
export function afford<T>(work: () => T, message: string): Checked<T> {
  try {
    return { ok: true, value: work() }
  } catch (error) {
    if (error instanceof Exhausted) return refused(message, error.path.slice(0, MAX_PATH))
    throw error
  }
}

/** In characters: a name of a property may be as long as a document. */
const MAX_PATH = 1_000

/** The units that reading, comparing or writing a text takes. */
export function unitsOf({ length }: string): number {
  return 1 + length / CHARACTERS
}

/** Takes the units of reading or writing a JSON value. A part that stands at several places of it is written at each. */
export function weigh(value: unknown, budget: Budget, path = ''): void {
  budget.spend(typeof value === 'string' ? unitsOf(value) : 1, path)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const each of value) weigh(each, budget, path)
    return
  }
  for (const key in value) {
    budget.spend(key.length / CHARACTERS, path)
    weigh(Reflect.get(value, key), budget, path)
  }
}
