import { createSlots, type Slot, type Slots, takeBoth } from './slots.ts'
import { recentlyUsed } from '../core/tool/recently-used.ts'

export type Room = ReturnType<typeof createRoom>
export type Growing = ReturnType<Room['growing']>

export interface RoomOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** An isolate has 128 MB of memory. */
const BYTES = 32_000_000
const OF_ONE = BYTES / 2
const MAX_CALLERS = 1_000
const LOOK_AGAIN_MS = 25

/** For what is large in an isolate's memory. Half of it is one caller's at most, and nobody's for longer than `heldMs`. */
export function createRoom({ now, sleep }: RoomOptions, heldMs: number) {
  const all = createSlots(BYTES)
  const callers = recentlyUsed<Slots>(MAX_CALLERS)

  /** Looks again by itself: a request must not wait for what another does, which the platform may end. */
  async function take(caller: string, bytes: number, isOver: () => boolean): Promise<Slot | undefined> {
    const own = callers.get(caller) ?? createSlots(OF_ONE)
    callers.set(caller, own)
    while (!isOver()) {
      const slot = takeBoth(own, all, now(), heldMs, Math.min(OF_ONE, bytes))
      if (slot) return slot
      await sleep(LOOK_AGAIN_MS)
    }
    return undefined
  }

  return {
    take,
    /** For what is not known to be large before it is there. What is released takes no place again. */
    growing(caller: string, isOver: () => boolean) {
      let slot: Slot | undefined
      let isReleased = false
      let last = Promise.resolve()
      async function growNow(bytes: number): Promise<void> {
        slot?.release()
        slot = await take(caller, bytes, () => isReleased || isOver())
        if (isReleased) slot?.release()
      }
      return {
        /** Waits with nothing taken, so that two that grow do not wait for each other. */
        grow: (bytes: number): Promise<void> => (last = last.then(() => growNow(bytes))),
        release() {
          isReleased = true
          slot?.release()
        },
      }
    },
  }
}
