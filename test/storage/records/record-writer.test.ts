import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { CallRecord } from '../../../src/core/call/call-record.ts'
import { createRecordWriter } from '../../../src/storage/records/record-writer.ts'
import { readLine } from '../../../src/storage/records/call-groups.ts'
import type { RecordingMode } from '../../../src/core/call/recorded-calls.ts'
import type { RecordBatch } from '../../../src/storage/records/records-object.ts'

const recordAt = (call_id: string, at: number): CallRecord => ({
  at,
  call_id,
  principal: 'admin',
  tool: 'Example.Tool@1.0.0',
  digest: 'd',
  dialect: 'oxp',
  outcome: 'success',
  duration_ms: 1,
})
const none = { day: 0, shared: recordAt('none', 0), rows: [], figures: [] }
const MIDNIGHT = Date.parse('2026-03-01')

function setUp(keep: RecordingMode = 'all', recordsContent = false) {
  const stored: RecordBatch[] = []
  const defects: number[] = []
  const behind: Promise<unknown>[] = []
  const world = {
    stored,
    defects,
    behind,
    isDown: false,
    async end() {
      await vi.advanceTimersByTimeAsync(1_000)
      await Promise.all(behind)
    },
  }
  let batches = 0
  const { writeCall } = createRecordWriter({
    async append(batch) {
      if (world.isDown) throw new Error('The object cannot be reached')
      stored.push(batch)
    },
    keep,
    newId: () => `batch ${++batches}`,
    defect: (_, lost) => void defects.push(lost),
    windowMs: 1_000,
    recordsContent,
  })
  const writeRecord = (record: Parameters<typeof writeCall>[0]) => writeCall(record, (work) => void behind.push(work))
  return Object.assign(world, {
    writeRecord,
    write: (id: string, at = MIDNIGHT, outcome: CallRecord['outcome'] = 'success') =>
      writeRecord({ ...recordAt(id, at), outcome }),
  })
}

const idsOf = ({ calls }: RecordBatch) =>
  calls.flatMap(({ shared, rows }) =>
    rows.flatMap(({ lines }) => lines.split('\n').map((line) => readLine(line, shared).record.call_id)),
  )

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

describe('records of calls', () => {
  it('are stored together, each with its day', async () => {
    const world = setUp()
    world.write('c1', MIDNIGHT - 1)
    world.write('c2', MIDNIGHT)
    world.write('c3', MIDNIGHT - 2)
    expect(world.stored).toEqual([])
    await world.end()
    expect(world.stored.map((batch) => [batch.day, idsOf(batch), batch.lost])).toEqual([
      ['2026-02-28', ['c1', 'c3'], 0],
      ['2026-03-01', ['c2'], 0],
    ])
    expect(new Set(world.stored.map(({ id }) => id)).size).toBe(2)
  })

  it('of successes are only counted if only failures are to be stored', async () => {
    const world = setUp('failures')
    world.write('c1')
    world.write('c2', MIDNIGHT, 'tool-failed')
    await world.end()
    expect(world.stored.map(idsOf)).toEqual([['c2']])
    expect(world.stored.flatMap(({ calls }) => calls.flatMap(({ figures }) => figures.map((each) => each[2])))).toEqual(
      [1, 1],
    )
  })

  it('store common values once, and are read back unchanged', async () => {
    const world = setUp()
    const more = { trace_id: 't', upstream_status: 503, arguments: { text: 'a\nb' } }
    const calls = [1, 2, 3].map((n) => ({ ...recordAt(`c${n}`, MIDNIGHT + n), ...(n === 2 ? more : {}) }))
    for (const call of calls) world.writeRecord(call)
    await world.end()
    const [{ shared, rows, figures } = none, ...others] = world.stored.flatMap((batch) => batch.calls)
    expect(others).toEqual([])
    expect(rows).toMatchObject([{ firstPlace: 0, calls: 3, firstAt: MIDNIGHT + 1, lastAt: MIDNIGHT + 3 }])
    expect(rows[0]?.lines.split('\n').map((line) => readLine(line, shared).record)).toEqual(calls)
    expect(figures).toEqual([[MIDNIGHT, 1, 3, 3]])
  })

  it('are stored once 1,000 of them wait', async () => {
    const world = setUp()
    for (let index = 0; index < 1_000; index++) world.write(`c${index}`)
    expect(world.stored).toHaveLength(1)
    expect(world.behind).toHaveLength(2)
    await world.end()
    expect(world.stored).toHaveLength(1)
  })

  it('that cannot be stored fail no call, and are counted with the next that can', async () => {
    const world = setUp()
    world.isDown = true
    world.write('c1')
    world.write('c2')
    await world.end()
    world.write('c3')
    await world.end()
    expect(world.defects).toEqual([2, 1])
    world.isDown = false
    world.write('c4')
    await world.end()
    world.write('c5')
    await world.end()
    expect(world.stored.map((batch) => [idsOf(batch), batch.lost])).toEqual([
      [['c4'], 3],
      [['c5'], 0],
    ])
  })
})

describe('contents of calls', () => {
  const write = (world: ReturnType<typeof setUp>, id: string, at = MIDNIGHT) =>
    world.writeRecord({
      ...recordAt(id, at),
      content: { owner: 'admin', call_id: id, at, until: at, sealed: 'sealed' },
    })

  it('are stored with the records, each with its day', async () => {
    const world = setUp('all', true)
    write(world, 'c1', MIDNIGHT - 1)
    write(world, 'c2')
    world.write('c3')
    await world.end()
    expect(world.stored.map((batch) => [batch.day, batch.contents?.map(({ call_id }) => call_id)])).toEqual([
      ['2026-02-28', ['c1']],
      ['2026-03-01', ['c2']],
    ])
    // A record has no content
    expect(JSON.stringify(world.stored.map(({ calls }) => calls))).not.toContain('sealed')
  })

  it('wait in memory for at most 100 calls', async () => {
    const world = setUp('all', true)
    for (let index = 0; index < 100; index++) write(world, `c${index}`)
    expect(world.stored).toHaveLength(1)
    await world.end()
  })
})
