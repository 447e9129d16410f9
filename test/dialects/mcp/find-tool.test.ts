import { describe, expect, it } from 'vitest'
import { ADMIN } from '../../../src/core/access/principal.ts'
import { createCallableTool } from '../../../src/core/call/callable-tool.ts'
import type { Resolver } from '../../../src/core/call/resolve-tool.ts'
import { fail } from '../../../src/core/failure/failure.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import { toRefKey } from '../../../src/core/tool/tool-ref.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { findTool } from '../../../src/dialects/mcp/find-tool.ts'
import { readToolset } from '../../../src/dialects/mcp/toolset.ts'
import { record } from './set-up.ts'

/** Looks up a name in a deployment with these references. Returns the lookups besides the result. */
async function find(name: string, query: string, tools: Readonly<Record<string, ToolRecord>>) {
  const seen: string[] = []
  const resolver: Resolver = {
    resolve(ref) {
      seen.push(toRefKey(ref))
      const found = tools[toRefKey(ref)]
      if (!found) return fail({ type: 'tool-unknown', ref: name, suggestions: [] })
      const runnable = { ok: false, reason: 'Not in this test' } as const
      return {
        ok: true,
        status: { state: 'active' },
        publisher: { principal: 'admin', trusted: true },
        tool: createCallableTool({ record: found, validateInput: () => [], validateOutput: () => [], runnable }),
      }
    },
    suggest: () => [],
    invalidate: () => undefined,
  }
  const toolset = readToolset(`http://localhost/mcp?${query}`)
  if (!toolset.ok) throw new Error('The query is wrong')
  const context = {
    principal: ADMIN,
    request: new Request('http://localhost/mcp'),
    background: () => undefined,
    budget: createBudget(),
    memory: { growAnswer: async () => true },
    toolset: toolset.value,
    capabilities: {},
    authorize: () => expect.unreachable(),
  }
  const found = await findTool({ name }, context, resolver)
  return { found: found && toRefKey(found.toolRef), seen }
}

const toolkits = (count: number) => Array.from({ length: count }, (_, index) => `K${index}`)
const inDocument = (toolkit: string) => `document:${JSON.stringify(['toolkit', toolkit, 'math.add'])}`
const add = (toolkit: string) => record('math_add', { toolkit, sourceName: 'math.add' })

describe('a name with a dot', () => {
  it('finds the tool with that name in its document, in the only toolkit that has it', async () => {
    const tools = { [inDocument('K1')]: add('K1'), 'name:["math.add"]': add('Other') }
    expect((await find('math.add', 'toolkits=K0,K1', tools)).found).toBe(inDocument('K1'))
  })

  it('finds no tool of the toolkits if several have it', async () => {
    const tools = { [inDocument('K0')]: add('K0'), [inDocument('K1')]: add('K1') }
    expect((await find('math.add', 'toolkits=K0,K1', tools)).found).toBeUndefined()
  })

  it('finds no tool of nine toolkits, since the ninth may have it too', async () => {
    const tools = { [inDocument('K0')]: add('K0'), [inDocument('K8')]: add('K8') }
    const { found, seen } = await find('math.add', `toolkits=${toolkits(9).join()}`, tools)
    expect(found).toBeUndefined()
    expect(seen.length).toBeLessThan(9)
  })

  it('is the exposed name of a tool that was published under it', async () => {
    expect((await find('math.add', '', { 'name:math_add': add('K0') })).found).toBe('name:math_add')
    expect((await find('math.add', '', { 'name:math_add': record('math_add') })).found).toBeUndefined()
  })
})

describe('a name without a dot', () => {
  const tools = { 'name:add': record('add', { toolkit: 'K1' }), 'K0.add': record('add', { toolkit: 'K0' }) }

  it('is looked up as an exposed name before a name in a toolkit', async () => {
    expect(await find('add', 'toolkits=K0,K1', tools)).toEqual({ found: 'name:add', seen: ['name:add'] })
    expect((await find('add', 'toolkits=K0', tools)).found).toBe('K0.add')
  })

  it('is looked up as a name in the toolkit first if tools are listed with bare names', async () => {
    expect(await find('add', 'toolkits=K0&names=bare', tools)).toEqual({ found: 'K0.add', seen: ['K0.add'] })
    expect((await find('add', 'toolkits=K1&names=bare', tools)).found).toBe('name:add')
  })
})
