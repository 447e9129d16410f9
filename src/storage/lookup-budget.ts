export function createRateCounter(maxPerSecond: number, now: () => number): () => boolean {
  let window = { second: 0, count: 0 }
  return () => {
    const second = Math.floor(now() / 1_000)
    if (window.second !== second) window = { second, count: 0 }
    window.count += 1
    return window.count <= maxPerSecond
  }
}
