import { describe, expect, it } from 'vitest'
import { bounded, judgeExports } from '../../../src/core/publish/export.ts'
import { recordOf } from '../../formats/records.ts'
import { UNITS } from '../../../src/core/tool/budget.ts'

const RECORD = recordOf({ type: 'object' })
const spending = (units: number) =>
  bounded('x', ({ id }, _, budget) => {
    budget.spend(units, '/input/properties/a')
    return { document: id, losses: [] }
  })
const MESSAGE = expect.stringMatching(/^Takes too much work to write as 'x'/)

describe('a form', () => {
  it('gives what is written within the budget', () => {
    expect(spending(10)(RECORD, 'n')).toEqual({ ok: true, value: { document: RECORD.id, losses: [] } })
  })

  it.each([
    ['the work that its writer says it does', spending(UNITS + 1), '/input/properties/a'],
    ['what is written', bounded('x', () => ({ document: 'a'.repeat(64 * UNITS), losses: [] })), ''],
    [
      'parts that are written at many places',
      bounded('x', () => {
        const part = Array.from({ length: 1_000 }, () => 1)
        return { document: Array.from({ length: 1_000 }, () => part), losses: [] }
      }),
      '',
    ],
    [
      'losses',
      bounded('x', () => ({
        document: null,
        losses: Array.from({ length: 1_000 }, () => ({ path: 'p'.repeat(64 * 1_000), reason: 'r' })),
      })),
      '',
    ],
  ])('bounds %s', (_, format, path) => {
    expect(format(RECORD, 'n')).toEqual({ ok: false, problems: [{ path, message: MESSAGE }] })
  })
})

describe('the judging of exports', () => {
  const places = ['/tools/0/inputSchema', '/tools/1/inputSchema']
  const judge = async (formats: Parameters<typeof judgeExports>[1]) => {
    let gaveWay = 0
    const giveWay = async () => void (gaveWay += 1)
    const problems = await judgeExports([RECORD, RECORD], formats, (index) => places[index] ?? '', giveWay)
    return { problems, gaveWay }
  }

  it('finds nothing wrong with what each form can be written in, and gives way in between', async () => {
    expect(await judge([spending(1), spending(2)])).toEqual({ problems: [], gaveWay: 0 })
    expect(await judge([spending(0.9 * UNITS), spending(0.9 * UNITS)])).toEqual({ problems: [], gaveWay: 4 })
  })

  it('says where a schema stands in what was published', async () => {
    expect((await judge([spending(1), spending(UNITS + 1)])).problems).toEqual([
      { path: '/tools/0/inputSchema/properties/a', message: MESSAGE },
    ])
  })

  it('bounds all forms of all records together', async () => {
    const { problems, gaveWay } = await judge(Array.from({ length: 20 }, () => spending(0.9 * UNITS)))
    expect(problems).toEqual([{ path: '/tools/1/inputSchema/properties/a', message: MESSAGE }])
    expect(gaveWay).toBe(22)
  })
})
