import { type FailureResult, fail } from '../../core/failure/failure.ts'
import { createLruCache } from '../../core/tool/recently-used.ts'

interface RateLimiter {
  limit(options: { key: string }): Promise<{ success: boolean }>
}

/** Counts a request in `bucket`, which belongs to a caller or an address. */
export type RateLimit = (bucket: string, waitUntil: (work: Promise<void>) => void) => FailureResult | undefined

const REFUSED_MS = 10_000
const MAX_REFUSED = 1_000

/**
 * Queries the platform's limiter in the background, so no request waits for it. After it refuses a bucket, requests in that
 * bucket are `rate-limited` for 10 s. If the limiter fails, no request is limited.
 */
export function createRateLimit(limiter: RateLimiter | undefined, now: () => number): RateLimit {
  if (!limiter) return () => undefined
  const refusedUntil = createLruCache<number>(MAX_REFUSED)

  async function checkLimiter(limiter: RateLimiter, bucket: string): Promise<void> {
    try {
      const { success } = await limiter.limit({ key: bucket })
      if (!success) refusedUntil.set(bucket, now() + REFUSED_MS)
    } catch (error) {
      console.warn('Cannot ask the rate limiter', error instanceof Error ? error.name : typeof error)
    }
  }

  return (bucket, waitUntil) => {
    const waitMs = (refusedUntil.get(bucket) ?? 0) - now()
    if (waitMs > 0) return fail({ type: 'rate-limited', retry_after_ms: waitMs })
    waitUntil(checkLimiter(limiter, bucket))
    return undefined
  }
}
