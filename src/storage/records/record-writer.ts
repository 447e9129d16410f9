import type { AuditEntry } from '../../core/access/audit-entry.ts'
import type { CallRecord } from '../../core/call/call-record.ts'
import type { RecordedCalls } from '../../core/call/recorded-calls.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import { createBatches } from './batches.ts'
import { GatheredCalls } from './call-groups.ts'
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
const MOST = 1_000

/** Writes a call's record or an act. A batch that cannot be stored is lost, and counted in the next. */
export function createRecordWriter({ append, keep, newId, defect }: RecordWriterOptions) {
  let lost = 0

  async function store(day: number, { acts, calls }: Day): Promise<void> {
    const earlier = lost
    lost = 0
    try {
      const groups = calls.groups(keep === 'all' ? 'all' : 'failures')
      await append({ id: newId(), day: dayOf(day * DAY_MS), calls: groups, acts, lost: earlier })
    } catch (error) {
      lost += earlier + acts.length + calls.size
      defect(error, acts.length + calls.size)
    }
  }

  return createBatches<CallRecord | AuditEntry, Days>({
    windowMs: WINDOW_MS,
    most: MOST,
    begin: () => new Days(),
    async flush({ days }) {
      for (const [day, records] of days) await store(day, records)
    },
  })
}

interface Day {
  readonly acts: AuditEntry[]
  readonly calls: GatheredCalls
}

class Days {
  readonly days = new Map<number, Day>()
  size = 0

  add(record: CallRecord | AuditEntry): void {
    const of = Math.floor(record.at / DAY_MS)
    const day = this.days.get(of) ?? { acts: [], calls: new GatheredCalls() }
    this.days.set(of, day)
    if ('act' in record) day.acts.push(record)
    else day.calls.add(record)
    this.size += 1
  }
}
