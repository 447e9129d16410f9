import type { AuditEntry, WriteAuditEntry } from '../../core/access/audit-entry.ts'
import type { CallRecord } from '../../core/call/record.ts'
import type { RecordedCalls } from '../../core/call/records.ts'
import type { Background } from '../../core/tool/platform.ts'
import { DAY_MS } from '../../core/tool/time.ts'
import { createBatches } from './batches.ts'
import { dayOf } from './days.ts'
import type { RecordBatch } from './records-object.ts'

export interface RecordWriterOptions {
  readonly append: (batch: RecordBatch) => Promise<void>
  readonly keep: RecordedCalls
  readonly sleep: (ms: number) => Promise<unknown>
  readonly newId: () => string
  readonly defect: (error: unknown, lost: number) => void
}

const WINDOW_MS = 1_000
const MOST = 500

/** A call's record for the log and the store of records, serialised once for both. */
export class WrittenCall {
  readonly record: CallRecord
  #text: string | undefined

  constructor(record: CallRecord) {
    this.record = record
  }

  get text(): string {
    return (this.#text ??= JSON.stringify(this.record))
  }
}

/** A batch that cannot be stored is lost, and counted in the next. */
export function createRecordWriter({ append, keep, sleep, newId, defect }: RecordWriterOptions) {
  let lost = 0

  async function store(day: number, records: readonly Recorded[]): Promise<void> {
    const calls = records.flatMap(({ call }) => call?.text ?? [])
    const acts = records.flatMap(({ act }) => act ?? [])
    const earlier = lost
    lost = 0
    try {
      const kept = keep === 'all' ? 'all' : 'failures'
      await append({ id: newId(), day: dayOf(day * DAY_MS), calls, acts, keep: kept, lost: earlier })
    } catch (error) {
      lost += earlier + records.length
      defect(error, records.length)
    }
  }

  const write = createBatches<Recorded>({
    windowMs: WINDOW_MS,
    most: MOST,
    sleep,
    async flush(records) {
      const days = Map.groupBy(records, ({ call, act }) => dayNumber((call ? call.record : act).at))
      for (const [day, some] of days) await store(day, some)
    },
  })
  const writeAuditEntry: WriteAuditEntry = (act, background) => write({ act }, background)
  return {
    writeCall(call: WrittenCall, background: Background): void {
      if (keep !== 'none') write({ call }, background)
    },
    writeAuditEntry,
  }
}

function dayNumber(ms: number): number {
  return Math.floor(ms / DAY_MS)
}

type Recorded =
  { readonly call: WrittenCall; readonly act?: never } | { readonly call?: never; readonly act: AuditEntry }
