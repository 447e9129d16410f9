import type { Signal } from '../core/tool/platform.ts'

type RaceResult<T> =
  | { readonly state: 'done'; readonly value: T }
  | { readonly state: 'failed'; readonly error: unknown }
  | { readonly state: 'aborted' }

/** Waits for `work`, but not past `signal`; work that does not listen to it is left behind. Never rejects. */
export function raceAbort<T>(work: () => Promise<T>, signal: Signal): Promise<RaceResult<T>> {
  if (signal.aborted) return Promise.resolve({ state: 'aborted' })
  return new Promise((resolve) => {
    const abort = () => resolve({ state: 'aborted' })
    signal.addEventListener('abort', abort, { once: true })
    // Work that throws at once fails like work that throws later
    const promise = (async () => work())()
    promise
      .then(
        (value) => resolve({ state: 'done', value }),
        // A listener fails because of the signal, which is no failure of the work.
        (error: unknown) => resolve(signal.aborted ? { state: 'aborted' } : { state: 'failed', error }),
      )
      .finally(() => signal.removeEventListener('abort', abort))
  })
}
