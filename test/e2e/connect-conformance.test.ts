import { beforeAll, describe, expect, it } from 'vitest'
import { runConnectConformance } from '../conformance/authorization.ts'
import { REVISIONS } from '../conformance/run.ts'
import { freePort } from './free-port.ts'

/** As many as through the door for keys. */
const PASSED = { '2026-07-28': 25, '2025-11-25': 11 }

describe('the official conformance suite at /connect/mcp', () => {
  let results: Awaited<ReturnType<typeof runConnectConformance>>
  beforeAll(async () => {
    results = await runConnectConformance(await freePort())
  }, 300_000)

  it('the official conformance suite at /connect/mcp finds an authorization server', () => {
    const { passed, output } = results.authorization
    expect(passed, output).toEqual(['authorization-server-metadata-endpoint', 'authorization-code-grant'])
  })

  it.each(REVISIONS)(
    'the official conformance suite at /connect/mcp has the same results for %s with a token as with a key',
    (revision) => {
      const result = results.server.find((each) => each.revision === revision)
      expect(result?.asExpected, result?.output).toBe(true)
      expect(result?.passed).toBeGreaterThanOrEqual(PASSED[revision])
    },
  )
})
