import type { Budget } from '../../tool/budget.ts'
import { isJsonObject, isList, type Json, type JsonObject } from '../../tool/json.ts'

/** Units of visiting a part of an expression or of a value, which takes about a tenth of a microsecond. */
export const STEP = 0.1
/** Engines keep objects of more members as dictionaries, which take several times as long to list. */
const MANY_NAMES = 1_000
/** Characters of texts that are read or made in a unit. */
export const CHARACTERS = 256

/** Thrown where a value is not of the type that a function takes (JMESPath, "Functions": `invalid-type`). */
export class WrongType extends Error {}

export function isFalse(value: Json, budget: Budget): boolean {
  if (value === null || value === false || value === '') return true
  if (isList(value)) return value.length === 0
  return isJsonObject(value) && namesOf(value, budget).length === 0
}

export function namesOf(value: JsonObject, budget: Budget): string[] {
  const names = Object.keys(value)
  budget.spend(names.length * (names.length > MANY_NAMES ? 5 * STEP : STEP))
  return names
}

export function valuesOf(value: JsonObject, budget: Budget): Json[] {
  return namesOf(value, budget).map((name) => value[name] ?? null)
}

export function isSame(one: Json, other: Json, budget: Budget): boolean {
  budget.spend(STEP)
  if (typeof one === 'string' && typeof other === 'string') {
    if (one.length !== other.length) return false
    budget.spend(one.length / CHARACTERS)
    return one === other
  }
  if (isList(one)) {
    if (!isList(other) || one.length !== other.length) return false
    return one.every((item, index) => isSame(item, other[index] ?? null, budget))
  }
  if (!isJsonObject(one)) return one === other
  if (!isJsonObject(other)) return false
  const names = namesOf(one, budget)
  if (names.length !== namesOf(other, budget).length) return false
  return names.every((name) => Object.hasOwn(other, name) && isSame(one[name] ?? null, other[name] ?? null, budget))
}

export function weighJson(value: Json, budget: Budget): void {
  budget.spend(STEP)
  if (typeof value === 'string') budget.spend(value.length / CHARACTERS)
  else if (isList(value)) for (const item of value) weighJson(item, budget)
  else if (isJsonObject(value)) {
    for (const name of namesOf(value, budget)) {
      budget.spend(name.length / CHARACTERS)
      weighJson(value[name] ?? null, budget)
    }
  }
}

export function typeOf(value: Json): 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object' {
  if (value === null) return 'null'
  if (isList(value)) return 'array'
  if (typeof value === 'string') return 'string'
  if (typeof value === 'number') return 'number'
  return typeof value === 'boolean' ? 'boolean' : 'object'
}
