import { LRUCache } from 'lru-cache'
import { type Failing, fail } from '../core/call/failure.ts'

/** The rate limit binding of Workers, as much as is needed of it. */
export interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>
}

/** Why a principal is refused now, or undefined. */
export type RateLimit = (principalId: string, waitUntil: (work: Promise<void>) => void) => Failing | undefined

const REFUSED_MS = 10_000
const MAX_REFUSED = 1_000

/**
 * A first shield against callers that send too much, which costs a call no waiting: each check asks the limiter and
 * does not wait for the answer; once an answer says no, the principal gets `rate-limited` for the next 10 s in this
 * isolate. So it is approximate: what is under way when the limit is passed still goes through. A limiter that fails
 * limits nobody; without one, nothing is limited.
 */
export function createRateLimit(limiter: RateLimiter | undefined, now: () => number): RateLimit {
  if (!limiter) return () => undefined
  const refusedUntil = new LRUCache<string, number>({ max: MAX_REFUSED })

  async function ask(limiter: RateLimiter, key: string): Promise<void> {
    try {
      const { success } = await limiter.limit({ key })
      if (!success) refusedUntil.set(key, now() + REFUSED_MS)
    } catch (error) {
      console.warn('Cannot ask the rate limiter', error instanceof Error ? error.name : typeof error)
    }
  }

  return (principalId, waitUntil) => {
    const wait = (refusedUntil.get(principalId) ?? 0) - now()
    if (wait > 0) return fail({ type: 'rate-limited', retry_after_ms: wait })
    waitUntil(ask(limiter, principalId))
    return undefined
  }
}
