import fc from 'fast-check'
import { expect } from 'vitest'
import type { FailureResult } from '../../src/core/failure/failure.ts'
import type { Json, JsonObject } from '../../src/core/tool/json.ts'
import type { ParseResult } from '../../src/core/tool/problem.ts'

/** A decoder under test. */
export interface Row {
  readonly name: string
  /** Runs this many cases through the decoder. Throws with the smallest case that breaks its promises. */
  run(cases: number): Promise<Tally>
}

export interface Tally {
  readonly accepted: number
  readonly refused: number
}

/**
 * The thread's CPU time for one case, in ms, which other processes do not affect. A case takes some thousandths of a second;
 * work that grows without limit with its input takes seconds.
 */
const MOST_MS = 1_000

/** `decode` returns whether it accepts a case, and throws if it handles one incorrectly. */
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

/** Whether it was read; if not, checks that its problems may be shown to a caller. */
export function isRead<T>(read: ParseResult<T>): read is { readonly ok: true; readonly value: T } {
  if (read.ok) return true
  expect(read.problems.length).toBeGreaterThan(0)
  for (const { path, message } of read.problems) {
    if (path !== '') expect(path).toMatch(/^\//)
    expectWords(message)
  }
  return false
}

/** Whether it was understood; if not, checks that the failure has one of these types and a text for callers. */
export function isUnderstood<T extends object>(read: T | FailureResult, ...types: readonly string[]): read is T {
  if (!isFailing(read)) return true
  expect(types).toContain(read.failure.type)
  expectWords(JSON.stringify(read.failure))
  return false
}

function isFailing(read: object): read is FailureResult {
  return 'failure' in read
}

/** Checks that a text is not empty and not the message of a program error. */
export function expectWords(text: string): void {
  expect(text).toMatch(/\S/)
  expect(text).not.toMatch(/\n\s+at |\bundefined\b.*\breading\b|is not a function|\[object Object\]|\bRangeError\b/)
}

/** Converts a value to JSON and back, as a receiver gets it. */
export function written(value: unknown): Json {
  return JSON.parse(JSON.stringify(value))
}

/** Does the same for an object. */
export function writtenObject(value: object): JsonObject {
  return JSON.parse(JSON.stringify(value))
}
