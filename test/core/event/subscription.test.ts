import { expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { isByEarlierSecret } from '../../../src/core/event/subscription.ts'

const UNTIL = Date.parse('2026-11-30T09:00:00Z')
const key = { previous_expires_at: '2026-11-30T09:00:00Z' }

it.each([
  ['before the earlier secret has ended', UNTIL - 1, UNTIL - 9_000, false],
  ['after it has ended, and from before', UNTIL, UNTIL - 9_000, true],
  ['after it has ended, and from when an isolate may still have taken it', UNTIL + 200_000, UNTIL + 119_999, true],
  ['refreshed two minutes after it has ended', UNTIL + 200_000, UNTIL + 120_000, false],
])('a subscription %s', (_, now, at, ends) => {
  const subscriber = { principal: ADMIN, at }
  expect(isByEarlierSecret(subscriber, key, now)).toBe(ends)
  expect(isByEarlierSecret(subscriber, {}, now)).toBe(false)
})
