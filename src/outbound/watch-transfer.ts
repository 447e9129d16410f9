/** In milliseconds: how long a sender or a reader may do nothing. */
export const PATIENCE_MS = 30_000
export const LEAST_BYTES_A_MS = 16
const LEAST_BYTES = PATIENCE_MS * LEAST_BYTES_A_MS

/** Calls `onStall` once fewer bytes are transferred in a while than the least that is waited for. Gives what ends the watch. */
export function watchTransfer(transferred: () => number, onStall: () => void): () => void {
  let before = 0
  const timer = setInterval(() => {
    const now = transferred()
    if (now - before >= LEAST_BYTES) return void (before = now)
    clearInterval(timer)
    onStall()
  }, PATIENCE_MS)
  return () => clearInterval(timer)
}
