export type Slots = ReturnType<typeof createSlots>

export interface Slot {
  readonly release: () => void
}

/** A slot never given back is lost in time: a request that the platform ends runs no `finally`. */
export function createSlots(count: number) {
  const held = new Map<Slot, { readonly end: number; readonly size: number }>()
  let used = 0

  function drop(slot: Slot): void {
    used -= held.get(slot)?.size ?? 0
    held.delete(slot)
  }

  function taken(now: number): number {
    for (const [slot, { end }] of held) if (end <= now) drop(slot)
    return used
  }

  return {
    taken,
    take(now: number, ms: number, size = 1): Slot | undefined {
      if (used + size > count && taken(now) + size > count) return undefined
      const slot: Slot = { release: () => drop(slot) }
      held.set(slot, { end: now + ms, size })
      used += size
      return slot
    },
  }
}

export function takeBoth(own: Slots, all: Slots, now: number, ms: number, size?: number): Slot | undefined {
  const mine = own.take(now, ms, size)
  const shared = mine && all.take(now, ms, size)
  if (!shared) mine?.release()
  return shared && { release: () => [mine, shared].forEach((slot) => slot.release()) }
}
