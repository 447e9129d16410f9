import { LRUCache } from 'lru-cache'
import { type Failing, type Result } from '../../core/failure/failure.ts'

/** What came of judging a credential, and until when that holds at most, in milliseconds since 1970. */
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

interface Verdict<R> {
  readonly result: R
  /** Milliseconds since 1970. */
  readonly until: number
}

export type Verdicts<T> = ReturnType<typeof createVerdicts<T>>

/** Keeps what credentials were judged to be, and never a promise of it: no request may await another's. */
export function createVerdicts<T>(
  now: () => number,
  check: (credential: string, mayLookUp?: MayLookUp) => Promise<Judgement<T>>,
) {
  // Apart, so that a flood of wrong credentials does not drive out the right ones
  const granted = verdicts<Result<T>>()
  const refused = verdicts<Failing>()
  /** Counts `forget`: a verdict whose making began before it is used once, and not kept. */
  let generation = 0

  function fresh<R extends Result<T>>(verdict: Verdict<R> | undefined): R | undefined {
    return verdict && now() < verdict.until ? verdict.result : undefined
  }

  return {
    /** The verdict on a credential that is known. */
    known: (credential: string): Result<T> | undefined =>
      fresh(granted.get(credential)) ?? fresh(refused.get(credential)),

    /** Judges a credential and keeps the verdict, save that it could not be judged. */
    async judge(credential: string, mayLookUp?: MayLookUp): Promise<Result<T>> {
      const start = now()
      const begun = generation
      const { result, expiresAt = Infinity } = await check(credential, mayLookUp)
      if (begun !== generation) return result
      if (result.ok) {
        granted.set(credential, { result, until: Math.min(start + GRANTED_MS, expiresAt) })
      } else if (result.failure.type === 'unauthenticated') {
        refused.set(credential, { result, until: start + REFUSED_MS })
      }
      return result
    },

    /** Forgets every verdict, also those being made. */
    forget(): void {
      generation++
      granted.clear()
      refused.clear()
    },

    /** Forgets the good verdicts on whom it is said of, and keeps none that is being made. */
    forgetWhere(isIt: (value: T) => boolean): void {
      generation++
      for (const [credential, { result }] of granted.entries()) {
        if (result.ok && isIt(result.value)) granted.delete(credential)
      }
    },
  }
}

function verdicts<R extends Result<unknown>>(): LRUCache<string, Verdict<R>> {
  return new LRUCache({ maxSize: MAX_BYTES, sizeCalculation: (_, credential) => credential.length + 500 })
}
