import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { watchTransfer } from '../../src/outbound/watch-transfer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const LEAST = 480_000

it('a transfer may last as long as it gets 16 kB per second, and stalls below that', () => {
  let bytes = 0
  const onStall = vi.fn()
  watchTransfer(() => bytes, onStall)
  for (let time = 0; time < 20; time += 1) {
    bytes += LEAST
    vi.advanceTimersByTime(30_000)
  }
  expect(onStall).not.toHaveBeenCalled()
  bytes += LEAST - 1
  vi.advanceTimersByTime(30_000)
  expect(onStall).toHaveBeenCalledOnce()
  vi.advanceTimersByTime(300_000)
  expect(onStall).toHaveBeenCalledOnce()
})

it('a transfer that has ended is no longer watched', () => {
  const onStall = vi.fn()
  watchTransfer(() => 0, onStall)()
  vi.advanceTimersByTime(300_000)
  expect(onStall).not.toHaveBeenCalled()
})
