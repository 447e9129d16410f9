import { afterAll, beforeAll, expect, it } from 'vitest'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched()
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const lists = (count: number, length: number) =>
  Array.from({ length: count }, (_, index) => [...Array.from({ length }, () => 0), index])
const texts = (count: number, length: number) => Array.from({ length: count }, () => 'a'.repeat(length))

/** Cheap schemas, with the values that are most expensive to check against them. */
const COSTLY: readonly (readonly [string, object, unknown])[] = [
  ['unique lists', { allOf: Array(5).fill({ uniqueItems: true }) }, lists(200, 480)],
  [
    'unique objects',
    { allOf: Array(5).fill({ uniqueItems: true }) },
    Array.from({ length: 16_000 }, (_, c) => ({ a: 1, b: 2, c })),
  ],
  ['slow patterns', { items: { pattern: '(a|b)*c' } }, texts(900, 4_400)],
  ['slow patterns, of short texts', { items: { pattern: 'a*a*$' } }, texts(40_000, 60)],
  [
    'long enums',
    { items: { not: { anyOf: Array.from({ length: 100 }, (_, i) => ({ enum: [i] })) } } },
    texts(3_000, 1),
  ],
  [
    'enums of lists',
    { items: { not: { enum: lists(4_000, 3) } } },
    lists(24_000, 3).map((each) => [...each.slice(1), -1]),
  ],
  [
    'many names to look for',
    { items: { not: { required: Array.from({ length: 100 }, (_, i) => `k${i}`) } } },
    Array(20_000).fill({}),
  ],
  ['many numbers to divide', { items: { multipleOf: 1e-300 } }, Array(99_000).fill(1e300)],
  [
    'one long text, read often',
    { allOf: Array.from({ length: 300 }, () => ({ minLength: 1 })) },
    'a'.repeat(4_000_000),
  ],
]

it.each(COSTLY)(
  'a value that is costly to check is refused, without blocking other requests: %s',
  async (name, schema, value) => {
    const tool = name.replaceAll(/\W+/g, '_')
    const published = await server.json('POST', '/tools?dialect=mcp', {
      definition: { name: tool, description: 'd', inputSchema: { type: 'object', properties: { v: schema } } },
      implementation: { kind: 'http', method: 'POST', url: 'https://example.com/' },
      toolkit: 'Costly',
      version: '1.0.0',
    })
    expect(published.status, JSON.stringify(published.body)).toBe(201)
    const input = { v: value }
    const [oxp, mcp, plugin, health] = await Promise.all([
      server.json('POST', '/tools/call', { tool_id: `Costly.${tool}`, input }),
      server.json('POST', '/mcp', {
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: `Costly_${tool}`, arguments: input },
      }),
      server.json('POST', '/plugin/call', { params: { name: `Costly.${tool}`, arguments: input } }),
      server.json('GET', '/health'),
    ])
    expect(health.status).toBe(200)
    expect(oxp.status).toBe(422)
    for (const { status, body } of [oxp, mcp, plugin]) {
      expect(status).toBeLessThan(500)
      expect(JSON.stringify(body)).toContain('too costly to check')
    }
  },
)
