import { type Failing, fail } from '../../core/failure/failure.ts'
import type { Background } from '../../core/tool/platform.ts'
import { createRoom, type RoomOptions } from '../../outbound/room.ts'

/** In bytes. */
const SMALL = 65_536
/** Bytes of memory for a byte of a body: a list within a list takes more, and a text less. */
const GROWTH = 16
const HELD_MS = 60_000
const MAX_WAIT_MS = 15_000
const FULL = fail({ type: 'rate-limited', retry_after_ms: 5_000 })

/** Lets in so many bytes at a time, from before a body is read until its request is answered; small ones at once. */
export function createLargeBodies(options: RoomOptions) {
  const room = createRoom(options, HELD_MS)
  return async <T>(
    bytes: number,
    caller: string,
    work: () => Promise<T>,
    background: Background,
  ): Promise<T | Failing> => {
    if (bytes <= SMALL) return work()
    const until = options.now() + MAX_WAIT_MS
    const slot = await room.take(caller, GROWTH * bytes, () => options.now() >= until)
    if (!slot) return FULL
    const done = work().finally(slot.release)
    // A request whose client has gone is ended with what it awaits, and would never release
    background(done.catch(() => undefined))
    return done
  }
}
