export function createRateCounter(most: number, now: () => number): () => boolean {
  let counted = { second: 0, count: 0 }
  return () => {
    const second = Math.floor(now() / 1_000)
    if (counted.second !== second) counted = { second, count: 0 }
    counted.count += 1
    return counted.count <= most
  }
}
