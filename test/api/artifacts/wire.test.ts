import { expect, it } from 'vitest'
import { LINK_FAILURES } from '../../../src/api/artifacts/wire.ts'

it.each([
  ['forged', 'forbidden', /signature/],
  ['expired', 'gone', /expired/],
  ['missing', 'not-found', /artifact does not exist/],
] as const)('a link to an artifact that is %s fails as %s', (why, type, words) => {
  const failure = LINK_FAILURES[why]
  expect(failure.type).toBe(type)
  expect(JSON.stringify(failure)).toMatch(words)
})
