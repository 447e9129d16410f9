import { afterEach, beforeEach, expect, it, vi } from 'vitest'

const MIB = 1024 * 1024
const TOO_MUCH = 'wait for answers hold more than'

async function loadWaiting() {
  vi.resetModules()
  return import('../../../../src/runners/wasm/guest/waiting.ts')
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('calls of a plugin that wait hold at most 96 MiB together, but a single one holds what it takes', async () => {
  const { holdWhileWaiting, endWait } = await loadWaiting()
  const first = {}
  holdWhileWaiting(first, 120 * MIB, Date.now() + 1_000)
  expect(() => holdWhileWaiting({}, MIB, Date.now() + 1_000)).toThrow(TOO_MUCH)
  endWait(first)
  expect(() => holdWhileWaiting({}, MIB, Date.now() + 1_000)).not.toThrow()
})

it('calls of a plugin that wait count until their deadline when nothing ends them', async () => {
  const { holdWhileWaiting } = await loadWaiting()
  holdWhileWaiting({}, 90 * MIB, Date.now() + 5_000)
  expect(() => holdWhileWaiting({}, 10 * MIB, Date.now() + 9_000)).toThrow(TOO_MUCH)
  vi.advanceTimersByTime(5_000)
  expect(() => holdWhileWaiting({}, 10 * MIB, Date.now() + 9_000)).not.toThrow()
})

it('calls of a plugin that wait let no call start for a second after a refusal where both hold too much, and tell it to retry', async () => {
  const { checkMayStart, holdWhileWaiting } = await loadWaiting()
  holdWhileWaiting({}, 60 * MIB, Date.now() + 9_000)
  expect(checkMayStart).not.toThrow()
  expect(() => holdWhileWaiting({}, 60 * MIB, Date.now() + 9_000)).toThrow(TOO_MUCH)
  expect(checkMayStart).toThrow(expect.objectContaining({ can_retry: true }))
  vi.advanceTimersByTime(1_000)
  expect(checkMayStart).not.toThrow()
})

it('calls of a plugin that wait let calls start after a refusal where none waits any more', async () => {
  const { checkMayStart, holdWhileWaiting, endWait } = await loadWaiting()
  const first = {}
  holdWhileWaiting(first, 60 * MIB, Date.now() + 9_000)
  expect(() => holdWhileWaiting({}, 60 * MIB, Date.now() + 9_000)).toThrow(TOO_MUCH)
  endWait(first)
  expect(checkMayStart).not.toThrow()
})
