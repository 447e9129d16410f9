import type { CallRecord } from '../../core/call/call-record.ts'
import { createBatches } from './batches.ts'
import { sharedFields } from './call-groups.ts'

/** Printing blocks. With a shorter window, one call in a hundred waits for it. */
const WINDOW_MS = 250
const MOST = 500
/** Up to this many lines are printed as separate messages, which a log service can index. */
const FEW = 8

/** Logs a structured line per call, after its response. A window's lines are printed together. Callers cannot read the log. */
export function createCallLog(print: (message: string) => void) {
  return createBatches<CallRecord & { readonly for_operator?: string }>({
    windowMs: WINDOW_MS,
    most: MOST,
    flush(calls) {
      const lines = calls.map((call) => JSON.stringify({ event: 'call', ...sharedFields(call), ...call }))
      if (lines.length <= FEW) lines.forEach((line) => print(line))
      else print(lines.join('\n'))
    },
  })
}
