import { expect, it } from 'vitest'
import { ADMIN, type Principal } from '../../../src/core/access/principal.ts'
import type { Catalog } from '../../../src/core/catalog/catalog.ts'
import { listToolkitChoices } from '../../../src/core/catalog/choices.ts'
import { createBudget } from '../../../src/core/tool/budget.ts'
import type { ToolRecord } from '../../../src/core/tool/tool.ts'
import { recordWith } from '../call/fakes.ts'

const record = (toolkit: string, tool: string, more: Partial<ToolRecord> = {}): ToolRecord => ({
  ...recordWith({}),
  toolkit,
  tool,
  implementation: { kind: 'code' },
  ...more,
})

/** A catalog of two pages, which leaves out what cannot be called. */
const pages = (first: readonly ToolRecord[], second: readonly ToolRecord[]): Pick<Catalog, 'list'> => ({
  async list({ cursor, callable }, _, format) {
    if (!('write' in format)) throw new Error('Wanted a format of its own')
    const records = (cursor === undefined ? first : second).filter((each) => each.implementation || !callable)
    const lines = records.map((each) => format.write(each, each.tool, createBudget()))
    return { lines, ...(cursor === undefined ? { nextCursor: 'second' } : {}) }
  },
})

const choices = (principal: Principal, ...given: Parameters<typeof pages>) =>
  listToolkitChoices(principal, pages(...given))

it('the toolkits that a person may give an agent are listed once, over all pages, with their highest level', async () => {
  const first = [record('Bell', 'Ring'), record('Door', 'Open')]
  expect(await choices(ADMIN, first, [record('bell', 'Mute', { securityLevel: 3 })])).toEqual([
    { toolkit: 'Bell', tools: ['Ring', 'Mute'], level: 3 },
    { toolkit: 'Door', tools: ['Open'], level: 0 },
  ])
})

it('the toolkits that a person may give an agent exclude tools that cannot be called, or not by the person', async () => {
  const { implementation: _, ...planned } = record('Bell', 'Plan')
  const person: Principal = { ...ADMIN, id: 'person:ann', kind: 'person', scopes: ['tools:read', 'tools:call'] }
  const strict = record('Bell', 'Melt', { securityLevel: 5 })
  expect(await choices(person, [planned, strict], [record('Door', 'Open')])).toEqual([
    { toolkit: 'Door', tools: ['Open'], level: 0 },
  ])
  expect(await choices({ ...person, scopes: ['tools:read'] }, [], [record('Door', 'Open')])).toEqual([])
})
