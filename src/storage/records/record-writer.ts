/*
 * Collects up to 1,000 call records and audit entries for a window of time, and stores each batch in the object of its day.
 * At most once: a batch that fails is dropped and counted in the `lost` of the next. If the process is killed, one window is
 * lost.
 */
import type { AuditEvent } from '../../core/access/audit-entry.ts'
import type { CallRecord } from '../../core/call/call-record.ts'
import type { RecordingMode } from '../../core/call/recorded-calls.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import { createBatches } from './batches.ts'
import { groupCalls } from './call-groups.ts'
import type { SealedContent } from './contents.ts'
import { formatDay } from './days.ts'
import type { RecordBatch } from './records-object.ts'

interface RecordWriterOptions {
  /** How long records wait to be stored together. */
  readonly windowMs: number
  readonly append: (batch: RecordBatch) => Promise<void>
  readonly keep: RecordingMode
  readonly recordsContent?: boolean
  readonly newId: () => string
  readonly defect: (error: unknown, lost: number) => void
}

/** Fewer than a batch may have. */
const MOST = 1_000
/** Each content may have 50 kB. */
const MOST_WITH_CONTENTS = 100

type WrittenCall = CallRecord & { readonly content?: SealedContent | undefined }

export function createRecordWriter({ append, keep, recordsContent, newId, defect, windowMs }: RecordWriterOptions) {
  let lost = 0

  async function store(day: number, { calls = [], acts = [], contents }: Partial<RecordBatch>): Promise<void> {
    const earlier = lost
    lost = 0
    try {
      await append({
        id: newId(),
        day: formatDay(day * DAY_MS),
        calls,
        acts,
        lost: earlier,
        ...(contents && { contents }),
      })
    } catch (error) {
      const figures = calls.flatMap((group) => group.figures)
      const recordCount = figures.reduce((sum, [, , count]) => sum + count, acts.length)
      lost += earlier + recordCount
      defect(error, recordCount)
    }
  }

  return {
    writeCall: createBatches<WrittenCall>({
      windowMs,
      most: recordsContent ? MOST_WITH_CONTENTS : MOST,
      async flush(records) {
        const groups = groupCalls(records, keep === 'all' ? 'all' : 'failures')
        for (const [day, calls] of Map.groupBy(groups, (group) => group.day)) {
          const contents = records.flatMap(({ at, content }) =>
            content && Math.floor(at / DAY_MS) === day ? content : [],
          )
          await store(day, contents.length > 0 ? { calls, contents } : { calls })
        }
      },
    }),
    writeAct: createBatches<AuditEvent>({
      windowMs,
      most: MOST,
      async flush(batch) {
        for (const [day, acts] of Map.groupBy(batch, ({ at }) => Math.floor(at / DAY_MS))) await store(day, { acts })
      },
    }),
  }
}
