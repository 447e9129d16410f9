import type { AuditEntry } from '../../core/access/audit-entry.ts'
import type { Background } from '../../core/tool/platform.ts'
import type { RecordedCalls } from '../../core/call/recorded-calls.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import { createBatches } from './batches.ts'
import { GatheredCalls } from './call-groups.ts'
import { dayOf } from './days.ts'
import type { ExpectedRecords, RecordBatch } from './records-object.ts'

export interface RecordWriterOptions {
  readonly append: (batch: RecordBatch) => Promise<void>
  readonly keep: RecordedCalls
  readonly newId: () => string
  readonly defect: (error: unknown, lost: number) => void
  /** Where a process may be killed with records that it has not stored: has the next one count them. */
  readonly expect?: ((day: string, expected: ExpectedRecords) => Promise<void>) | undefined
  readonly sleep: (ms: number) => Promise<void>
}

const WINDOW_MS = 1_000
/** Fewer than a batch may have. */
const MOST = 1_000
/** A write to storage each time, during which calls wait. */
const EXPECT_MS = 200
/** So that no request's work goes on for ever. */
const MOST_EXPECTED = 1_000

/** A batch that cannot be stored is lost, and counted in the next. */
export function createRecordWriter({ append, keep, newId, defect, expect, sleep }: RecordWriterOptions) {
  const window = { windowMs: WINDOW_MS, most: MOST }
  const writer = newId()
  const had = new Map<number, number>()
  let isExpecting = false
  let lost = 0

  function counted<Item extends { readonly at: number }>(add: (item: Item, background: Background) => void) {
    if (!expect) return add
    return (item: Item, background: Background): void => {
      const day = Math.floor(item.at / DAY_MS)
      had.set(day, (had.get(day) ?? 0) + 1)
      if (!isExpecting) background(expectAll(day, expect))
      add(item, background)
    }
  }

  async function expectAll(day: number, expect: NonNullable<RecordWriterOptions['expect']>): Promise<void> {
    isExpecting = true
    let records = 0
    for (let left = MOST_EXPECTED; left > 0 && records !== had.get(day); left -= 1) {
      await sleep(EXPECT_MS)
      records = had.get(day) ?? 0
      // With storage out of reach the batch fails too, and says so
      await expect(dayOf(day * DAY_MS), { writer, records }).catch(() => undefined)
    }
    isExpecting = false
  }

  async function store(day: number, { calls = [], acts = [] }: Partial<RecordBatch>): Promise<void> {
    const earlier = lost
    lost = 0
    const figures = calls.flatMap((group) => group.figures)
    const some = figures.reduce((sum, [, , count]) => sum + count, acts.length)
    const expected = expect && { expected: { writer, records: earlier + some } }
    try {
      await append({ id: newId(), day: dayOf(day * DAY_MS), calls, acts, lost: earlier, ...expected })
    } catch (error) {
      lost += earlier + some
      defect(error, some)
    }
  }

  return {
    writeCall: counted(
      createBatches({
        ...window,
        begin: () => new GatheredCalls(),
        async flush(gathered) {
          const groups = gathered.groups(keep === 'all' ? 'all' : 'failures')
          for (const [day, calls] of Map.groupBy(groups, (group) => group.day)) await store(day, { calls })
        },
      }),
    ),
    writeAct: counted(
      createBatches({
        ...window,
        begin: () => new Set<AuditEntry>(),
        async flush(written) {
          for (const [day, acts] of Map.groupBy(written, ({ at }) => Math.floor(at / DAY_MS)))
            await store(day, { acts })
        },
      }),
    ),
  }
}
