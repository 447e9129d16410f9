import { beforeAll, describe, expect, it } from 'vitest'
import { type Conformance, REVISIONS, runConformance } from '../conformance/run.ts'

/** How many of the suite's scored scenarios pass: what a server with nothing but tools can. */
const PASSED = { '2026-07-28': 25, '2025-11-25': 11 }

describe('the official MCP conformance suite', () => {
  let results: readonly Conformance[] = []
  beforeAll(async () => {
    results = await runConformance()
  }, 180_000)

  it.each(REVISIONS)(
    'the official MCP conformance suite finds of %s what is expected, and nothing else',
    (revision) => {
      const result = results.find((each) => each.revision === revision)
      expect(result?.asExpected, result?.output).toBe(true)
      expect(result?.passed).toBeGreaterThanOrEqual(PASSED[revision])
      console.log(`${revision}: ${result?.passed} of ${result?.scored} scored scenarios pass`)
    },
  )
})
