import type { WriteAuditEvent } from '../core/access/audit-entry.ts'
import type { CallDeps } from '../core/call/call.ts'
import type { EndedCall } from '../core/call/call-content.ts'
import type { CallRecord } from '../core/call/call-record.ts'
import type { WaitUntil } from '../core/tool/platform.ts'
import type { Config, Env } from '../env.ts'
import { createDenialLog } from '../http/route/audit.ts'
import { createCallLog } from '../storage/records/call-log.ts'
import { createRecordWriter } from '../storage/records/record-writer.ts'
import { recordsStub } from '../storage/records/records.ts'
import type { Keyring } from '../storage/sealing/keyring.ts'
import { printLogEntry, print } from './platform.ts'

/** Cloudflare completes the work after a response, and charges for each batch. */
const WINDOW_MS = 1_000
/** If the process is killed, waiting records are lost. Not shorter, because calls stop while a batch is written to disk. */
const SELF_HOSTED_WINDOW_MS = 250

export type Recording = ReturnType<typeof createRecording>

export function createRecording(
  env: Pick<Env, 'Records'>,
  config: Pick<Config, 'recordCalls' | 'logCalls' | 'isSelfHosted' | 'contentDays'>,
  keyring: Keyring,
) {
  const { recordCalls, logCalls, isSelfHosted, contentDays } = config
  const recordsContent = contentDays > 0 && recordCalls !== 'none'
  const logCall = createCallLog(print)
  const getRecordsStub = recordsStub(env.Records)
  const records = createRecordWriter({
    append: (batch) => getRecordsStub(batch.day).append(batch),
    keep: recordCalls,
    recordsContent,
    newId: () => crypto.randomUUID(),
    defect: (error, lost) => printLogEntry({ event: 'records-lost', lost, error: String(error) }),
    windowMs: isSelfHosted ? SELF_HOSTED_WINDOW_MS : WINDOW_MS,
  })
  async function writeWithContent(record: CallRecord, endedCall: EndedCall, background: WaitUntil): Promise<void> {
    // Loaded on demand, because few deployments record contents
    const { sealContent } = await import('../storage/records/seal-content.ts')
    const content = await sealContent(keyring, contentDays, record, endedCall).catch((error: unknown) =>
      printLogEntry({ event: 'records-lost', lost: 0, error: String(error) }),
    )
    records.writeCall(content ? { ...record, content } : record, background)
  }
  const writeCall: CallDeps['writeRecord'] = (record, background, forOperator, endedCall) => {
    if (logCalls === 'all' || (logCalls === 'failures' && record.outcome !== 'success'))
      logCall(forOperator === undefined ? record : { ...record, for_operator: forOperator }, background)
    // With `failures`, successful calls are counted but not recorded
    if (endedCall && (recordCalls === 'all' || record.outcome !== 'success'))
      background(writeWithContent(record, endedCall, background))
    else if (recordCalls !== 'none') records.writeCall(record, background)
  }
  const writeAuditEntry: WriteAuditEvent = (event, background) => {
    printLogEntry({ event: 'act', ...event })
    records.writeAct(event, background)
  }
  return { recordsContent, writeCall, writeAuditEntry, writeDenial: createDenialLog(records.writeAct, Date.now) }
}
