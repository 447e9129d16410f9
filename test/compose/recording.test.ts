import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { printLogEntry } from '../../src/compose/platform.ts'
import { createRecording } from '../../src/compose/recording.ts'
import type { CallRecord } from '../../src/core/call/call-record.ts'
import type { RecordingMode } from '../../src/core/call/recorded-calls.ts'
import type { RecordBatch } from '../../src/storage/records/records-object.ts'
import { createKeyring } from '../../src/storage/sealing/keyring.ts'
import { part } from '../simulation/part.ts'

const KEYRING = createKeyring([], 'content')

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

/** Which of a call that succeeded and one that failed are logged, and which have a record so soon. */
async function told(logCalls: RecordingMode, recordCalls: RecordingMode, afterMs = 1_000, isSelfHosted = false) {
  const batches: RecordBatch[] = []
  const append = async (batch: RecordBatch) => void batches.push(batch)
  const Records = part<ConstructorParameters<typeof Object>[0]>({ getByName: () => ({ append }) })
  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
  const { writeCall } = createRecording(
    part({ Records }),
    { isSelfHosted, logCalls, recordCalls, contentDays: 0 },
    KEYRING,
  )
  const call: CallRecord = {
    at: Date.parse('2026-03-01'),
    call_id: 'c1',
    principal: 'admin',
    tool: 'Example.Tool@1.0.0',
    digest: 'd',
    dialect: 'oxp',
    outcome: 'success',
    duration_ms: 1,
  }
  const background = () => undefined
  writeCall(call, background, undefined)
  writeCall({ ...call, outcome: 'tool-failed' }, background, 'Set it up')
  await vi.advanceTimersByTimeAsync(afterMs)
  const groups = batches.flatMap(({ calls }) => calls)
  return {
    logged: printed.map((line) => [JSON.parse(line).outcome, JSON.parse(line).for_operator]),
    recorded: groups.flatMap(({ shared, rows }) => rows.map(() => shared.outcome)),
    counted: groups.length,
  }
}

const SUCCESS = ['success', undefined]
const FAILURE = ['tool-failed', 'Set it up']

it.each([
  ['all', 'all', { logged: [SUCCESS, FAILURE], recorded: ['success', 'tool-failed'], counted: 2 }],
  ['failures', 'failures', { logged: [FAILURE], recorded: ['tool-failed'], counted: 2 }],
  ['none', 'all', { logged: [], recorded: ['success', 'tool-failed'], counted: 2 }],
  ['all', 'none', { logged: [SUCCESS, FAILURE], recorded: [], counted: 0 }],
] as const)(
  'LOG_CALLS %s and RECORD_CALLS %s determine what is written about calls',
  async (logCalls, recordCalls, expected) => {
    expect(await told(logCalls, recordCalls)).toEqual(expected)
  },
)

it('stores records sooner if the process may be killed', async () => {
  expect((await told('none', 'all', 250)).counted).toBe(0)
  expect((await told('none', 'all', 250, true)).counted).toBe(2)
})

it.each([
  'took recursive isolate lock',
  'Not symbolizing stack traces because $LLVM_SYMBOLIZER is not set',
  'stack: 0 0 0',
  '\u001ack: 0x12',
  'stack: 55d0 55d1 55d2',
  '\took recursive isolate lock',
  'bind(): in use (os error 98)',
  'Address already in use; toString() = *:80',
  'CODE_MOVED for unknown code block',
])('prints %j so that Miniflare drops no line of it, and keeps the text', (call_id) => {
  const printed: string[] = []
  vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
  printLogEntry({ call_id })
  expect(printed.map((line) => [line.includes(call_id.trim()), JSON.parse(line)])).toEqual([[false, { call_id }]])
})

it.each(['\u009b2J', '\u007f', '\u202egnp.exe', 'a\u2066b\u2069', '\u2028line'])(
  'prints %j so that it cannot control a terminal, and keeps the text',
  (tool) => {
    const printed: string[] = []
    vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line))
    printLogEntry({ tool })
    expect(printed.join()).toMatch(/^[\x20-\x7e]+$/)
    expect(printed.map((line): unknown => JSON.parse(line))).toEqual([{ tool }])
  },
)
