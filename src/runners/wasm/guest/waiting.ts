/**
 * The memory of one plugin's calls that wait for answers. They share an isolate, which has 128 MB.
 *
 * A call notes what it holds before it waits, and as its answer arrives. It is refused, retryable, where others hold too much
 * beside it. The engine frees a refused call's memory some time later, and takes no notice of how much that is until it is
 * short: therefore refused calls count for a while in `checkMayStart`, which refuses a call before it has any memory.
 */
const MAX_HELD = 96 * 1024 * 1024
const REFUSED_COUNTS_MS = 1_000

interface Hold {
  readonly bytes: number
  readonly end: number
}

const waits = new Map<object, Hold>()
const refused = new Map<object, Hold>()

/** Throws where calls that wait and those that were just refused hold too much for another to start. */
export function checkMayStart(): void {
  if (waits.size > 0 && sumHeld(waits) + sumHeld(refused) > MAX_HELD) throw heldTooMuch()
}

/** A wait counts until its deadline at the latest: the platform ends calls of callers who left, and then nothing of them runs. */
export function holdWhileWaiting(call: object, bytes: number, end: number): void {
  waits.delete(call)
  const others = sumHeld(waits)
  if (others > 0 && others + bytes > MAX_HELD) {
    // Without the call itself, whose memory it would keep
    refused.set({}, { bytes, end: Date.now() + REFUSED_COUNTS_MS })
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
