import type { Signal } from '../tool/platform.ts'
import { type FailureResult, fail } from '../failure/failure.ts'

export type AbortReason = 'expired' | 'cancelled'

export interface Deadline {
  /** Created when first read, since few tools use it. */
  readonly signal: Signal
  race<T>(work: T | Promise<T>): T | Promise<T | AbortReason>
}

/** Starts a deadline that also ends when the caller disconnects. */
export type StartDeadline = (timeoutMs: number, caller: () => Signal | undefined) => Deadline

/** Creates the failure. `mayHaveRun`: the tool may have done something that must not be done twice. */
export function abortFailure(how: AbortReason, timeoutMs: number, mayHaveRun = false): FailureResult {
  const mayHaveRunField = mayHaveRun ? ({ may_have_run: true } as const) : {}
  return fail(
    how === 'expired'
      ? { type: 'tool-timed-out', timeout_ms: timeoutMs, ...mayHaveRunField }
      : { type: 'cancelled', ...mayHaveRunField },
  )
}
