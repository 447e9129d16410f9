import type { CallRecord } from '../../core/call/record.ts'
import type { Background } from '../../core/tool/platform.ts'

export interface CallLogOptions {
  /** Writes one message to the deployment's log. */
  readonly print: (message: string) => void
  readonly sleep: (ms: number) => Promise<unknown>
}

/** Lines wait this long for others, and no more than so many wait. */
const WINDOW_MS = 50
const MAX_WAITING = 500
/** Up to so many lines are messages of their own, which a log service can index; a burst is one message of many lines. */
const FEW = 8

/** Writes one structured line for each call, after the call: the lines of one window are printed together. */
export function createCallLog({ print, sleep }: CallLogOptions): (record: CallRecord, background: Background) => void {
  let waiting: string[] = []

  function flush(): void {
    const lines = waiting
    waiting = []
    if (lines.length <= FEW) lines.forEach((line) => print(line))
    else print(lines.join('\n'))
  }

  return (record, background) => {
    waiting.push(JSON.stringify({ event: 'call', ...record }))
    if (waiting.length === 1) background(sleep(WINDOW_MS).then(flush))
    else if (waiting.length >= MAX_WAITING) flush()
  }
}
