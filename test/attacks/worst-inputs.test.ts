import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { raw } from '../e2e/raw.ts'
import type { RunningServer } from '../e2e/server.ts'
import { describing } from '../plugins/describing.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched()
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index))
const named = <T>(count: number, make: (index: number) => T) =>
  Object.fromEntries(many(count, (index) => [`p${index}`, make(index)]))
const $ref = { $ref: '#/$defs/d' }
const mcp = (inputSchema: unknown, version = '1.0.0', tool = 'x') => ({
  definition: { name: tool, description: 'd', inputSchema },
  toolkit: 'Worst',
  version,
})

/** Runs a request, and counts the other requests that were answered meanwhile. */
async function beside<T>(work: Promise<T>): Promise<{ readonly answer: T; readonly healths: number }> {
  let isDone = false
  const answered = work.finally(() => (isDone = true))
  let healths = 0
  while (!isDone) {
    const [{ status }] = await Promise.all([server.json('GET', '/health'), new Promise(setImmediate)])
    expect(status).toBe(200)
    healths += 1
  }
  return { answer: await answered, healths }
}

describe('schemas under a long name', () => {
  const LONG = /Must not lie below names of more than 4000 characters together/
  const properties = named(1_900, (index) => (index % 2 === 0 ? $ref : { type: 'string' }))
  const schema = {
    type: 'object',
    properties: { ['n'.repeat(200_000)]: { properties } },
    $defs: { d: { type: 'string' } },
  }

  it.each<[string, () => Promise<{ status: number; text: string }>]>([
    ['published', () => sent('/tools?dialect=mcp', mcp(schema))],
    ['converted', () => sent('/convert?from=mcp&to=gemini', mcp(schema))],
    [
      'in a document of several',
      () =>
        sent('/tools?dialect=plugin', {
          definition: { tools: [{ name: 'x', description: 'd', inputSchema: schema }] },
          toolkit: 'Worst',
          version: '1.0.0',
        }),
    ],
    [
      'in what a plugin describes',
      () =>
        raw(server.url, {
          method: 'PUT',
          path: '/toolkits/Worst/plugin?version=1.0.0',
          headers: { 'content-type': 'application/wasm' },
          body: describing(JSON.stringify({ tools: [{ name: 'x', description: 'd', inputSchema: schema }] })),
        }),
    ],
  ])('schemas under a long name are refused: %s', async (_, send) => {
    const { answer } = await beside(send())
    expect([answer.status, LONG.test(answer.text)]).toEqual([422, true])
    expect(answer.text.length).toBeLessThan(1_000_000)
  })
})

it.each<[string, object, object]>([
  [
    'many parts',
    { properties: named(1_900, () => ({ type: 'string' })) },
    { properties: named(1_900, () => ({ type: 'null' })) },
  ],
  [
    'a long list that many parts repeat',
    {
      properties: named(900, (index) => ({ ...$ref, title: `${index}` })),
      $defs: { d: { enum: many(10_000, String) } },
    },
    {
      properties: named(900, (index) => ({ ...$ref, title: `${index}` })),
      $defs: { d: { enum: many(10_001, String) } },
    },
  ],
])('a new version that changes everything is compared within its work budget: %s', async (name, before, after) => {
  const tool = name.replaceAll(' ', '_')
  const publish = (schema: object, version: string) =>
    beside(sent('/tools?dialect=mcp', mcp({ type: 'object', ...schema }, version, tool)))
  const { answer: first } = await publish(before, '1.0.0')
  const { answer: second } = await publish(after, '1.0.1')
  expect([201, 422]).toContain(first.status)
  expect([second.status, /needs version|Takes too much work/.test(second.text)]).toEqual([422, true])
  expect(second.text.length).toBeLessThan(10_000_000)
})

const shared = (pathItem: object, schemas: object) => ({
  from: {
    openapi: {
      openapi: '3.1.0',
      info: { title: 't', version: '1.0.0' },
      servers: [{ url: 'https://example.com' }],
      paths: Object.fromEntries(many(60, (index) => [`/${index}`, { $ref: '#/x' }])),
      x: pathItem,
      components: { schemas },
    },
  },
  toolkit: 'Shared',
})
const inBody = (schema: unknown) => ({ post: { requestBody: { content: { 'application/json': { schema } } } } })
const references = many(400, (index) => ({ $ref: `#/components/schemas/p${index}` }))

it.each<[string, object]>([
  ['patterns', shared(inBody({ allOf: many(1_900, (n) => ({ pattern: `^(?:${n}|[a-z]{1,99}){1,9}\\p{L}*$` })) }), {})],
  [
    'schemas that all lead to each other',
    shared(
      inBody({ anyOf: references }),
      named(400, () => ({ anyOf: references })),
    ),
  ],
])(
  'a description whose operations share costly parts is imported in steps that do not block other requests: %s',
  async (_, body) => {
    const { answer, healths } = await beside(sent('/toolkits/import?dry_run=1', body))
    expect([200, 422]).toContain(answer.status)
    expect(healths).toBeGreaterThan(3)
  },
)

it('an input of a bundled tool of more than 150,000 parts is refused', async () => {
  const input = { a: Array(80_000).fill([1]), b: 1 }
  const { answer } = await beside(sent('/tools/call', { tool_id: 'Calculator.Add', input }))
  expect([answer.status, answer.text.includes('too costly to check')]).toEqual([422, true])
})

describe('a body with many errors', () => {
  const call = (request: object) => ({ tool_id: 'Calculator.Add', ...request })
  const tool = { definition: mcp({ type: 'object' }).definition, toolkit: 'Worst', version: '1.0.0' }
  it.each<[string, string, unknown, number]>([
    ['of digits', '/tools/call', call({ input: { a: `${'9'.repeat(99)}a`.repeat(40_000) } }), 422],
    ['of unknown fields', '/tools/call', call(named(49_000, () => 1)), 400],
    ['of names', '/tools/call', call({ input: named(49_000, () => 1) }), 422],
    ['of implementations', '/tools', { ...tool, implementations: named(150_000, () => ({ kind: 'x' })) }, 422],
    [
      'of one implementation below a long name',
      '/tools',
      { ...tool, implementations: { ['n'.repeat(1_000_000)]: { kind: 'http', ...named(10_000, () => 1) } } },
      422,
    ],
    ['of a definition of megabytes', '/tools?dialect=mcp', mcp({ type: 'object', enum: many(450_000, () => 1) }), 422],
    ['of a definition of more parts', '/tools?dialect=mcp', mcp({ type: 'object', enum: many(900_000, () => 1) }), 400],
  ])('a body with many errors is refused with a short message: %s', async (_, path, body, refusal) => {
    const { status, text } = await raw(server.url, {
      method: 'POST',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    expect(status).toBe(refusal)
    expect(text.length).toBeLessThan(3_000_000)
  })
})

it('a description of more than 20,000 operations is refused', async () => {
  const paths = Object.fromEntries(many(150_000, (index) => [`/${index}`, { $ref: '#/x' }]))
  const openapi = { openapi: '3.1.0', paths, x: { get: {}, put: {}, post: {}, delete: {} } }
  const { status, text } = await sent('/toolkits/import?dry_run=1', { from: { openapi }, toolkit: 'Shared' })
  expect([status, text.includes('at most 20000 operations')]).toEqual([422, true])
})

it.each([
  ['of every letter', 'a b c d e f g h i j k l m n o p q r s t u v w x y z 0 1 2 3 4 5 6 7 8 9'],
  ['of one word, often', 'tool '.repeat(1_500)],
  ['of one long word', 'w'.repeat(7_000)],
  ['of the words of the language', '" OR NEAR(a, b) * ^ {name}: -'],
])('a costly search gets a response: %s', async (_, q) => {
  const { answer } = await beside(server.json('GET', `/tools?q=${encodeURIComponent(q)}`))
  expect([200, 400]).toContain(answer.status)
})

async function sent(path: string, body: unknown): Promise<{ status: number; text: string }> {
  const answer = await server.json('POST', path, body)
  return { status: answer.status, text: JSON.stringify(answer.body) }
}
