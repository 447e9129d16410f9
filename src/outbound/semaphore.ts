/** Limits concurrent requests: each takes a permit first, and releases it afterwards. */
type Semaphore = ReturnType<typeof createSemaphore>

interface Permit {
  readonly release: () => void
}

/** Permits expire, because a request that the platform ends runs no `finally` and so cannot release its permit. */
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

/** Takes a permit from both semaphores or from neither. */
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
