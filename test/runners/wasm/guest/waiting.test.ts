import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const MIB = 1024 * 1024
const TOO_MUCH = 'wait for answers hold more than'

async function loadWaiting() {
  vi.resetModules()
  return import('../../../../src/runners/wasm/guest/waiting.ts')
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('calls of a plugin that wait hold at most 96 MiB together, but a single one may hold more', async () => {
  const { holdWhileWaiting, endWait } = await loadWaiting()
  const first = {}
  holdWhileWaiting(first, 120 * MIB, Date.now() + 1_000)
  expect(() => holdWhileWaiting({}, MIB, Date.now() + 1_000)).toThrow(TOO_MUCH)
  endWait(first)
  expect(() => holdWhileWaiting({}, MIB, Date.now() + 1_000)).not.toThrow()
})

it('calls of a plugin that wait count until their deadline if nothing ends them', async () => {
  const { holdWhileWaiting } = await loadWaiting()
  holdWhileWaiting({}, 90 * MIB, Date.now() + 5_000)
  expect(() => holdWhileWaiting({}, 10 * MIB, Date.now() + 9_000)).toThrow(TOO_MUCH)
  vi.advanceTimersByTime(5_000)
  expect(() => holdWhileWaiting({}, 10 * MIB, Date.now() + 9_000)).not.toThrow()
})

it('calls of a plugin that wait delay new calls for a second after a refusal because of memory, with a time to retry', async () => {
  const { checkMayStart, holdWhileWaiting } = await loadWaiting()
  holdWhileWaiting({}, 60 * MIB, Date.now() + 9_000)
  expect(checkMayStart).not.toThrow()
  expect(() => holdWhileWaiting({}, 60 * MIB, Date.now() + 9_000)).toThrow(TOO_MUCH)
  expect(checkMayStart).toThrow(expect.objectContaining({ can_retry: true }))
  vi.advanceTimersByTime(1_000)
  expect(checkMayStart).not.toThrow()
})

it('calls of a plugin that wait allow new calls after a refusal once none of them waits', async () => {
  const { checkMayStart, holdWhileWaiting, endWait } = await loadWaiting()
  const first = {}
  holdWhileWaiting(first, 60 * MIB, Date.now() + 9_000)
  expect(() => holdWhileWaiting({}, 60 * MIB, Date.now() + 9_000)).toThrow(TOO_MUCH)
  endWait(first)
  expect(checkMayStart).not.toThrow()
})
