import { type ParseResult, parseFailure } from './problem.ts'

/** Limits each algorithm whose work can grow faster than its input. A unit is about a microsecond, such as a comparison. */
export interface Budget {
  readonly spent: number
  readonly isExceeded: boolean
  /** Spends units on the part at `path`, a JSON Pointer. Throws `BudgetExceededError` if fewer are left. */
  spend(units: number, path?: string): void
}

/** For all work on one definition, one value, or one line of a list. */
export const DEFAULT_UNITS = 100_000

/** For one call, or all messages of a batch: the parent of all budgets for their work. */
export const CALL_UNITS = 10 * DEFAULT_UNITS
/** For one import: more than twice what 5,000 tools of 50 kB each take. */
export const SOURCE_UNITS = 500_000_000

const CHARACTERS_PER_UNIT = 64

class BudgetExceededError extends Error {
  readonly path: string
  constructor(path: string) {
    super('There is no budget left')
    this.path = path
  }
}

export function createBudget(units: number = DEFAULT_UNITS, parent?: Budget): Budget {
  return new CountedBudget(units, parent)
}

class CountedBudget implements Budget {
  readonly #units: number
  readonly #parent: Budget | undefined
  spent = 0

  constructor(units: number, parent: Budget | undefined) {
    this.#units = units
    this.#parent = parent
  }

  get isExceeded(): boolean {
    return this.spent > this.#units
  }

  spend(count: number, path = ''): void {
    this.spent += count
    this.#parent?.spend(count, path)
    if (this.spent > this.#units) throw new BudgetExceededError(path)
  }
}

export function withinBudget<T>(work: () => T, message: string): ParseResult<T> {
  try {
    return { ok: true, value: work() }
  } catch (error) {
    if (error instanceof BudgetExceededError) return parseFailure(message, error.path.slice(0, MAX_PATH))
    throw error
  }
}

const MAX_PATH = 1_000

export function textUnits({ length }: string): number {
  return 1 + length / CHARACTERS_PER_UNIT
}

/** Spends the units of reading or writing a JSON value. A part that occurs in several places counts each time. */
export function chargeValue(value: unknown, budget: Budget, path = ''): void {
  budget.spend(typeof value === 'string' ? textUnits(value) : 1, path)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const item of value) chargeValue(item, budget, path)
    return
  }
  for (const key in value) {
    budget.spend(key.length / CHARACTERS_PER_UNIT, path)
    chargeValue(Reflect.get(value, key), budget, path)
  }
}

/** Lets other requests run. Injected, because core is platform-independent. */
export type YieldControl = () => Promise<void>

/** About 10 ms of work. A Worker's clock stands still while it computes, so time cannot be measured. */
const YIELD_EVERY_UNITS = 10_000

/** Creates a function to call between steps of a long task. It yields if enough units were spent since it last did. */
export function createYielder(spent: () => number, yieldControl: YieldControl): () => Promise<void> | undefined {
  let lastYield = spent()
  return () => {
    if (spent() - lastYield < YIELD_EVERY_UNITS) return undefined
    lastYield = spent()
    return yieldControl()
  }
}

/** Parts of a value that code without a budget may check or sort: about as many as the interpreter's budget allows. */
const MAX_PARTS = 150_000

export function exceedsMaxNodes(value: unknown): boolean {
  let remaining = MAX_PARTS
  const countNodes = (item: unknown): boolean => {
    remaining -= 1
    if (remaining < 0) return true
    if (typeof item !== 'object' || item === null) return false
    if (Array.isArray(item)) return item.some(countNodes)
    for (const key in item) if (countNodes(Reflect.get(item, key))) return true
    return false
  }
  return countNodes(value)
}
