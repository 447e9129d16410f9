import { type FailureResult, fail } from '../../core/failure/failure.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'

interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>
}

export type RateLimit = (key: string, waitUntil: (work: Promise<void>) => void) => FailureResult | undefined

const REFUSED_MS = 10_000
const MAX_REFUSED = 1_000

/** No request waits: a key that the limiter refuses is `rate-limited` for the next 10 s. If the limiter fails, nobody is. */
export function createRateLimit(limiter: RateLimiter | undefined, now: () => number): RateLimit {
  if (!limiter) return () => undefined
  const refusedUntil = createLruCache<number>(MAX_REFUSED)

  async function checkLimiter(limiter: RateLimiter, key: string): Promise<void> {
    try {
      const { success } = await limiter.limit({ key })
      if (!success) refusedUntil.set(key, now() + REFUSED_MS)
    } catch (error) {
      console.warn('Cannot ask the rate limiter', error instanceof Error ? error.name : typeof error)
    }
  }

  return (key, waitUntil) => {
    const waitMs = (refusedUntil.get(key) ?? 0) - now()
    if (waitMs > 0) return fail({ type: 'rate-limited', retry_after_ms: waitMs })
    waitUntil(checkLimiter(limiter, key))
    return undefined
  }
}
