import fc from 'fast-check'
import { expect, it } from 'vitest'
import { formats } from '../../../src/compose/dialects.ts'
import { withBudget, checkExports } from '../../../src/core/publish/export.ts'
import { type Budget, createBudget, DEFAULT_UNITS } from '../../../src/core/tool/budget.ts'
import type { Json, JsonObject } from '../../../src/core/tool/json.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { chained } from '../../attacks/schemas.ts'
import { RANDOM_SCHEMAS } from '../../extent.ts'
import { recordOf } from '../../formats/records.ts'
import { input } from '../schema/made-up.ts'

/** Its input leads back to itself, so that it is tried. */
const RECORD = recordOf({ type: 'object', properties: { a: { $ref: '#' } } })
const spending = (units: number) =>
  withBudget('x', ({ id }, _, budget) => {
    budget.spend(units, '/input/properties/a')
    return { document: id, losses: [] }
  })
const MESSAGE = expect.stringMatching(/^Takes too much work to write as 'x'/)

it('a format returns what is written within the budget', () => {
  expect(spending(10)(RECORD, 'n')).toEqual({ ok: true, value: { document: RECORD.id, losses: [] } })
})

it.each([
  ['the work that its writer says it does', spending(DEFAULT_UNITS + 1), '/input/properties/a'],
  ['what is written', withBudget('x', () => ({ document: 'a'.repeat(64 * DEFAULT_UNITS), losses: [] })), ''],
  [
    'parts that are written at many places',
    withBudget('x', () => {
      const part = Array.from({ length: 1_000 }, () => 1)
      return { document: Array.from({ length: 1_000 }, () => part), losses: [] }
    }),
    '',
  ],
  [
    'losses',
    withBudget('x', () => ({
      document: null,
      losses: Array.from({ length: 1_000 }, () => ({ path: 'p'.repeat(64 * 1_000), reason: 'r' })),
    })),
    '',
  ],
])('a format limits %s', (_, format, path) => {
  expect(format(RECORD, 'n')).toEqual({ ok: false, problems: [{ path, message: MESSAGE }] })
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

const places = ['/tools/0/inputSchema', '/tools/1/inputSchema']
const judge = async (formats: Parameters<typeof checkExports>[1], record = RECORD, budget?: Budget) => {
  let gaveWay = 0
  const giveWay = async () => void (gaveWay += 1)
  const placeOf = (index: number) => places[index] ?? ''
  const warnings = await checkExports([record, record], formats, placeOf, giveWay, budget)
  return { warnings, gaveWay }
}

it('checking exports finds no problem if each format can be written, and yields in between', async () => {
  expect(await judge([spending(1), spending(2)])).toEqual({ warnings: [], gaveWay: 0 })
  expect(await judge([spending(0.9 * DEFAULT_UNITS), spending(0.9 * DEFAULT_UNITS)])).toEqual({
    warnings: [],
    gaveWay: 4,
  })
})

it('checking exports names each format, and the location of the schema in the published document', async () => {
  const message = expect.stringMatching(
    /^Takes too much work to write as 'x'.* That export is refused, and lists in it/,
  )
  expect((await judge([spending(1), spending(DEFAULT_UNITS + 1)])).warnings).toEqual([
    { path: '/tools/0/inputSchema/properties/a', message },
    { path: '/tools/1/inputSchema/properties/a', message },
  ])
})

it('checking exports has one budget for all formats of all records, and warns about none that it did not check', async () => {
  const formats = Array.from({ length: 20 }, () => spending(0.9 * DEFAULT_UNITS))
  expect(await judge(formats)).toEqual({ warnings: [], gaveWay: 22 })
  expect(await judge([spending(0.9 * DEFAULT_UNITS)], RECORD, createBudget(DEFAULT_UNITS))).toEqual({
    warnings: [],
    gaveWay: 1,
  })
})

it('checking exports skips small schemas without references and merges', async () => {
  const written: string[] = []
  const noting = withBudget('x', ({ id }) => {
    written.push(id)
    return { document: null, losses: [] }
  })
  expect(await judge([noting], recordOf({ type: 'object', properties: { a: { enum: [1, 2] } } }))).toEqual({
    warnings: [],
    gaveWay: 0,
  })
  expect(written).toEqual([])
  for (const record of [
    RECORD,
    recordOf({ type: 'object' }, { output: { allOf: [{}] } }),
    recordOf({ type: 'object', description: 'd'.repeat(9_000) }),
  ]) {
    written.length = 0
    await judge([noting], record)
    expect(written).toEqual([record.id, record.id])
  }
})

it.each<[string, JsonObject]>([
  ['references to parts that refer to eight more', chained(8, 8)],
  ['alternatives that are joined at the root', { $ref: '#/$defs/a', $defs: { a: { anyOf: alternatives(2_000) } } }],
  ['branches that are joined', { properties: { a: { allOf: alternatives(2_000) } } }],
  [
    'a description of many alternatives',
    { properties: { a: { description: 'd'.repeat(9_000), anyOf: nothings(3_000) } } },
  ],
])('checking exports warns about %s', async (_, input) => {
  expect(await untold(recordOf(input))).toEqual({ refused: expect.arrayContaining([expect.any(String)]), untold: [] })
})

it('checking exports warns about every format in which a schema cannot be written', { timeout: 600_000 }, async () => {
  await fc.assert(
    fc.asyncProperty(schema, schema, fc.boolean(), async (one, other, isOutput) => {
      const record = recordOf(one, { output: isOutput ? other : {}, source: { dialect: 'openapi', document: {} } })
      expect((await untold(record)).untold).toEqual([])
    }),
    { numRuns: RANDOM_SCHEMAS },
  )
})

/** The forms that a record cannot be written in, and those of them that publication does not warn of. */
async function untold(record: ToolRecord) {
  const warnings = await checkExports(
    [record],
    formats.values(),
    () => '/input',
    async () => undefined,
  )
  const refused = [...formats].flatMap(([name, format]) => (format(record, record.name).ok ? [] : [name]))
  return {
    refused,
    untold: refused.filter((name) => !warnings.some(({ message }) => message.includes(`as '${name}'`))),
  }
}

function alternatives(count: number): JsonObject[] {
  return Array.from({ length: count }, (_, index) => ({ properties: { [`p${index}`]: {} } }))
}

function nothings(count: number): JsonObject[] {
  return Array.from({ length: count }, () => ({}))
}
