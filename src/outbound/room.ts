import { createSlots, type Slot, type Slots, takeAll } from './slots.ts'
import { recentlyUsed } from '../core/tool/recently-used.ts'

export type Room = ReturnType<typeof createRoom>
export type Growing = ReturnType<Room['growing']>
export type Reservation = NonNullable<Awaited<ReturnType<Room['reserve']>>>

export interface RoomOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
  /** What this room and others hold together. */
  readonly memory?: Account
  /** In bytes. */
  readonly size?: number
  /** In bytes, of one caller. */
  readonly share?: number
}

const BYTES = 32_000_000
const MAX_CALLERS = 1_000
/** Of one caller. */
const MAX_WAITING = 100
const LOOK_AGAIN_MS = 25
/** In bytes: what is smaller is not drawn from any room. */
export const SMALL = 65_536

type Account = ReturnType<typeof createAccount>

/** So much memory, in bytes, of which one caller has a share at most. */
function createAccount(size: number, share: number) {
  const all = createSlots(size)
  const callers = recentlyUsed<Slots & { waiting: number }>(MAX_CALLERS)
  return {
    all,
    getOwn(caller: string) {
      const own = callers.get(caller) ?? { ...createSlots(share), waiting: 0 }
      callers.set(caller, own)
      return own
    },
  }
}

/** All that an isolate holds, which has 128 MB of memory: two callers who take what they may leave some to others. */
export const ISOLATE_MEMORY = createAccount(96_000_000, 40_000_000)

/** For what is large in an isolate's memory. A share of it is one caller's at most, and nobody's for longer than `heldMs`. */
export function createRoom({ now, sleep, memory, size = BYTES, share = size / 2 }: RoomOptions, heldMs: number) {
  const room = createAccount(size, share)

  const getPlaces = (caller: string) => [room.all, ...(memory ? [memory.getOwn(caller), memory.all] : [])]

  /** Looks again by itself: a request must not wait for what another does, which the platform may end. */
  async function wait(take: () => Slot | undefined, isOver: () => boolean): Promise<Slot | undefined> {
    while (!isOver()) {
      const slot = take()
      if (slot) return slot
      await sleep(LOOK_AGAIN_MS)
    }
    return undefined
  }

  function take(caller: string, bytes: number, isOver: () => boolean): Promise<Slot | undefined> {
    const places = [room.getOwn(caller), ...getPlaces(caller)]
    return wait(() => takeAll(places, now(), heldMs, Math.min(share, bytes)), isOver)
  }

  return {
    take,
    /** Whether a caller has its share: nothing more is to be begun for it. */
    isFull: (getCaller: () => string) => room.all.taken(now()) > 0 && room.getOwn(getCaller()).taken(now()) >= share,
    /** For what is in memory already. */
    charge(caller: string, bytes: number): Slot {
      const slots = [room.getOwn(caller), ...getPlaces(caller)].map((each) => each.charge(now(), heldMs, bytes))
      return { release: () => slots.forEach((slot) => slot.release()) }
    },
    /**
     * Takes `most` of the caller's share, and of the room only what `grow` draws: whoever announces and does not send keeps
     * nobody else waiting. Several of one caller come in turn, so that they do not wait for each other.
     */
    async reserve(caller: string, most: number, isOver: () => boolean) {
      const own = room.getOwn(caller)
      if (own.waiting >= MAX_WAITING) return undefined
      own.waiting += 1
      const first = await wait(() => own.take(now(), heldMs, Math.min(share, most)), isOver)
      own.waiting -= 1
      if (!first) return undefined
      const held = [first]
      let drawn = 0
      return {
        /** Draws so many bytes in all; false where there is no room in time. */
        async grow(bytes: number): Promise<boolean> {
          const more = Math.min(share, bytes) - drawn
          if (more <= 0) return true
          const slot = await wait(() => takeAll(getPlaces(caller), now(), heldMs, more), isOver)
          if (!slot) return false
          drawn += more
          held.push(slot)
          return true
        },
        release: () => held.splice(0).forEach((slot) => slot.release()),
      }
    },
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
