import { describe, expect, it } from 'vitest'
import { toBucket, maxOfBucket, countWithin } from '../../../src/storage/records/durations.ts'
import type { FigureRow } from '../../../src/storage/records/figures.ts'
import { createRecords } from '../../../src/storage/records/records.ts'
import { part } from '../../simulation/part.ts'

const DAY = 86_400_000
const NOW = Date.parse('2100-06-15T12:00:00Z')
const sealer = part<Parameters<typeof createRecords>[1]>({})

/** Usage of days, from the newest back, each with the rows that its object counted. */
function usageOf(days: readonly { readonly rows?: readonly FigureRow[]; readonly lost: number }[]) {
  const asked: string[] = []
  const stubOf = (day: string) => {
    asked.push(day)
    const counted = days[asked.length - 1] ?? { rows: [], lost: 0 }
    return part<ReturnType<Parameters<typeof createRecords>[0]>>({
      figures: (async () => ({ rows: counted.rows, lost: counted.lost })) as never,
    })
  }
  return createRecords(stubOf, sealer, () => NOW, { keyring: sealer, days: 0 }).usage(
    { since: NOW - (days.length - 1) * DAY, until: NOW + 1 },
    ['tool'],
  )
}

const row = (ms: number, calls: number, failed = 0, tool = 'A.b'): FigureRow => ({
  group: JSON.stringify({ tool }),
  failed,
  waiting: 0,
  bucket: toBucket(ms),
  calls,
  ms: ms * calls,
})

describe('usage over days', () => {
  it('adds up calls, failures, durations, their distribution and losses', async () => {
    const usage = await usageOf([
      { rows: [row(10, 30), row(10, 10, 1), row(1_000, 1, 1)], lost: 2 },
      { rows: [{ ...row(10, 9), waiting: 1 }, row(1_000, 30), row(1_000, 19, 1), row(5, 1, 0, 'A.c')], lost: 3 },
      { rows: [], lost: 4 },
    ])
    expect(usage?.lost).toBe(9)
    expect(
      usage?.items.map(({ group, calls, failures, waiting, mean_ms }) => [
        group.tool,
        calls,
        failures,
        waiting,
        mean_ms,
      ]),
    ).toEqual([
      ['A.b', 99, 30, 9, 510],
      ['A.c', 1, 0, 0, 5],
    ])
    // 49 of 99 took 10 ms, so that the fiftieth took a second
    const [item] = usage?.items ?? []
    for (const ms of [item?.p50_ms, item?.p95_ms, item?.p99_ms]) {
      expect(ms).toBeGreaterThan(900)
      expect(ms).toBeLessThan(1_100)
    }
    const [quick] = (await usageOf([{ rows: [row(10, 30), row(10, 20, 1), row(1_000, 49)], lost: 0 }]))?.items ?? []
    expect([quick?.p50_ms, quick?.p95_ms].map((ms) => (ms ?? 0) < 12)).toEqual([true, false])
  })

  it('is not available if a day has more groups than fit', async () => {
    expect(await usageOf([{ rows: [row(10, 1)], lost: 0 }, { lost: 0 }])).toBeUndefined()
  })
})

it('a duration equal to the maximum of its bucket counts as within that maximum', () => {
  const durations = new Map([[8, 3]])
  expect([countWithin(durations, maxOfBucket(8)), countWithin(durations, maxOfBucket(8) - 0.01)]).toEqual([3, 0])
})
