type Semaphore = ReturnType<typeof createSemaphore>

interface Permit {
  readonly release: () => void
}

/** A permit never given back is lost in time: a request that the platform ends runs no `finally`. */
export function createSemaphore(permits: number) {
  const held = new Map<Permit, number>()

  function taken(now: number): number {
    for (const [permit, end] of held) if (end <= now) held.delete(permit)
    return held.size
  }

  return {
    taken,
    take(now: number, ms: number): Permit | undefined {
      if (held.size >= permits && taken(now) >= permits) return undefined
      const permit: Permit = { release: () => void held.delete(permit) }
      held.set(permit, now + ms)
      return permit
    },
  }
}

/** Takes a permit of each, or none. */
export function takeBoth(own: Semaphore, all: Semaphore, now: number, ms: number): Permit | undefined {
  const mine = own.take(now, ms)
  const shared = mine && all.take(now, ms)
  if (!shared) mine?.release()
  return shared && { release: () => [mine, shared].forEach((permit) => permit.release()) }
}
