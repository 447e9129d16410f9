import { createBatches } from './batches.ts'
import type { WrittenCall } from './record-writer.ts'

const WINDOW_MS = 50
const MOST = 500
/** Up to so many lines are separate messages, which a log service can index. */
const FEW = 8
const EVENT = JSON.stringify({ event: 'call' })

/** Logs one structured line a call, after its answer; the lines of one window are printed together. */
export function createCallLog({
  print,
  sleep,
}: {
  readonly print: (message: string) => void
  readonly sleep: (ms: number) => Promise<unknown>
}) {
  return createBatches<Pick<WrittenCall, 'text'>>({
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
