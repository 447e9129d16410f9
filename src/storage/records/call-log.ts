import { createBatches } from './batches.ts'
import { GatheredCalls } from './call-groups.ts'

const WINDOW_MS = 100
const MOST = 500
/** Up to so many are separate messages, which a log service can index. */
const FEW = 8

/** Logs calls behind their answers: a structured line each, but one for more than a few of a window that are alike. */
export function createCallLog(print: (message: string) => void) {
  return createBatches({
    windowMs: WINDOW_MS,
    most: MOST,
    begin: () => new GatheredCalls(),
    flush(calls) {
      const lines = calls.lines('call', FEW)
      if (lines.length <= FEW) lines.forEach((line) => print(line))
      else print(lines.join('\n'))
    },
  })
}
