import type { WriteAuditEvent } from '../core/access/audit-entry.ts'
import type { CallDeps } from '../core/call/call.ts'
import type { Config, Env } from '../env.ts'
import { createDenialLog } from '../http/route/audit.ts'
import { createCallLog } from '../storage/records/call-log.ts'
import { createRecordWriter } from '../storage/records/record-writer.ts'
import { recordsStub } from '../storage/records/records.ts'
import { printLogEntry, print } from './platform.ts'

/** Cloudflare finishes the work behind an answer, and charges for each batch. */
const WINDOW_MS = 1_000
/** A kill loses the records that wait. Calls stop while a batch is written to the disk, so it is not shorter. */
const SELF_HOSTED_WINDOW_MS = 250

export type Recording = ReturnType<typeof createRecording>

export function createRecording(
  env: Pick<Env, 'Records'>,
  { recordCalls, logCalls, isSelfHosted }: Pick<Config, 'recordCalls' | 'logCalls' | 'isSelfHosted'>,
) {
  const logCall = createCallLog(print)
  const getRecordsStub = recordsStub(env.Records)
  const records = createRecordWriter({
    append: (batch) => getRecordsStub(batch.day).append(batch),
    keep: recordCalls,
    newId: () => crypto.randomUUID(),
    defect: (error, lost) => printLogEntry({ event: 'records-lost', lost, error: String(error) }),
    windowMs: isSelfHosted ? SELF_HOSTED_WINDOW_MS : WINDOW_MS,
  })
  const writeCall: CallDeps['writeRecord'] = (record, background, forOperator) => {
    if (logCalls === 'all' || (logCalls === 'failures' && record.outcome !== 'success'))
      logCall(forOperator === undefined ? record : { ...record, for_operator: forOperator }, background)
    // Calls that succeed have no record with `failures`, and are counted all the same
    if (recordCalls !== 'none') records.writeCall(record, background)
  }
  const writeAuditEntry: WriteAuditEvent = (event, background) => {
    printLogEntry({ event: 'act', ...event })
    records.writeAct(event, background)
  }
  return { writeCall, writeAuditEntry, writeDenial: createDenialLog(records.writeAct, Date.now) }
}
