import type { Background } from '../../core/tool/platform.ts'
import { createBatches } from './batches.ts'
import type { WrittenCall } from './record-writer.ts'

export interface CallLogOptions {
  readonly print: (message: string) => void
  readonly sleep: (ms: number) => Promise<unknown>
}

const WINDOW_MS = 50
const MOST = 500
/** Up to so many lines are separate messages, which a log service can index; a burst is one message of many lines. */
const FEW = 8
const EVENT = JSON.stringify({ event: 'call' })

/** Logs one structured line a call, after its answer; the lines of one window are printed together. */
export function createCallLog({
  print,
  sleep,
}: CallLogOptions): (call: Pick<WrittenCall, 'text'>, background: Background) => void {
  return createBatches({
    windowMs: WINDOW_MS,
    most: MOST,
    sleep,
    flush(calls) {
      const lines = calls.map(({ text }) => `${EVENT.slice(0, -1)},${text.slice(1)}`)
      if (lines.length <= FEW) lines.forEach((line) => print(line))
      else print(lines.join('\n'))
    },
  })
}
