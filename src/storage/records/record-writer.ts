import type { Act, WriteAct } from '../../core/access/act.ts'
import type { HostNews } from '../../core/call/host-news.ts'
import type { CallRecord } from '../../core/call/record.ts'
import type { RecordedCalls } from '../../core/call/records.ts'
import type { Background } from '../../core/tool/platform.ts'
import { createBatches } from './batches.ts'
import { dayOf } from './days.ts'
import type { RecordBatch } from './records-object.ts'

export interface RecordWriterOptions {
  /** Has the records of a day take in a batch. */
  readonly append: (batch: RecordBatch) => Promise<void>
  /** What there is to tell of hosts: it is learned by calls, and told with their records. */
  readonly takeHostNews: () => readonly HostNews[]
  readonly keep: RecordedCalls
  readonly sleep: (ms: number) => Promise<unknown>
  readonly newId: () => string
  /** Told that records are lost. */
  readonly defect: (error: unknown, lost: number) => void
}

const WINDOW_MS = 1_000
const MOST = 500

export interface RecordWriter {
  readonly writeCall: (call: CallRecord, background: Background) => void
  readonly writeAct: WriteAct
}

/**
 * Records calls and acts behind their answers: those of one second go together, and nobody waits for it. A batch that cannot be
 * stored is lost, and counted with the next that can.
 */
export function createRecordWriter({
  append,
  takeHostNews,
  keep,
  sleep,
  newId,
  defect,
}: RecordWriterOptions): RecordWriter {
  let lost = 0

  async function store(day: string, records: readonly Recorded[], hosts: readonly HostNews[]): Promise<void> {
    const calls = records.flatMap(({ call }) => call ?? [])
    const acts = records.flatMap(({ act }) => act ?? [])
    const earlier = lost
    lost = 0
    try {
      await append({ id: newId(), day, calls, acts, hosts, keep: keep === 'all' ? 'all' : 'failures', lost: earlier })
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
      const days = Map.groupBy(records, ({ call, act }) => dayOf((call ?? act).at))
      const news = Map.groupBy(takeHostNews(), ({ at }) => dayOf(at))
      for (const day of new Set([...days.keys(), ...news.keys()])) {
        await store(day, days.get(day) ?? [], news.get(day) ?? [])
      }
    },
  })
  return {
    writeCall: keep === 'none' ? () => undefined : (call, background) => write({ call }, background),
    writeAct: (act, background) => write({ act }, background),
  }
}

type Recorded = { readonly call: CallRecord; readonly act?: never } | { readonly call?: never; readonly act: Act }
