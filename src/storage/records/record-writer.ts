import type { AuditEntry } from '../../core/access/audit-entry.ts'
import type { CallRecord } from '../../core/call/call-record.ts'
import type { RecordedCalls } from '../../core/call/recorded-calls.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import { createBatches } from './batches.ts'
import { groupCalls } from './call-groups.ts'
import { dayOf } from './days.ts'
import type { RecordBatch } from './records-object.ts'

export interface RecordWriterOptions {
  readonly append: (batch: RecordBatch) => Promise<void>
  readonly keep: RecordedCalls
  readonly newId: () => string
  readonly defect: (error: unknown, lost: number) => void
}

const WINDOW_MS = 1_000
/** Fewer than a batch may have. */
const MOST = 500

/** Writes a call's record or an act. A batch that cannot be stored is lost, and counted in the next. */
export function createRecordWriter({ append, keep, newId, defect }: RecordWriterOptions) {
  let lost = 0

  async function store(day: number, records: readonly (CallRecord | AuditEntry)[]): Promise<void> {
    const acts = records.filter((each) => 'act' in each)
    const calls = records.filter((each): each is CallRecord => !('act' in each))
    const groups = groupCalls(calls, keep === 'all' ? 'all' : 'failures')
    const earlier = lost
    lost = 0
    try {
      await append({ id: newId(), day: dayOf(day * DAY_MS), calls: groups, acts, lost: earlier })
    } catch (error) {
      lost += earlier + records.length
      defect(error, records.length)
    }
  }

  return createBatches<CallRecord | AuditEntry>({
    windowMs: WINDOW_MS,
    most: MOST,
    async flush(records) {
      const days = Map.groupBy(records, ({ at }) => Math.floor(at / DAY_MS))
      for (const [day, some] of days) await store(day, some)
    },
  })
}
