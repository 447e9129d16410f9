import { pointerStep } from '../tool/problem.ts'

/** What of a value decides how long one evaluation of a schema can take. */
export interface InstanceSize {
  /** The properties of its widest object, or the characters of its longest text in units of 16. */
  readonly width: number
  /** The paths of properties with names longer than asked. */
  readonly longNames: readonly string[]
}

/** Measures a JSON value in one pass, without recursion. */
export function measure(value: unknown, maxNameLength: number): InstanceSize {
  const longNames: string[] = []
  const waiting: { value: unknown; path: string }[] = [{ value, path: '' }]
  let width = 0
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { value: each, path } = next
    if (typeof each === 'string') width = Math.max(width, each.length / 16)
    if (typeof each !== 'object' || each === null) continue
    const isArray = Array.isArray(each)
    const entries = Object.entries(each)
    if (!isArray) width = Math.max(width, entries.length)
    for (const [key, inner] of entries) {
      const isLong = !isArray && key.length > maxNameLength
      if (isLong) longNames.push(path + pointerStep(key))
      if (typeof inner === 'string' || typeof inner === 'object') {
        // Paths matter only where names are limited; else they would cost more than the rest.
        waiting.push({ value: inner, path: maxNameLength === Infinity ? '' : path + pointerStep(key) })
      }
    }
  }
  return { width, longNames }
}
