import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { startDeadline } from '../../src/compose/platform.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const never = new Promise<never>(() => {})
const nobody = () => undefined

it('a deadline returns an existing value as it is, without a timer or a look at the caller', () => {
  const caller = vi.fn(nobody)
  const deadline = startDeadline(100, caller)
  const value = { a: 1 }
  expect(deadline.race(value)).toBe(value)
  expect(deadline.race(undefined)).toBeUndefined()
  expect(vi.getTimerCount()).toBe(0)
  expect(caller).not.toHaveBeenCalled()
})

it('a deadline returns a value that arrives in time, and stops its timer', async () => {
  const deadline = startDeadline(100, nobody)
  expect(await deadline.race(Promise.resolve(7))).toBe(7)
  await expect(deadline.race(Promise.reject(new Error('No')))).rejects.toThrow('No')
  expect(vi.getTimerCount()).toBe(0)
  expect(deadline.signal.aborted).toBe(false)
})

it('a deadline covers everything that is waited for, from its start', async () => {
  const deadline = startDeadline(100, nobody)
  await vi.advanceTimersByTimeAsync(60)
  const waiting = deadline.race(never)
  await vi.advanceTimersByTimeAsync(39)
  expect(deadline.signal.aborted).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  expect(await waiting).toBe('expired')
  expect(deadline.signal.aborted).toBe(true)
  expect(deadline.signal.reason).toMatchObject({ name: 'TimeoutError', message: 'The deadline passed' })
})

it('a deadline that has passed expires at once', async () => {
  const deadline = startDeadline(100, nobody)
  await vi.advanceTimersByTimeAsync(500)
  const waiting = deadline.race(never)
  await vi.advanceTimersByTimeAsync(0)
  expect(await waiting).toBe('expired')
})

it('a deadline ends when the caller disconnects, beforehand or meanwhile', async () => {
  const gone = startDeadline(100, () => AbortSignal.abort(new Error('Closed')))
  expect(await gone.race(never)).toBe('cancelled')
  expect(gone.signal.reason).toEqual(new Error('Closed'))
  const controller = new AbortController()
  const deadline = startDeadline(100, () => controller.signal)
  const waiting = deadline.race(never)
  controller.abort(new Error('Closed'))
  expect(await waiting).toBe('cancelled')
  expect(deadline.signal.aborted).toBe(true)
})
