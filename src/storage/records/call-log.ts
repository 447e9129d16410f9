import { createBatches } from './batches.ts'
import { GatheredCalls } from './call-groups.ts'

/** Calls wait while lines are printed. With a shorter window, one call in a hundred would. */
const WINDOW_MS = 250
const MOST = 500
/** Up to so many lines are separate messages, which a log service can index. */
const FEW = 8

/** Logs one structured line a call, after its answer; the lines of one window are printed together. */
export function createCallLog(print: (message: string) => void) {
  return createBatches({
    windowMs: WINDOW_MS,
    most: MOST,
    begin: () => new GatheredCalls(),
    flush(calls) {
      const lines = calls.lines('call')
      if (lines.length <= FEW) lines.forEach((line) => print(line))
      else print(lines.join('\n'))
    },
  })
}
