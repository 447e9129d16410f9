/** Buckets per power of two, so that quantiles are known within a tenth without a row per call. */
const PER_DOUBLING = 8

export function toBucket(ms: number): number {
  return ms < 1 ? 0 : 1 + Math.floor(Math.log2(ms) * PER_DOUBLING)
}

export function maxOfBucket(bucket: number): number {
  return bucket === 0 ? 1 : 2 ** (bucket / PER_DOUBLING)
}

type Durations = ReadonlyMap<number, number>

/** Rounds up, so that this share of the calls took no longer. */
export function estimateQuantile(durations: Durations, share: number): number {
  const total = [...durations.values()].reduce((sum, calls) => sum + calls, 0)
  let remainingCalls = Math.max(1, Math.ceil(total * share))
  for (const bucket of [...durations.keys()].sort((a, b) => a - b)) {
    remainingCalls -= durations.get(bucket) ?? 0
    if (remainingCalls <= 0) return bucket === 0 ? 0 : Math.ceil(maxOfBucket(bucket) * 10) / 10
  }
  return 0
}

export function countWithin(durations: Durations, ms: number): number {
  let calls = 0
  for (const [bucket, count] of durations) if (maxOfBucket(bucket) <= ms) calls += count
  return calls
}
