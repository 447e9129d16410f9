import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createSearch } from '../../src/core/call/jmespath/search.ts'
import { createBudget, DEFAULT_UNITS } from '../../src/core/tool/budget.ts'
import type { RunningServer } from '../e2e/server.ts'
import { neverSilent, startWatched } from './watch.ts'

let server: RunningServer
beforeAll(async () => {
  server = await startWatched({ vars: { ACCESS: 'public' } })
})
afterAll(() => server?.stop())
afterAll(neverSilent)

const times = (count: number) => `[${Array(count).fill('@').join(',')}]`
const tenfold = ` | ${times(10)} | join('', @)`

/** Expressions of under 2,000 characters that would turn a number into megabytes. */
const SWELLING: readonly (readonly [string, string])[] = [
  ['texts that are joined, and stand at many places', `\`"${'x'.repeat(1_000)}"\`${tenfold.repeat(3)} | ${times(24)}`],
  ['lists that are repeated by reference', `@${` | ${times(20)}`.repeat(6)}`],
  ['texts in texts, whose escapes double', `'"'${' | to_string([@])'.repeat(19)}`],
  ['names that are long, around what is repeated', `@${` | {${'n'.repeat(100)}: @, m: @, o: @, p: @}`.repeat(12)}`],
  ['glue between nothing', `@ | ${times(30)} | ${times(30)} | [] | map(&'', @) | join('${'g'.repeat(1_000)}', @)`],
  ['lists that are flattened into lists', `@ | [@]${' | [@, @, @, @] | []'.repeat(10)}`],
  ['literals that a projection repeats', `[${times(30)}, ${times(30)}][][].{a: '${'y'.repeat(1_500)}'}`],
]

describe.each(SWELLING)('a selection of %s', (name, select) => {
  it(`a selection of ${name} is refused, and nothing is stored`, async () => {
    expect(select.length).toBeLessThanOrEqual(2_000)
    const body = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 }, context: { select } }
    const { status, body: answered } = await server.json('POST', '/tools/call', { request: body })
    const text = JSON.stringify(answered)
    expect([status, text.length < 10_000]).toEqual([200, true])
    expect(text).toMatch(/outgrows the output by more than 65536 bytes|too much work/)
    // Nothing is stored for anonymous callers
    expect(answered.result.error.artifact).toBeUndefined()
  })

  it(`a selection of ${name} stays within its size limit and work budget`, () => {
    const read = createSearch(select)
    if (!read.ok) throw new Error(read.message)
    const budget = createBudget(DEFAULT_UNITS)
    expect(read.search(3, budget)).toMatchObject({ ok: false })
    expect(budget.spent).toBeLessThan(2 * DEFAULT_UNITS)
  })
})

it.each<readonly [string, string, unknown]>([
  ['as OXP', '/tools/call', { request: { tool_id: 'Calculator.Add', input: { a: 1, b: 2 }, context: { select: '' } } }],
  ['as MCP', '/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params: {} }],
  ['as a plugin', '/plugin/call', { params: {} }],
])('%s, a selection of the maximum size is answered, and a larger one is refused', async (dialect, path, body) => {
  const within = `'${'x'.repeat(1_000)}' | ${times(60)} | join('', @)`
  const beyond = `'${'x'.repeat(1_000)}' | ${times(67)} | join('', @)`
  const ask = async (select: string) => {
    const params = { name: 'Calculator_Add', arguments: { a: 1, b: 2 }, _meta: { 'dev.switchboard/select': select } }
    const input = { tool_id: 'Calculator.Add', input: { a: 1, b: 2 }, context: { select } }
    const sent = dialect === 'as OXP' ? { request: input } : { ...Object(body), params }
    return JSON.stringify((await server.json('POST', path, sent)).body)
  }
  expect((await ask(within)).length).toBeGreaterThan(60_000)
  const refused = await ask(beyond)
  expect([refused.length < 10_000, refused.includes('outgrows the output')]).toEqual([true, true])
})

it('a selection can return a part of an output of megabytes, or all of it', () => {
  const value = { items: Array.from({ length: 30_000 }, (_, id) => ({ id, text: 'x'.repeat(60) })) }
  const size = JSON.stringify(value).length
  for (const [expression, most] of [
    ['items[?id < `10`].text', 1_000],
    ['@', size],
  ] as const) {
    const read = createSearch(expression)
    if (!read.ok) throw new Error(read.message)
    const found = read.search(value)
    expect([expression, found.ok]).toEqual([expression, true])
    expect(JSON.stringify(found).length).toBeLessThan(most + 100)
  }
})
