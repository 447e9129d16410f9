import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { formats } from '../../../src/compose/dialects.ts'
import { bounded, judgeExports, mostToWrite } from '../../../src/core/publish/export.ts'
import { createBudget, UNITS } from '../../../src/core/tool/budget.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import { RANDOM_SCHEMAS } from '../../extent.ts'
import { recordOf } from '../../formats/records.ts'
import { input } from '../schema/made-up.ts'

/** Its input leads back to itself, so that only its writers can tell what it takes. */
const RECORD = recordOf({ type: 'object', properties: { a: { $ref: '#' } } })
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
  const judge = async (formats: Parameters<typeof judgeExports>[1], record = RECORD) => {
    let gaveWay = 0
    const giveWay = async () => void (gaveWay += 1)
    const problems = await judgeExports([record, record], formats, (index) => places[index] ?? '', giveWay)
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

  it('writes nothing whose size alone says that it can be written', async () => {
    const written: string[] = []
    const noting = bounded('x', ({ id }) => {
      written.push(id)
      return { document: null, losses: [] }
    })
    const definitions = { $defs: { a: { type: 'string' } }, allOf: [{ properties: { b: { $ref: '#/$defs/a' } } }] }
    expect(await judge([noting], recordOf({ type: 'object', ...definitions }))).toEqual({ problems: [], gaveWay: 0 })
    expect(written).toEqual([])
    await judge([noting])
    expect(written).toEqual([RECORD.id, RECORD.id])
  })
})

/** Small schemas, of which forms make the most: each part is written in a way of its own. */
const leaf = fc.constantFrom<JsonObject | true>(
  true,
  {},
  { type: 'array' },
  { type: ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] },
  { type: ['array', 'object'], items: true, properties: { a: {} } },
  { enum: [1, 'a', null, {}, []] },
  { anyOf: [{}] },
  { oneOf: [{}, { type: 'null' }], description: 'd'.repeat(100) },
  { allOf: [{ properties: { a: {} } }, { properties: { a: true } }] },
  { $ref: '#/$defs/a', properties: { a: {} } },
  { required: ['a'], unknown: 1 },
)
const { small } = fc.letrec<{ small: Json }>((tie) => ({
  small: fc.oneof(
    { maxDepth: 4, depthSize: 'medium' },
    leaf,
    fc.record({ properties: fc.dictionary(fc.string({ maxLength: 2 }), tie('small'), { maxKeys: 8 }) }),
    fc.record({ anyOf: fc.array(tie('small'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ allOf: fc.array(tie('small'), { minLength: 1, maxLength: 4 }) }),
    fc.record({ items: tie('small') }),
  ),
}))
const schema = fc.oneof(
  input,
  fc.tuple(small, small).map(([root, a]): JsonObject => ({ type: 'object', properties: { root }, $defs: { a } })),
)

describe('the size of a record', () => {
  it('is judged no lower than what it takes to write it in any form', { timeout: 600_000 }, () => {
    let judged = 0
    fc.assert(
      fc.property(schema, schema, fc.boolean(), (...[one, other, isOutput]) => {
        const record = recordOf(one, { output: isOutput ? other : {}, source: { dialect: 'openapi', document: {} } })
        const most = mostToWrite(record)
        if (most === Infinity) return
        judged += 1
        for (const [name, format] of formats) {
          const budget = createBudget(Infinity)
          expect(format(record, record.name, budget).ok, name).toBe(true)
          expect(budget.spent, name).toBeLessThanOrEqual(most)
        }
      }),
      { numRuns: RANDOM_SCHEMAS },
    )
    expect(judged).toBeGreaterThan(RANDOM_SCHEMAS / 10)
  })

  it.each<[string, JsonObject]>([
    ['a reference that leads back', { properties: { a: { items: { $ref: '#/properties/a' } } } }],
    ['an anchor', { $defs: { a: { $anchor: 'x' } }, $ref: '#x' }],
    ['references to each other, more than anybody follows', chain(500)],
    ['parts that double with each level', doubling(30)],
    ['alternatives that are joined at the root', { $ref: '#/$defs/a', $defs: { a: { anyOf: alternatives(450) } } }],
    ['branches that are joined', { properties: { a: { allOf: alternatives(450) } } }],
  ])('is told only by writers for %s', (_, input) => {
    expect(mostToWrite(recordOf(input))).toBeGreaterThan(UNITS)
  })
})

function alternatives(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({ properties: { [`p${index}`]: {} } }))
}

function chain(length: number): JsonObject {
  const $defs = Array.from({ length }, (_, index) => [`d${index}`, { $ref: `#/$defs/d${index + 1}` }])
  return { $ref: '#/$defs/d0', $defs: Object.fromEntries($defs) }
}

function doubling(levels: number): JsonObject {
  const twice = (index: number) => ({ a: { $ref: `#/$defs/d${index + 1}` }, b: { $ref: `#/$defs/d${index + 1}` } })
  const $defs = Array.from({ length: levels }, (_, index) => [`d${index}`, { properties: twice(index) }])
  return { $ref: '#/$defs/d0', $defs: { ...Object.fromEntries($defs), [`d${levels}`]: { type: 'string' } } }
}
