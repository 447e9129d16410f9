import { describe, expect, it } from 'vitest'
import { toBucket, maxOfBucket, estimateQuantile, countWithin } from '../../../src/storage/records/durations.ts'

const counted = (all: readonly number[]) => {
  const durations = new Map<number, number>()
  for (const ms of all) durations.set(toBucket(ms), (durations.get(toBucket(ms)) ?? 0) + 1)
  return durations
}

describe('durations counted by size', () => {
  it('a bucket contains durations up to its maximum and above that of the bucket before', () => {
    for (const ms of [0, 0.5, 1, 1.01, 2, 3, 7, 8, 100, 999, 30_000, 300_000]) {
      const bucket = toBucket(ms)
      expect(ms).toBeLessThanOrEqual(maxOfBucket(bucket))
      if (bucket > 0) expect(ms).toBeGreaterThanOrEqual(maxOfBucket(bucket - 1))
    }
  })

  it('estimates a quantile to within a tenth, and never below its value', () => {
    const all = Array.from({ length: 1_000 }, (_, index) => 10 + index)
    for (const share of [0.5, 0.95, 0.99]) {
      const exact = all[Math.ceil(1_000 * share) - 1] ?? NaN
      const estimate = estimateQuantile(counted(all), share)
      expect([estimate >= exact, estimate < exact * 1.1]).toEqual([true, true])
    }
    expect(estimateQuantile(counted([1_240]), 0.95)).toBeGreaterThanOrEqual(1_240)
    expect(estimateQuantile(counted([0, 0, 0, 50_000]), 0.5)).toBe(0)
    expect(estimateQuantile(new Map(), 0.5)).toBe(0)
  })

  it('counts the durations up to a limit', () => {
    const durations = counted([0, 0.2, 1, 90, 5_000])
    expect(countWithin(durations, 0.5)).toBe(0)
    expect(countWithin(durations, 5)).toBe(3)
    expect(countWithin(durations, 100)).toBe(4)
    expect(countWithin(durations, 10_000)).toBe(5)
  })
})
