/** How long a sender or reader may be idle, in milliseconds. */
export const PATIENCE_MS = 30_000
export const LEAST_BYTES_A_MS = 16
const LEAST_BYTES = PATIENCE_MS * LEAST_BYTES_A_MS

/** Calls `onStall` when fewer than `LEAST_BYTES` are transferred in `PATIENCE_MS`. Returns a function that ends the watch. */
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
