import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CallRecord } from '../../../src/core/call/call-record.ts'
import { createCallLog } from '../../../src/storage/records/call-log.ts'

const recordOf = (call_id: string): CallRecord => ({
  at: 0,
  call_id,
  principal: 'admin',
  tool: 'Example.Tool',
  dialect: 'oxp',
  outcome: 'success',
  duration_ms: 1,
})
const lineOf = (call_id: string) => {
  const { at, duration_ms, call_id: id, ...shared } = recordOf(call_id)
  return JSON.stringify({ event: 'call', ...shared, at, call_id: id, duration_ms })
}
const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => `c${from + index}`)

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function setUp() {
  const printed: string[] = []
  const behind: Promise<unknown>[] = []
  const write = createCallLog((message) => void printed.push(message))
  const writeCall = (call: CallRecord) => write(call, (work) => void behind.push(work))
  return {
    printed,
    writeCall,
    write: (...calls: readonly string[]) => calls.forEach((id) => writeCall(recordOf(id))),
    /** The window ends, and all that is behind the calls with it. */
    async end() {
      await vi.advanceTimersByTimeAsync(250)
      await Promise.all(behind)
    },
  }
}

describe('the log of calls', () => {
  it('is written after the calls, once for those of one window', async () => {
    const { write, end, printed } = setUp()
    write('c1')
    expect(printed).toEqual([])
    write('c2')
    await vi.advanceTimersByTimeAsync(249)
    expect(printed).toEqual([])
    await end()
    expect(printed).toEqual([lineOf('c1'), lineOf('c2')])
    write('c3')
    await end()
    expect(printed).toEqual([lineOf('c1'), lineOf('c2'), lineOf('c3')])
  })

  it('is one message with many lines for a burst, and one message per line for fewer calls', async () => {
    const few = setUp()
    few.write(...ids(0, 8))
    await few.end()
    expect(few.printed).toEqual(ids(0, 8).map(lineOf))
    const burst = setUp()
    burst.write(...ids(0, 9))
    await burst.end()
    expect(burst.printed).toEqual([ids(0, 9).map(lineOf).join('\n')])
  })

  it('has each call in order, with all its fields', async () => {
    const { writeCall, end, printed } = setUp()
    const calls: CallRecord[] = [
      recordOf('c0'),
      { ...recordOf('c1'), outcome: 'tool-failed', upstream_status: 503, arguments: { text: 'a { b\n"c"' } },
      { ...recordOf('c2'), trace_id: 't', traceparent: '00-1-2-01', principal_name: 'Ann', user_id: 'ann' },
      recordOf('c3'),
    ]
    for (const call of calls) writeCall(call)
    await end()
    expect(printed.map((line) => JSON.parse(line))).toEqual(calls.map((call) => ({ event: 'call', ...call })))
  })

  it('is written once 500 calls wait, and prints no line twice', async () => {
    const { write, end, printed } = setUp()
    write(...ids(0, 499))
    expect(printed).toEqual([])
    write('c499')
    expect(printed).toEqual([ids(0, 500).map(lineOf).join('\n')])
    write('c500')
    await end()
    expect(printed).toHaveLength(2)
    expect(printed[1]).toBe(lineOf('c500'))
  })

  it('gives calls their whole window again after a burst that was written early', async () => {
    const { write, end, printed } = setUp()
    write(...ids(0, 500))
    await vi.advanceTimersByTimeAsync(200)
    write('c500')
    await vi.advanceTimersByTimeAsync(249)
    expect(printed).toHaveLength(1)
    await end()
    expect(printed).toHaveLength(2)
  })
})
