import type { CallRecord } from '../../core/call/record.ts'
import type { Background } from '../../core/tool/platform.ts'
import { createBatches } from './batches.ts'
import { dayOf } from './days.ts'
import type { RecordBatch } from './records-object.ts'

export interface RecordWriterOptions {
  /** Has the records of a day take in a batch. */
  readonly append: (batch: RecordBatch) => Promise<void>
  readonly sleep: (ms: number) => Promise<unknown>
  /** Told that records are lost. */
  readonly defect: (error: unknown, lost: number) => void
}

const WINDOW_MS = 1_000
const MOST = 500

/**
 * Records calls behind their answers: those of one second go together, and no call waits for it. A batch that cannot be stored
 * is lost, and counted with the next that can.
 */
export function createRecordWriter({
  append,
  sleep,
  defect,
}: RecordWriterOptions): (record: CallRecord, background: Background) => void {
  let lost = 0

  async function store(day: string, calls: readonly CallRecord[]): Promise<void> {
    const earlier = lost
    lost = 0
    try {
      await append({ day, calls, lost: earlier })
    } catch (error) {
      lost += earlier + calls.length
      defect(error, calls.length)
    }
  }

  return createBatches({
    windowMs: WINDOW_MS,
    most: MOST,
    sleep,
    async flush(records) {
      for (const [day, calls] of Map.groupBy(records, ({ at }) => dayOf(at))) await store(day, calls)
    },
  })
}
