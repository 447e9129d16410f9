/** Limits how many requests are under way at once: a permit is taken before each, and released after it. */
type Semaphore = ReturnType<typeof createSemaphore>

interface Permit {
  readonly release: () => void
}

/** A permit expires after its time, because a request that the platform ends runs no `finally` and gives no permit back. */
export function createSemaphore(permits: number) {
  const expiries = new Map<Permit, number>()

  function countInUse(now: number): number {
    for (const [permit, end] of expiries) if (end <= now) expiries.delete(permit)
    return expiries.size
  }

  return {
    countInUse,
    take(now: number, ms: number): Permit | undefined {
      if (expiries.size >= permits && countInUse(now) >= permits) return undefined
      const permit: Permit = { release: () => void expiries.delete(permit) }
      expiries.set(permit, now + ms)
      return permit
    },
  }
}

/** Takes a permit of both semaphores, or of neither. */
export function takeBoth(
  callerSemaphore: Semaphore,
  hostSemaphore: Semaphore,
  now: number,
  ms: number,
): Permit | undefined {
  const callerPermit = callerSemaphore.take(now, ms)
  const hostPermit = callerPermit && hostSemaphore.take(now, ms)
  if (!hostPermit) callerPermit?.release()
  return hostPermit && { release: () => [callerPermit, hostPermit].forEach((permit) => permit.release()) }
}
