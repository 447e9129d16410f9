import type { Signal } from '../tool/platform.ts'
import { type Failing, fail } from './failure.ts'

/** How a call ends before its stages do: its time is over, or its caller went away. */
export type EarlyEnd = 'expired' | 'cancelled'

/** A call's time limit. Its timer and its signal come to be only when something waits, or asks for them. */
export interface Deadline {
  readonly signal: Signal
  /** The work's result, or how the call ended before. What is no promise comes back as it is: to wait takes a timer. */
  race<T>(work: T | Promise<T>): T | Promise<T | EarlyEnd>
}

/** What a call comes to that ended early. */
export function endedEarly(how: EarlyEnd, timeoutMs: number): Failing {
  return fail(how === 'expired' ? { type: 'tool-timed-out', timeout_ms: timeoutMs } : { type: 'cancelled' })
}
