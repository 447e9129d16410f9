import type { Signal } from '../core/tool/platform.ts'
import type { Definition } from '../core/tool/tool.ts'
import { untilAborted } from './until-aborted.ts'

export interface RetryClock {
  /** The time in milliseconds. */
  readonly now: () => number
  /** Resolves after so many milliseconds, and may do so as soon as the signal aborts. */
  readonly sleep: (ms: number, signal: Signal) => Promise<void>
}

export interface RetryOptions {
  /** How often to try again at most. */
  readonly attempts: number
  /** No further attempt begins later than this many milliseconds after the first. */
  readonly withinMs: number
  readonly signal: Signal
}

/** The most further attempts a call makes (DESIGN, "Retries"). */
export const MAX_ATTEMPTS = 2

/** The wait before the first further attempt, in milliseconds; it doubles with each. */
const FIRST_BACKOFF_MS = 250

/**
 * Tries, and tries again while `waitAfter` says that there is use in it: the wait a server asked for in milliseconds,
 * `backoff` where it named none, or undefined. The last attempt's result is the result.
 */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  waitAfter: (result: T) => number | 'backoff' | undefined,
  { attempts, withinMs, signal }: RetryOptions,
  { now, sleep }: RetryClock,
): Promise<T> {
  const deadline = now() + withinMs
  for (let made = 0; ; made++) {
    const result = await attempt()
    const asked = made < attempts ? waitAfter(result) : undefined
    const wait = asked === 'backoff' ? FIRST_BACKOFF_MS * 2 ** made : asked
    // A wait past the deadline would only turn this answer into a timeout.
    if (wait === undefined || now() + wait >= deadline) return result
    await untilAborted(() => sleep(wait, signal), signal)
  }
}

/** Whether a tool says that it may be called twice. */
export function isIdempotent({ annotations }: Pick<Definition, 'annotations'>): boolean {
  return annotations?.['idempotentHint'] === true || annotations?.['readOnlyHint'] === true
}
