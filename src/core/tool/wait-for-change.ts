/** Between two reads. */
const MIN_PAUSE_MS = 50
const MAX_PAUSE_MS = 1_000

export interface Clock {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/**
 * Reads a value repeatedly until its state differs from `from`, by default the first state read, or `timeoutMs` have passed.
 * `getState` returns undefined for a value that no longer changes. Returns the last value read.
 */
export async function waitForChange<T>(
  read: () => Promise<T>,
  getState: (value: T) => string | undefined,
  timeoutMs: number,
  { now, sleep }: Clock,
  from?: string,
): Promise<T> {
  const endsAt = now() + timeoutMs
  let expected = from
  for (let pauseMs = MIN_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    const value = await read()
    const state = getState(value)
    const leftMs = endsAt - now()
    if (state === undefined || state !== (expected ??= state) || leftMs <= 0) return value
    await sleep(Math.min(pauseMs, leftMs))
  }
}
