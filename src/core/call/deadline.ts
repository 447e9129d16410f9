import type { Signal } from '../tool/platform.ts'
import { type Failing, fail } from '../failure/failure.ts'

/** How a call ends before its stages do: its time is over, or its caller went away. */
export type EarlyEnd = 'expired' | 'cancelled'

/** A call's time limit. Its timer and its signal come to be only when something waits, or asks for them. */
export interface Deadline {
  readonly signal: Signal
  /** The work's result, or how the call ended before. What is no promise comes back as it is: to wait takes a timer. */
  race<T>(work: T | Promise<T>): T | Promise<T | EarlyEnd>
}

/** The failure of a call that ended early; `mayHaveRun` where its tool may have done something that must not be done twice. */
export function endedEarly(how: EarlyEnd, timeoutMs: number, mayHaveRun = false): Failing {
  const ran = mayHaveRun ? ({ may_have_run: true } as const) : {}
  return fail(
    how === 'expired' ? { type: 'tool-timed-out', timeout_ms: timeoutMs, ...ran } : { type: 'cancelled', ...ran },
  )
}
