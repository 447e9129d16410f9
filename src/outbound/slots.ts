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

  function hold(now: number, ms: number, size: number): Slot {
    const slot: Slot = { release: () => drop(slot) }
    held.set(slot, { end: now + ms, size })
    used += size
    return slot
  }

  return {
    taken,
    take(now: number, ms: number, size = 1): Slot | undefined {
      return used + size > count && taken(now) + size > count ? undefined : hold(now, ms, size)
    },
    /** Counts what is there already, however much that is. */
    charge: hold,
  }
}

/** Takes a slot of each, or none. */
export function takeAll(places: readonly Slots[], now: number, ms: number, size?: number): Slot | undefined {
  const taken: Slot[] = []
  const release = () => taken.forEach((slot) => slot.release())
  for (const place of places) {
    const slot = place.take(now, ms, size)
    if (slot) taken.push(slot)
    else return void release()
  }
  return { release }
}
