import fc from 'fast-check'
import { expect } from 'vitest'
import type { FailureResult } from '../../src/core/failure/failure.ts'
import type { Json, JsonObject } from '../../src/core/tool/json.ts'
import type { ParseResult } from '../../src/core/tool/problem.ts'

/** A decoder under trial. */
export interface Row {
  readonly name: string
  /** Gives so many cases to the decoder, which holds what it promises for each, or throws with the smallest that shows it does not. */
  run(cases: number): Promise<Tally>
}

export interface Tally {
  readonly accepted: number
  readonly refused: number
}

/**
 * The work of the thread for one case, in milliseconds, which other processes do not lengthen. A case takes some
 * thousandths; what grows without bound with what it was given takes seconds.
 */
const MOST_MS = 1_000

/** `decode` gives whether it accepts a case, and throws for one that it treats as it must not. */
export function row<T>(name: string, cases: fc.Arbitrary<T>, decode: (value: T) => boolean | Promise<boolean>): Row {
  return {
    name,
    async run(numRuns) {
      const tally = { accepted: 0, refused: 0 }
      const property = fc.asyncProperty(cases, async (value) => {
        const before = process.threadCpuUsage()
        const isAccepted = await decode(value)
        const { user, system } = process.threadCpuUsage(before)
        expect((user + system) / 1_000).toBeLessThan(MOST_MS)
        tally[isAccepted ? 'accepted' : 'refused'] += 1
      })
      await fc.assert(property, { numRuns, seed: 12 })
      return tally
    },
  }
}

/** Whether it was read; the problems of what was not are such as a caller may be told. */
export function isRead<T>(read: ParseResult<T>): read is { readonly ok: true; readonly value: T } {
  if (read.ok) return true
  expect(read.problems.length).toBeGreaterThan(0)
  for (const { path, message } of read.problems) {
    if (path !== '') expect(path).toMatch(/^\//)
    expectWords(message)
  }
  return false
}

/** Whether it was understood; a failure is one of these, in words that a caller may be told. */
export function isUnderstood<T extends object>(read: T | FailureResult, ...types: readonly string[]): read is T {
  if (!isFailing(read)) return true
  expect(types).toContain(read.failure.type)
  expectWords(JSON.stringify(read.failure))
  return false
}

function isFailing(read: object): read is FailureResult {
  return 'failure' in read
}

/** Something is said, and it is not what an error of the program would say. */
export function expectWords(text: string): void {
  expect(text).toMatch(/\S/)
  expect(text).not.toMatch(/\n\s+at |\bundefined\b.*\breading\b|is not a function|\[object Object\]|\bRangeError\b/)
}

/** What can be written as JSON and read again, as it arrives on the other side. */
export function written(value: unknown): Json {
  return JSON.parse(JSON.stringify(value))
}

/** As an object; an error where it is none. */
export function writtenObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value))
}
