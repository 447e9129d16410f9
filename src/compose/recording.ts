import type { WriteAuditEntry } from '../core/access/audit-entry.ts'
import type { CallDeps } from '../core/call/call.ts'
import type { Config, Env } from '../env.ts'
import { createRefusals } from '../http/route/audit.ts'
import { createCallLog } from '../storage/records/call-log.ts'
import { createRecordWriter, WrittenCall } from '../storage/records/record-writer.ts'
import { recordsStub } from '../storage/records/records.ts'
import { log, sleep } from './platform.ts'

export type Recording = ReturnType<typeof createRecording>

export function createRecording(env: Pick<Env, 'Records'>, { recordCalls }: Pick<Config, 'recordCalls'>) {
  const printCall = createCallLog({ print: (message) => console.log(message), sleep })
  const recordsOf = recordsStub(env.Records)
  const recordWriter = createRecordWriter({
    append: (batch) => recordsOf(batch.day).append(batch),
    keep: recordCalls,
    sleep,
    newId: () => crypto.randomUUID(),
    defect: (error, lost) => log({ event: 'records-lost', lost, error: String(error) }),
  })
  const writeCall: CallDeps['writeRecord'] = (record, background, forOperator) => {
    const written = new WrittenCall(record)
    // Callers read records, and not the log
    const logged =
      forOperator === undefined ? written : { text: JSON.stringify({ ...record, for_operator: forOperator }) }
    printCall(logged, background)
    recordWriter.writeCall(written, background)
  }
  const writeAuditEntry: WriteAuditEntry = (act, background) => {
    log({ event: 'act', ...act })
    recordWriter.writeAuditEntry(act, background)
  }
  return { writeCall, writeAuditEntry, writeRefusal: createRefusals(recordWriter.writeAuditEntry, Date.now) }
}
