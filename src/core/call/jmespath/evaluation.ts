import { type Budget, createBudget, DEFAULT_UNITS } from '../../tool/budget.ts'
import { isJsonObject, isJsonArray, type Json, type JsonObject, jsonSize } from '../../tool/json.ts'

/** Units for visiting a part of an expression or value, which takes about a tenth of a microsecond. */
export const STEP = 0.1
/** Engines store objects with more members as dictionaries, which take several times as long to list. */
const MANY_NAMES = 1_000
/** Characters of text that are read or created per unit. */
export const CHARACTERS = 256

/** In bytes. A selection is a part of the value, so it and the texts that it creates may exceed the value only by this much. */
const MAX_GROWTH = 64 * 1024
/** The minimum units for a value, and the size that adds one unit, so that short requests cause little work. */
const LEAST = 5_000
const FOR_A_UNIT = 20
const OUTGROWN = `It outgrows the output by more than ${MAX_GROWTH} bytes: select a part of it`

/** Thrown if nothing can be selected, as when a function gets a wrong type (JMESPath, "Functions": `invalid-type`). */
export class Unselectable extends Error {}

/** The budget of one search in a value: its units of work, and the bytes that it may create. */
export class SearchBudget {
  readonly #work: Budget
  readonly #maxBytes: number
  #createdBytes = 0

  constructor(value: Json, parent: Budget) {
    const size = jsonSize(value, Infinity)
    this.#work = createBudget(Math.min(DEFAULT_UNITS, LEAST + size / FOR_A_UNIT), parent)
    this.#maxBytes = size + MAX_GROWTH
    this.spend(size / CHARACTERS)
  }

  spend(units: number): void {
    this.#work.spend(units)
  }

  /** Spends the length of a text before the text is created. */
  make(length: number): void {
    this.spend(length / CHARACTERS)
    this.#createdBytes += length
    if (this.#createdBytes > this.#maxBytes) throw new Unselectable(OUTGROWN)
  }

  /** Returns the bytes of a value as JSON. Throws `Unselectable` if there are too many. */
  measureSize(value: Json): number {
    const size = jsonSize(value, this.#maxBytes)
    if (size > this.#maxBytes) throw new Unselectable(OUTGROWN)
    return size
  }
}

export function isFalsy(value: Json, budget: SearchBudget): boolean {
  if (value === null || value === false || value === '') return true
  if (isJsonArray(value)) return value.length === 0
  return isJsonObject(value) && listKeys(value, budget).length === 0
}

export function listKeys(value: JsonObject, budget: SearchBudget): string[] {
  const names = Object.keys(value)
  budget.spend(names.length * (names.length > MANY_NAMES ? 5 * STEP : STEP))
  return names
}

export function listValues(value: JsonObject, budget: SearchBudget): Json[] {
  return listKeys(value, budget).map((name) => value[name] ?? null)
}

export function isSame(one: Json, other: Json, budget: SearchBudget): boolean {
  budget.spend(STEP)
  if (typeof one === 'string' && typeof other === 'string') {
    if (one.length !== other.length) return false
    budget.spend(one.length / CHARACTERS)
    return one === other
  }
  if (isJsonArray(one)) {
    if (!isJsonArray(other) || one.length !== other.length) return false
    return one.every((item, index) => isSame(item, other[index] ?? null, budget))
  }
  if (!isJsonObject(one)) return one === other
  if (!isJsonObject(other)) return false
  const names = listKeys(one, budget)
  if (names.length !== listKeys(other, budget).length) return false
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name] ?? null, other[name] ?? null, budget))
}
