import { beforeAll, describe, expect, it } from 'vitest'
import { EXTENSION_SCENARIOS, REVISIONS, runConformance } from '../conformance/run.ts'

/** How many of the suite's scored scenarios pass: what a server with nothing but tools can. */
const PASSED = { '2026-07-28': 26, '2025-11-25': 13 }

describe('the official MCP conformance suite', () => {
  let run: Awaited<ReturnType<typeof runConformance>>
  beforeAll(async () => {
    run = await runConformance()
  }, 300_000)

  it.each(REVISIONS)(
    'the official MCP conformance suite has the expected results for %s, and no others',
    (revision) => {
      const result = run.revisions.find((each) => each.revision === revision)
      expect(result?.asExpected, result?.output).toBe(true)
      expect(result?.passed).toBeGreaterThanOrEqual(PASSED[revision])
      console.log(`${revision}: ${result?.passed} of ${result?.scored} scored scenarios pass`)
    },
  )

  it.each(Object.keys(EXTENSION_SCENARIOS))('the official MCP conformance suite passes in %s', (scenario) => {
    const result = run.extensions.find(({ name }) => name === scenario)
    expect(result?.passes, result?.output).toBe(true)
  })
})
