/**
 * Limits the memory of one plugin's calls that wait for responses. They share an isolate, which has 128 MB.
 *
 * A call records the bytes it holds before it waits and as its response arrives. If other calls hold too much, it is refused
 * as retryable. The engine frees a refused call's memory some time later, and ignores its size until memory is short. So
 * refused calls count for a while in `checkMayStart`, which refuses a call before it has any memory.
 */
const MAX_HELD = 96 * 1024 * 1024
const REFUSED_COUNTS_MS = 1_000

interface Hold {
  readonly bytes: number
  readonly end: number
}

const waits = new Map<object, Hold>()
const refusedHolds = new Map<object, Hold>()

/** Throws if waiting and recently refused calls hold too much for another to start. */
export function checkMayStart(): void {
  if (waits.size > 0 && sumHeld(waits) + sumHeld(refusedHolds) > MAX_HELD) throw heldTooMuch()
}

/** A wait counts until its deadline at the latest: if a caller leaves, the platform ends the call without running `endWait`. */
export function holdWhileWaiting(call: object, bytes: number, end: number): void {
  waits.delete(call)
  const others = sumHeld(waits)
  if (others > 0 && others + bytes > MAX_HELD) {
    // The key is not the call, because that would keep its memory
    refusedHolds.set({}, { bytes, end: Date.now() + REFUSED_COUNTS_MS })
    throw heldTooMuch()
  }
  waits.set(call, { bytes, end })
}

export function endWait(call: object): void {
  waits.delete(call)
}

function sumHeld(holds: Map<object, Hold>): number {
  let bytes = 0
  for (const [call, hold] of holds) {
    if (hold.end <= Date.now()) holds.delete(call)
    else bytes += hold.bytes
  }
  return bytes
}

function heldTooMuch(): Error {
  const message = `Calls of this plugin that wait for answers hold more than ${MAX_HELD} bytes`
  return Object.assign(new Error(message), { can_retry: true })
}
