import { pointerStep } from '../tool/problem.ts'

/** What of a value decides how long one evaluation of a schema can take. */
export interface InstanceSize {
  /** The properties of its widest object, or the characters of its longest text in units of 16. */
  readonly width: number
  /** The paths of properties with names longer than asked. */
  readonly longNames: readonly string[]
  /** The steps that matching all names of one object against a pattern of the degree can take; 0 when names are free. */
  readonly nameSteps: number
  /** The characters of its longest text. */
  readonly longest: number
}

/** How much there is to compare in the lists of a value, whose parts are its scalars, lists and objects. */
export interface ListSize {
  /** The parts of the heaviest item of any list. An object counts as several, since its names are looked up. */
  readonly heaviest: number
  /** The parts that comparing each item of one list with each other takes at most. */
  readonly most: number
}

const PARTS_OF_OBJECT = 8

/**
 * The most parts of a value that is checked by code that counts nothing, and of an input, which is also put in order to be
 * known again. About as many as the interpreter looks at for its budget; each may have several problems.
 */
export const MAX_PARTS = 150_000

/** Measures the lists of a JSON value. */
export function measureLists(value: unknown): ListSize {
  let heaviest = 0
  let most = 0
  const weigh = (each: unknown): number => {
    if (typeof each !== 'object' || each === null) return 1
    const isList = Array.isArray(each)
    let weight = isList ? 1 : PARTS_OF_OBJECT
    for (const inner of isList ? each : Object.values(each)) {
      const own = weigh(inner)
      weight += isList ? own : own + 1
      if (isList && own > heaviest) heaviest = own
    }
    if (isList) most = Math.max(most, each.length * weight)
    return weight
  }
  weigh(value)
  return { heaviest, most }
}

/** Whether a JSON value has more parts than so many: its scalars, lists and objects. Looks at no more of them. */
export function hasMoreParts(value: unknown, most: number): boolean {
  let left = most
  const count = (each: unknown): boolean => {
    left -= 1
    if (left < 0) return true
    if (typeof each !== 'object' || each === null) return false
    if (Array.isArray(each)) return each.some(count)
    for (const key in each) if (count(Reflect.get(each, key))) return true
    return false
  }
  return count(value)
}

/** Measures a JSON value in one pass, without recursion. */
export function measure(value: unknown, names: { readonly degree: number; readonly maxLength: number }): InstanceSize {
  const areFree = names.maxLength === Infinity
  const longNames: string[] = []
  const waiting: { value: unknown; path: string }[] = [{ value, path: '' }]
  let width = 0
  let longest = 0
  let nameSteps = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: each, path } = next
    if (typeof each === 'string') {
      width = Math.max(width, each.length / 16)
      longest = Math.max(longest, each.length)
    }
    if (typeof each !== 'object' || each === null) continue
    // Paths matter only where names are limited; else they would cost more than the rest.
    const enter = (key: string | number, inner: unknown) => {
      if (typeof inner !== 'string' && typeof inner !== 'object') return
      waiting.push({ value: inner, path: areFree ? '' : path + pointerStep(key) })
    }
    if (Array.isArray(each)) {
      for (let index = 0; index < each.length; index++) enter(index, each[index])
      continue
    }
    const keys = Object.keys(each)
    width = Math.max(width, keys.length)
    let steps = 0
    for (const key of keys) {
      width = Math.max(width, key.length / 16)
      if (!areFree) {
        if (key.length > names.maxLength) longNames.push(path + pointerStep(key))
        steps += key.length ** names.degree
      }
      enter(key, Reflect.get(each, key))
    }
    nameSteps = Math.max(nameSteps, steps)
  }
  return { width, longNames, nameSteps, longest }
}
