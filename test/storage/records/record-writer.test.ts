import { describe, expect, it } from 'vitest'
import type { CallRecord } from '../../../src/core/call/record.ts'
import { createRecordWriter, WrittenCall } from '../../../src/storage/records/record-writer.ts'
import type { RecordedCalls } from '../../../src/core/call/records.ts'
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
const MIDNIGHT = Date.parse('2026-03-01')

function setUp(keep: RecordedCalls = 'failures') {
  const stored: RecordBatch[] = []
  const defects: number[] = []
  const behind: Promise<unknown>[] = []
  const wakes: (() => void)[] = []
  const world = {
    stored,
    defects,
    behind,
    isDown: false,
    async end() {
      wakes.splice(0).forEach((wake) => wake())
      await Promise.all(behind)
    },
  }
  let batches = 0
  const { writeCall: write } = createRecordWriter({
    async append(batch) {
      if (world.isDown) throw new Error('The object cannot be reached')
      stored.push(batch)
    },
    keep,
    newId: () => `batch ${++batches}`,
    sleep: () => new Promise<void>((done) => void wakes.push(done)),
    defect: (_, lost) => void defects.push(lost),
  })
  return Object.assign(world, {
    write: (id: string, at = MIDNIGHT) => write(new WrittenCall(recordAt(id, at)), (work) => void behind.push(work)),
  })
}

const idsOf = ({ calls }: RecordBatch) => calls.map((call) => JSON.parse(String(call)).call_id)

describe('records of calls', () => {
  it('go together, each to its day', async () => {
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
    expect(world.stored[0]).toMatchObject({ keep: 'failures' })
    expect(new Set(world.stored.map(({ id }) => id)).size).toBe(2)
  })

  it('are none where none are wanted', async () => {
    const world = setUp('none')
    world.write('c1')
    await world.end()
    expect([world.stored, world.behind]).toEqual([[], []])
  })

  it('do not wait for more than 500', async () => {
    const world = setUp()
    for (let index = 0; index < 500; index++) world.write(`c${index}`)
    expect(world.stored).toHaveLength(1)
    expect(world.behind).toHaveLength(2)
    await world.end()
    expect(world.stored).toHaveLength(1)
  })

  it('that cannot be stored harm nobody, and are counted with the next that can', async () => {
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
