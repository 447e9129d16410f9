/** Bytes of calls that wait for answers: those of one plugin share an isolate, which has 128 MB. */
const MAX_HELD = 96 * 1024 * 1024

const waits = new Map<object, { readonly bytes: number; readonly end: number }>()

/**
 * Notes what a call holds while it waits. Throws, retryable, where others hold too much beside it. It counts until its
 * deadline at the latest: the platform ends calls of callers who left, and then nothing of them runs.
 */
export function holdWhileWaiting(call: object, bytes: number, end: number): void {
  let others = 0
  for (const [other, wait] of waits) {
    if (wait.end <= Date.now()) waits.delete(other)
    else if (other !== call) others += wait.bytes
  }
  if (others > 0 && others + bytes > MAX_HELD) {
    const message = `Calls of this plugin that wait for answers hold more than ${MAX_HELD} bytes`
    throw Object.assign(new Error(message), { can_retry: true })
  }
  waits.set(call, { bytes, end })
}

export function endWait(call: object): void {
  waits.delete(call)
}
