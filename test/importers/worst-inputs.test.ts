import { describe, expect, it } from 'vitest'
import type { ImportKind } from '../../src/core/tool/remote-dialect.ts'
import { createBudget, DEFAULT_UNITS } from '../../src/core/tool/budget.ts'
import type { Json, JsonObject } from '../../src/core/tool/json.ts'
import { OPERATION_UNITS } from '../../src/importers/openapi/description.ts'
import { createOpenApiImporter } from '../../src/importers/openapi/importer.ts'
import type { OpenUpstream } from '../../src/importers/upstream.ts'
import type { Cross } from '../climb.ts'
import { effortOfAsync, MOST_EFFORT } from '../effort.ts'
import { input as schema } from '../core/schema/made-up.ts'
import { importerFrom } from '../runners/remote/set-up.ts'
import { readAll } from './reading.ts'

import fc from 'fast-check'

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const named = <T>(count: number, make: (index: number) => T) =>
  Object.fromEntries(many(count, (index) => [`n${index}`, make(index)]))

/** Imports a source, and returns the result with the units that it took. */
async function imported(kind: ImportKind, source: JsonObject | readonly unknown[], units = Infinity) {
  const meter = createBudget(units)
  const tools = Array.isArray(source) ? source : []
  const upstreams: OpenUpstream = () => ({ ok: true, value: async () => ({ ok: true, value: { tools } }) })
  const importer =
    kind === 'openapi'
      ? createOpenApiImporter({ fetchText: async () => ({ ok: false, problem: 'No URL is fetched' }) })
      : importerFrom(kind, upstreams)
  const read = await readAll(importer, {
    source: Array.isArray(source) ? 'https://there.example/' : (source as JsonObject),
    budget: meter,
  })
  return { ...read, units: meter.spent }
}

/** A description whose operation is made of what is given, in which schemas find their definitions. */
function described(operation: JsonObject, more: JsonObject = {}, edition = '3.1.0'): JsonObject {
  return {
    ...(edition === '2.0' ? { swagger: '2.0', host: 'a.example' } : { openapi: edition }),
    servers: [{ url: 'https://a.example' }],
    paths: { '/a': { post: operation } },
    ...more,
  }
}

describe('the worst operation of an OpenAPI description', () => {
  const component = { 'application/json': {} }
  const part = fc.oneof(
    schema.map((each) => ({ ...each, $defs: undefined }) as JsonObject),
    fc.constantFrom('a', 'b', 'c').map((name): JsonObject => ({ $ref: `#/components/schemas/${name}` })),
  )
  const operation = fc.record({
    parameters: fc.array(
      fc.oneof(
        fc.record({ name: fc.string({ minLength: 1, maxLength: 3 }), in: fc.constant('query'), schema: part }),
        fc.constant({ $ref: '#/components/parameters/shared' }),
      ),
      { maxLength: 8 },
    ),
    requestBody: fc.oneof(
      part.map((each) => ({ content: { 'application/json': { schema: each } } })),
      fc.constant({ $ref: '#/components/requestBodies/shared' }),
    ),
    responses: fc.dictionary(
      fc.constantFrom('200', '201', '2XX', 'default'),
      part.map((each) => ({ content: { 'application/json': { schema: each } } })),
    ),
  })
  const description = fc
    .record({ operation, schemas: fc.record({ a: part, b: part, c: part }) })
    .map((each): JsonObject => {
      const components = {
        schemas: each.schemas,
        parameters: { shared: { name: 'shared', in: 'query', content: component } },
        requestBodies: { shared: { content: component } },
      }
      // The generated schemas refer to their own definitions
      const text = JSON.stringify(described(JSON.parse(JSON.stringify(each.operation)), { components }))
      return JSON.parse(
        text
          .replaceAll('#/$defs/', '#/components/schemas/')
          .replaceAll('"$ref":"#"', '"$ref":"#/components/schemas/a"'),
      )
    })
  const join: Cross<JsonObject> = (best, fresh, number) => {
    const [of, other] = [best, fresh].map((each) => Object(each)['paths']['/a'].post)
    const parameters = [...of.parameters, ...other.parameters].slice(0, 40)
    const renamed = parameters.map((each, index) => ('name' in each ? { ...each, name: `p${index}` } : each))
    const { schemas } = Object(number() < 0.5 ? best : fresh)['components']
    return {
      ...best,
      components: { ...Object(best)['components'], schemas },
      paths: { '/a': { post: { ...of, parameters: renamed } } },
    }
  }

  it('the worst operation of an OpenAPI description that a search finds stays within the share of one operation', async () => {
    // An importer is asynchronous, so what is tried is what it took before
    const tried = new Map<JsonObject, number>()
    const numbers = fc.sample(description, { seed: 11, numRuns: 25 })
    let best = numbers[0] ?? {}
    for (const [step, fresh] of numbers.entries()) {
      for (const candidate of [fresh, join(best, fresh, () => (step % 10) / 10)]) {
        tried.set(candidate, (await imported('openapi', candidate)).units)
        if ((tried.get(candidate) ?? 0) > (tried.get(best) ?? 0)) best = candidate
      }
    }
    const most = tried.get(best) ?? 0
    expect(most).toBeGreaterThan(500)
    expect(most).toBeLessThan(OPERATION_UNITS + 10_000)
  })

  const types = named(20_000, () => ({}))
  const shared = {
    parameters: { p: { name: 'p', in: 'query', content: types } },
    requestBodies: { b: { content: types } },
    responses: { r: { content: types } },
  }

  it.each<[string, JsonObject]>([
    [
      'parameters of one that has many media types',
      described({ parameters: many(500, () => ({ $ref: '#/components/parameters/p' })) }, { components: shared }),
    ],
    [
      'responses of one that has many media types',
      described(
        {
          responses: Object.fromEntries(many(100, (index) => [`${200 + index}`, { $ref: '#/components/responses/r' }])),
        },
        { components: shared },
      ),
    ],
    [
      'media types that all responses have',
      described(
        { responses: named(1_000, () => ({ schema: { type: 'string' } })) },
        { produces: many(500, (index) => `application/x-${index}`) },
        '2.0',
      ),
    ],
    [
      'parameters of one that has much to be warned of',
      described(
        { parameters: many(500, (index) => ({ $ref: `#/components/parameters/p${index % 2}` })) },
        {
          components: {
            parameters: named(2, () => ({
              name: 'p',
              in: 'query',
              schema: { allOf: many(5_000, () => ({ minimum: 'x' })) },
            })),
          },
        },
      ),
    ],
  ])('the worst operation of an OpenAPI description is skipped within its share: %s', async (name, source) => {
    const { skipped, tools, units } = await imported('openapi', source)
    expect(units, name).toBeLessThan(OPERATION_UNITS + 50_000)
    expect(await effortOfAsync(() => imported('openapi', source)), name).toBeLessThan(4 * MOST_EFFORT)
    expect(tools.length + skipped.length).toBe(1)
    for (const { reason } of skipped) expect(reason.length).toBeLessThan(1_000)
  })

  it('the worst operation of an OpenAPI description is refused at once if the description has too many operations', async () => {
    const methods = Object.fromEntries(['get', 'put', 'post', 'delete'].map((method) => [method, {}]))
    const paths = Object.fromEntries(many(60_000, (index) => [`/${index}`, { $ref: '#/x' }]))
    const source = { openapi: '3.1.0', paths, x: methods }
    const { problems } = await imported('openapi', source)
    expect(problems).toEqual([{ path: '/from/openapi', message: 'Must describe at most 20000 operations' }])
    expect(await effortOfAsync(() => imported('openapi', source))).toBeLessThan(8 * MOST_EFFORT)
  })
})

describe.each(['mcp', 'oxp'] as const)('the worst tool of an %s server', (kind) => {
  const toolOf = (inputSchema: Json, name = 'a') =>
    kind === 'mcp'
      ? { name, description: 'd', inputSchema }
      : { id: `Kit.${name}@1.0.0`, name, description: 'd', input_schema: inputSchema, output_schema: {} }

  it(`the worst tool of an ${kind} server that a search finds stays within the units of a definition`, async () => {
    const schemas = fc.sample(schema, { seed: 12, numRuns: 150 })
    const { units } = await imported(
      kind,
      schemas.map((each, index) => toolOf(each, `t${index}`)),
    )
    let worst = 0
    for (const each of schemas) worst = Math.max(worst, (await imported(kind, [toolOf(each)])).units)
    expect(worst).toBeGreaterThan(20)
    expect(worst).toBeLessThan(DEFAULT_UNITS)
    expect(units).toBeLessThanOrEqual(worst * schemas.length)
  })

  it.each<[string, Json]>([
    ['of megabytes', { type: 'object', description: 'x'.repeat(10_000_000) }],
    ['of many parts', { type: 'object', properties: named(300_000, () => ({ $ref: '#/$defs/a' })) }],
    [
      'below a long name',
      {
        type: 'object',
        properties: { ['n'.repeat(1_000_000)]: { properties: named(100_000, () => ({ $ref: '#' })) } },
      },
    ],
    ['of empty lists', { type: 'object', enum: many(1_000_000, () => []) }],
  ])(`the worst tool of an ${kind} server is skipped with a short reason: %s`, async (_, inputSchema) => {
    const tools = [toolOf(inputSchema), toolOf({ type: 'object' }, 'b')]
    const { skipped } = await imported(kind, tools)
    expect(await effortOfAsync(() => imported(kind, tools))).toBeLessThan(4 * MOST_EFFORT)
    expect(skipped.map(({ reason }) => reason)).toEqual(['Is larger than 262144 bytes'])
  })

  it(`the worst tool of an ${kind} server uses the budget that is left for all tools`, async () => {
    const documents = many(50, (index) => toolOf({ type: 'object', enum: many(5_000, () => 1) }, `t${index}`))
    const { tools, skipped, units } = await imported(kind, documents, 60_000)
    expect([tools.length > 0, skipped.length > 0]).toEqual([true, true])
    expect(units).toBeLessThan(60_000 + 50 * 10_000)
    expect(new Set(skipped.map(({ reason }) => reason))).toEqual(
      new Set(['Takes too much work to read: it has too many parts']),
    )
  })
})
