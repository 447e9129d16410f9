import { LRUCache } from 'lru-cache'
import { createKept, type Entry } from '../../core/cache/kept.ts'
import type { Store } from '../../core/cache/memory.ts'
import type { Failing, Result } from '../../core/failure/failure.ts'

/** The result of judging a credential, and until when it holds at most, in milliseconds since 1970. */
export interface Judgement<T> {
  readonly result: Result<T>
  readonly expiresAt?: number
}

/** Why a credential may not be looked up or verified now; undefined when it may. */
export type MayLookUp = () => Failing | undefined

/**
 * Less than half a minute, since what a credential is judged by may itself be what was true half a minute ago, and what is taken
 * away takes a moment to get there: it has no effect after 60 s.
 */
const GRANTED_MS = 25_000
/** Short, so that a credential that was tried before it was made elsewhere soon works. */
const REFUSED_MS = 5_000
/** Bytes, about, of each of the two maps. */
const MAX_BYTES = 4_000_000

export type Verdicts<T> = ReturnType<typeof createVerdicts<T>>

/** Keeps what credentials were judged to be, save those that could not be judged. */
export function createVerdicts<T>(
  now: () => number,
  check: (credential: string, mayLookUp?: MayLookUp) => Promise<Judgement<T>>,
) {
  const kept = createKept<Judgement<T>>({
    store: storeOf(),
    agesOf({ result, expiresAt = Infinity }) {
      if (result.ok) return { fresh: Math.min(GRANTED_MS, expiresAt - now()) }
      return result.failure.type === 'unauthenticated' ? { fresh: REFUSED_MS } : undefined
    },
    now,
  })

  return {
    /** The verdict on a credential, at once where it is known. */
    of(credential: string, mayLookUp?: MayLookUp): Result<T> | Promise<Result<T>> {
      const judged = kept.get(credential, () => check(credential, mayLookUp))
      return judged instanceof Promise ? judged.then(({ result }) => result) : judged.result
    },

    /** Forgets every verdict, also those being made. */
    forget: () => kept.forget(),

    /** Forgets the good verdicts on whom it is said of, and keeps none that is being made. */
    forgetWhere: (isIt: (value: T) => boolean) => kept.forget(({ result }) => result.ok && isIt(result.value)),
  }
}

/** Two stores as one, so that a flood of wrong credentials does not drive out the right ones. */
function storeOf<T>(): Store<Entry<Judgement<T>>> {
  const sizeCalculation = (_: unknown, credential: string) => credential.length + 500
  const made = () => new LRUCache<string, Entry<Judgement<T>>>({ maxSize: MAX_BYTES, sizeCalculation })
  const granted = made()
  const refused = made()
  const both = [granted, refused]
  return {
    get: (credential) => granted.get(credential) ?? refused.get(credential),
    has: (credential) => both.some((store) => store.has(credential)),
    set(credential, entry) {
      const [its, other] = entry.value.result.ok ? [granted, refused] : [refused, granted]
      other.delete(credential)
      its.set(credential, entry)
    },
    delete: (credential) => both.forEach((store) => store.delete(credential)),
    clear: () => both.forEach((store) => store.clear()),
    forEach: (each) => both.forEach((store) => store.forEach(each)),
  }
}
