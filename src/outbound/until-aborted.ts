import type { Signal } from '../core/tool/platform.ts'

type RaceResult<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'aborted' }

/** Waits for `work` until `signal` aborts, even if the work ignores the signal. Never rejects. */
export function raceAbort<T>(work: () => Promise<T>, signal: Signal): Promise<RaceResult<T>> {
  if (signal.aborted) return Promise.resolve({ state: 'aborted' })
  return new Promise((resolve) => {
    const abort = () => resolve({ state: 'aborted' })
    signal.addEventListener('abort', abort, { once: true })
    // Turns a synchronous throw into a rejection
    const promise = (async () => work())()
    promise
      .then(
        (value) => resolve({ state: 'done', value }),
        // If the signal made the work fail, that is not a failure of the work.
        (error: unknown) => resolve(signal.aborted ? { state: 'aborted' } : { state: 'failed', error }),
      )
      .finally(() => signal.removeEventListener('abort', abort))
  })
}
