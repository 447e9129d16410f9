import { expect, it } from 'vitest'
import { abortFailure } from '../../../src/core/call/deadline.ts'

it('a call that ended early reports how', () => {
  expect(abortFailure('expired', 70)).toEqual({ ok: false, failure: { type: 'tool-timed-out', timeout_ms: 70 } })
  expect(abortFailure('cancelled', 70)).toEqual({ ok: false, failure: { type: 'cancelled' } })
  const ran = { may_have_run: true }
  expect(abortFailure('expired', 70, true)).toMatchObject({
    failure: { type: 'tool-timed-out', timeout_ms: 70, ...ran },
  })
  expect(abortFailure('cancelled', 70, true)).toEqual({ ok: false, failure: { type: 'cancelled', ...ran } })
})
