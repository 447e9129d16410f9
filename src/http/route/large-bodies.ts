import { LRUCache } from 'lru-cache'
import { type Failing, fail } from '../../core/failure/failure.ts'
import type { Background } from '../../core/tool/platform.ts'
import { createSlots, type Slot, type Slots } from '../../outbound/slots.ts'

interface LargeBodiesOptions {
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<void>
}

/** In bytes. */
const SMALL = 65_536
/** Bytes of memory for a byte of JSON: a list within a list takes more, and a text less. */
const GROWTH = 16
/** An isolate has 128 MB of memory. One body may be as large as it wants, and others are read beside it. */
const AT_ONCE = 32_000_000
const OF_ONE = AT_ONCE / 2
const MAX_CALLERS = 1_000
const HELD_MS = 60_000
const MAX_WAIT_MS = 15_000
const LOOK_AGAIN_MS = 25
const FULL = fail({ type: 'rate-limited', retry_after_ms: 5_000 })

/** Lets in so many bytes at a time, from before a body is read until its request is answered; small ones at once. */
export function createLargeBodies({ now, sleep }: LargeBodiesOptions) {
  const all = createSlots(AT_ONCE)
  const callers = new LRUCache<string, Slots>({ max: MAX_CALLERS })

  function take(own: Slots, bytes: number): Slot | undefined {
    const mine = own.take(now(), HELD_MS, bytes)
    const shared = mine && all.take(now(), HELD_MS, bytes)
    if (!shared) mine?.release()
    return shared && { release: () => [mine, shared].forEach((slot) => slot?.release()) }
  }

  /** Looks again by itself: a request must not wait for what another does, which the platform may end. */
  return async <T>(
    bytes: number,
    caller: string,
    work: () => Promise<T>,
    background: Background,
  ): Promise<T | Failing> => {
    if (bytes <= SMALL) return work()
    const own = callers.get(caller) ?? createSlots(OF_ONE)
    callers.set(caller, own)
    const until = now() + MAX_WAIT_MS
    const size = Math.min(OF_ONE, GROWTH * bytes)
    let slot = take(own, size)
    for (; !slot && now() < until; slot = take(own, size)) await sleep(LOOK_AGAIN_MS)
    if (!slot) return FULL
    const done = work().finally(slot.release)
    // A request whose client has gone is ended with what it awaits, and would never release
    background(done.catch(() => undefined))
    return done
  }
}
