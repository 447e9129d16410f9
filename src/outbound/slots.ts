export type Slots = ReturnType<typeof createSlots>

interface Slot {
  readonly release: () => void
}

/** A slot never given back is lost in time: a request that the platform ends runs no `finally`. */
export function createSlots(count: number) {
  const until = new Map<Slot, number>()

  function taken(now: number): number {
    for (const [slot, end] of until) if (end <= now) until.delete(slot)
    return until.size
  }

  return {
    taken,
    take(now: number, ms: number): Slot | undefined {
      if (until.size >= count && taken(now) >= count) return undefined
      const slot: Slot = { release: () => void until.delete(slot) }
      until.set(slot, now + ms)
      return slot
    },
  }
}
