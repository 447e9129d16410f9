import { describe, expect, it } from 'vitest'
import { callLimits, findToolLimits } from '../../../src/core/access/call-limits.ts'
import { createCallLimiter, type LimitBucket, limitsFor } from '../../../src/core/call/call-limiter.ts'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { parseValue } from '../../../src/core/tool/json-reader.ts'

function turnsAt() {
  const clock = { now: 0 }
  const turns = createCallLimiter(() => clock.now)
  const take = (...limited: LimitBucket[]) => {
    const turn = turns.take(limited, 10_000)
    if (!('ok' in turn)) return turn
    return turn.failure
  }
  return { clock, take }
}
const RATE: LimitBucket = { id: 'key:a', name: 'credential', limits: { rate: { calls: 2, seconds: 10 } } }
const TWO: LimitBucket = { id: 'tool:a.b', name: 'tool', limits: { concurrency: 2 } }
const refused = (retry_after_ms: number, policy: object) => ({ type: 'rate-limited', retry_after_ms, policy })
const isTurn = { end: expect.any(Function) }

describe('a rate limit', () => {
  const policy = { name: 'credential', quota: 2, seconds: 10 }

  it('a rate limit allows its number of calls in a window that starts with the first, and reports when it ends', () => {
    const { clock, take } = turnsAt()
    clock.now = 3_000
    expect([take(RATE), take(RATE)]).toEqual([isTurn, isTurn])
    expect(take(RATE)).toEqual(refused(10_000, policy))
    clock.now = 12_999
    expect(take(RATE)).toEqual(refused(1, policy))
    clock.now = 13_000
    expect([take(RATE), take(RATE)]).toEqual([isTurn, isTurn])
    expect(take(RATE)).toEqual(refused(10_000, policy))
  })

  it('a rate limit is counted for each bucket', () => {
    const { take } = turnsAt()
    for (const id of ['key:a', 'key:b'])
      expect([take({ ...RATE, id }), take({ ...RATE, id })]).toEqual([isTurn, isTurn])
  })
})

it('a concurrency limit waits for calls to end, and for hanging ones only until their timeout', () => {
  const { clock, take } = turnsAt()
  const first = take(TWO)
  take(TWO)
  const policy = { name: 'tool', quota: 2 }
  expect(take(TWO)).toEqual(refused(1_000, policy))
  if ('end' in first) first.end()
  expect(take(TWO)).toEqual(isTurn)
  if ('end' in first) first.end()
  expect(take(TWO)).toEqual(refused(1_000, policy))
  clock.now = 15_000
  expect(take(TWO)).toEqual(isTurn)
})

it('the remaining quota is reported for each limit when a call ends: rates for their window, concurrency for that moment', () => {
  const clock = { now: 0 }
  const turns = createCallLimiter(() => clock.now)
  const key: LimitBucket = { ...RATE, limits: { rate: { calls: 3, seconds: 10 }, concurrency: 5 } }
  const both = [key, TWO]
  const [first, second] = [turns.take(both, 10_000), turns.take(both, 10_000)]
  if ('ok' in first || 'ok' in second) throw new Error('There is a turn for each')
  clock.now = 4_000
  expect(first.end()).toEqual([
    { name: 'credential', quota: 3, seconds: 10, remaining: 1, resetMs: 6_000 },
    { name: 'credential', quota: 5, remaining: 4 },
    { name: 'tool', quota: 2, remaining: 1 },
  ])
  clock.now = 10_000
  // Its window is over, and nothing counts in the next yet
  expect(second.end()).toEqual([
    { name: 'credential', quota: 3, seconds: 10, remaining: 3, resetMs: 10_000 },
    { name: 'credential', quota: 5, remaining: 5 },
    { name: 'tool', quota: 2, remaining: 2 },
  ])
})

it('a call that one of its limits refuses does not count for the others', () => {
  const { take } = turnsAt()
  const one: LimitBucket = { ...TWO, limits: { concurrency: 1 } }
  take(one)
  for (let call = 0; call < 5; call++) expect(take(RATE, one)).toMatchObject({ policy: { name: 'tool' } })
  expect([take(RATE), take(RATE)]).toEqual([isTurn, isTurn])
})

it.each([
  [{ rate: { calls: 1, seconds: 1 } }, true],
  [{ concurrency: 5 }, true],
  [{ rate: { calls: 1, seconds: 1 }, concurrency: 1 }, true],
  [{}, false],
  [{ rate: { calls: 0, seconds: 1 } }, false],
  [{ rate: { calls: 1 } }, false],
  [{ rate: { calls: 1, seconds: 86_401 } }, false],
  [{ concurrency: 0 }, false],
  [{ concurrency: 1.5 }, false],
  [{ concurency: 5 }, false],
  ['5', false],
])('the limits %j are valid: %j', (limits, ok) => expect(parseValue(callLimits, limits).ok).toBe(ok))

it('the limits of a tool are those of the first pattern that covers it', () => {
  const [a, b] = [{ concurrency: 1 }, { concurrency: 2 }]
  const limits = new Map(Object.entries({ 'Mail.Send': a, 'Mail.*': b }))
  expect(findToolLimits(limits, { toolkit: 'Mail', tool: 'Send' })).toBe(a)
  expect(findToolLimits(limits, { toolkit: 'mail', tool: 'Read' })).toBe(b)
  expect(findToolLimits(limits, { toolkit: 'Other', tool: 'Send' })).toBeUndefined()
})

describe('the limits of a call', () => {
  const tool = { toolkit: 'Mail', tool: 'Send' }
  const key = { ...ADMIN, id: 'key:a' }
  const limits = { concurrency: 1 }

  it('the limits of a call are none if nothing limits it', () => {
    expect(limitsFor(key, tool, [])).toEqual([])
  })

  it('the limits of a call are those of the credential, or of its owner, and of the tool', () => {
    const credential = { id: 'key:a', name: 'credential', limits }
    expect(limitsFor({ ...key, limits }, tool, [])).toEqual([credential])
    expect(limitsFor({ ...key, limits, owner: 'key:b' }, tool, [])).toEqual([{ ...credential, id: 'key:b' }])
    expect(limitsFor({ ...key, limits }, tool, [{ pattern: 'Mail.*', limits }])).toEqual([
      credential,
      { id: 'tool:mail.send Mail.*', name: 'tool', limits },
    ])
  })
})
