import { isObject } from './json.ts'
import type { Json, JsonObject } from './json.ts'
import { pointerStep } from './problem.ts'
import type { Problem } from './problem.ts'

/**
 * Reads the fields of a JSON document strictly. Every method takes a value and its JSON Pointer, and gives the value in
 * its type; where it has another, it notes a problem and gives undefined, so that all problems are found at once.
 */
export class DocumentReader {
  readonly problems: Problem[] = []

  problem(path: string, message: string): undefined {
    this.problems.push({ path, message })
    return undefined
  }

  /** An object that has no fields but the `known` ones. */
  object(value: Json | undefined, path: string, known: readonly string[]): JsonObject | undefined {
    if (!isObject(value)) return this.problem(path, `wanted an object, got ${shown(value)}`)
    for (const name of Object.keys(value)) {
      if (!known.includes(name)) this.problem(path + pointerStep(name), `unknown field; known are ${quoted(known)}`)
    }
    return value
  }

  /** An array's items as `read` gives them; an absent one is empty. */
  list<T>(value: Json | undefined, path: string, read: (item: Json, path: string) => T | undefined): T[] {
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.problem(path, `wanted an array, got ${shown(value)}`)
      return []
    }
    return value.flatMap((item: Json, index) => {
      const result = read(item, path + pointerStep(index))
      return result === undefined ? [] : [result]
    })
  }

  /** A string with something in it. */
  string(value: Json | undefined, path: string): string | undefined {
    if (typeof value === 'string' && value !== '') return value
    return this.problem(path, `wanted a non-empty string, got ${shown(value)}`)
  }

  optionalString(value: Json | undefined, path: string): string | undefined {
    return value === undefined ? undefined : this.string(value, path)
  }

  /** A string, which may be empty. */
  text(value: Json | undefined, path: string): string | undefined {
    return typeof value === 'string' ? value : this.problem(path, `wanted a string, got ${shown(value)}`)
  }

  boolean(value: Json | undefined, path: string): boolean {
    if (typeof value === 'boolean') return value
    this.problem(path, `wanted true or false, got ${shown(value)}`)
    return false
  }

  integer(value: Json | undefined, path: string, least: number, most: number): number {
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    this.problem(path, `wanted an integer from ${least} to ${most}, got ${shown(value)}`)
    return least
  }

  oneOf<T extends string>(value: Json | undefined, path: string, allowed: readonly T[]): T | undefined {
    const found = allowed.find((each) => each === value)
    return found ?? this.problem(path, `wanted one of ${quoted(allowed)}, got ${shown(value)}`)
  }
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `"${name}"`).join(', ')
}

function shown(value: Json | undefined): string {
  if (value === undefined) return 'nothing'
  if (Array.isArray(value)) return 'an array'
  if (isObject(value)) return 'an object'
  const text = JSON.stringify(value) ?? typeof value
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}
