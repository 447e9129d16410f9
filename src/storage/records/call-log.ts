import type { CallRecord } from '../../core/call/call-record.ts'
import { createBatches } from './batches.ts'

const WINDOW_MS = 50
const MOST = 500
/** Up to so many lines are separate messages, which a log service can index. */
const FEW = 8
const EVENT = JSON.stringify({ event: 'call' })

/** Callers read records, and not the log. */
export interface LoggedCall extends CallRecord {
  readonly for_operator?: string
}

/** Logs one structured line a call, after its answer; the lines of one window are printed together. */
export function createCallLog(print: (message: string) => void) {
  return createBatches<LoggedCall>({
    windowMs: WINDOW_MS,
    most: MOST,
    flush(calls) {
      const lines = calls.map((call) => `${EVENT.slice(0, -1)},${JSON.stringify(call).slice(1)}`)
      if (lines.length <= FEW) lines.forEach((line) => print(line))
      else print(lines.join('\n'))
    },
  })
}
