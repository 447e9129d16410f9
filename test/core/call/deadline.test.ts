import { expect, it } from 'vitest'
import { endedEarly, orEarlyEnd } from '../../../src/core/call/deadline.ts'

it('a call that ended early says how', () => {
  expect(endedEarly('expired', 70)).toEqual({ ok: false, failure: { type: 'tool-timed-out', timeout_ms: 70 } })
  expect(endedEarly('cancelled', 70)).toEqual({ ok: false, failure: { type: 'cancelled' } })
  const ran = { may_have_run: true }
  expect(endedEarly('expired', 70, true)).toMatchObject({ failure: { type: 'tool-timed-out', timeout_ms: 70, ...ran } })
  expect(endedEarly('cancelled', 70, true)).toEqual({ ok: false, failure: { type: 'cancelled', ...ran } })
})

it('a stage gives what it came to, unless the call ended before', () => {
  const came = { ok: true }
  expect(orEarlyEnd(came, 70)).toBe(came)
  expect(orEarlyEnd(undefined, 70)).toBeUndefined()
  expect(orEarlyEnd('expired', 70)).toEqual(endedEarly('expired', 70))
  expect(orEarlyEnd('cancelled', 70)).toEqual(endedEarly('cancelled', 70))
})
